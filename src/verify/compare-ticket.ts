/** A ticket as it was sent against the ticket as the target tells it (2.1), and the contacts of all that were read (2.5). Pure. */
import type { ContactRef, MessagePayload, TicketPayload } from '../domain/payload.ts';
import {
  isoOf,
  normalizedEmail,
  sameInstant,
  toldArray,
  toldBoolean,
  toldId,
  toldInstant,
  toldObject,
  toldString,
} from '../domain/snapshot.ts';
import type { Snapshot } from '../domain/ticket-api.ts';
import { type Check, failed, judged, listSome, mergeChecks, NOT_TOLD, passed } from './check.ts';
import { pairMessages } from './pair-messages.ts';

/** The defaults of section 2.1: what a ticket has that was sent without the field. */
const DEFAULTS = { status: 'open', priority: 'normal' } as const;

/**
 * A field that the snapshot does not have counts as "not told", never as a failure. `resolvedAt` and `closedAt` may be
 * ignored by a target when a ticket is created (public facts), so an empty one is told, but does not fail.
 */
export function compareTicket(sent: TicketPayload, read: Snapshot): Check[] {
  const subject = toldString(read, 'subject');
  const createdAt = toldInstant(read, 'createdAt');
  return mergeChecks([
    judged(
      'subject',
      subject,
      subject === sent.subject,
      'The subject is the same.',
      'The target tells another subject.',
    ),
    ...(['status', 'priority'] as const).map((field) => {
      const [wanted, told] = [sent[field] ?? DEFAULTS[field], toldString(read, field)];
      return judged(
        'status and priority',
        told,
        told === wanted,
        `The ${field} is the same.`,
        `The target tells another ${field}: ${told ?? 'nothing'} instead of ${wanted}.`,
      );
    }),
    compareTags(sent.tags ?? [], toldArray(read, 'tags')),
    ...compareContact(sent, read, 'the ticket'),
    judged(
      'timestamps',
      createdAt,
      isSame(sent.createdAt, createdAt),
      SAME_TIME,
      `The ticket has ${typeof createdAt === 'number' ? `${isoOf(createdAt)} as its` : 'no'} creation time instead of ${sent.createdAt}.`,
    ),
    ...(['resolvedAt', 'closedAt'] as const).flatMap((field) => {
      const [wanted, told] = [sent[field], toldInstant(read, field)];
      if (wanted === undefined) return [];
      if (told === null) return [passed('timestamps', `The target does not keep ${field}.`)];
      const otherwise = `The target tells ${told === undefined ? '' : isoOf(told)} as ${field} instead of ${wanted}.`;
      return [judged('timestamps', told, isSame(wanted, told), SAME_TIME, otherwise)];
    }),
    ...compareOwnership(sent, read),
  ]);
}

const SAME_TIME = 'The ticket has its original time.';

export function isSame(sent: string, told: number | null | undefined): boolean {
  return typeof told === 'number' && sameInstant(sent, told);
}

function compareTags(sent: readonly string[], told: readonly unknown[] | null | undefined): Check {
  // Some services tell a tag as an object with its name.
  const held = new Set(
    (told ?? []).map((tag) =>
      typeof tag === 'object' && tag !== null && 'name' in tag ? String(tag.name) : String(tag),
    ),
  );
  const missing = sent.filter((tag) => !held.has(tag));
  return judged(
    'tags',
    told,
    missing.length === 0,
    `All ${sent.length} tags are there.`,
    `Tags are missing: ${listSome(missing)}.`,
  );
}

function compareOwnership(sent: TicketPayload, read: Snapshot): Check[] {
  const pairs = [
    ['assignee', sent.assignedToId, toldId(read, 'assignedToId', 'assignedTo')],
    ['customer', sent.customerId, toldId(read, 'customerId', 'customer')],
    ['app', sent.appId, toldId(read, 'appId', 'app')],
    ['readOnly', sent.readOnly, toldBoolean(read, 'readOnly')],
    ['managedBy', sent.managedBy, toldString(read, 'managedBy')],
  ] as const;
  return pairs.flatMap(([label, wanted, told]): Check[] =>
    wanted === undefined
      ? []
      : [
          judged(
            'assignment and ownership',
            told,
            told === wanted,
            'All links and marks are as sent.',
            `The ${label} is ${told ?? 'empty'} instead of ${wanted}.`,
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
  const contact = toldObject(read, 'contact');
  const id = toldId(read, 'contactId', 'contact');
  const email = contact ? toldString(contact, 'email') : toldString(read, 'contactEmail');
  const instead = (told: string, wanted: string) => `The target links ${of} to ${told} instead of ${wanted}.`;
  if (sent.contactId !== undefined && typeof id === 'string') {
    const asSent = 'The contact is the one that was named by its id.';
    return [judged(CONTACT, id, id === sent.contactId, asSent, instead(`contact ${id}`, sent.contactId))];
  }
  if (sent.contactId === undefined && sent.contact !== undefined && typeof email === 'string') {
    const wanted = normalizedEmail(sent.contact.email);
    const asSent = 'The contact has the address that was sent.';
    return [judged(CONTACT, email, normalizedEmail(email) === wanted, asSent, instead(email, wanted))];
  }
  if (typeof id === 'string') return [passed(CONTACT, 'A contact is linked; the target tells its id only.')];
  return [
    id === null || contact === null
      ? failed(CONTACT, `The target links no contact to ${of}.`)
      : passed(CONTACT, NOT_TOLD),
  ];
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
    const { readIndex } = pairMessages(sent.messages, messages);
    return [
      ...this.#seeOne(sent.ticket, ticket),
      ...sent.messages.flatMap((message, index) => {
        const told = messages[readIndex[index] ?? -1];
        return told === undefined ? [] : this.#seeOne(message, told);
      }),
    ];
  }

  #seeOne(sent: SentContact, read: Snapshot): Check[] {
    const id = toldId(read, 'contactId', 'contact');
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
