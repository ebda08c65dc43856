/** A ticket as it was sent against the ticket as the target tells it (2.1), and the contacts of all that were read (2.5). Pure. */

import type { ContactRef, MessagePayload, TicketPayload } from '../domain/payload.ts';
import {
  isoOf,
  normalizedEmail,
  pairMessages,
  reportedArray,
  reportedBoolean,
  reportedId,
  reportedInstant,
  reportedObject,
  reportedString,
  sameInstant,
} from '../domain/snapshot.ts';
import type { Snapshot } from '../domain/ticket-api.ts';
import { type Check, failed, judged, listSome, mergeChecks, NOT_REPORTED, passed } from './check.ts';

/** The defaults of section 2.1: what a ticket has that was sent without the field. */
const DEFAULTS = { status: 'open', priority: 'normal' } as const;

/**
 * A field that the snapshot does not have counts as "not told", never as a failure. `resolvedAt` and `closedAt` may be
 * ignored by a target when a ticket is created (public facts), so an empty one is told, but does not fail.
 */
export function compareTicket(sent: TicketPayload, read: Snapshot): Check[] {
  const subject = reportedString(read, 'subject');
  const createdAt = reportedInstant(read, 'createdAt');
  return mergeChecks([
    judged(
      'subject',
      subject,
      subject === sent.subject,
      'The subject is the same.',
      'The target has a different subject.',
    ),
    ...(['status', 'priority'] as const).map((field) => {
      const [wanted, reported] = [sent[field] ?? DEFAULTS[field], reportedString(read, field)];
      return judged(
        'status and priority',
        reported,
        reported === wanted,
        `The ${field} is the same.`,
        `The target has another ${field}: ${reported ?? 'nothing'} instead of ${wanted}.`,
      );
    }),
    compareTags(sent.tags ?? [], reportedArray(read, 'tags')),
    ...compareContact(sent, read, 'the ticket'),
    judged(
      'timestamps',
      createdAt,
      isSame(sent.createdAt, createdAt),
      SAME_TIME,
      `The ticket has ${typeof createdAt === 'number' ? `${isoOf(createdAt)} as its` : 'no'} creation time instead of ${sent.createdAt}.`,
    ),
    ...(['resolvedAt', 'closedAt'] as const).flatMap((field) => {
      const [wanted, reported] = [sent[field], reportedInstant(read, field)];
      if (wanted === undefined) return [];
      if (reported === null) return [passed('timestamps', `The target does not keep ${field}.`)];
      const otherwise = `The target has ${reported === undefined ? '' : isoOf(reported)} as ${field} instead of ${wanted}.`;
      return [judged('timestamps', reported, isSame(wanted, reported), SAME_TIME, otherwise)];
    }),
    ...compareOwnership(sent, read),
    ...compareChannel(sent, read),
  ]);
}

/** Told wherever the target tells it: the way a reply leaves depends on it. */
function compareChannel({ channelId }: TicketPayload, read: Snapshot): Check[] {
  const id = reportedId(read, 'channelId', 'channel');
  if (typeof id !== 'string') return [];
  const channel = reportedObject(read, 'channel');
  const name = channel && reportedString(channel, 'name');
  const type = channel && reportedString(channel, 'type');
  const known = [typeof name === 'string' ? id : undefined, type].filter((one) => typeof one === 'string');
  const shown = `${typeof name === 'string' ? `"${name}"` : id}${known.length > 0 ? ` (${known.join(', ')})` : ''}`;
  return [
    judged(
      'channel',
      id,
      channelId === undefined || channelId === id,
      `The tickets are in the channel ${shown}: replies leave by it.`,
      `The ticket is in the channel ${shown} instead of ${channelId}.`,
    ),
  ];
}

const SAME_TIME = 'The ticket has its original time.';

export function isSame(sent: string, reported: number | null | undefined): boolean {
  return typeof reported === 'number' && sameInstant(sent, reported);
}

function compareTags(sent: readonly string[], reported: readonly unknown[] | null | undefined): Check {
  // Some services tell a tag as an object with its name.
  const held = new Set(
    (reported ?? []).map((tag) =>
      typeof tag === 'object' && tag !== null && 'name' in tag ? String(tag.name) : String(tag),
    ),
  );
  const missing = sent.filter((tag) => !held.has(tag));
  return judged(
    'tags',
    reported,
    missing.length === 0,
    `All ${sent.length} tags are there.`,
    `Tags are missing: ${listSome(missing)}.`,
  );
}

