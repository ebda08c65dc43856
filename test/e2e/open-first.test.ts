/** Tickets go in the order in which people need them: open and pending ones first, the newest first. */
import { describe, expect, it } from 'vitest';
import { openDesk } from '../support/desk.ts';

const STATUSES = ['closed', 'open', 'resolved', 'pending'] as const;
const COUNT = 60;
/** The day says how new a ticket is; neither it nor the status follows the order of the file. */
const TICKETS = Array.from({ length: COUNT }, (_, index) => ({
  id: String(index + 1),
  status: STATUSES[(index * 7) % 4] ?? 'open',
  createdAt: new Date(Date.UTC(2024, 0, 1, 0, (index * 37) % COUNT)).toISOString(),
}));
const isOpen = (status: string) => status === 'open' || status === 'pending';
const EXPECTED = TICKETS.toSorted(
  (a, b) => Number(isOpen(b.status)) - Number(isOpen(a.status)) || (a.createdAt < b.createdAt ? 1 : -1),
).map(({ id }) => id);

const email = (id: string) => `c${id}@example.com`;
const jsonl = TICKETS.map(
  ({ id, status, createdAt }) =>
    `${JSON.stringify({ id, subject: `Nr ${id}`, status, createdAt, contact: { email: email(id) }, messages: [{ actorType: 'customer', content: `Text ${id}`, occurredAt: createdAt, contact: { email: email(id) } }] })}\n`,
).join('');
const csv = {
  'tickets.csv': `id,subject,status,createdAt,contact.email\n${TICKETS.map(({ id, status, createdAt }) => `${id},Nr ${id},${status},${createdAt},${email(id)}`).join('\n')}\n`,
  'messages.csv': `ticketId,actorType,content,occurredAt,contact.email\n${TICKETS.map(({ id, createdAt }) => `${id},customer,"Text\n${id}",${createdAt},${email(id)}`).join('\n')}\n`,
};
const run = ['run', '.', '--set', 'run.rate=100000/1', '--set', 'run.batchSize=1'];

async function imported(files: Readonly<Record<string, string>>, ...flags: string[]) {
  const desk = await openDesk();
  for (const [name, text] of Object.entries(files)) desk.write(name, text);
  const summary = await desk.run(...run, ...flags);
  const subjects = desk.rows<{ subject: string }>('SELECT subject FROM tickets ORDER BY seq');
  return { summary, created: subjects.map(({ subject }) => subject.replace('Nr ', '')) };
}

describe('the order of tickets', { timeout: 60_000 }, () => {
  it.each([
    ['JSONL', { 'export.jsonl': jsonl }],
    ['tables that are joined', csv],
  ])('open and pending ones go first, the newest first, then the others: %s', async (_, files) => {
    const { summary, created } = await imported(files);
    expect(summary).toMatchObject({
      tickets: { read: COUNT, done: COUNT },
      openFirst: { tickets: COUNT / 2, done: COUNT / 2 },
    });
    expect(created).toEqual(EXPECTED);
  });

  it('--limit takes the first of the file', async () => {
    const ids = TICKETS.slice(0, 20).map(({ id }) => id);
    const { created } = await imported({ 'export.jsonl': jsonl }, '--limit', '20');
    expect(created).toEqual(EXPECTED.filter((id) => ids.includes(id)));
  });
});
