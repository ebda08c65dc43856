/** A checkpoint that was lost is made anew from the helpdesk, and the next run creates nothing and keeps what people did. */
import { rmSync } from 'node:fs';
import { expect, it } from 'vitest';
import { publicId } from '../../src/sandbox/store/kept-values.ts';
import { openDesk, ticket } from '../support/desk.ts';
import { answerBy, textsOf } from './unfair/people.ts';
import { exportTickets, unfairly } from './unfair/unfair-run.ts';

const TIME = '2024-03-01T08:00:00Z';
const IDS = ['1', 'SUP-12', 'sup-12', 'with space', 'Ünïcode', '42-a'];

it('a lost checkpoint is rebuilt with the export or without it, and the next run creates nothing', async () => {
  const { write, run, type, ask, count, rows, checkpoint } = await openDesk();
  const change = { oldValue: { status: 'open' }, newValue: { status: 'closed' }, occurredAt: TIME };
  const events = [{ type: 'status_change', actorType: 'system', ...change }];
  write(
    'export.jsonl',
    IDS.map((id) => ticket(id, { events })),
  );
  const imports = () => run('run', 'export.jsonl', '--set', 'run.rate=1000/1');
  const rebuilds = (...words: string[]) => run('checkpoint', 'rebuild', ...words);
  const resolves = async (...words: string[]) => (await type('resolve', ...words)).code;
  const held = () => ['tickets', 'messages', 'events'].map(count);
  expect(await imports()).toMatchObject({ code: 0 });
  expect((await rebuilds('export.jsonl')).code).toBe(2);
  rmSync(checkpoint);

  const without = { code: 4, tickets: 3, unknown: 3, severalTimes: [] };
  expect(await rebuilds('--set', 'source.name=import')).toMatchObject(without);
  rmSync(checkpoint);

  const made = { code: 0, sourceName: 'import', tickets: IDS.length, unknown: 0 };
  expect(await rebuilds('export.jsonl')).toMatchObject(made);
  expect(await imports()).toMatchObject({ tickets: { done: IDS.length } });
  expect(held()).toEqual(Array(3).fill(IDS.length));

  expect(await run('resolve', '--release', '1,SUP-12')).toMatchObject({ inDoubtTotal: 2 });
  expect(await resolves('--release', 'unknown')).toBe(2);
  const idOf = (subject: string) => {
    const [found] = rows<{ seq: number; subject: string }>('SELECT seq, subject FROM tickets').filter(
      (one) => one.subject === subject,
    );
    return publicId('ticket', found?.seq ?? 0);
  };
  expect(await resolves('--release', 'sup-12')).toBe(4);
  const wrong = `SUP-12=${idOf('Ticket sup-12')}`;
  expect(await resolves('--retry', '1', '--adopt', wrong, '--adopt', 'sup-12=tkt_other')).toBe(0);
  expect(await resolves('--release', 'SUP-12,sup-12')).toBe(4);
  // Its history never arrived.
  await ask('PUT', `/tickets/${idOf('Ticket SUP-12')}/events`, []);
  const right = ['SUP-12', 'sup-12'].flatMap((id) => ['--adopt', `${id}=${idOf(`Ticket ${id}`)}`]);
  expect(await resolves(...right)).toBe(0);
  expect(await imports()).toMatchObject({ tickets: { done: IDS.length, inDoubt: 0 }, exitCode: 0 });
  expect(held()).toEqual(Array(3).fill(IDS.length));
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
