/** Chooses a trial: the ticket that shows most of what was not shown yet, again and again. The same export gives the same choice. */

import type { TrialPick } from '../domain/decisions.ts';
import { TICKET_PRIORITIES, TICKET_STATUSES } from '../domain/payload.ts';
import { say } from '../domain/text/problem-words.ts';
import type { CheckedTicket } from '../domain/ticket.ts';
import type { TicketPlan } from './ticket-plan.ts';

const LOOKED_AT = 300;
const MESSAGES_LOOKED_AT = 10;
const LONG_BODY = 2000;

interface Trait {
  readonly holds: (ticket: CheckedTicket) => boolean;
  readonly words: (ticket: CheckedTicket) => string;
}

const trait = (words: string, holds: Trait['holds']): Trait => ({ holds, words: () => words });

const TRAITS: readonly Trait[] = [
  ...TICKET_STATUSES.map((status) =>
    trait(`status ${status}`, ({ ticket }) => (ticket.status ?? 'open') === status),
  ),
  ...TICKET_PRIORITIES.map((priority) =>
    trait(`priority ${priority}`, ({ ticket }) => (ticket.priority ?? 'normal') === priority),
  ),
  trait('no customer', ({ ticket }) => ticket.contact === undefined && ticket.contactId === undefined),
  trait('no messages', ({ messages }) => messages.length === 0),
  trait('an internal note', ({ messages }) => messages.some(({ isInternal }) => isInternal === true)),
  trait('an HTML message', ({ messages }) => messages.some(({ contentType }) => contentType === 'html')),
  trait('a Markdown message', ({ messages }) =>
    messages.some(({ contentType }) => contentType === 'markdown'),
  ),
  trait('a message of an agent', ({ messages }) => messages.some(({ actorType }) => actorType === 'agent')),
  trait('a message of the system', ({ messages }) =>
    messages.some(({ actorType }) => actorType === 'system'),
  ),
  {
    holds: ({ messages }) => messages.some(({ attachments = [] }) => attachments.length > 0),
    words: ({ messages }) => {
      const files = messages.flatMap(({ attachments = [] }) => attachments).length;
      return say('{files|one attachment|# attachments}', { files });
    },
  },
  { holds: (checked) => peopleOf(checked) > 1, words: (checked) => `${peopleOf(checked)} customers` },
  {
    holds: ({ events }) => events.length > 0,
    words: ({ events }) => say('{count|one event|# events} of its history', { count: events.length }),
  },
  trait('it was reopened', ({ events }) => events.some(isReopening)),
  trait('text in a non-Latin script', ({ ticket, messages }) =>
    [ticket.subject, ...messages.slice(0, MESSAGES_LOOKED_AT).map(({ content }) => content)].some(isNonLatin),
  ),
];

const EXTREMES: readonly {
  readonly what: string;
  readonly condition?: string;
  readonly words: (measure: number) => string;
}[] = [
  {
    what: 'thread',
    condition: 'thread > 1',
    words: (measure) => `the longest thread: ${measure} messages`,
  },
  {
    what: 'longest',
    condition: `longest >= ${LONG_BODY}`,
    words: (measure) => `the longest message: ${measure} characters`,
  },
  { what: '-created', words: (measure) => `the oldest ticket: ${dayOf(-measure)}` },
  { what: 'created', words: (measure) => `the newest ticket: ${dayOf(measure)}` },
];

export function traitsOf(checked: CheckedTicket): number {
  return TRAITS.reduce((bits, { holds }, at) => (holds(checked) ? bits | (1 << at) : bits), 0);
}

export function pickTrial(plan: Pick<TicketPlan, 'steps' | 'entries'>, count: number): TrialPick[] {
  const { tickets, most } = plan.steps.candidates(count);
  const shown = new Map(tickets.map(({ seq, traits }) => [seq, traits]));
  const extremes = EXTREMES.map(({ what, condition, words }, at) => {
    const found = most(what, condition);
    if (found === undefined) return undefined;
    const bits = shown.get(found.seq) ?? most('traits', `seq = ${found.seq}`)?.measure ?? 0;
    shown.set(found.seq, bits | (1 << (TRAITS.length + at)));
    return words(found.measure);
  });
  const left = [...shown].sort(([a], [b]) => a - b);
  const picks = new Map<number, number>();
  for (let covered = 0; picks.size < count && left.length > 0; ) {
    const fresh = left.map(([, bits]) => bitsIn(bits & ~covered));
    const [[seq, bits] = [0, 0]] = left.splice(fresh.indexOf(Math.max(...fresh)), 1);
    picks.set(seq, bits & ~covered);
    covered |= bits;
  }
  const found = new Map<number, TrialPick>();
  for (const entry of [...plan.entries(`seq IN (${[...picks.keys()].join()})`)].flat()) {
    if (entry.kind !== 'ticket' || entry.result.checked === undefined) continue;
    const { checked } = entry.result;
    const has = (at: number) => ((picks.get(entry.seq) ?? 0) & (1 << at)) !== 0;
    const why = [
      ...TRAITS.flatMap(({ words }, at) => (has(at) ? words(checked) : [])),
      ...extremes.flatMap((words, at) => (has(TRAITS.length + at) ? (words ?? []) : [])),
    ];
    const { externalId } = entry;
    found.set(entry.seq, { externalId, why: why.length > 0 ? why : ['one more ordinary ticket'] });
  }
  return [...picks.keys()].flatMap((seq) => found.get(seq) ?? []);
}

function bitsIn(bits: number): number {
  let count = 0;
  for (let rest = bits; rest !== 0; rest &= rest - 1) count++;
  return count;
}

function peopleOf({ ticket, messages }: CheckedTicket): number {
  return new Set([ticket, ...messages].flatMap(({ contact }) => contact?.email ?? [])).size;
}

function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

function isReopening({ oldValue, newValue }: CheckedTicket['events'][number]): boolean {
  const from = oldValue?.['status'];
  const to = newValue?.['status'];
  return (from === 'resolved' || from === 'closed') && (to === 'open' || to === 'pending');
}

function isNonLatin(text: string): boolean {
  const beginning = text.slice(0, LOOKED_AT);
  // Up to Latin Extended-B a text needs no closer look.
  return /[\u0250-\uffff]/.test(beginning) && /(?!\p{Script=Latin})\p{L}/u.test(beginning);
}
