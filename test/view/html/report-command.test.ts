import { readFileSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openCheckpoint } from '../../../src/checkpoint/checkpoint.ts';
import type { Flags } from '../../../src/cli/context.ts';
import { command } from '../../../src/commands/report.ts';
import { contextFor } from '../../cli/in-process.ts';
import { temporaryFolder } from '../../support/cli.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { created, doubted, failed, finished, intend } from '../../support/ledger-steps.ts';
import { textOf } from '../sample.ts';

const clock = createFakeClock();

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder[Symbol.dispose]());

/** A checkpoint with these tickets done, one refused and one in doubt. */
async function checkpoint(name: string, done: readonly string[], others = true): Promise<string> {
  const path = folder.join(name);
  const ledger = openCheckpoint(path, { target: 'https://x.example/v1', clock, programVersion: '1' });
  await ledger.startRun('run');
  const begin = (id: string) => intend(ledger, id);
  for (const id of done) {
    await begin(id);
    await created(ledger, id, `tkt_${id}`);
    await finished(ledger, id);
  }
  if (others) {
    await begin(`${name}-refused`);
    await failed(ledger, `${name}-refused`, { code: 'refused', status: 422, message: 'subject is too long' });
    await begin(`${name}-doubt`);
    await doubted(ledger, `${name}-doubt`, { code: 'unknown-outcome', message: 'No answer came.' });
  }
  await ledger.endRun({ exitCode: 4 });
  await ledger.close();
  return path;
}

async function report(files: readonly string[], flags: Flags) {
  const { context, shown } = contextFor('report', [], {}, { cwd: folder.path });
  const output = folder.join('r.html');
  const code = await command.run(files, { output, ...flags }, { ...context, clock });
  const page = readFileSync(output, 'utf8');
  return { code, page, text: textOf(page), stdout: shown.stdout };
}

const occurredAt = '2024-05-01T00:00:00Z';
const contact = { email: 'ben@example.com' };

/** A record of an export. */
function line(id: string, status = 'open'): string {
  const messages = [{ actorType: 'customer', content: 'Hello there', occurredAt, contact }];
  return JSON.stringify({ id, subject: `Subject ${id}`, status, createdAt: occurredAt, contact, messages });
}

describe('report', () => {
  it('of a checkpoint alone: outcomes, tickets in doubt and refused, runs', async () => {
    const path = await checkpoint('a.sqlite', ['1', '2', '3']);
    const before = readFileSync(path);
    const { code, text } = await report([], { checkpoint: path });
    expect(code).toBe(0);
    expect(text).toContain('3 of 5 tickets are in the helpdesk.');
    expect(text).toMatch(/a\.sqlite-doubt\s+src-a\.sqlite-doubt/);
    expect(text).toMatch(/a\.sqlite-refused\s+no\s+subject is too long/);
    expect(text).toContain('some in doubt');
    expect(text).toContain('helpdesk-import resolve');
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  it('with the export shows sample conversations, and counts nothing that no run has recorded', async () => {
    const path = await checkpoint('a.sqlite', ['1'], false);
    writeFileSync(folder.join('x.jsonl'), [line('1', 'closed'), line('2', 'nonsense')].join('\n'));
    const { text } = await report([folder.join('x.jsonl')], { checkpoint: path });
    expect(text).toContain('The one ticket is in the helpdesk.');
    expect(text).toContain('No run has recorded what the export holds.');
    expect(text).not.toMatch(/messages\s+0|Nothing of the tickets/);
    expect(text).toContain('Hello there');
  });

  it('a checkpoint is named like a file too, as for status; what only has the name of one is refused', async () => {
    const path = await checkpoint('a.sqlite', ['1', '2']);
    const named = await report([path], {});
    expect(named.text).toContain(path);
    const no = folder.join('not.sqlite');
    writeFileSync(no, 'hello\n');
    await expect(report([no], {})).rejects.toThrow(/is not a checkpoint/);
    await expect(report([path, no], {})).rejects.toThrow('A report is of one checkpoint.');
  });
});
