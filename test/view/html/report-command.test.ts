import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Flags } from '../../../src/cli/context.ts';
import { command } from '../../../src/commands/report.ts';
import { makeCheckpoint, type Outcome } from '../../cli/checkpoints.ts';
import { contextFor } from '../../cli/in-process.ts';
import { ticket } from '../../support/desk.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { folderOfTest } from '../../support/folder-of-test.ts';
import { textOf } from '../sample.ts';

const clock = createFakeClock();

/** With a checkpoint with these tickets. */
async function place(tickets: Readonly<Record<string, Outcome>>) {
  const folder = folderOfTest();
  const checkpoint = folder.join('a.sqlite');
  await makeCheckpoint(checkpoint, { tickets, run: { exitCode: 4 } });
  const report = async (files: readonly string[], flags: Flags = {}) => {
    const { context } = contextFor('report', [], {}, { cwd: folder.path });
    const output = folder.join('r.html');
    const code = await command.run(files, { output, ...flags }, { ...context, clock });
    return { code, text: textOf(readFileSync(output, 'utf8')) };
  };
  return { folder, checkpoint, report };
}

const ALL = { 1: 'done', 2: 'done', 3: 'done', refused: 'failed', doubt: 'inDoubt' } as const;

describe('report', () => {
  it('of a checkpoint alone: outcomes, tickets in doubt and refused, runs', async () => {
    const { checkpoint, report } = await place(ALL);
    const before = readFileSync(checkpoint);
    const { code, text } = await report([], { checkpoint });
    expect(code).toBe(0);
    expect(text).toContain('3 of 5 tickets are in the helpdesk.');
    expect(text).toMatch(/doubt\s+src-doubt/);
    expect(text).toMatch(/refused\s+no\s+The helpdesk refused refused\./);
    expect(text).toContain('some in doubt');
    expect(text).toContain('helpdesk-import resolve');
    expect(readFileSync(checkpoint).equals(before)).toBe(true);
  });

  it('with the export shows sample conversations, and counts nothing that no run has recorded', async () => {
    const { folder, checkpoint, report } = await place({ 1: 'done' });
    const rows = [ticket('1', { status: 'closed' }), ticket('2', { status: 'nonsense' })];
    writeFileSync(folder.join('x.jsonl'), rows.map((row) => JSON.stringify(row)).join('\n'));
    const { text } = await report([folder.join('x.jsonl')], { checkpoint });
    expect(text).toContain('The one ticket is in the helpdesk.');
    expect(text).toContain('No run has recorded what the export holds.');
    expect(text).not.toMatch(/messages\s+0|Nothing of the tickets/);
    expect(text).toContain('1 hello');
  });

  it('a checkpoint is named like a file too, as for status; what only has the name of one is refused', async () => {
    const { folder, checkpoint, report } = await place(ALL);
    expect((await report([checkpoint])).text).toContain(checkpoint);
    const no = folder.join('not.sqlite');
    writeFileSync(no, 'hello\n');
    await expect(report([no])).rejects.toThrow(/is not a checkpoint/);
    await expect(report([checkpoint, no])).rejects.toThrow('A report is of one checkpoint.');
  });
});
