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

/** Qualities that a ticket has or has not, with the words that say why it was chosen. */
type Features = ReadonlyMap<string, string>;

interface Candidate {
  readonly seq: number;
  readonly externalId: string;
  readonly features: Features;
}

export interface TrialPicker {
  /** A ticket that could be sent, in the order of the export. */
  offer(checked: CheckedTicket): void;
  /** At most as many as asked for, the most telling one first; all of them where there are no more. */
  picks(): TrialPick[];
}

export function createTrialPicker(count: number): TrialPicker {
  const byFeature = new Map<string, Candidate[]>();
  const extremes = new Map<string, { readonly candidate: Candidate; readonly measure: number }>();
  /** Fills up a trial of an export whose tickets are all alike. */
  const first: Candidate[] = [];
  return {
    offer: (checked) => {
      const { seq, externalId } = checked;
      const candidate = { seq, externalId, features: featuresOf(checked) };
      if (first.length < count) first.push(candidate);
      for (const feature of candidate.features.keys()) {
        const kept = byFeature.get(feature) ?? [];
        byFeature.set(feature, kept);
        keepRichest(kept, candidate);
      }
      for (const { key, measure } of EXTREMES) {
        const measured = measure(checked);
        if (measured !== undefined && measured > (extremes.get(key)?.measure ?? Number.NEGATIVE_INFINITY))
          extremes.set(key, { candidate, measure: measured });
      }
    },
    picks: () => {
      const shown = new Map<Candidate, Map<string, string>>();
      for (const candidate of [...byFeature.values(), first].flat())
        shown.set(candidate, new Map(candidate.features));
      for (const { key, words } of EXTREMES) {
        const holder = extremes.get(key);
        if (holder === undefined) continue;
        const features = shown.get(holder.candidate) ?? new Map(holder.candidate.features);
        shown.set(holder.candidate, features.set(key, words(holder.measure)));
      }
      return cover(shown, count);
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

/** What one ticket of an export has most of: the greater `measure` wins, the earlier ticket a tie. */
interface Extreme {
  readonly key: string;
  /** Undefined for a ticket that cannot have the quality. */
  readonly measure: (ticket: CheckedTicket) => number | undefined;
  readonly words: (measure: number) => string;
}

/** A body of this many characters or more is worth being seen as the longest. */
const LONG_BODY = 2000;

const EXTREMES: readonly Extreme[] = [
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

function keepRichest(kept: Candidate[], candidate: Candidate): void {
  const isFull = kept.length >= KEPT;
  if (isFull && (kept.at(-1)?.features.size ?? 0) >= candidate.features.size) return;
  if (isFull) kept.pop();
  // Richest first; of equally rich ones the earlier stays before.
  const at = kept.findIndex((other) => other.features.size < candidate.features.size);
  kept.splice(at === -1 ? kept.length : at, 0, candidate);
}

/** Greedy: within a few per cent of the best cover, and its reasons can be told one by one. */
function cover(shown: ReadonlyMap<Candidate, ReadonlyMap<string, string>>, count: number): TrialPick[] {
  const left = [...shown].sort(([a], [b]) => a.seq - b.seq);
  const covered = new Set<string>();
  const picks: TrialPick[] = [];
  while (picks.length < count && left.length > 0) {
    let best = 0;
    let mostNew = -1;
    for (const [index, [, features]] of left.entries()) {
      let fresh = 0;
      for (const key of features.keys()) if (!covered.has(key)) fresh++;
      if (fresh > mostNew) {
        best = index;
        mostNew = fresh;
      }
    }
    const [picked] = left.splice(best, 1);
    if (picked === undefined) break;
    const [candidate, features] = picked;
    const why = [...features].filter(([key]) => !covered.has(key)).map(([, words]) => words);
    for (const key of features.keys()) covered.add(key);
    picks.push({
      externalId: candidate.externalId,
      why: why.length > 0 ? why : ['one more ordinary ticket'],
    });
  }
  return picks;
}
