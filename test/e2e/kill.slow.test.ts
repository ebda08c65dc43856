/** 20,000 tickets with 100,000 messages, killed twice on the way: the sandbox holds each ticket once, its messages in order. */
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.ts';
import { systemClock } from '../../src/system-clock.ts';
import { cli, startCli, temporaryFolder } from '../support/cli.ts';
import { generateExport } from '../support/generate-export.ts';
import { generatedMessages, generatedTicket } from '../support/generated-ticket.ts';

const TICKETS = 20_000;

/** Waits until the service has answered so many creates; the kill comes at no particular moment behind it. */
async function created(sandbox: Sandbox, count: number): Promise<void> {
  const rows = sandbox.store.database.prepare('SELECT count(*) FROM tickets').pluck();
  while ((rows.get() as number) < count) await pause(20);
}

describe.each(['csv', 'jsonl'] as const)('a large import from %s', (format) => {
  it('killed twice, and once stopped by Ctrl-C, ends with every ticket once and its messages in order', async () => {
    using folder = temporaryFolder();
    const shape = { tickets: TICKETS, messages: 5, seed: 7, events: true };
    const dir = folder.join('export');
    const generated = await generateExport({ ...shape, dir, format, shuffle: format === 'csv' });
    expect(generated.messages).toBe(TICKETS * 5);
    const sandbox = await startSandbox({
      clock: systemClock,
      dir: folder.join('service'),
      logLimit: 500_000,
    });
    try {
      const env = { HELPDESK_BASE_URL: sandbox.url, HELPDESK_TOKEN: sandbox.token };
      const args = ['run', 'export', '--rate', '1000000/1', '--no-progress'];
      for (const [at, signal] of [
        [3_000, 'SIGKILL'],
        [8_000, 'SIGKILL'],
        [13_000, 'SIGINT'],
      ] as const) {
        const run = startCli(args, { cwd: folder.path, env });
        await created(sandbox, at);
        run.kill(signal);
        expect((await run.result).code).toBe(signal === 'SIGINT' ? 130 : signal);
      }
      const last = await cli([...args, '--json'], { cwd: folder.path, env });
      const reported = JSON.parse(last.stdout) as {
        tickets: Record<string, number>;
        messages: Record<string, number>;
      };
      expect(reported.tickets).toMatchObject({ read: TICKETS, done: TICKETS });
      expect(reported.messages).toMatchObject({ read: TICKETS * 5 });
      expect(last.code).toBe(0);

      expect(sandbox.store.log.duplicates()).toEqual([]);
      const { database } = sandbox.store;
      expect(database.prepare('SELECT count(*) FROM tickets').pluck().get()).toBe(TICKETS);
      expect(database.prepare('SELECT count(*) FROM messages').pluck().get()).toBe(TICKETS * 5);
      // Every thread is in the order of its times: looked at for a spread of tickets.
      const find = database.prepare('SELECT seq FROM tickets WHERE subject = ? AND created_ms = ?').pluck();
      for (let index = 0; index < TICKETS; index += 97) {
        const { subject, createdAt } = generatedTicket(shape, index);
        const seqs = find.all(subject, Date.parse(createdAt)) as number[];
        expect(seqs).toHaveLength(1);
        const sent = generatedMessages(shape, index).sort(
          (a, b) => Date.parse(a.occurredAt) - Date.parse(b.occurredAt),
        );
        const held = sandbox.store.messages.ofTicket(seqs[0] ?? 0).map((message) => message.content);
        expect(held).toEqual(sent.map((message) => message.content));
      }
    } finally {
      await sandbox.close();
    }
  });
});
