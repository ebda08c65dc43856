/**
 * Chooses the tickets of a trial: few, and together as varied as the export.
 *
 * For every quality a few tickets are kept, those with most qualities, and for every extreme its ticket. Then the ticket that adds most is
 * taken, again and again. The same export gives the same choice.
 */
import { TICKET_PRIORITIES, TICKET_STATUSES } from '../domain/payload.ts';
import type { TrialPick } from '../domain/survey.ts';
import type { CheckedTicket } from '../domain/ticket.ts';

/** Tickets kept for each quality. */
const KEPT = 8;

/** Most qualities to remember. */
const MOST_FEATURES = 1000;

/** A quality, with the words that say why its ticket was chosen. */
type Features = ReadonlyMap<string, string>;

/** An extreme of the export: the greatest `measure` wins, the earlier record a tie. */
interface Extreme<T> {
  readonly key: string;
  /** Undefined if the record cannot have it. */
  readonly measure: (record: T) => number | undefined;
  readonly words: (measure: number) => string;
}

interface TrialRules<T, K> {
  readonly features: (record: T) => Features;
  /** Keys of all features of a record, computed cheaply: most records need no closer look. */
  readonly mayShow?: (record: T) => readonly string[];
  readonly extremes: readonly Extreme<T>[];
  /** The part of a record to keep. */
  readonly keep: (record: T) => K;
  /** The reason for a record without anything new. */
  readonly ordinary: string;
}

/** Computes features lazily: in a chronological export every record is the newest for a moment. */
class Candidate<T, K> {
  readonly seq: number;
  readonly kept: K;
  readonly #featuresOf: (record: T) => Features;
  #record: T | undefined;
  #features: Features | undefined;

  constructor(seq: number, record: T, { keep, features }: TrialRules<T, K>) {
    this.seq = seq;
    this.kept = keep(record);
    this.#featuresOf = features;
    this.#record = record;
  }

