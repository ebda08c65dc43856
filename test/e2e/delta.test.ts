/** `--delta` as a person uses it: the source grows, people work in the helpdesk meanwhile, and neither loses anything. */
import { expect, it } from 'vitest';
import { identityTag } from '../../src/domain/identity.ts';
import { asItWas, type Desk, openDesk, type Ran, says, ticket as simple } from '../support/desk.ts';

const RUN = ['run', 'export.jsonl', '--set', 'run.rate=100000/1'];

const change = (from: string, to: string, day: number) => ({
  type: 'status_change',
  actorType: 'system',
  oldValue: { status: from },
  newValue: { status: to },
  occurredAt: `2024-03-0${day}T10:00:00Z`,
});

const ticket = (id: string, more = {}) =>
  simple(id, { messages: [says(`${id} hello`), says(`${id} hi`, 2, 'agt_1')], ...more });
const grown = (id: string) =>
  ticket(id, { messages: [...ticket(id).messages, says(`${id} still broken`, 5)] });

async function ticketOf({ ask }: Desk, id: string) {
  const mine = (await ask('GET', '/tickets')).filter(({ subject }) => subject === `Ticket ${id}`);
  expect(mine).toHaveLength(1);
  return { ...mine[0], id: String(mine[0]?.['id']) };
}

/** An agent answers in the target. Returns the id of the message. */
async function answerIn({ ask }: Desk, ticketId: string, content: string): Promise<string> {
  const path = `/tickets/${ticketId}/messages`;
  const there = (await ask('GET', path)).map(asItWas);
  const put = await ask('PUT', path, [...there, { ...says(content, 3, 'agt_9'), isInternal: true }]);
  return String(put.at(-1)?.['id']);
}

const OF_B = identityTag('import', 'B');

const codes = ({ problems }: Ran) => problems.map(({ code, ticket: of }) => `${of} ${code}`).sort();

it('a delta brings in new and grown tickets, and keeps replies written in the helpdesk', async () => {
  const desk = await openDesk({ strict: false, inventAgents: false });
  const { write, run, ask, sandbox } = desk;
  const thread = async (id: string) =>
    (await ask('GET', `/tickets/${id}/messages`)).map(({ content }) => content);
  write('export.jsonl', [ticket('A'), ticket('B'), ticket('C', { events: [change('open', 'pending', 2)] })]);
  expect((await run(...RUN)).tickets).toMatchObject({ read: 3, done: 3 });
  const { id: a } = await ticketOf(desk, 'A');
  const own = await answerIn(desk, a, 'Looked into it');

  write('export.jsonl', [
    grown('A'),
    ticket('B', { status: 'closed', tags: ['refund'] }),
    ticket('C', { events: [change('open', 'pending', 2), change('pending', 'closed', 6)] }),
    ticket('D'),
  ]);
  const plain = await run(...RUN);
  expect(plain.tickets).toMatchObject({ read: 4, done: 4 });
  expect(codes(plain)).toEqual(['A', 'B', 'C'].map((id) => `${id} changed-since-import`));
  // The two messages of A that were sent count; the third one was not.
  expect(plain.messages).toMatchObject({ read: 9, sent: 8 });
  expect(await thread(a)).toEqual(['A hello', 'A hi', 'Looked into it']);

  const delta = await run(...RUN, '--delta');
  expect(delta).toMatchObject({
    ...{ exitCode: 0, tickets: { read: 4, done: 4 }, updates: { found: 1, sent: 1 } },
    ...{ messages: { read: 9, sent: 9 }, events: { read: 2, sent: 2 } },
  });
  expect(codes(delta)).toEqual(['A messages-kept']);
  const b = await ticketOf(desk, 'B');
  const runTag = expect.stringMatching(/^run-/);
  expect(b).toMatchObject({
    status: 'closed',
    tags: expect.arrayContaining(['refund', 'imported', OF_B, 'from-import', 'import:B', runTag]),
  });
  const tags = (b as unknown as { tags: string[] }).tags;
  expect(tags.filter((tag) => tag.startsWith('run-'))).toHaveLength(1);
  expect(await thread(a)).toEqual(['A hello', 'A hi', 'Looked into it', 'A still broken']);
  expect((await ask('GET', `/tickets/${a}/messages`))[2]).toMatchObject({
    ...{ id: own, isInternal: true, agentId: 'agt_9', occurredAt: expect.stringContaining('2024-03-03') },
  });
  expect(await ask('GET', `/tickets/${(await ticketOf(desk, 'C')).id}/events`)).toHaveLength(2);

  const written = () => sandbox.log.requests({}).filter(({ method }) => method !== 'GET').length;
  const before = written();
  const again = await run(...RUN, '--delta');
  // The questions to the helpdesk: is it the one of the checkpoint, and how many tickets has it?
  expect(again.requests['sent']).toBeLessThanOrEqual(12);
  expect([written(), codes(again), sandbox.log.duplicates()]).toEqual([before, [], []]);
});

it('a delta updates status, priority, tags and assignee that people have not changed, and its dry run says so', async () => {
  const desk = await openDesk({ strict: false, inventAgents: false });
  const { write, run, ask } = desk;
  write('export.jsonl', [ticket('A'), ticket('B'), ticket('C')]);
  await run(...RUN);
  await ask('PUT', `/tickets/${(await ticketOf(desk, 'B')).id}`, { status: 'resolved' });
  const now = { status: 'closed', priority: 'urgent', assignedToId: 'agt_2', tags: ['vip'] };
  write('export.jsonl', [ticket('A', now), ticket('B', now), ticket('C', { subject: 'Another' })]);
  expect(await run(...RUN, '--delta', '--dry-run')).toMatchObject({ updates: { found: 2, sent: 0 } });
  const delta = await run(...RUN, '--delta');
  const updates = { found: 2, sent: 2, notUpdated: 1 };
  expect(delta).toMatchObject({ exitCode: 3, tickets: { done: 3 }, updates });
  expect(codes(delta)).toEqual(['B edited-in-target', 'C field-not-updatable']);
  const { tags: _, ...fields } = now;
  expect(await ticketOf(desk, 'A')).toMatchObject(fields);
  expect(await ticketOf(desk, 'B')).toMatchObject({ ...fields, status: 'resolved' });
});
