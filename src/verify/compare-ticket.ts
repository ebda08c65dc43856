/** A ticket as it was sent against the ticket as the target tells it (2.1). Pure. */
import type { ContactRef, TicketPayload } from '../domain/payload.ts';
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
import { type Check, type CheckName, listSome, mergeChecks, NOT_TOLD } from './check.ts';

/** The defaults of section 2.1: what a ticket has that was sent without the field. */
const DEFAULTS = { status: 'open', priority: 'normal' } as const;

/**
 * A field that the snapshot does not have counts as "not told", never as a failure. `resolvedAt` and `closedAt` may be
 * ignored by a target when a ticket is created (public facts), so an empty one is told, but does not fail.
 */
export function compareTicket(sent: TicketPayload, read: Snapshot): Check[] {
  const contact = compareContact(sent, read, 'the ticket');
  return mergeChecks([
    compareText('subject', 'subject', sent.subject, toldString(read, 'subject')),
    compareText('status and priority', 'status', sent.status ?? DEFAULTS.status, toldString(read, 'status')),
    compareText(
      'status and priority',
      'priority',
      sent.priority ?? DEFAULTS.priority,
      toldString(read, 'priority'),
    ),
    compareTags(sent.tags ?? [], toldArray(read, 'tags')),
    ...(contact === undefined ? [] : [contact]),
    compareCreatedAt(sent.createdAt, toldInstant(read, 'createdAt')),
    ...(['resolvedAt', 'closedAt'] as const).flatMap((field) =>
      sent[field] === undefined ? [] : [compareEnd(field, sent[field], toldInstant(read, field))],
    ),
    ...compareOwnership(sent, read),
  ]);
}

function compareText(name: CheckName, field: string, sent: string, told: string | null | undefined): Check {
  if (told === undefined) return { name, ok: true, detail: NOT_TOLD };
  if (told === sent) return { name, ok: true, detail: `The ${field} is the same.` };
  const both = field === 'subject' ? '' : `: ${told ?? 'nothing'} instead of ${sent}`;
  return { name, ok: false, detail: `The target tells another ${field}${both}.` };
}

function compareTags(sent: readonly string[], told: readonly unknown[] | null | undefined): Check {
  const name = 'tags';
  if (told === undefined) return { name, ok: true, detail: NOT_TOLD };
  // Some services tell a tag as an object with its name.
  const held = new Set(
    (told ?? []).map((tag) =>
      typeof tag === 'object' && tag !== null && 'name' in tag ? String(tag.name) : String(tag),
    ),
  );
  const missing = sent.filter((tag) => !held.has(tag));
  if (missing.length > 0) return { name, ok: false, detail: `Tags are missing: ${listSome(missing)}.` };
  return { name, ok: true, detail: `All ${sent.length} tags are there.` };
}

function compareCreatedAt(sent: string, told: number | null | undefined): Check {
  const name = 'timestamps';
  if (told === undefined) return { name, ok: true, detail: NOT_TOLD };
  if (told !== null && sameInstant(sent, told))
    return { name, ok: true, detail: 'The ticket has its original time.' };
  const instead = told === null ? 'no creation time' : `${isoOf(told)} as its creation time`;
  return { name, ok: false, detail: `The ticket has ${instead} instead of ${sent}.` };
}

function compareEnd(field: 'resolvedAt' | 'closedAt', sent: string, told: number | null | undefined): Check {
  const name = 'timestamps';
  if (told === undefined) return { name, ok: true, detail: NOT_TOLD };
  if (told === null) return { name, ok: true, detail: `The target does not keep ${field}.` };
  if (sameInstant(sent, told)) return { name, ok: true, detail: 'The ticket has its original time.' };
  return { name, ok: false, detail: `The target tells ${isoOf(told)} as ${field} instead of ${sent}.` };
}

function compareOwnership(sent: TicketPayload, read: Snapshot): Check[] {
  const name = 'assignment and ownership';
  const pairs: readonly (readonly [
    string,
    string | boolean | undefined,
    string | boolean | null | undefined,
  ])[] = [
    ['assignee', sent.assignedToId, toldId(read, 'assignedToId', 'assignedTo')],
    ['customer', sent.customerId, toldId(read, 'customerId', 'customer')],
    ['app', sent.appId, toldId(read, 'appId', 'app')],
    ['readOnly', sent.readOnly, toldBoolean(read, 'readOnly')],
    ['managedBy', sent.managedBy, toldString(read, 'managedBy')],
  ];
  return pairs.flatMap(([label, wanted, told]): Check[] => {
    if (wanted === undefined) return [];
    if (told === undefined) return [{ name, ok: true, detail: NOT_TOLD }];
    if (told === wanted) return [{ name, ok: true, detail: 'All links and marks are as sent.' }];
    return [{ name, ok: false, detail: `The ${label} is ${told ?? 'empty'} instead of ${wanted}.` }];
  });
}

/**
 * Whether a ticket or message hangs on the contact that was sent (2.5). A target may tell the address, or the contact's
 * id only; then the address cannot be compared, but that one address always leads to the same id can (contact-ids.ts).
 */

export interface SentContact {
  readonly contact?: ContactRef;
  readonly contactId?: string;
}

/** `of` names the bearer in the sentence: `the ticket`, `message 3`. */
export function compareContact(
  sent: SentContact,
  read: Readonly<Record<string, unknown>>,
  of: string,
): Check | undefined {
  const name = 'contact matching';
  if (sent.contact === undefined && sent.contactId === undefined) return undefined;
  const contact = toldObject(read, 'contact');
  const id = toldId(read, 'contactId', 'contact');
  const email = contact ? toldString(contact, 'email') : toldString(read, 'contactEmail');

  if (sent.contactId !== undefined) {
    if (typeof id === 'string')
      return id === sent.contactId
        ? { name, ok: true, detail: 'The contact is the one that was named by its id.' }
        : {
            name,
            ok: false,
            detail: `The target links ${of} to contact ${id} instead of ${sent.contactId}.`,
          };
  } else if (sent.contact !== undefined && typeof email === 'string') {
    const wanted = normalizedEmail(sent.contact.email);
    return normalizedEmail(email) === wanted
      ? { name, ok: true, detail: 'The contact has the address that was sent.' }
      : { name, ok: false, detail: `The target links ${of} to ${email} instead of ${wanted}.` };
  } else if (typeof id === 'string') {
    return { name, ok: true, detail: `A contact is linked; the target tells its id only.` };
  }
  if (id === null || contact === null)
    return { name, ok: false, detail: `The target links no contact to ${of}.` };
  return { name, ok: true, detail: NOT_TOLD };
}
