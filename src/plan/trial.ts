/**
 * Chooses the tickets of a trial: few, and together showing as much as possible of what the export holds.
 *
 * Tickets pass by once, and memory does not grow: for every quality a few tickets are kept, those that have most
 * qualities at once, and for every extreme the one that holds it. At the end the ticket that shows most of what has not
 * been shown yet is taken, again and again. The same export gives the same choice.
 */
import type { TrialPick } from '../domain/survey.ts';
import type { CheckedTicket } from '../domain/ticket.ts';

/** Tickets kept for each quality. */
const KEPT = 8;

/** Different qualities that are remembered: an export in which each record has one of its own is a mistake. */
const MOST_FEATURES = 1000;

/** Qualities that a record has or has not, with the words that say why it was chosen. */
type Features = ReadonlyMap<string, string>;

/** What one record of an export has most of: the greater `measure` wins, the earlier record a tie. */
interface Extreme<T> {
  readonly key: string;
  /** Undefined for a record that cannot have the quality. */
  readonly measure: (record: T) => number | undefined;
  readonly words: (measure: number) => string;
}

interface TrialRules<T, K> {
  readonly features: (record: T) => Features;
  readonly extremes: readonly Extreme<T>[];
  /** What is remembered of a record. */
  readonly keep: (record: T) => K;
  /** Why a record was chosen that shows nothing new. */
  readonly ordinary: string;
}

interface Candidate<K> {
  readonly seq: number;
  readonly kept: K;
  readonly features: Features;
}

interface Picker<T, P> {
  /** A record that could be sent, in the order of the export. */
  offer(record: T): void;
  /** At most as many as asked for, the most telling one first; all of them where there are no more. */
  picks(): P[];
}

export function createTrialPicker(count: number): Picker<CheckedTicket, TrialPick> {
  const { offer, picks } = createPicker(count, {
    features: featuresOf,
    extremes: EXTREMES,
    keep: ({ externalId }) => externalId,
    ordinary: 'one more ordinary ticket',
  });
  return { offer, picks: () => picks().map(({ kept, why }) => ({ externalId: kept, why })) };
}

export function createPicker<T, K>(
  count: number,
  { features: featuresFor, extremes: kinds, keep, ordinary }: TrialRules<T, K>,
): Picker<T, { readonly kept: K; readonly why: readonly string[] }> {
  const byFeature = new Map<string, Candidate<K>[]>();
  const extremes = new Map<string, { readonly candidate: Candidate<K>; readonly measure: number }>();
  /** Fills up a trial of an export whose records are all alike. */
  const first: Candidate<K>[] = [];
  let seq = 0;
  return {
    offer: (record) => {
      const candidate = { seq: seq++, kept: keep(record), features: featuresFor(record) };
      if (first.length < count) first.push(candidate);
      for (const feature of candidate.features.keys()) {
        const kept = byFeature.get(feature) ?? [];
        if (kept.length === 0 && byFeature.size >= MOST_FEATURES) continue;
        byFeature.set(feature, kept);
        keepRichest(kept, candidate);
      }
      for (const { key, measure } of kinds) {
        const measured = measure(record);
        if (measured !== undefined && measured > (extremes.get(key)?.measure ?? Number.NEGATIVE_INFINITY))
          extremes.set(key, { candidate, measure: measured });
      }
    },
    picks: () => {
      const shown = new Map<Candidate<K>, Map<string, string>>();
      for (const candidate of [...byFeature.values(), first].flat())
        shown.set(candidate, new Map(candidate.features));
      for (const { key, words } of kinds) {
        const holder = extremes.get(key);
        if (holder === undefined) continue;
        const features = shown.get(holder.candidate) ?? new Map(holder.candidate.features);
        shown.set(holder.candidate, features.set(key, words(holder.measure)));
      }
      return cover(shown, count, ordinary);
    },
  };
}

/** Text is looked at this far: a script shows itself early. */
const LOOKED_AT = 300;
const MESSAGES_LOOKED_AT = 10;