function compareOwnership(sent: TicketPayload, read: Snapshot): Check[] {
  const pairs = [
    ['assignee', sent.assignedToId, reportedId(read, 'assignedToId', 'assignedTo')],
    ['customer', sent.customerId, reportedId(read, 'customerId', 'customer')],
    ['app', sent.appId, reportedId(read, 'appId', 'app')],
    ['readOnly', sent.readOnly, reportedBoolean(read, 'readOnly')],
    ['managedBy', sent.managedBy, reportedString(read, 'managedBy')],
  ] as const;
  return pairs.flatMap(([label, wanted, reported]): Check[] =>
    wanted === undefined
      ? []
      : [
          judged(
            'assignment and ownership',
            reported,
            reported === wanted,
            'All links and marks are as sent.',
            `The ${label} is ${reported ?? 'empty'} instead of ${wanted}.`,
          ),
        ],
  );
}

interface SentContact {
  readonly contact?: ContactRef | undefined;
  readonly contactId?: string | undefined;
}

const CONTACT = 'contact matching';

/**
 * Whether a ticket or message hangs on the contact that was sent (2.5). A target may tell the address, or the contact's
 * id only; then the address cannot be compared, but that one address always leads to the same id can (ContactIds). `of`
 * names the bearer in the sentence: `the ticket`, `message 3`.
 */
export function compareContact(sent: SentContact, read: Snapshot, of: string): Check[] {
  if (sent.contact === undefined && sent.contactId === undefined) return [];
  const contact = reportedObject(read, 'contact');
  const id = reportedId(read, 'contactId', 'contact');
  const email = contact ? reportedString(contact, 'email') : reportedString(read, 'contactEmail');
  const instead = (reported: string, wanted: string) =>
    `The target links ${of} to ${reported} instead of ${wanted}.`;
  if (sent.contactId !== undefined && typeof id === 'string') {
    const asSent = 'The contact is the one that was named by its id.';
    return [judged(CONTACT, id, id === sent.contactId, asSent, instead(`contact ${id}`, sent.contactId))];
  }
  if (sent.contactId === undefined && sent.contact !== undefined && typeof email === 'string') {
    const wanted = normalizedEmail(sent.contact.email);
    const asSent = 'The contact has the address that was sent.';
    return [judged(CONTACT, email, normalizedEmail(email) === wanted, asSent, instead(email, wanted))];
  }
  if (typeof id === 'string') return [passed(CONTACT, 'A contact is linked; the target shows only its id.')];
  return [
    id === null || contact === null
      ? failed(CONTACT, `The target links no contact to ${of}.`)
      : passed(CONTACT, NOT_REPORTED),
  ];
}

/** For each message sent, the place of the same one in the list that was read; undefined where it is missing. */
export function placesOf(
  sent: readonly MessagePayload[],
  read: readonly Snapshot[],
): readonly (number | undefined)[] {
  // Without texts and times only the place in the list is left.
  if (read.every((message) => message['content'] === undefined && message['occurredAt'] === undefined))
    return sent.map((_, index) => (index < read.length ? index : undefined));
  const placeOf = new Map(read.map((message, index) => [message, index]));
  const found = new Map(
    pairMessages(sent, read).pairs.map(([message, same]) => [message, placeOf.get(same)]),
  );
  return sent.map((message) => found.get(message));
}

/** Addresses that are remembered; beyond that the memory of it would grow with the export. */
const MOST_CONTACTS = 200_000;

/**
 * One normalized address always maps to one contact (2.5). Over all tickets and messages that were read back, an address
 * with two contact ids is a duplicate contact, and an id with two addresses is a wrong match.
 */
export class ContactIds {
  readonly #idOf = new Map<string, string>();
  readonly #emailOf = new Map<string, string>();

  /** What a ticket and its messages, as they were sent and as they were read, tell that contradicts what was seen. */
  see(
    sent: { readonly ticket: TicketPayload; readonly messages: readonly MessagePayload[] },
    ticket: Snapshot,
    messages: readonly Snapshot[],
  ): Check[] {
    const readIndex = placesOf(sent.messages, messages);
    return [
      ...this.#seeOne(sent.ticket, ticket),
      ...sent.messages.flatMap((message, index) => {
        const reported = messages[readIndex[index] ?? -1];
        return reported === undefined ? [] : this.#seeOne(message, reported);
      }),
    ];
  }

  #seeOne(sent: SentContact, read: Snapshot): Check[] {
    const id = reportedId(read, 'contactId', 'contact');
    if (sent.contact === undefined || typeof id !== 'string' || this.#idOf.size >= MOST_CONTACTS) return [];
    const email = normalizedEmail(sent.contact.email);
    const [knownId = id, knownEmail = email] = [this.#idOf.get(email), this.#emailOf.get(id)];
    this.#idOf.set(email, knownId);
    this.#emailOf.set(id, knownEmail);
    if (knownId !== id)
      return [failed(CONTACT, `The target has two contacts for ${email}: ${knownId} and ${id}.`)];
    if (knownEmail !== email)
      return [failed(CONTACT, `The target has one contact, ${id}, for ${knownEmail} and for ${email}.`)];
    return [];
  }
}
