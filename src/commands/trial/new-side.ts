/** A ticket as the helpdesk shows it, for the right side of a trial's page. */
import type { ContentType } from '../../domain/payload.ts';
import * as snapshots from '../../domain/snapshot.ts';
import type { Snapshot } from '../../domain/ticket-api.ts';
import { isImportTag } from '../../sandbox/store/tickets.ts';
import type { OldCell } from '../../source/old-cells.ts';
import type { ReadBack } from '../../verify/read-back.ts';
import type { Fact } from '../../view/blocks.ts';
import { shownEvent } from '../../view/conversation/conversation.ts';
import { formatMinute } from '../../view/format.ts';

export interface NewMessage {
  readonly name: string;
  readonly email?: string | undefined;
  readonly role: string;
  readonly at?: string | undefined;
  readonly isInternal: boolean;
  readonly body: string;
  readonly type: ContentType;
  readonly files: readonly string[];
}

export interface NewTicket {
  readonly facts: readonly Fact[];
  messageOf(read: Snapshot): NewMessage;
  eventOf(read: Snapshot): readonly OldCell[];
}

export function newTicket({ ticket }: Extract<ReadBack, { kind: 'read' }>): NewTicket {
  const text = (field: string) => snapshots.reportedString(ticket, field) ?? '';
  const time = (field: string) => {
    const at = snapshots.reportedInstant(ticket, field);
    return typeof at === 'number' ? formatMinute(snapshots.isoOf(at)) : '';
  };
  const all = (snapshots.reportedArray(ticket, 'tags') ?? []).map((tag) =>
    String(Object(tag)['name'] ?? tag),
  );
  const tags = all.filter((tag) => !isImportTag(tag, all));
  const [name, email] = personIn(ticket, 'contact', 'contactId');
  const [assignee] = personIn(ticket, 'assignedTo', 'assignedToId');
  const facts = [
    { label: 'Subject', value: text('subject') },
    { label: 'Status', value: text('status') },
    { label: 'Priority', value: text('priority') },
    { label: 'Customer', value: [name, email].filter((part) => part !== undefined).join(', ') || 'nobody' },
    { label: 'Assigned to', value: assignee ?? 'nobody' },
    { label: 'Created', value: time('createdAt') },
    { label: 'Resolved', value: time('resolvedAt') },
    { label: 'Closed', value: time('closedAt') },
    {
      label: 'Tags',
      value: tags.join(', '),
      remarks: all.length > tags.length ? [`(${all.length - tags.length} tags of the import)`] : [],
    },
  ];
  return { facts: facts.filter((fact) => fact.value !== ''), messageOf: newMessage, eventOf: newEvent };
}

function personIn(
  from: Snapshot,
  nested: string,
  bare: string,
): readonly [name: string | undefined, email: string | undefined] {
  const person = snapshots.reportedObject(from, nested) ?? {};
  const email = snapshots.reportedString(person, 'email') ?? undefined;
  const name = snapshots.reportedString(person, 'name') ?? email ?? snapshots.reportedId(from, bare, nested);
  return [name ?? undefined, name === email ? undefined : email];
}

const TYPES: readonly ContentType[] = ['text', 'html', 'markdown'];

function newMessage(read: Snapshot): NewMessage {
  const role = snapshots.reportedString(read, 'actorType') ?? '';
  const at = snapshots.reportedInstant(read, 'occurredAt');
  const [name, email] =
    role === 'agent' ? personIn(read, 'agent', 'agentId') : personIn(read, 'contact', 'contactId');
  const whole = snapshots.reportedString(read, 'fullContent') ?? snapshots.reportedString(read, 'content');
  return {
    name: name ?? (role === 'system' ? 'System' : 'Unknown author'),
    email: role === 'customer' ? email : undefined,
    role: ['customer', 'agent', 'system'].find((known) => known === role) ?? '',
    at: typeof at === 'number' ? snapshots.isoOf(at) : undefined,
    isInternal: snapshots.reportedBoolean(read, 'isInternal') ?? false,
    body: whole ?? '',
    type: TYPES.find((type) => type === snapshots.reportedString(read, 'contentType')) ?? 'text',
    files: (snapshots.reportedArray(read, 'attachments') ?? []).map((file) =>
      String(Object(file)['name'] ?? Object(file)['url'] ?? 'a file'),
    ),
  };
}

function newEvent(read: Snapshot): readonly OldCell[] {
  const at = snapshots.reportedInstant(read, 'occurredAt');
  const { what, before, after } = shownEvent({
    type: snapshots.reportedString(read, 'type') ?? 'event',
    actorType: 'system',
    occurredAt: '',
    oldValue: snapshots.reportedObject(read, 'oldValue') ?? undefined,
    newValue: snapshots.reportedObject(read, 'newValue') ?? undefined,
  });
  const role = snapshots.reportedString(read, 'actorType') ?? '';
  const [name = role] = personIn(read, role === 'agent' ? 'agent' : 'contact', `${role}Id`);
  return [
    { column: 'Time', text: typeof at === 'number' ? formatMinute(snapshots.isoOf(at)) : '' },
    { column: 'Event', text: what },
    { column: 'Value', text: [before, after].filter((side) => side !== undefined).join(' → ') },
    { column: 'By', text: name },
  ].filter(({ text }) => text !== '');
}

/** The visible part of a ticket: without IDs, tags of a run and the hour. */
export function digestText(
  now: NewTicket,
  { messages = [], events = [] }: Pick<Extract<ReadBack, { kind: 'read' }>, 'messages' | 'events'>,
): string {
  return JSON.stringify([
    now.facts.map(({ label, value }) => [label, value]),
    messages.map((message) => now.messageOf(message)),
    events.map((event) => now.eventOf(event)),
  ]);
}