  get features(): Features {
    if (this.#record !== undefined) this.#features = this.#featuresOf(this.#record);
    this.#record = undefined;
    return this.#features ?? new Map();
  }
}

interface Picker<T, P> {
  /** A valid record, in the order of the export. */
  offer(record: T): void;
  /** At most `count` records, the most varied first. */
  picks(): P[];
}

export function createTrialPicker(count: number): Picker<CheckedTicket, TrialPick> {
  const { offer, picks } = createPicker(count, {
    features: featuresOf,
    mayShow: mayShowOf,
    extremes: EXTREMES,
    keep: ({ externalId }) => externalId,
    ordinary: 'one more ordinary ticket',
  });
  return { offer, picks: () => picks().map(({ kept, why }) => ({ externalId: kept, why })) };
}

export function createPicker<T, K>(
  count: number,
  rules: TrialRules<T, K>,
): Picker<T, { readonly kept: K; readonly why: readonly string[] }> {
  const { mayShow, extremes: kinds, ordinary } = rules;
  const byFeature = new Map<string, Candidate<T, K>[]>();
  const extremes = new Map<string, { readonly candidate: Candidate<T, K>; readonly measure: number }>();
  /** Fills up the trial of a uniform export. */
  const first: Candidate<T, K>[] = [];
  let seq = 0;
  const isFullOf = (feature: string, richness: number) => {
    const kept = byFeature.get(feature);
    return kept !== undefined && kept.length >= KEPT && (kept.at(-1)?.features.size ?? 0) >= richness;
  };
  return {
    offer: (record) => {
      const candidate = new Candidate(seq++, record, rules);
      const most = mayShow?.(record);
      const isIdle = most?.every((feature) => isFullOf(feature, most.length)) === true;
      if (first.length < count) {
        first.push(candidate);
        // The record is not held on to.
        void candidate.features;
      }
      for (const feature of isIdle ? [] : candidate.features.keys()) {
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
      const shown = new Map<Candidate<T, K>, Map<string, string>>();
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

/** Characters of a text to read: a script shows early. */
const LOOKED_AT = 300;
const MESSAGES_LOOKED_AT = 10;

const NON_LATIN = 'text in a non-Latin script';

/** All features of a ticket. */
function featuresOf(checked: CheckedTicket): Features {
  const { ticket, messages, events } = checked;
  const features = new Map(plainFeatures(checked).map((feature) => [feature, feature]));
  let attachments = 0;
  for (const { attachments: own } of messages) attachments += own?.length ?? 0;
  const tell = (feature: string, words: string) => {
    if (features.has(feature)) features.set(feature, words);
  };
  tell('attachments', counted(attachments, 'attachment'));
  tell('contacts', `${peopleOf(checked).size} contacts`);
  tell('events', `${counted(events.length, 'event')} of its history`);
  const texts = [ticket.subject, ...messages.slice(0, MESSAGES_LOOKED_AT).map(({ content }) => content)];
  if (texts.some(isNonLatin)) features.set(NON_LATIN, NON_LATIN);
  return features;
}

/** Without reading texts. */
function mayShowOf(checked: CheckedTicket): readonly string[] {
  return [...plainFeatures(checked), NON_LATIN];
}

function peopleOf({ ticket, messages }: CheckedTicket): ReadonlySet<string> {
  const people = new Set<string>();
  for (const { contact } of [ticket, ...messages]) if (contact !== undefined) people.add(contact.email);
  return people;
}

function plainFeatures(checked: CheckedTicket): string[] {
  const { ticket, messages, events } = checked;
  const features: string[] = [STATUSES[ticket.status ?? 'open'], PRIORITIES[ticket.priority ?? 'normal']];
  const note = (holds: boolean, feature: string) => {
    if (holds) features.push(feature);
  };
  const has = { internal: false, html: false, markdown: false, agent: false, system: false };
  let hasAttachments = false;
  let isOfOne = true;
  let someone = ticket.contact?.email;
  for (const { actorType, contact, contentType, isInternal, attachments } of messages) {
    if (actorType === 'agent') has.agent = true;
    else if (actorType === 'system') has.system = true;
    if (contentType === 'html') has.html = true;
    else if (contentType === 'markdown') has.markdown = true;
    if (isInternal === true) has.internal = true;
    if (attachments !== undefined && attachments.length > 0) hasAttachments = true;
    someone ??= contact?.email;
    if (contact !== undefined && contact.email !== someone) isOfOne = false;
  }
  note(ticket.contact === undefined && ticket.contactId === undefined, 'no contact');
  note(messages.length === 0, 'no messages');
  note(has.internal, 'an internal note');
  note(has.html, 'an HTML message');
  note(has.markdown, 'a Markdown message');
  note(has.agent, 'a message of an agent');
  note(has.system, 'a message of the system');
  note(hasAttachments, 'attachments');
  note(!isOfOne, 'contacts');
  note(events.length > 0, 'events');
  note(events.some(isReopening), 'it was reopened');
  return features;
}

/** Made once for all tickets. */
const STATUSES = named('status', TICKET_STATUSES);
const PRIORITIES = named('priority', TICKET_PRIORITIES);

function named<Word extends string>(what: string, words: readonly Word[]): Record<Word, string> {
  return Object.fromEntries(words.map((word) => [word, `${what} ${word}`])) as Record<Word, string>;
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
  // A text within Latin Extended-B needs no closer look.
  return /[\u0250-\uffff]/.test(beginning) && /(?!\p{Script=Latin})\p{L}/u.test(beginning);
}

/** A body of at least this many characters counts as long. */
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

function keepRichest<T, K>(kept: Candidate<T, K>[], candidate: Candidate<T, K>): void {
  const isFull = kept.length >= KEPT;
  if (isFull && (kept.at(-1)?.features.size ?? 0) >= candidate.features.size) return;
  if (isFull) kept.pop();
  // Richest first, the earlier of equal ones.
  const at = kept.findIndex((other) => other.features.size < candidate.features.size);
  kept.splice(at === -1 ? kept.length : at, 0, candidate);
}

/** Greedy: close to the best cover, with one reason for each ticket. */
function cover<T, K>(shown: ReadonlyMap<Candidate<T, K>, Features>, count: number, ordinary: string) {
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
