/**
 * Makes the export that a newcomer imports first, fixtures/demo: two years of a made-up shop's support, worked out from the
 * threads in demo/ with a fixed seed, so that the committed files can be compared with it. Run this file to write them.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TicketStatus } from '../../src/domain/payload.ts';
import { csvTable } from './csv-text.ts';
import { asTyped, author } from './demo/author.ts';
import { makeHistory } from './demo/history.ts';
import { AGENTS, CAFE_CONTACTS, CUSTOMERS, EXPERTS } from './demo/people.ts';
import { filled, fillSlots } from './demo/slots.ts';
import type { Thread } from './demo/thread.ts';
import { accountThreads } from './demo/threads-account.ts';
import { appThreads } from './demo/threads-app.ts';
import { billingThreads } from './demo/threads-billing.ts';
import { japaneseAndArabicThreads } from './demo/threads-far.ts';
import { germanThreads } from './demo/threads-german.ts';
import { orderThreads } from './demo/threads-orders.ts';
import { returnThreads } from './demo/threads-returns.ts';
import { romanceThreads } from './demo/threads-romance.ts';
import { wholesaleThreads } from './demo/threads-wholesale.ts';
import { seconds, timesOf } from './demo/timeline.ts';
import { type Seeded, seeded } from './seeded.ts';

export const DEMO_THREADS: readonly Thread[] = [
  ...orderThreads,
  ...returnThreads,
  ...billingThreads,
  ...appThreads,
  ...accountThreads,
  ...wholesaleThreads,
  ...germanThreads,
  ...romanceThreads,
  ...japaneseAndArabicThreads,
];

const SEED = 20_250_829;
const FIRST = Date.UTC(2023, 8, 4, 7);
/** When the export was made: nothing in it is later. */
const EXPORTED = Date.UTC(2025, 7, 29, 16);
const DAY = 86_400_000;
/** This many tickets fall into the last days, so that some are still open. */
const RECENT = 24;

type Cells = Record<string, string | undefined>;

interface DemoTicket {
  readonly ticket: Cells & { createdAt: string };
  readonly messages: readonly (Cells & { occurredAt: string })[];
  readonly events: readonly (Cells & { occurredAt: string })[];
}

export function makeDemo(): Record<'agents.csv' | 'tickets.csv' | 'messages.csv' | 'events.csv', string> {
  const random = seeded(SEED);
  const threads = random.shuffled(DEMO_THREADS.flatMap((thread) => Array<Thread>(thread.times).fill(thread)));
  const made = threads
    .map((thread, index) => makeTicket(thread, startTime(index, threads.length, random), seeded(SEED, index)))
    .sort((a, b) => a.ticket.createdAt.localeCompare(b.ticket.createdAt));

  let number = 1_040;
  const tickets: Cells[] = [];
  const messages: (Cells & { occurredAt: string })[] = [];
  const events: (Cells & { occurredAt: string })[] = [];
  for (const { ticket, ...children } of made) {
    // Gaps: other kinds of tickets, and some that were deleted.
    number += random.between(1, 9);
    const id = String(number);
    tickets.push({ ...ticket, id });
    for (const message of children.messages) {
      const attachments = message['attachments']?.replaceAll('{ticket}', id);
      messages.push({ ...message, ticketId: id, attachments });
    }
    events.push(...children.events.map((event) => ({ ...event, ticketId: id })));
  }
  // As a database gives its tables: rows in the order in which they came about, all tickets mixed.
  const byTime = (a: { occurredAt: string }, b: { occurredAt: string }) =>
    a.occurredAt.localeCompare(b.occurredAt);
  const team = [...AGENTS, ...EXPERTS].map(({ id, full }) => ({ id, name: full }));
  return {
    'agents.csv': csvTable(
      ['id', 'name'],
      team.sort((a, b) => a.id.localeCompare(b.id)),
    ),
    'tickets.csv': csvTable(
      [
        'id',
        'subject',
        'contact.email',
        'contact.name',
        'status',
        'priority',
        'tags',
        'assignedToId',
        'createdAt',
        'resolvedAt',
        'closedAt',
      ],
      tickets,
    ),
    'messages.csv': csvTable(
      [
        'ticketId',
        'occurredAt',
        'actorType',
        'contact.email',
        'agentId',
        'isInternal',
        'contentType',
        'content',
        'attachments',
      ],
      messages.sort(byTime),
    ),
    'events.csv': csvTable(
      ['ticketId', 'occurredAt', 'type', 'oldValue.status', 'newValue.status', 'actorType', 'agentId'],
      events.sort(byTime),
    ),
  };
}

