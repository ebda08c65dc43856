/** A checkpoint that was made anew: the next run finds what is there, sends nothing twice, and keeps what people did. */
import { rmSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../support/cli.ts';
import { commandLine } from '../support/command-line.ts';
import { startUnfairTarget } from '../support/unfair-target.ts';
import { exportTickets } from './unfair/unfair-run.ts';

it('a run after checkpoint rebuild creates nothing, undoes nothing that people wrote, and leaves a delta nothing to send', async () => {
  using folder = temporaryFolder();
  const target = await startUnfairTarget({});
  const tickets = exportTickets(4);
  writeFileSync(folder.join('export.jsonl'), tickets.map((one) => `${JSON.stringify(one)}\n`).join(''));
  const at = { cwd: folder.path, env: target.env };
  const run = async (...flags: string[]) => {
    target.seen.length = 0;
    const ran = await commandLine(['run', 'export.jsonl', '--rate', '10000/1', '--json', ...flags], at);
    expect(ran.code, ran.stderr).toBe(0);
    return {
      reported: JSON.parse(ran.stdout),
      creates: target.seen.filter(({ method }) => method === 'POST').length,
      puts: target.seen.filter(({ method }) => method === 'PUT').length,
    };
  };
  await run();
  const [first, second] = [...target.workspace.tickets.values()];
  if (first === undefined || second === undefined) throw new Error('nothing was imported');
  first.messages = first.messages.map((message, nth) =>
    nth === 0 ? { ...message, content: 'Redacted by an agent' } : message,
  );
  second.messages = [
    ...second.messages,
    {
      id: 'written',
      actorType: 'agent',
      agentId: 'agt-1',
      content: 'An answer',
      occurredAt: '2026-01-01T00:00:00.000Z',
    },
  ];
  rmSync(folder.join('helpdesk-import.checkpoint.sqlite'));
  expect((await commandLine(['checkpoint', 'rebuild', 'export.jsonl'], at)).code).toBe(0);
  const texts = () =>
    [...target.workspace.tickets.values()].map(({ messages }) => messages.map(({ content }) => content));
  const before = texts();
  const again = await run();
  expect(again.reported.tickets).toMatchObject({ done: 4 });
  expect(again).toMatchObject({ creates: 0, puts: 0 });
  expect(texts()).toEqual(before);
  expect(await run('--delta')).toMatchObject({ creates: 0, puts: 0 });
  expect(await run()).toMatchObject({ creates: 0, puts: 0 });
  expect(texts()).toEqual(before);
  await target.close();
});
