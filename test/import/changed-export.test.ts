/** What was read and checked is what is sent, even if the export changes while a run reads it. */
import { renameSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { RunEvent } from '../../src/domain/ports.ts';
import { importDesk } from '../support/engine.ts';
import { tickets } from '../support/tickets.ts';

const COUNT = 40;
const NUMBERS = Array.from({ length: COUNT }, (_, index) => 1000 + index);
const TIME = '2024-05-01T10:00:00Z';

const TICKETS = `id,subject,contact.email,createdAt\n${NUMBERS.map((n) => `${n},Question ${n},c${n}@example.com,${TIME}\n`).join('')}`;
/** Message `n` names its ticket; with `shift` it is at the place of another ticket's. */
const messages = (shift = 0) =>
  `ticketId,actorType,content,contact.email,occurredAt\n${NUMBERS.map((n) => {
    const of = 1000 + ((n - 1000 + shift) % COUNT);
    return `${of},customer,Of ${of},c${of}@example.com,${TIME}\n`;
  }).join('')}`;
const jsonl = (mark = '') => tickets(COUNT).replaceAll('Question', `Question${mark}`);

type Path = (name: string) => string;
const join = { 'tickets.csv': TICKETS, 'messages.csv': messages() };

it.each<[string, Record<string, string>, (path: Path) => void]>([
  [
    'rewritten in place',
    { 'tickets.jsonl': jsonl() },
    (path) => writeFileSync(path('tickets.jsonl'), jsonl('!')),
  ],
  [
    'rewritten in one file of a join, with the length and the time it had',
    join,
    (path) => {
      writeFileSync(path('messages.csv'), messages(1));
      utimesSync(path('messages.csv'), 0, 0);
    },
  ],
  ['truncated', join, (path) => truncateSync(path('messages.csv'), 500)],
  [
    'replaced by another file of its name',
    { 'tickets.jsonl': jsonl() },
    (path) => {
      writeFileSync(path('new'), jsonl('!'));
      renameSync(path('new'), path('tickets.jsonl'));
    },
  ],
])(
  'an export that is %s during the run: what was read first is sent, all of it and nothing else',
  async (_, files, change) => {
    for (const after of ['importing', 5] as const) {
      const { path, run, service } = await importDesk(files);
      let sent = 0;
      const onEvent = (event: RunEvent) => {
        if (event.type === 'ticket') sent += 1;
        const isNow =
          event.type === 'stage' ? event.stage === after : event.type === 'ticket' && sent === after;
        if (isNow) change(path);
      };
      const settings = { run: { batchSize: 2, rate: ['100000/1'] } };
      const { facts } = await run({ settings, onEvent });
      expect(facts).toMatchObject({ exitCode: 0, tickets: { done: COUNT } });
      const inTarget = service.store.database
        .prepare(
          'SELECT subject, content FROM tickets LEFT JOIN messages ON messages.ticket_seq = tickets.seq',
        )
        .all() as { subject: string; content: string }[];
      expect(new Set(inTarget.map(({ subject }) => subject))).toHaveLength(COUNT);
      for (const { subject, content } of inTarget) {
        const [, number] = /^Question (\d+)$/.exec(subject) ?? [];
        expect(['Hello', `Of ${number}`]).toContain(content);
      }
    }
  },
);
