/** A service that has what the specification shows and nothing beyond it: three calls, answers as they please, nothing to be read. */
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/cli.ts';
import { commandLine } from '../support/command-line.ts';
import { type Reply, startUnfairTarget, type UnfairWays } from '../support/unfair-target.ts';
import { exportTickets } from './unfair/unfair-run.ts';

const PUTS: readonly (readonly [says: string, reported: UnfairWays['putAnswer']])[] = [
  ['nothing', () => ({ status: 204 })],
  ['an empty object', () => ({ status: 200, body: {} })],
  ['the list', (_, list) => ({ status: 200, body: list })],
  ['success', () => ({ status: 200, body: { success: true } })],
];
const READS: readonly (readonly [with_: string, reported: Reply])[] = [
  ['404', { status: 404, body: { error: 'not_found' } }],
  ['404 and a page', { status: 404, body: '<pre>Cannot GET /tickets</pre>', type: 'text/html' }],
  ['405 and a page', { status: 405, body: '<html>No.</html>', type: 'text/html' }],
  ['403', { status: 403, body: { error: 'forbidden' } }],
  ['a form of its own', { status: 200, body: { items: [] } }],
];

describe('a service that has the three calls alone', () => {
  it.each(PUTS.flatMap(([says, reported]) => READS.map(([by, read]) => [says, by, reported, read] as const)))(
    'answers a PUT with %s and a read with %s: everything is imported, exit 0, and one sentence says what was not compared',
    async (_, __, putAnswer, read) => {
      using folder = temporaryFolder();
      const target = await startUnfairTarget({ read: () => read, putAnswer });
      const tickets = exportTickets(6);
      writeFileSync(
        folder.join('export.jsonl'),
        tickets.map((ticket) => `${JSON.stringify(ticket)}\n`).join(''),
      );
      const run = () =>
        commandLine(['run', 'export.jsonl', '--rate', '10000/1', '--json'], {
          cwd: folder.path,
          env: target.env,
        });
      const { code, stdout } = await run();
      expect(code, stdout).toBe(0);
      expect(JSON.parse(stdout)).toMatchObject({
        tickets: { read: 6, done: 6 },
        problems: [{ code: 'target-unchecked', severity: 'warning' }],
      });
      const held = [...target.workspace.tickets.values()];
      expect(held.map(({ messages }) => messages.length)).toEqual(tickets.map(() => 2));
      expect((await run()).code).toBe(0);
      expect(target.workspace.tickets.size).toBe(6);
      await target.close();
    },
  );

  it('is shown as not compared on the screen and in the report', async () => {
    using folder = temporaryFolder();
    const target = await startUnfairTarget({ read: () => 404 });
    const lines = exportTickets(3).map((ticket) => `${JSON.stringify(ticket)}\n`);
    writeFileSync(folder.join('export.jsonl'), lines.join(''));
    const args = ['run', 'export.jsonl', '--rate', '10000/1', '--report', 'report.html'];
    const { code, stdout, stderr } = await commandLine(args, { cwd: folder.path, env: target.env });
    expect(code, stderr).toBe(0);
    for (const shown of [stdout + stderr, readFileSync(folder.join('report.html'), 'utf8')])
      expect(shown.replace(/\s+/g, ' ')).toMatch(
        /It is not known whether the target has tickets of the source/,
      );
    await target.close();
  });
});
