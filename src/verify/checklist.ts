/**
 * What a person should look at after a trial, as data: a machine can compare values, but not tell whether a conversation
 * reads right. Each line says where to look and what to see there.
 */
import type { TrialChecklist } from '../summary/summary.ts';
import { type Check, plural } from './check.ts';
import type { SentTicket } from './trial-checks.ts';

/** Checks whose failure must be looked at first come first; `checks` are those of trial-checks.ts, by external id. */
export function buildChecklist(
  tickets: readonly (SentTicket & { readonly why: readonly string[] })[],
  checks: ReadonlyMap<string, readonly Check[]> = new Map(),
): TrialChecklist {
  return {
    tickets: tickets.map((sent) => ({
      externalId: sent.externalId,
      ticketId: sent.ticketId,
      subject: sent.ticket.subject,
      why: sent.why,
      look: [
        ...(checks.get(sent.externalId) ?? []).filter((check) => !check.ok).map(lookAtFailure),
        ...lookAt(sent),
      ],
    })),
    overall: overall(tickets),
  };
}

function lookAtFailure(check: Check): string {
  return `First what the check "${check.name}" found: ${check.detail}`;
}

function lookAt({ ticket, messages, events }: SentTicket): string[] {
  const look: string[] = [];
  const requester = ticket.contact?.email ?? ticket.contactId;
  if (requester !== undefined)
    look.push(`It belongs to ${requester} and was opened on ${day(ticket.createdAt)}.`);
  const status = ticket.status ?? 'open';
  look.push(`Its status is ${status} and its priority is ${ticket.priority ?? 'normal'}.`);

  const [first, last] = [messages[0], messages.at(-1)];
  if (first === undefined || last === undefined) look.push('It has no messages.');
  else if (messages.length === 1) look.push(`It has one message, of ${day(first.occurredAt)}.`);
  else
    look.push(
      `Its ${messages.length} messages read from top to bottom, from ${day(first.occurredAt)} to ${day(last.occurredAt)}.`,
    );

  const agents = new Set(messages.flatMap((message) => message.agentId ?? []));
  if (agents.size > 0) look.push(`Answers are by ${[...agents].join(', ')}, each with the right name.`);
  const notes = messages.filter((message) => message.isInternal === true).length;
  if (notes > 0)
    look.push(
      `${plural(notes, 'internal note')} ${notes === 1 ? 'is' : 'are'} marked, and the customer cannot see ${notes === 1 ? 'it' : 'them'}.`,
    );
  for (const type of ['html', 'markdown'] as const) {
    if (messages.some((message) => message.contentType === type))
      look.push(`Messages in ${type} show their formatting, and no tags or signs of it.`);
  }
  if ([ticket.subject, ...messages.map((message) => message.content)].some(hasOtherScript))
    look.push('Letters of other scripts and emoji are legible, without question marks or boxes.');
  const files = messages.reduce((sum, message) => sum + (message.attachments?.length ?? 0), 0);
  if (files > 0) look.push(`${plural(files, 'attachment')} can be opened.`);
  if (events.length > 0)
    look.push(`Its history shows ${plural(events.length, 'change')} with the original times.`);
  if (ticket.readOnly === true)
    look.push(`It cannot be edited, and ${ticket.managedBy ?? 'the source'} is named as its owner.`);
  return look;
}

function overall(tickets: readonly SentTicket[]): string[] {
  if (tickets.length === 0) return [];
  const byContact = new Map<string, string[]>();
  for (const { ticket, externalId } of tickets) {
    const email = ticket.contact?.email;
    if (email !== undefined) byContact.set(email, [...(byContact.get(email) ?? []), externalId]);
  }
  const shared = [...byContact].filter(([, ids]) => ids.length > 1);
  const tags = commonTags(tickets);
  return [
    ...shared.map(([email, ids]) => `One contact ${email} has the tickets ${ids.join(' and ')}.`),
    ...(tags.length > 0
      ? [`Searching for the tag ${tags.join(' or ')} finds all ${tickets.length} tickets.`]
      : []),
    'No customer got an e-mail because of the import.',
    'Lists sorted by date show the tickets at their original dates.',
  ];
}

function commonTags(tickets: readonly SentTicket[]): string[] {
  const [first, ...others] = tickets.map(({ ticket }) => new Set(ticket.tags ?? []));
  return [...(first ?? [])].filter((tag) => others.every((tags) => tags.has(tag)));
}

/** The day in UTC: the person's zone is not known here. */
function day(iso: string): string {
  return iso.slice(0, 10);
}

/** Letters that are not Latin, or pictures. */
function hasOtherScript(text: string): boolean {
  return /[\p{L}--\p{Script=Latin}]|\p{Extended_Pictographic}/v.test(text);
}
