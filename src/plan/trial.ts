/**
 * Chooses the tickets of a trial: few, and together showing as much as possible of what the export holds. Of every quality the
 * richest few tickets are kept, and of every extreme the one that has most; at the end the ticket that shows most of what
 * was not shown yet is taken, again and again. The same export gives the same choice.
 */
import type { TrialPick } from '../domain/survey.ts';
import type { CheckedTicket } from '../domain/ticket.ts';

/** Tickets kept for each quality. */
const KEPT = 8;
/** Text is looked at this far: a script shows itself early. */
const LOOKED_AT = 300;
const MESSAGES_LOOKED_AT = 10;
/** A body of this many characters or more is worth being seen as the longest. */
const LONG_BODY = 2000;

/** Qualities of a ticket, each with the words that say why it was chosen. */
type Features = Map<string, string>;

interface Candidate {
  readonly seq: number;
  readonly externalId: string;
  readonly features: Features;
}

export function createTrialPicker(count: number) {
  const byFeature = new Map<string, Candidate[]>();
  const extremes = new Map<string, { readonly candidate: Candidate; readonly measure: number }>();
  /** Fills up a trial of an export whose tickets are all alike. */
  const first: Candidate[] = [];
  let seq = 0;
  return {
    /** A ticket that could be sent, in the order of the export. */
    offer: (checked: CheckedTicket): void => {
      const candidate = { seq: seq++, externalId: checked.externalId, features: featuresOf(checked) };
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
    /** At most as many as asked for, the most telling one first. */
    picks: (): TrialPick[] => {
      const shown = new Map<Candidate, Features>();
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

/** Richest first; of equally rich ones the earlier stays before. */
function keepRichest(kept: Candidate[], candidate: Candidate): void {
  const at = kept.findIndex(({ features }) => features.size < candidate.features.size);
  if (at === -1 && kept.length >= KEPT) return;
  kept.splice(at === -1 ? kept.length : at, 0, candidate);
  kept.length = Math.min(kept.length, KEPT);
}

/** Greedy: within a few per cent of the best cover, and its reasons can be shown one by one. */
function cover(shown: ReadonlyMap<Candidate, Features>, count: number): TrialPick[] {
  const left = [...shown].sort(([a], [b]) => a.seq - b.seq);
  const covered = new Set<string>();
  const picks: TrialPick[] = [];
  while (picks.length < count && left.length > 0) {
    const fresh = left.map(([, features]) => [...features.keys()].filter((key) => !covered.has(key)).length);
    const [picked] = left.splice(fresh.indexOf(Math.max(...fresh)), 1);
    if (picked === undefined) break;
    const [{ externalId }, features] = picked;
    const why = [...features].filter(([key]) => !covered.has(key)).map(([, words]) => words);
    for (const key of features.keys()) covered.add(key);
    picks.push({ externalId, why: why.length > 0 ? why : ['one more ordinary ticket'] });
  }
  return picks;
}

/** All that a ticket shows. */
function featuresOf({ ticket, messages, events }: CheckedTicket): Features {
  const features: Features = new Map();
  const note = (holds: boolean, feature: string, words = feature) => {
    if (holds) features.set(feature, words);
  };
  const attachments = messages.reduce((sum, { attachments: own = [] }) => sum + own.length, 0);
  const emails = [ticket, ...messages].flatMap(({ contact }) => contact?.email ?? []);
  const people = new Set(emails).size;
  const texts = [ticket.subject, ...messages.slice(0, MESSAGES_LOOKED_AT).map(({ content }) => content)];
  note(true, `status ${ticket.status ?? 'open'}`);
  note(true, `priority ${ticket.priority ?? 'normal'}`);
  note(ticket.contact === undefined && ticket.contactId === undefined, 'no contact');
  note(messages.length === 0, 'no messages');
  note(
    messages.some(({ isInternal }) => isInternal === true),
    'an internal note',
  );
  note(
    messages.some(({ contentType }) => contentType === 'html'),
    'an HTML message',
  );
  note(
    messages.some(({ contentType }) => contentType === 'markdown'),
    'a Markdown message',
  );
  note(
    messages.some(({ actorType }) => actorType === 'agent'),
    'a message of an agent',
  );
  note(
    messages.some(({ actorType }) => actorType === 'system'),
    'a message of the system',
  );
  note(attachments > 0, 'attachments', counted(attachments, 'attachment'));
  note(people > 1, 'contacts', `${people} contacts`);
  note(events.length > 0, 'events', `${counted(events.length, 'event')} of its history`);
  note(events.some(isReopening), 'it was reopened');
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

/** What one ticket of the export has most of: the greater `measure` wins, the earlier ticket a tie. */
const EXTREMES: readonly {
  readonly key: string;
  /** Undefined for a ticket that cannot have the quality. */
  readonly measure: (checked: CheckedTicket) => number | undefined;
  readonly words: (measure: number) => string;
}[] = [
  {
    key: 'longest thread',
    measure: ({ messages }) => (messages.length > 1 ? messages.length : undefined),
    words: (measure) => `the longest thread: ${measure} messages`,
  },
  {
    key: 'longest message',
    measure: ({ messages }) => {
      const longest = messages.reduce((most, { content }) => Math.max(most, content.length), 0);
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
