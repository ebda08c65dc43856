/** The rows of an export are in a temporary file, in which a run also notes what became of each ticket. */
import { expect, it, onTestFinished, vi } from 'vitest';
import { Steps } from '../../src/plan/queries.ts';
import { openFolder, ticket } from '../support/desk.ts';

it.each(['queue', 'settle'] as const)(
  'a temporary disk that is full at %s stops a run early, with its summary',
  async (step) => {
    const noted = vi.spyOn(Steps.prototype, step).mockImplementationOnce(() => {
      throw Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' });
    });
    onTestFinished(() => noted.mockRestore());
    const { write, run } = openFolder();
    write('export.jsonl', [ticket('A')]);
    const ended = await run('run', 'export.jsonl', '--sandbox', 'sandbox');
    expect(ended).toMatchObject({ code: 6, tickets: { read: 1, pending: 1 } });
    expect(ended.stderr).toContain('The temporary file of the export');
  },
);
