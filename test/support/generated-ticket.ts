/** The contents of the n-th ticket of a generated export, derived from its number and the seed. */
import type { EventPayload, MessagePayload, TicketPayload } from '../../src/domain/payload.ts';
import type { GenerateOptions } from './generate-export.ts';
import { mix, type Seeded, seeded } from './seeded.ts';

type Shape = Pick<GenerateOptions, 'tickets' | 'messages' | 'seed' | 'contacts' | 'bodyLength'>;

export type GeneratedTicket = TicketPayload & {
  id: string;
  contact: { email: string; name: string };
  tags: string[];
};
export type GeneratedEvent = EventPayload & { oldValue: { status: string }; newValue: { status: string } };

/** What ten tickets in a row have, relative to the mean; the sum is ten, so totals are exact for multiples of ten. */
const WEIGHTS = [0.2, 0.2, 0.4, 0.4, 0.6, 0.8, 1, 1.2, 1.8, 3.4];
const STEPS = ['pending', 'open', 'pending', 'resolved', 'closed'] as const;
const SUBJECTS = ['Order', 'Invoice', 'Login', 'Refund', 'Webhook', 'Delivery', 'Subscription', 'Grinder'];
const PLACES = ['is late', 'does not work', 'question', 'is wrong', 'changed', 'missing', 'again — 注文'];
const WORDS =
  'the order arrived but one part is missing and we cannot use it please tell us when a new one is sent thank you for looking into this again “quoted” naïve 東京 مرحبا 🙂 since monday nothing has changed on our side'.split(
    ' ',
  );
const START = Date.UTC(2023, 0, 2, 8);
const SPAN = 730 * 86_400_000;

export function messageCount({ messages = 5, seed = 1 }: Shape, index: number): number {
  const group = Math.floor(index / WEIGHTS.length);
  const order = seeded(seed, 11, group).shuffled(WEIGHTS);
  const place = index % WEIGHTS.length;
  const upTo = (end: number) =>
    Math.round(order.slice(0, end).reduce((sum, weight) => sum + weight, 0) * messages);
  return upTo(place + 1) - upTo(place);
}

export function generatedTicket(shape: Shape, index: number): GeneratedTicket {
  const random = seeded(shape.seed ?? 1, 23, index);
  const steps = mix(shape.seed ?? 1, 41, index) % (STEPS.length + 1);
  const createdAt = createdTime(shape, index);
  return {
    id: `T-${String(index + 1).padStart(7, '0')}`,
    subject: `${random.pick(SUBJECTS)} ${random.between(1000, 99_999)} ${random.pick(PLACES)}`,
    contact: contactOf(shape, index),
    status: steps === 0 ? 'open' : (STEPS[steps - 1] ?? 'open'),
    priority: random.pick(['low', 'normal', 'normal', 'normal', 'high', 'urgent'] as const),
    tags: random.chance(60) ? [random.pick(['billing', 'shipping', 'app', 'returns'])] : [],
    createdAt: iso(createdAt),
    ...(steps === STEPS.length ? { closedAt: iso(createdAt + 20 * 86_400_000) } : {}),
  };
}

export function generatedMessages(shape: Shape, index: number): MessagePayload[] {
  return Array.from({ length: messageCount(shape, index) }, (_, n) => generatedMessage(shape, index, n));
}

/** The n-th message of a ticket, from 0, oldest first. */
export function generatedMessage(shape: Shape, index: number, n: number): MessagePayload {
  const seed = shape.seed ?? 1;
  const random = seeded(seed, 53, index, n);
  const step = (14 * 86_400_000) / Math.max(messageCount(shape, index), 1);
  const occurredAt = iso(createdTime(shape, index) + Math.floor(n * step));
  const content = text(random, shape.bodyLength ?? 160);
  if (n % 2 === 0) {
    const attachment = {
      url: `https://files.example.com/${index}/${n}.png`,
      name: `${n}.png`,
      contentType: 'image/png',
      sizeBytes: 1234,
    };
    return {
      actorType: 'customer',
      contact: { email: contactOf(shape, index).email },
      content,
      occurredAt,
      ...(random.chance(5) ? { attachments: [attachment] } : {}),
    };
  }
  const agentId = `agt_${String(random.between(1, 12)).padStart(2, '0')}`;
  if (random.chance(15)) return { actorType: 'agent', agentId, content, occurredAt, isInternal: true };
  if (random.chance(30))
    return { actorType: 'agent', agentId, content: `<p>${content}</p>`, contentType: 'html', occurredAt };
  return { actorType: 'agent', agentId, content, occurredAt };
}

export function generatedEvents(shape: Shape, index: number): GeneratedEvent[] {
  const steps = mix(shape.seed ?? 1, 41, index) % (STEPS.length + 1);
  const start = createdTime(shape, index);
  return STEPS.slice(0, steps).map((status, n): GeneratedEvent => {
    const last = n === STEPS.length - 1;
    return {
      type: 'status_change',
      oldValue: { status: STEPS[n - 1] ?? 'open' },
      newValue: { status },
      ...(last ? { actorType: 'system' } : { actorType: 'agent', agentId: 'agt_01' }),
      occurredAt: iso(start + (last ? 20 : n * 3 + 1) * 86_400_000),
    };
  });
}

/** A permutation of 0 to n - 1 that needs no memory: neighbours end up far apart. For n below 90 million. */
export function permutation(n: number, seed: number): (place: number) => number {
  if (n < 3) return (place) => place;
  let step = (mix(seed, 61) % (n - 1)) + 1;
  while (greatestCommonDivisor(step, n) !== 1) step = (step % (n - 1)) + 1;
  const start = mix(seed, 67) % n;
  return (place) => (place * step + start) % n;
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}

function contactOf({ contacts, tickets, seed = 1 }: Shape, index: number): { email: string; name: string } {
  const number = mix(seed, 31, index) % Math.max(1, contacts ?? Math.ceil(tickets / 3));
  return { email: `customer${number}@example.com`, name: `Customer ${number}` };
}

/** Tickets come in the order of their creation. */
function createdTime({ tickets }: Shape, index: number): number {
  return START + Math.floor((index / Math.max(tickets, 1)) * SPAN);
}

function text(random: Seeded, length: number): string {
  let words = random.pick(WORDS);
  while (words.length < length) words += `${random.chance(6) ? '.\n' : ' '}${random.pick(WORDS)}`;
  return words;
}

function iso(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
