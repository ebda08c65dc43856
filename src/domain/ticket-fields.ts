/**
 * Digests of the fields that `PUT /tickets/{id}` can change (`Fingerprints.fields`): they tell changes in the source from those of people.
 *
 *   rest                            the ticket's other fields, as sent
 *   status priority tags assignee   as the export had them when they were last sent
 *   the same four …                 other forms that the helpdesk may show unchanged: its own answer, and what a process that
 *                                   died was about to send
 *
 * Each is 4 bytes, in hexadecimal.
 */
import { identityTag, isRunTag, sha256, tagNames } from './identity.ts';
import type { TicketPayload } from './payload.ts';
import { reportedId, reportedString } from './snapshot.ts';
import type { Snapshot } from './ticket-api.ts';

export const TICKET_FIELDS = ['status', 'priority', 'tags', 'assignedToId'] as const;
export type TicketField = (typeof TICKET_FIELDS)[number];

export const FIELD_WORDS: Readonly<Record<TicketField, string>> = {
  status: 'status',
  priority: 'priority',
  tags: 'tags',
  assignedToId: 'assignee',
};

const EACH = 8;
const STATE = EACH * TICKET_FIELDS.length;

export function fieldsOf({ status, priority, tags, assignedToId, ...rest }: TicketPayload): string {
  return (
    digest(JSON.stringify(rest)) +
    digest(status ?? 'open') +
    digest(priority ?? 'normal') +
    digest(tagsKey(tags ?? [])) +
    digest(assignedToId ?? '')
  );
}

export function reportedFields(
  reported: Snapshot,
  externalId: string,
): Partial<Readonly<Record<TicketField, string>>> {
  const { tags } = reported;
  const marks = marksIn(tags, externalId);
  const own = tagNames(tags).filter((name) => !marks.includes(name));
  const assignee = reportedId(reported, 'assignedToId', 'assignedTo');
  const status = reportedString(reported, 'status');
  const priority = reportedString(reported, 'priority');
  return {
    ...(typeof status === 'string' ? { status: digest(status) } : {}),
    ...(typeof priority === 'string' ? { priority: digest(priority) } : {}),
    ...(Array.isArray(tags) ? { tags: digest(tagsKey(own)) } : {}),
    ...(assignee === undefined ? {} : { assignedToId: digest(assignee ?? '') }),
  };
}

/** `rest`: other fields. */
export function changesOf(then: string, now: string): { fields: TicketField[]; rest: boolean } {
  return {
    fields: TICKET_FIELDS.filter((field) => stated(then, field) !== stated(now, field)),
    rest: then.slice(0, EACH) !== now.slice(0, EACH),
  };
}

export function stated(record: string, field: TicketField): string {
  const at = EACH * (1 + TICKET_FIELDS.indexOf(field));
  return record.slice(at, at + EACH);
}

export function isAsSent(record: string, field: TicketField, reported: string): boolean {
  for (let at = 0; EACH + at < record.length; at += STATE)
    if (stated(record.slice(at), field) === reported) return true;
  return false;
}

/** With one more known form of these fields. */
export function alsoAs(record: string, forms: Partial<Readonly<Record<TicketField, string>>>): string {
  const form = TICKET_FIELDS.map((field) => forms[field] ?? stated(record, field));
  return TICKET_FIELDS.every((field, index) => isAsSent(record, field, form[index] ?? ''))
    ? record
    : record + form.join('');
}

export function arrived(then: string, now: string, fields: ReadonlySet<TicketField>): string {
  const state = TICKET_FIELDS.map((field) => stated(fields.has(field) ? now : then, field)).join('');
  return then.slice(0, EACH) + state;
}

/** Under any source name. */
export function marksIn(tags: unknown, externalId: string): string[] {
  const names = tagNames(tags);
  const lower = names.map((name) => name.toLowerCase());
  const marks = new Set<string>();
  for (const name of lower) {
    const source = name.startsWith('from-') ? name.slice(5) : '';
    const own = source === '' ? '' : identityTag(source, externalId).toLowerCase();
    if (lower.includes(own)) marks.add(name).add(own).add(`${source}:${externalId}`.toLowerCase());
    if (isRunTag(name)) marks.add(name);
  }
  return names.filter((_, index) => marks.has(lower[index] ?? ''));
}

/** Fields that no delta changes, as the helpdesk showed them after the create: an undo compares them. */
const OTHER_FIELDS: Readonly<Record<string, (reported: Snapshot) => string | null | undefined>> = {
  subject: (reported) => reportedString(reported, 'subject'),
  contact: (reported) => reportedId(reported, 'contactId', 'contact'),
  customer: (reported) => reportedId(reported, 'customerId', 'customer'),
  app: (reported) => reportedId(reported, 'appId', 'app'),
  channel: (reported) => reportedId(reported, 'channelId', 'channel'),
  'read-only mark': (reported) => {
    const { readOnly } = reported;
    return typeof readOnly === 'boolean' ? String(readOnly) : undefined;
  },
};

const NOT_SHOWN = '0'.repeat(EACH);

/** For `TicketRecord.shown`. */
export function shownFields(reported: Snapshot): string {
  return Object.values(OTHER_FIELDS)
    .map((read) => {
      const value = read(reported);
      return value === undefined ? NOT_SHOWN : digest(value ?? '');
    })
    .join('');
}

/** Names of the comparable fields, and of the changed ones among them. */
export function comparedWith(
  shown: string | undefined,
  reported: Snapshot,
): { readonly compared: readonly string[]; readonly changed: readonly string[] } {
  const now = shownFields(reported);
  const part = (all: string | undefined, at: number) => all?.slice(EACH * at, EACH * (at + 1)) ?? NOT_SHOWN;
  const fields = Object.keys(OTHER_FIELDS).map((name, at) => [name, part(shown, at), part(now, at)] as const);
  const known = fields.filter(([, before, after]) => before !== NOT_SHOWN && after !== NOT_SHOWN);
  return {
    compared: known.map(([name]) => name),
    changed: known.filter(([, before, after]) => before !== after).map(([name]) => name),
  };
}

function tagsKey(tags: readonly string[]): string {
  return [...new Set(tags.map((tag) => tag.trim()))].sort().join('\u0000');
}

function digest(text: string): string {
  return sha256(text).slice(0, EACH);
}
