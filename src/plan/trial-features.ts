/** What makes a ticket worth looking at in a trial, in words that say why it was chosen. */
import type { CheckedTicket } from '../domain/checked.ts';

/** A quality that a ticket has or has not: its key, and the words for this ticket. */
export type Features = ReadonlyMap<string, string>;

/** Text is looked at this far: a script shows itself early. */
const LOOKED_AT = 300;
const MESSAGES_LOOKED_AT = 10;

/** Behind Latin Extended-B: without a character from there, a text needs no closer look. */
const BEYOND_LATIN = /[\u0250-\uffff]/;
const NON_LATIN_LETTER = /(?!\p{Script=Latin})\p{L}/u;

export function featuresOf({ ticket, messages, events }: CheckedTicket): Features {
  const features = new Map<string, string>();
  features.set(`status ${ticket.status ?? 'open'}`, `status ${ticket.status ?? 'open'}`);
  features.set(`priority ${ticket.priority ?? 'normal'}`, `priority ${ticket.priority ?? 'normal'}`);
  if (ticket.contact === undefined && ticket.contactId === undefined)
    features.set('no contact', 'no contact');
  if (messages.length === 0) features.set('no messages', 'no messages');

  const contacts = new Set<string>();
  if (ticket.contact !== undefined) contacts.add(ticket.contact.email);
  let attachments = 0;
  for (const message of messages) {
    if (message.contact !== undefined) contacts.add(message.contact.email);
    attachments += message.attachments?.length ?? 0;
    if (message.isInternal === true) features.set('internal note', 'an internal note');
    if (message.contentType === 'html') features.set('html', 'an HTML message');
    if (message.contentType === 'markdown') features.set('markdown', 'a Markdown message');
    if (message.actorType === 'agent') features.set('agent', 'a message of an agent');
    if (message.actorType === 'system') features.set('system', 'a message of the system');
  }
  if (attachments > 0) features.set('attachments', counted(attachments, 'attachment'));
  if (contacts.size > 1) features.set('contacts', `${contacts.size} contacts`);
  if (events.length > 0) features.set('events', `${counted(events.length, 'event')} of its history`);
  if (events.some(isReopening)) features.set('reopened', 'it was reopened');
  if (hasNonLatinText(ticket.subject, messages)) features.set('non-Latin', 'text in a non-Latin script');
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

function hasNonLatinText(subject: string, messages: CheckedTicket['messages']): boolean {
  if (isNonLatin(subject)) return true;
  for (let index = 0; index < Math.min(messages.length, MESSAGES_LOOKED_AT); index++)
    if (isNonLatin(messages[index]?.content ?? '')) return true;
  return false;
}

function isNonLatin(text: string): boolean {
  const beginning = text.slice(0, LOOKED_AT);
  return BEYOND_LATIN.test(beginning) && NON_LATIN_LETTER.test(beginning);
}

/** Qualities that one ticket of the export has most of. The greater `measure` wins, the earlier ticket a tie. */
export interface Extreme {
  readonly key: string;
  /** Undefined for a ticket that cannot have the quality. */
  readonly measure: (ticket: CheckedTicket) => number | undefined;
  readonly words: (ticket: { readonly measure: number }) => string;
}

/** A body of this many characters or more is worth being seen as the longest. */
const LONG_BODY = 2000;

export const EXTREMES: readonly Extreme[] = [
  {
    key: 'longest thread',
    measure: ({ messages }) => (messages.length > 1 ? messages.length : undefined),
    words: ({ measure }) => `the longest thread: ${measure} messages`,
  },
  {
    key: 'longest message',
    measure: ({ messages }) => {
      let longest = 0;
      for (const { content } of messages) longest = Math.max(longest, content.length);
      return longest >= LONG_BODY ? longest : undefined;
    },
    words: ({ measure }) => `the longest message: ${measure} characters`,
  },
  {
    key: 'oldest',
    measure: ({ ticket }) => -Date.parse(ticket.createdAt),
    words: ({ measure }) => `the oldest ticket: ${new Date(-measure).toISOString().slice(0, 10)}`,
  },
  {
    key: 'newest',
    measure: ({ ticket }) => Date.parse(ticket.createdAt),
    words: ({ measure }) => `the newest ticket: ${new Date(measure).toISOString().slice(0, 10)}`,
  },
];