/** All that a ticket shows. */
function featuresOf({ ticket, messages, events }: CheckedTicket): Features {
  const features = new Map<string, string>();
  const note = (holds: boolean, key: string, words = key) => {
    if (holds) features.set(key, words);
  };
  const kinds = new Set<string | undefined>();
  const people = new Set<string>();
  let attachments = 0;
  let hasInternal = false;
  if (ticket.contact !== undefined) people.add(ticket.contact.email);
  for (const { actorType, contact, contentType, isInternal, attachments: own } of messages) {
    kinds.add(actorType).add(contentType);
    if (contact !== undefined) people.add(contact.email);
    hasInternal ||= isInternal === true;
    attachments += own?.length ?? 0;
  }
  note(true, `status ${ticket.status ?? 'open'}`);
  note(true, `priority ${ticket.priority ?? 'normal'}`);
  note(ticket.contact === undefined && ticket.contactId === undefined, 'no contact');
  note(messages.length === 0, 'no messages');
  note(hasInternal, 'an internal note');
  note(kinds.has('html'), 'an HTML message');
  note(kinds.has('markdown'), 'a Markdown message');
  note(kinds.has('agent'), 'a message of an agent');
  note(kinds.has('system'), 'a message of the system');
  note(attachments > 0, 'attachments', counted(attachments, 'attachment'));
  note(people.size > 1, 'contacts', `${people.size} contacts`);
  note(events.length > 0, 'events', `${counted(events.length, 'event')} of its history`);
  note(events.some(isReopening), 'it was reopened');
  const texts = [ticket.subject, ...messages.slice(0, MESSAGES_LOOKED_AT).map(({ content }) => content)];
  note(texts.some(isNonLatin), 'text in a non-Latin script');
  return features;
}

function counted(count: number, word: string): string {
  return count === 1 ? `one ${word}` : `${count} ${word}s`;
}

function isReopening({ oldValue, newValue }: CheckedTicket['events'][number]): boolean {
  const from = oldValue?.['status'];
  const to = newValue?.['status'];
  return (from === 'resolved' || from === 'closed') && (to === 'open' || to === 'pending');
}

function isNonLatin(text: string): boolean {
  const beginning = text.slice(0, LOOKED_AT);
  // Without a character behind Latin Extended-B a text needs no closer look.
  return /[\u0250-\uffff]/.test(beginning) && /(?!\p{Script=Latin})\p{L}/u.test(beginning);
}

/** A body of this many characters or more is worth being seen as the longest. */
const LONG_BODY = 2000;

const EXTREMES: readonly Extreme<CheckedTicket>[] = [
  {
    key: 'longest thread',
    measure: ({ messages }) => (messages.length > 1 ? messages.length : undefined),
    words: (measure) => `the longest thread: ${measure} messages`,
  },
  {
    key: 'longest message',
    measure: ({ messages }) => {
      let longest = 0;
      for (const { content } of messages) longest = Math.max(longest, content.length);
      return longest >= LONG_BODY ? longest : undefined;
    },
    words: (measure) => `the longest message: ${measure} characters`,
  },
  {
    key: 'oldest',
    measure: ({ ticket }) => -Date.parse(ticket.createdAt),
    words: (measure) => `the oldest ticket: ${new Date(-measure).toISOString().slice(0, 10)}`,
  },
  {
    key: 'newest',
    measure: ({ ticket }) => Date.parse(ticket.createdAt),
    words: (measure) => `the newest ticket: ${new Date(measure).toISOString().slice(0, 10)}`,
  },
];

function keepRichest<K>(kept: Candidate<K>[], candidate: Candidate<K>): void {
  const isFull = kept.length >= KEPT;
  if (isFull && (kept.at(-1)?.features.size ?? 0) >= candidate.features.size) return;
  if (isFull) kept.pop();
  // Richest first; of equally rich ones the earlier stays before.
  const at = kept.findIndex((other) => other.features.size < candidate.features.size);
  kept.splice(at === -1 ? kept.length : at, 0, candidate);
}

/** Greedy: within a few per cent of the best cover, and its reasons can be told one by one. */
function cover<K>(shown: ReadonlyMap<Candidate<K>, Features>, count: number, ordinary: string) {
  const left = [...shown].sort(([a], [b]) => a.seq - b.seq);
  const covered = new Set<string>();
  const picks: { readonly kept: K; readonly why: readonly string[] }[] = [];
  while (picks.length < count && left.length > 0) {
    const fresh = left.map(([, features]) => [...features.keys()].filter((key) => !covered.has(key)).length);
    const [picked] = left.splice(fresh.indexOf(Math.max(...fresh)), 1);
    if (picked === undefined) break;
    const [{ kept }, features] = picked;
    const why = [...features].filter(([key]) => !covered.has(key)).map(([, words]) => words);
    for (const key of features.keys()) covered.add(key);
    picks.push({ kept, why: why.length > 0 ? why : [ordinary] });
  }
  return picks;
}
