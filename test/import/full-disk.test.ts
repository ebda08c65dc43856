/** The rows of an export are in a temporary file, in which a run also notes what became of each ticket. */
import { writeFileSync } from 'node:fs';
import { expect, it, onTestFinished, vi } from 'vitest';
import { Steps } from '../../src/plan/queries.ts';
import { inProcess } from '../cli/in-process.ts';
import { temporaryFolder } from '../support/cli.ts';
import { ONE_TICKET } from '../support/one-ticket.ts';

it.each(['queue', 'settle'] as const)(
  'a temporary disk that is full at %s stops a run early, with its summary',
  async (step) => {
    using folder = temporaryFolder();
    const noted = vi.spyOn(Steps.prototype, step).mockImplementationOnce(() => {
      throw Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' });
    });
    onTestFinished(() => noted.mockRestore());
    const file = folder.join('export.jsonl');
    writeFileSync(file, JSON.stringify(ONE_TICKET));
    const flags = {
      checkpoint: folder.join('checkpoint.sqlite'),
      sandbox: folder.join('sandbox'),
      yes: true,
    };
    const { code, stdout, stderr } = await inProcess(
      'run',
      [file],
      { ...flags, json: true },
      { cwd: folder.path },
    );
    expect(code, stderr).toBe(6);
    expect(stderr).toContain('The temporary file of the export');
    expect(JSON.parse(stdout)).toMatchObject({ exitCode: 6, tickets: { read: 1, pending: 1 } });
  },
);
