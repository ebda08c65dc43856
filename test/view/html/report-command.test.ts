import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openCheckpoint } from '../../../src/checkpoint/checkpoint.ts';
import type { CliContext, Flags } from '../../../src/cli/context.ts';
import { command } from '../../../src/commands/report/report.ts';
import { commandLines } from '../../../src/view/command-line.ts';
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
  const stdout = new PassThrough();
  const context: CliContext = {
    env: {},
    cwd: folder.path,
    stdin: Readable.from([]),
    stdout,
    stderr: new PassThrough(),
    clock,
    commands: commandLines({ command: 'report', files: [], options: [] }),
    onSignal: () => () => undefined,
  };
  const output = folder.join('r.html');
  const code = await command.run(files, { output, ...flags }, context);
  const page = readFileSync(output, 'utf8');
  return { code, page, text: textOf(page), stdout: String(stdout.read() ?? '') };
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
    const { code, text } = await report([], { checkpoint: [path] });
    expect(code).toBe(0);
    expect(text).toContain('3 of 5 tickets are in the helpdesk.');
    expect(text).toMatch(/a\.sqlite-doubt\s+src-a\.sqlite-doubt/);
    expect(text).toMatch(/a\.sqlite-refused\s+no\s+subject is too long/);
    expect(text).toContain('some in doubt');
    expect(text).toContain('helpdesk-import resolve');
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  it('of an import that was interrupted counts the tickets that no run has reached', async () => {
    const path = folder.join('a.sqlite');
    const ledger = openCheckpoint(path, { target: 'https://x.example/v1', clock, programVersion: '1' });
    await ledger.startRun('run');
    await intend(ledger, '1');
    await created(ledger, '1', 'tkt_1');
    await finished(ledger, '1');
    await ledger.endRun({
      exitCode: 130,
      summary: { tickets: { read: 257 }, open: 257, settledBefore: 0 },
    });
    await ledger.close();
    const { text } = await report([], { checkpoint: [path] });
    expect(text).toContain('1 of 257 tickets is in the helpdesk.');
    expect(text).toMatch(/pending 256/);
  });

  it('with the export: its content, and the facts of the checkpoint about it', async () => {
    const path = await checkpoint('a.sqlite', ['1'], false);
    writeFileSync(
      folder.join('x.jsonl'),
      [line('1', 'closed'), line('2', 'open'), line('3', 'nonsense')].join('\n'),
    );
    const { text } = await report([folder.join('x.jsonl')], { checkpoint: [path] });
    expect(text).toContain('1 of 3 tickets is in the helpdesk.');
    expect(text).toContain('1 ticket was rejected');
    expect(text).toContain('1 ticket is still to be imported.');
    expect(text).toContain('Hello there');
    expect(text).toContain('Tickets by month');
  });

  it('does not call rejected what is in the helpdesk, where its record cannot be read any more', async () => {
    const path = await checkpoint('a.sqlite', ['1', '2'], false);
    writeFileSync(folder.join('x.jsonl'), [line('1'), line('2').slice(0, -9), '{"id": "3', ''].join('\n'));
    const { text } = await report([folder.join('x.jsonl')], { checkpoint: [path] });
    expect(text).toContain('2 of 3 tickets are in the helpdesk.');
    expect(text).toContain('1 ticket was rejected');
  });

  it('does not call a value rejected that its ticket in the helpdesk has by now', async () => {
    const path = await checkpoint('a.sqlite', ['1'], false);
    writeFileSync(folder.join('x.jsonl'), [line('1', 'later'), line('2', 'nonsense')].join('\n'));
    const { text } = await report([folder.join('x.jsonl')], { checkpoint: [path] });
    expect(text).toMatch(/nonsense\W+rejected/);
    expect(text).not.toContain('later');
  });

  it('of several checkpoints is the whole', async () => {
    const [a, b] = [
      await checkpoint('a.sqlite', ['1', '2'], false),
      await checkpoint('b.sqlite', ['3'], false),
    ];
    const whole = await report([], { checkpoint: [a, b] });
    expect(whole.text).toContain('All 3 tickets are in the helpdesk.');
  });

  it('checkpoints are named like files too, as for status; what only has the name of one is refused', async () => {
    const paths = [await checkpoint('a.sqlite', ['1', '2']), await checkpoint('b.sqlite', ['3'], false)];
    const [named, flagged] = [await report(paths, {}), await report([], { checkpoint: paths })];
    expect(named.text).toEqual(flagged.text);
    for (const path of paths) expect(named.text).toContain(path);
    const no = folder.join('not.sqlite');
    writeFileSync(no, 'hello\n');
    await expect(report([no], {})).rejects.toThrow(/is not a checkpoint/);
  });

  it.each([
    ['a checkpoint that is not there', ['none.sqlite'], /There is no checkpoint/],
    ['the same one twice', ['a.sqlite', './a.sqlite'], /is named twice/],
  ])('%s is refused', async (_, names, message) => {
    await checkpoint('a.sqlite', ['1']);
    const paths = names.map((name) => join(folder.path, name));
    await expect(report([], { checkpoint: paths })).rejects.toThrow(message);
  });

  it('another export than that of the checkpoint is refused', async () => {
    const path = await checkpoint('a.sqlite', ['1']);
    writeFileSync(
      folder.join('x.jsonl'),
      '{"id":"other","subject":"x","createdAt":"2024-05-01T00:00:00Z"}\n',
    );
    await expect(report([folder.join('x.jsonl')], { checkpoint: [path] })).rejects.toThrow(/another source/);
  });
});
