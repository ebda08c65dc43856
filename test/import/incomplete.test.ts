/** A ticket is sent whole or not sent. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { importDesk } from '../support/engine.ts';

const TICKETS = `id,subject,contact.email,createdAt\n${[1, 2, 3].map((id) => `${id},Question ${id},c${id}@example.com,2024-05-01T10:00:00Z\n`).join('')}`;
const message = (id: number, text = `Of ${id}`) =>
  `${id},customer,${text},c${id}@example.com,2024-05-01T10:00:00Z\n`;
const MESSAGES = 'ticketId,actorType,content,contact.email,occurredAt\n';
const EVENTS = 'ticketId,type,actorType,occurredAt,oldValue.status,newValue.status\n';
const event = (id: number, type = 'status_change') =>
  `${id},${type},system,2024-05-01T11:00:00Z,open,closed\n`;

async function imported(files: Record<string, string>, source = {}) {
  const desk = await importDesk(files);
  const settings = { source, run: { rate: ['100000/1'] } };
  return { ...desk, ended: await desk.run({ settings }).catch((error: unknown) => error) };
}

describe('a row that cannot be read', () => {
  it.each<[string, Record<string, string>]>([
    [
      'a message of a CSV',
      {
        'tickets.csv': TICKETS,
        'messages.csv': `${MESSAGES}${message(1)}${message(2, '"open')}${message(3)}${message(2)}`,
      },
    ],
    [
      'the last message of a CSV',
      {
        'tickets.csv': TICKETS,
        'messages.csv': `${MESSAGES}${message(1)}${message(2)}${message(3)}${message(2, '"open')}`,
      },
    ],
    [
      'a message of JSONL',
      {
        'tickets.csv': TICKETS,
        'messages.jsonl': `${JSON.stringify({ ticketId: 2, actorType: 'customer', content: 'Of 2', contact: { email: 'c2@example.com' }, occurredAt: '2024-05-01T10:00:00Z' })}\n{"ticketId": 2, "content": "cut\n`,
      },
    ],
    [
      'an event',
      { 'tickets.csv': TICKETS, 'events.csv': `${EVENTS}${event(1)}${event(2, '"open')}${event(3)}` },
    ],
  ])('%s: nothing is sent, and the row is named', async (_name, files) => {
    const { ended, subjects } = await imported(files);
    expect(ended).toMatchObject({
      code: 'source',
      message: 'A row of a ticket cannot be read, so nothing was sent.',
      lines: [expect.stringMatching(/(messages|events)\.(csv|jsonl):\d+: \S/)],
      hint: expect.stringContaining('--set source.allowUnreadableRows=true'),
    });
    expect(subjects()).toEqual([]);
  });

  it('is left out if the user says so: its ticket comes without it, it is in the rejects, and the run ends with 3', async () => {
    const { ended, path, subjects } = await imported(
      {
        'tickets.csv': TICKETS,
        'messages.csv': `${MESSAGES}${message(1)}${message(2)}${message(3)}${message(2, '"open')}`,
      },
      { allowUnreadableRows: true },
    );
    expect(ended).toMatchObject({ facts: { exitCode: 3, tickets: { done: 3 } } });
    expect(subjects().toSorted()).toEqual(['Question 1', 'Question 2', 'Question 3']);
    expect(readFileSync(path('rejects/unreadable.csv'), 'utf8')).toContain('"open');
  });
});
