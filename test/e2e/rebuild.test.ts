/** A checkpoint that was lost is made anew from the helpdesk, and the next run creates nothing and keeps what people did. */
import { rmSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../support/cli.ts';
import { commandLine as cli } from '../support/command-line.ts';
import { ticket } from '../support/desk.ts';
import { count, withService } from './service-run.ts';
import { answerBy, textsOf } from './unfair/people.ts';
import { exportTickets, unfairly } from './unfair/unfair-run.ts';

const time = '2024-03-01T08:00:00Z';
const IDS = ['1', 'SUP-12', 'sup-12', 'with space', 'Ünïcode', '42-a'];

it('a lost checkpoint is rebuilt with the export or without it, and the next run creates nothing', async () => {
  using folder = temporaryFolder();
  const change = { oldValue: { status: 'open' }, newValue: { status: 'closed' }, occurredAt: time };
  const tickets = IDS.map((id) =>
    ticket(id, { events: [{ type: 'status_change', actorType: 'system', ...change }] }),
  );
  writeFileSync(folder.join('export.jsonl'), tickets.map((one) => `${JSON.stringify(one)}\n`).join(''));
  await withService({}, async (service) => {
    const at = { cwd: folder.path, env: service.env };
    const run = ['run', 'export.jsonl', '--set', 'run.rate=1000/1', '--json'];
    expect((await cli(run, at)).code).toBe(0);
    const lose = () => rmSync(folder.join('helpdesk-import.checkpoint.sqlite'));
    expect(await cli(['checkpoint', 'rebuild', 'export.jsonl'], at)).toMatchObject({ code: 2 });
    lose();

    const without = await cli(['checkpoint', 'rebuild', '--set', 'source.name=import', '--json'], at);
    expect(JSON.parse(without.stdout)).toMatchObject({ tickets: 3, unknown: 3, severalTimes: [] });
    expect(without.code).toBe(4);
    lose();

    const made = await cli(['checkpoint', 'rebuild', 'export.jsonl', '--json'], at);
    expect(JSON.parse(made.stdout)).toMatchObject({ sourceName: 'import', tickets: IDS.length, unknown: 0 });
    expect(made.code).toBe(0);
    const again = await cli(run, at);
    expect(JSON.parse(again.stdout)).toMatchObject({ tickets: { done: IDS.length } });
    expect(count(service, 'SELECT count(*) FROM tickets')).toBe(IDS.length);
    expect(count(service, 'SELECT count(*) FROM messages')).toBe(IDS.length);

    const released = await cli(['resolve', '--release', '1,SUP-12', '--json'], at);
    expect(JSON.parse(released.stdout)).toMatchObject({ inDoubtTotal: 2 });
    expect((await cli(['resolve', '--release', 'unknown'], at)).code).toBe(2);
    const ticketOf = (subject: string) =>
      service.log.requests({ effect: 'created' }).find((made) => made.subject === subject)?.ticketId ?? '';
    const wrong = ticketOf('Ticket sup-12');
    expect((await cli(['resolve', '--release', 'sup-12'], at)).code).toBe(4);
    const retried = ['resolve', '--retry', '1', '--adopt', `SUP-12=${wrong}`, '--adopt', 'sup-12=tkt_other'];
    expect((await cli(retried, at)).code).toBe(0);
    expect((await cli(['resolve', '--release', 'SUP-12,sup-12'], at)).code).toBe(4);
    // Its history never arrived.
    const history = `${service.url}/api/core/v1/tickets/${ticketOf('Ticket SUP-12')}/events`;
    const headers = { authorization: `Bearer ${service.token}`, 'content-type': 'application/json' };
    expect((await fetch(history, { method: 'PUT', headers, body: '[]' })).status).toBe(200);
    const right = ['SUP-12', 'sup-12'].flatMap((id) => ['--adopt', `${id}=${ticketOf(`Ticket ${id}`)}`]);
    expect((await cli(['resolve', ...right], at)).code).toBe(0);
    const last = await cli(run, at);
    expect(JSON.parse(last.stdout)).toMatchObject({ tickets: { done: IDS.length, inDoubt: 0 }, exitCode: 0 });
    expect(count(service, 'SELECT count(*) FROM tickets')).toBe(IDS.length);
    expect(count(service, 'SELECT count(*) FROM events')).toBe(IDS.length);
    expect(count(service, 'SELECT count(*) FROM messages')).toBe(IDS.length);
  });
});

it('a run after checkpoint rebuild creates nothing, undoes nothing that people wrote, and leaves a delta nothing to send', async () => {
  const { held, imports, run, join, writes } = await unfairly();
  await imports(exportTickets(4));
  const [first, second] = held();
  if (first === undefined || second === undefined) throw new Error('nothing was imported');
  const [message, ...others] = first.messages;
  if (message !== undefined) first.messages = [{ ...message, content: 'Redacted by an agent' }, ...others];
  answerBy(second, 1);
  rmSync(join('c.sqlite'));
  const rebuilt = await run(['checkpoint', 'rebuild', join('export.jsonl')]);
  expect(rebuilt.code, rebuilt.stderr).toBe(0);
  const texts = () => held().map(textsOf);
  const before = [texts(), writes()];
  for (const flags of [[], ['--delta'], []])
    expect(await run(flags)).toMatchObject({ code: 0, tickets: { done: 4 } });
  expect([texts(), writes()]).toEqual(before);
});
