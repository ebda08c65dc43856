/** The words of the mapping language, apart from the schemas that judge them: mapping needs some, and loads no schema. */

/** Where a value comes from: an expression has exactly one of these. */
export const SOURCES = [
  'column',
  'const',
  'template',
  'when',
  'holds',
  'ticket',
  'row',
  'lookup',
  'rows',
  'each',
  'of',
] as const;
export const TESTS = ['is', 'in', 'matches', 'empty'] as const;
export const CELL_TYPES = ['list', 'json', 'boolean', 'number'] as const;
export const TEXT_FORMS = ['text', 'email', 'name', 'integer', 'boolean', 'line-breaks'] as const;

/** Fields of the payloads that take an expression each; contacts and people have rules of their own. */
export const TICKET_FIELDS = [
  'subject',
  'contactId',
  'status',
  'priority',
  'tags',
  'customerId',
  'appId',
  'assignedToId',
  'createdAt',
  'resolvedAt',
  'closedAt',
  'readOnly',
  'managedBy',
  'channelId',
] as const;
export const MESSAGE_FIELDS = [
  'actorType',
  'content',
  'contentType',
  'occurredAt',
  'contactId',
  'agentId',
  'isInternal',
  'attachments',
  'messageId',
  'inReplyToId',
  'referencesIds',
] as const;
export const EVENT_FIELDS = ['type', 'actorType', 'agentId', 'contactId', 'occurredAt'] as const;

/** The table of the tickets. */
export function rootTableOf({
  tables,
}: {
  readonly tables: Readonly<Record<string, { readonly role: string }>>;
}): string {
  return Object.keys(tables).find((name) => ['root', 'group'].includes(tables[name]?.role ?? '')) ?? '';
}

/** The regular expression between the slashes of a separator. */
export function regexOf(separator: string): string | undefined {
  return /^\/(.+)\/$/s.exec(separator)?.[1];
}
