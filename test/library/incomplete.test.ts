/** A ticket goes whole or not at all. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { runImport } from '../../src/index.ts';
import { running } from '../sandbox/running-sandbox.ts';
import { temporaryFolder } from '../support/cli.ts';

const TICKETS = `id,subject,contact.email,createdAt\n${[1, 2, 3].map((id) => `${id},Question ${id},c${id}@example.com,2024-05-01T10:00:00Z\n`).join('')}`;
const message = (id: number, text = `Of ${id}`) =>
  `${id},customer,${text},c${id}@example.com,2024-05-01T10:00:00Z\n`;
const MESSAGES = 'ticketId,actorType,content,contact.email,occurredAt\n';
const EVENTS = 'ticketId,type,actorType,occurredAt,oldValue.status,newValue.status\n';
const event = (id: number, type = 'status_change') =>
  `${id},${type},system,2024-05-01T11:00:00Z,open,closed\n`;

async function imported(files: Record<string, string>) {
  const folder = temporaryFolder();
  const service = await running();
  for (const [name, text] of Object.entries(files)) writeFileSync(folder.join(name), text);
  const run = (inputs: readonly string[] = Object.keys(files)) =>
    runImport({
      files: inputs.map((name) => folder.join(name)),
      checkpoint: folder.join('checkpoint.sqlite'),
      rejects: folder.join('rejects'),
      settings: { run: { rate: ['100000/1'] } },
      target: { baseUrl: service.url, credentials: { token: service.token } },
    });
  const { summary } = await run();
  const subjects = () =>
    service.store.log
      .creates()
      .map(({ subject }) => subject)
      .toSorted();
  return { summary, run, subjects, path: (name: string) => folder.join(name) };
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
  ])('%s: its ticket is rejected and not sent without it, and no other', async (_name, files) => {
    const { summary, subjects } = await imported(files);
    expect(summary).toMatchObject({ exitCode: 3, tickets: { read: 3, done: 2, rejected: 1 } });
    expect(summary.problems).toContainEqual(
      expect.objectContaining({ code: 'incomplete', ticket: '2', severity: 'error' }),
    );
    expect(subjects()).toEqual(['Question 1', 'Question 3']);
  });

  it('stands in the rejects with its ticket, which is imported from there once it is mended', async () => {
    const { run, path, subjects } = await imported({
      'tickets.csv': TICKETS,
      'messages.csv': `${MESSAGES}${message(1)}${message(2)}${message(3)}${message(2, '"open')}`,
    });
    expect(readFileSync(path('rejects/unreadable.csv'), 'utf8')).toContain('"open');
    await run(['rejects']);
    expect(subjects()).not.toContain('Question 2');
    writeFileSync(path('rejects/unreadable.csv'), `${MESSAGES}${message(2, 'mended')}`);
    expect((await run(['rejects'])).summary).toMatchObject({ tickets: { done: 1 }, messages: { sent: 2 } });
    expect(existsSync(path('rejects'))).toBe(false);
  });

  it('whose ticket cannot be read either makes exit 3, with its line and what stands there', async () => {
    const { summary } = await imported({
      'tickets.csv': TICKETS,
      'messages.csv': `${MESSAGES}${message(1)}"open${message(2)}`,
    });
    expect(summary).toMatchObject({ exitCode: 3, tickets: { done: 3 } });
    const [reported] = summary.problems.filter(({ code }) => code === 'unreadable-row');
    expect(reported).toMatchObject({
      severity: 'error',
      line: 3,
      message: expect.stringContaining('open2,customer'),
    });
  });
});
