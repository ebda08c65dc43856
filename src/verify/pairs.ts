/** A ticket as it was sent beside the ticket as the helpdesk shows it, message by message. Pure. */
import { isImportNote, pairEvents, reportedInstant, withoutImportNotes } from '../domain/snapshot.ts';
import type { Snapshot } from '../domain/ticket-api.ts';
import type { Check, CheckName } from './check.ts';
import { compareEvents, compareMessage, placesOf } from './compare-messages.ts';
import { compareTicket } from './compare-ticket.ts';
import type { ReadBack, Sent } from './read-back.ts';

/** The reasons of a person to mark a ticket wrong. */
export const MATTERS = ['time', 'people', 'text', 'visibility', 'state', 'file', 'other'] as const;
export type Matter = (typeof MATTERS)[number];

const MATTER_OF: Partial<Readonly<Record<CheckName, Matter>>> = {
  timestamps: 'time',
  authors: 'people',
  customer: 'people',
  'assignment and ownership': 'people',
  subject: 'text',
  'message count': 'text',
  'message content': 'text',
  'internal notes': 'visibility',
  'status and priority': 'state',
  attachments: 'file',
};

export interface Difference {
  readonly matter: Matter;
  readonly words: string;
}

/** `sent`: the place of the message in the ticket that was sent. */
export interface Pair {
  readonly n: number;
  readonly sent?: number | undefined;
  readonly read?: Snapshot | undefined;
  readonly isNote: boolean;
  readonly differences: readonly Difference[];
}

/** `sent`: the place of the event in the ticket that was sent. */
export interface EventPair {
  readonly sent?: number | undefined;
  readonly read?: Snapshot | undefined;
}

export interface PairedTicket {
  readonly ticket: readonly Difference[];
  readonly pairs: readonly Pair[];
  /** Absent if the helpdesk does not show them. */
  readonly events?: readonly EventPair[] | undefined;
  /** Names of the checks without a difference. */
  readonly passed: readonly CheckName[];
}

const MISSING: Difference = { matter: 'text', words: 'The helpdesk does not have this message.' };
const ADDED: Difference = { matter: 'text', words: 'Only the helpdesk has this message.' };

export function pairTicket(sent: Sent, back: Extract<ReadBack, { kind: 'read' }>): PairedTicket {
  const { messages: all } = back;
  const read = withoutImportNotes(all ?? []);
  const places = placesOf(sent.messages, read);
  const ofTicket = [
    ...compareTicket(sent.ticket, back.ticket),
    ...(back.events === undefined ? [] : compareEvents(sent.events, back.events)),
  ];
  const checks: Check[] = [...ofTicket];
  const pairs = sent.messages.map((message, index): Pair => {
    const same = read[places[index] ?? -1];
    const pair = { n: index + 1, sent: index, read: same, isNote: false };
    if (same === undefined) return { ...pair, differences: all === undefined ? [] : [MISSING] };
    const found = compareMessage(message, same, `message ${index + 1}`);
    checks.push(...found);
    return { ...pair, differences: differencesIn(found) };
  });
  const taken = new Set(places);
  const extra = read.filter((_, at) => !taken.has(at));
  const notes = (all ?? []).filter(isImportNote);
  for (const message of [...extra, ...notes]) {
    const isNote = isImportNote(message);
    pairs.push({ n: pairs.length + 1, read: message, isNote, differences: isNote ? [] : [ADDED] });
  }
  const wrong = new Set(checks.filter(({ ok }) => !ok).map(({ name }) => name));
  return {
    ticket: differencesIn(ofTicket),
    pairs: pairs.sort((one, other) => timeOf(one, sent) - timeOf(other, sent)),
    events: back.events && eventPairs(sent, back.events),
    passed: [...new Set(checks.map(({ name }) => name))].filter((name) => !wrong.has(name)),
  };
}

function eventPairs({ events }: Sent, read: readonly Snapshot[]): EventPair[] {
  const { same, extra } = pairEvents(events, read);
  return [...same.map((found, sent) => ({ sent, read: found })), ...extra.map((one) => ({ read: one }))];
}

function differencesIn(checks: readonly Check[]): Difference[] {
  return checks.flatMap(({ name, ok, detail }) =>
    ok ? [] : [{ matter: MATTER_OF[name] ?? 'other', words: detail }],
  );
}

/** The note of the import is last. */
function timeOf({ sent, read, isNote }: Pair, { messages }: Sent): number {
  if (isNote) return Number.POSITIVE_INFINITY;
  const ours = sent === undefined ? undefined : messages[sent];
  return ours === undefined ? (reportedInstant(read ?? {}, 'occurredAt') ?? 0) : Date.parse(ours.occurredAt);
}

export const PER_PAGE = 20;

/** Pairs of a page, and stretches of equal ones: a long ticket shows its ends, its differences and their neighbours. */
export type Shown = Pair | { readonly from: number; readonly count: number };

const FIRST = 8;
const LAST = 4;

/** `from`: the number of a pair; then that page is shown whole. */
export function shownPairs(pairs: readonly Pair[], from?: number): readonly Shown[] {
  if (from !== undefined) {
    const start = Math.max(
      0,
      pairs.findIndex(({ n }) => n === from),
    );
    return pairs.slice(start, start + PER_PAGE);
  }
  if (pairs.length <= FIRST + LAST + 1) return pairs;
  const isApart = (at: number) => (pairs[at]?.differences.length ?? 0) > 0;
  const keeps = pairs.map(
    (_, at) => at < FIRST || at >= pairs.length - LAST || isApart(at - 1) || isApart(at) || isApart(at + 1),
  );
  const shown: Shown[] = [];
  for (const [at, pair] of pairs.entries()) {
    if (keeps[at] === true) shown.push(pair);
    else if (at === 0 || keeps[at - 1] === true)
      shown.push({ from: pair.n, count: keeps.indexOf(true, at) - at });
  }
  return shown;
}
