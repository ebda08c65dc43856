/** What makes a ticket worth looking at in a trial, in words that say why it was chosen. */

import { TICKET_PRIORITIES, TICKET_STATUSES } from '../domain/payload.ts';
import type { CheckedTicket } from '../domain/ticket.ts';

/** A quality that a ticket has or has not: its key, and the words for this ticket. */
export type Features = ReadonlyMap<string, string>;

/** Text is looked at this far: a script shows itself early. */
const LOOKED_AT = 300;
const MESSAGES_LOOKED_AT = 10;

/** Behind Latin Extended-B: without a character from there, a text needs no closer look. */
const BEYOND_LATIN = /[\u0250-\uffff]/;

/** Every quality, the first bit first. */
const KEYS = [
  ...TICKET_STATUSES.map((status) => `status ${status}`),
  ...TICKET_PRIORITIES.map((priority) => `priority ${priority}`),
  'no contact',
  'no messages',
  'internal note',
  'html',
  'markdown',
  'agent',
  'system',
  'attachments',
  'contacts',
  'events',
  'reopened',
  'non-Latin',
];

/** The bit of a feature in a set of features. */
const bit = (key: string): number => 1 << KEYS.indexOf(key);
const STATUS = TICKET_STATUSES.map((status) => bit(`status ${status}`));
const PRIORITY = TICKET_PRIORITIES.map((priority) => bit(`priority ${priority}`));
const NO_CONTACT = bit('no contact');
const NO_MESSAGES = bit('no messages');
const INTERNAL = bit('internal note');
const HTML = bit('html');
const MARKDOWN = bit('markdown');
const AGENT = bit('agent');
const SYSTEM = bit('system');
const ATTACHMENTS = bit('attachments');
const CONTACTS = bit('contacts');
const EVENTS = bit('events');
const REOPENED = bit('reopened');
/** The one feature that takes a look at texts, and so is told apart. */
export const NON_LATIN = bit('non-Latin');

/** A set of features as bits: nearly every ticket of an export is looked at and then forgotten. */
export type FeatureSet = number;

/** What a ticket shows, but for the script of its texts. */
export function quickFeatures({ ticket, messages, events }: CheckedTicket): FeatureSet {
  let set =
    (STATUS[TICKET_STATUSES.indexOf(ticket.status ?? 'open')] ?? 0) |
    (PRIORITY[TICKET_PRIORITIES.indexOf(ticket.priority ?? 'normal')] ?? 0);
  if (ticket.contact === undefined && ticket.contactId === undefined) set |= NO_CONTACT;
  if (messages.length === 0) set |= NO_MESSAGES;
  let email = ticket.contact?.email;
  for (const message of messages) {
    if (message.contact !== undefined) {
      email ??= message.contact.email;
      if (message.contact.email !== email) set |= CONTACTS;
    }
    if (message.attachments !== undefined && message.attachments.length > 0) set |= ATTACHMENTS;
    if (message.isInternal === true) set |= INTERNAL;
    if (message.contentType === 'html') set |= HTML;
    else if (message.contentType === 'markdown') set |= MARKDOWN;
    if (message.actorType === 'agent') set |= AGENT;
    else if (message.actorType === 'system') set |= SYSTEM;
  }
  if (events.length > 0) set |= EVENTS;
  if (events.some(isReopening)) set |= REOPENED;
  return set;
}

/** The features of a set, one at a time, as indexes. */
export function* eachFeature(set: FeatureSet): Generator<number> {
  for (let left = set; left !== 0; left &= left - 1) yield 31 - Math.clz32(left & -left);
}

export function countFeatures(set: FeatureSet): number {
  let count = 0;
  for (let left = set; left !== 0; left &= left - 1) count++;
  return count;
}

/** All that a ticket shows, in words. */
export function featuresOf(checked: CheckedTicket): Features {
  const set = quickFeatures(checked) | (hasNonLatinText(checked) ? NON_LATIN : 0);
  const features = new Map<string, string>();
  for (const index of eachFeature(set)) {
    const key = KEYS[index] ?? '';
    features.set(key, wordsFor(bit(key), key, checked));
  }
  return features;
}

function wordsFor(feature: FeatureSet, key: string, { ticket, messages, events }: CheckedTicket): string {
  switch (feature) {
    case INTERNAL:
      return 'an internal note';
    case HTML:
      return 'an HTML message';
    case MARKDOWN:
      return 'a Markdown message';
    case AGENT:
      return 'a message of an agent';
    case SYSTEM:
      return 'a message of the system';
    case ATTACHMENTS:
      return counted(
        messages.reduce((sum, { attachments }) => sum + (attachments?.length ?? 0), 0),
        'attachment',
      );
    case CONTACTS: {
      const people = [ticket, ...messages].flatMap(({ contact }) => contact?.email ?? []);
      return `${new Set(people).size} contacts`;
    }
    case EVENTS:
      return `${counted(events.length, 'event')} of its history`;
    case REOPENED:
      return 'it was reopened';
    case NON_LATIN:
      return 'text in a non-Latin script';
    default:
      return key;
  }
}

function counted(count: number, word: string): string {
  return count === 1 ? `one ${word}` : `${count} ${word}s`;
}

function isReopening({ oldValue, newValue }: CheckedTicket['events'][number]): boolean {
  const from = oldValue?.['status'];
  const to = newValue?.['status'];
  return (from === 'resolved' || from === 'closed') && (to === 'open' || to === 'pending');
}

export function hasNonLatinText({ ticket, messages }: CheckedTicket): boolean {
  if (isNonLatin(ticket.subject)) return true;
  for (let index = 0; index < Math.min(messages.length, MESSAGES_LOOKED_AT); index++)
    if (isNonLatin(messages[index]?.content ?? '')) return true;
  return false;
}

function isNonLatin(text: string): boolean {
  const beginning = text.slice(0, LOOKED_AT);
  return BEYOND_LATIN.test(beginning) && /(?!\p{Script=Latin})\p{L}/u.test(beginning);
}
