import type { ContactRef, TicketPayload } from '../domain/payload.ts';
import * as snapshots from '../domain/snapshot.ts';
import type { Snapshot } from '../domain/ticket-api.ts';
import { type Check, failed, judged, listSome, mergeChecks, NOT_REPORTED, passed } from './check.ts';

const SAME_TIME = 'The ticket has its original time.';
const OWNERS = 'assignment and ownership';

/** A missing field is unreported. A helpdesk may ignore `resolvedAt` and `closedAt` of a create (public facts). */
export function compareTicket(sent: TicketPayload, read: Snapshot): Check[] {
  const subject = snapshots.reportedString(read, 'subject');
  const createdAt = snapshots.reportedInstant(read, 'createdAt');
  const tags = snapshots.reportedArray(read, 'tags');
  const held = new Set(
    tags?.map((tag) => (typeof tag === 'object' && tag !== null && 'name' in tag ? tag.name : tag)),
  );
  const lost = (sent.tags ?? []).filter((tag) => !held.has(tag));
  const created = typeof createdAt === 'number' ? `${snapshots.isoOf(createdAt)} as its` : 'no';
  const otherTime = `The ticket has ${created} creation time instead of ${sent.createdAt}.`;
  const isSubject = subject === sent.subject;
  const allTags = `All ${sent.tags?.length ?? 0} tags are in the helpdesk.`;
  const states = [
    ['status', sent.status ?? 'open'],
    ['priority', sent.priority ?? 'normal'],
  ] as const;
  const owners = [
    ['assignee', sent.assignedToId, snapshots.reportedId(read, 'assignedToId', 'assignedTo')],
    ['customer', sent.customerId, snapshots.reportedId(read, 'customerId', 'customer')],
    ['app', sent.appId, snapshots.reportedId(read, 'appId', 'app')],
    ['readOnly', sent.readOnly, snapshots.reportedBoolean(read, 'readOnly')],
    ['managedBy', sent.managedBy, snapshots.reportedString(read, 'managedBy')],
  ] as const;
  return mergeChecks([
    judged(
      'subject',
      subject,
      isSubject,
      'The subject is the same.',
      'The helpdesk has a different subject.',
    ),
    ...states.map(([field, wanted]) => {
      const reported = snapshots.reportedString(read, field);
      const otherwise = `The helpdesk has another ${field}: ${reported ?? 'nothing'} instead of ${wanted}.`;
      const asSent = `The ${field} is the same.`;
      return judged('status and priority', reported, reported === wanted, asSent, otherwise);
    }),
    judged('tags', tags, lost.length === 0, allTags, `Tags are missing: ${listSome(lost)}.`),
    ...compareContact(sent, read, 'the ticket'),
    judged('timestamps', createdAt, isSame(sent.createdAt, createdAt), SAME_TIME, otherTime),
    ...(['resolvedAt', 'closedAt'] as const).flatMap((field) => {
      const [wanted, reported] = [sent[field], snapshots.reportedInstant(read, field)];
      if (wanted === undefined) return [];
      if (reported === null) return passed('timestamps', `The helpdesk does not keep ${field}.`);
      const otherwise = `The helpdesk has ${reported === undefined ? '' : snapshots.isoOf(reported)} as ${field} instead of ${wanted}.`;
      return judged('timestamps', reported, isSame(wanted, reported), SAME_TIME, otherwise);
    }),
    ...owners.flatMap(([label, wanted, reported]) => {
      if (wanted === undefined) return [];
      const otherwise = `The ${label} is ${reported ?? 'empty'} instead of ${wanted}.`;
      return judged(OWNERS, reported, reported === wanted, 'All links and marks are as sent.', otherwise);
    }),
    ...compareChannel(sent, read),
  ]);
}

/** The channel decides how replies leave. */
function compareChannel({ channelId }: TicketPayload, read: Snapshot): Check[] {
  const id = snapshots.reportedId(read, 'channelId', 'channel');
  if (typeof id !== 'string') return [];
  const { name, type } = snapshots.reportedObject(read, 'channel') ?? {};
  const isNamed = typeof name === 'string';
  const known = [isNamed ? id : undefined, type].filter((one) => typeof one === 'string');
  const shown = `${isNamed ? `"${name}"` : id}${known.length > 0 ? ` (${known.join(', ')})` : ''}`;
  const asSent = `The tickets are in the channel ${shown}: replies leave by it.`;
  const otherwise = `The ticket is in the channel ${shown} instead of ${channelId}.`;
  return [judged('channel', id, channelId === undefined || channelId === id, asSent, otherwise)];
}

export function isSame(sent: string, reported: number | null | undefined): boolean {
  return typeof reported === 'number' && snapshots.sameInstant(sent, reported);
}

interface SentContact {
  readonly contact?: ContactRef | undefined;
  readonly contactId?: string | undefined;
}

const CONTACT = 'customer';

/** With an ID only, ContactIds checks that one address keeps one ID. `of`: `the ticket`, `message 3`. */
export function compareContact({ contact, contactId }: SentContact, read: Snapshot, of: string): Check[] {
  if (contact === undefined && contactId === undefined) return [];
  const reported = snapshots.reportedObject(read, 'contact');
  const id = snapshots.reportedId(read, 'contactId', 'contact');
  const email = reported
    ? snapshots.reportedString(reported, 'email')
    : snapshots.reportedString(read, 'contactEmail');
  const instead = (other: string, wanted: string) =>
    `The helpdesk links ${of} to ${other} instead of ${wanted}.`;
  if (contactId !== undefined && typeof id === 'string') {
    const asSent = 'The customer has the ID that was sent.';
    return [judged(CONTACT, id, id === contactId, asSent, instead(`customer ${id}`, contactId))];
  }
  if (contactId === undefined && contact !== undefined && typeof email === 'string') {
    const wanted = snapshots.normalizedEmail(contact.email);
    const asSent = 'The customer has the address that was sent.';
    return [
      judged(CONTACT, email, snapshots.normalizedEmail(email) === wanted, asSent, instead(email, wanted)),
    ];
  }
  if (typeof id === 'string')
    return [passed(CONTACT, 'A customer is linked; the helpdesk shows only the ID.')];
  const isNone = id === null || reported === null;
  return [
    isNone ? failed(CONTACT, `The helpdesk links no customer to ${of}.`) : passed(CONTACT, NOT_REPORTED),
  ];
}

const MOST_CONTACTS = 200_000;

/** An address with two IDs is a duplicate, an ID with two addresses a wrong match (2.5). */
export class ContactIds {
  readonly #idOf = new Map<string, string>();
  readonly #emailOf = new Map<string, string>();

  see(pairs: readonly (readonly [SentContact, Snapshot])[]): Check[] {
    return pairs.flatMap(([{ contact }, read]) => {
      const id = snapshots.reportedId(read, 'contactId', 'contact');
      if (contact === undefined || typeof id !== 'string' || this.#idOf.size >= MOST_CONTACTS) return [];
      const email = snapshots.normalizedEmail(contact.email);
      const [knownId = id, knownEmail = email] = [this.#idOf.get(email), this.#emailOf.get(id)];
      this.#idOf.set(email, knownId);
      this.#emailOf.set(id, knownEmail);
      if (knownId !== id)
        return failed(CONTACT, `The helpdesk has two customers for ${email}: ${knownId} and ${id}.`);
      if (knownEmail !== email)
        return failed(CONTACT, `The helpdesk has one customer, ${id}, for ${knownEmail} and for ${email}.`);
      return [];
    });
  }
}