/** More tickets in later months, as shops grow; the last ones within the days before the export. */
function startTime(index: number, count: number, random: Seeded): number {
  const recent = index >= count - RECENT;
  const at = recent
    ? EXPORTED - random.random() * 5 * DAY
    : FIRST + random.random() ** 0.8 * (EXPORTED - 12 * DAY - FIRST);
  return Math.floor(at / 1000) * 1000;
}

function makeTicket(thread: Thread, start: number, random: Seeded): DemoTicket {
  const person = random.pick(
    thread.team === 'wholesale' && thread.locale === 'en'
      ? CAFE_CONTACTS
      : CUSTOMERS.filter((customer) => customer.locale === thread.locale),
  );
  const agents = AGENTS.filter(
    (candidate) =>
      candidate.locales.includes(thread.locale) && (thread.locale !== 'en' || candidate.team === thread.team),
  );
  const agent = random.pick(agents);
  const slots = fillSlots(person, agent.name, start, random, thread.products);
  const openings = thread.steps[0]?.texts.length ?? 1;
  const story = random.between(0, 5);
  const subject =
    thread.subjects.length === openings ? thread.subjects[story % openings] : random.pick(thread.subjects);
  const offsets = random.between(1, 1_000_000);
  // A ticket of the last hours begins a little earlier, so that at least one answer is in the export.
  let times = timesOf(thread.steps, start, seeded(SEED, offsets));
  for (let earlier = 1; (times[1] ?? 0) > EXPORTED; earlier++)
    times = timesOf(thread.steps, start - (earlier * DAY) / 4, seeded(SEED, offsets));
  const steps = thread.steps.filter((_, index) => (times[index] ?? 0) <= EXPORTED);

  const messages = steps.map((step, index) => {
    const files = step.files?.map((name) => ({
      url: `https://files.example.com/tickets/{ticket}/${encodeURIComponent(name)}`,
      name,
      contentType: mediaType(name),
      sizeBytes: random.between(9_000, 900_000),
    }));
    return {
      ...author(step, person, agent.id, random),
      content: filled(step.texts[story % step.texts.length] ?? '', slots),
      contentType: step.as ?? '',
      isInternal: step.by === 'note' ? 'true' : '',
      attachments: files === undefined ? '' : JSON.stringify(files),
      occurredAt: seconds(times[index] ?? 0),
    };
  });

  const history = makeHistory(steps, times, agent.id, EXPORTED, random);
  const status = history.at(-1)?.['newValue.status'] ?? 'open';
  const lastTime = (value: TicketStatus) =>
    history.findLast((event) => event['newValue.status'] === value)?.occurredAt;
  const lastAgent = messages.findLast((message) => message.agentId !== undefined)?.agentId;
  return {
    ticket: {
      subject: filled(subject ?? '', slots),
      'contact.email': asTyped(person.email, random),
      'contact.name': random.chance(8) ? '' : random.chance(8) ? person.first : person.name,
      status,
      priority: random.pick(thread.priorities),
      tags: thread.tags.join(';'),
      assignedToId: lastAgent,
      createdAt: seconds(times[0] ?? start),
      resolvedAt: status === 'resolved' || status === 'closed' ? lastTime('resolved') : '',
      closedAt: status === 'closed' ? lastTime('closed') : '',
    },
    messages,
    events: history,
  };
}

function mediaType(name: string): string {
  const types: Readonly<Record<string, string>> = {
    jpg: 'image/jpeg',
    png: 'image/png',
    pdf: 'application/pdf',
    csv: 'text/csv',
    txt: 'text/plain',
    mp4: 'video/mp4',
  };
  const type = types[name.split('.').at(-1) ?? ''];
  if (type === undefined) throw new Error(`No media type is known for ${name}.`);
  return type;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folder = join(dirname(fileURLToPath(import.meta.url)), '../../fixtures/demo');
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(makeDemo())) writeFileSync(join(folder, name), text);
}
