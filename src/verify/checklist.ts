/** After a trial a person checks that conversations read right. */

import type { TrialChecklist } from '../domain/decisions.ts';
import { countOf } from '../domain/printable.ts';
import type { Check } from './check.ts';
import type { SentTicket } from './read-back.ts';

/** `checks`: by external ID; failures first. `names`: of agents, by ID. */
export function buildChecklist(
  tickets: readonly (SentTicket & { readonly why: readonly string[] })[],
  checks: ReadonlyMap<string, readonly Check[]> = new Map(),
  names: ReadonlyMap<string, string> = new Map(),
): TrialChecklist {
  return {
    tickets: tickets.map((sent) => ({
      externalId: sent.externalId,
      ticketId: sent.ticketId,
      subject: sent.ticket.subject,
      why: sent.why,
      requester: requesterOf(sent.ticket) ?? '',
      status: sent.ticket.status ?? 'open',
      messages: sent.messages.length,
      notes: notesIn(sent),
      look: [
        ...(checks.get(sent.externalId) ?? [])
          .filter(({ ok }) => !ok)
          .map(({ name, detail }) => `First what the check "${name}" found: ${detail}`),
        ...lookAt(sent, names),
      ],
    })),
    overall: overall(tickets),
  };
}

function requesterOf({ contact, contactId }: SentTicket['ticket']): string | undefined {
  return contact?.email ?? contactId;
}

function notesIn({ messages }: SentTicket): number {
  return messages.filter(({ isInternal }) => isInternal === true).length;
}

function lookAt(sent: SentTicket, names: ReadonlyMap<string, string>): string[] {
  const { ticket, messages, events } = sent;
  const requester = requesterOf(ticket);
  const [first, last] = [messages[0], messages.at(-1)];
  const agents = new Set(messages.flatMap(({ agentId }) => agentId ?? []));
  const notes = notesIn(sent);
  const files = messages.flatMap(({ attachments = [] }) => attachments).length;
  const lines: readonly (string | false | undefined)[] = [
    requester !== undefined && `It belongs to ${requester} and was opened on ${day(ticket.createdAt)}.`,
    `Its status is ${ticket.status ?? 'open'} and its priority is ${ticket.priority ?? 'normal'}.`,
    first === undefined || last === undefined
      ? 'It has no messages.'
      : messages.length === 1
        ? `It has one message, of ${day(first.occurredAt)}.`
        : `Its ${messages.length} messages read from top to bottom, from ${day(first.occurredAt)} to ${day(last.occurredAt)}.`,
    agents.size > 0 &&
      `Answers are by ${[...agents].map((id) => names.get(id) ?? id).join(', ')}, each with the right name.`,
    notes > 0 &&
      `${countOf(notes, 'internal note')} ${notes === 1 ? 'is' : 'are'} marked, and the customer cannot see ${notes === 1 ? 'it' : 'them'}.`,
    ...(['html', 'markdown'] as const).map(
      (type) =>
        messages.some(({ contentType }) => contentType === type) &&
        `${type === 'html' ? 'HTML' : 'Markdown'} messages are formatted, with no stray tags or signs.`,
    ),
    [ticket.subject, ...messages.map(({ content }) => content)].some(hasOtherScript) &&
      'Letters of other scripts and emoji are legible, without question marks or boxes.',
    files > 0 && `${countOf(files, 'attachment')} can be opened.`,
    events.length > 0 && `Its history shows ${countOf(events.length, 'change')} with the original times.`,
    ticket.readOnly === true &&
      `It cannot be edited, and ${ticket.managedBy ?? 'the source'} is named as its owner.`,
  ];
  return lines.filter((line) => typeof line === 'string');
}

function overall(tickets: readonly SentTicket[]): string[] {
  const [first, ...others] = tickets.map(({ ticket }) => new Set(ticket.tags ?? []));
  if (first === undefined) return [];
  const shared = [...Map.groupBy(tickets, ({ ticket }) => ticket.contact?.email)].flatMap(([email, own]) =>
    email !== undefined && own.length > 1
      ? [`One contact ${email} has the tickets ${own.map(({ externalId }) => externalId).join(' and ')}.`]
      : [],
  );
  const tags = [...first].filter((tag) => others.every((own) => own.has(tag)));
  const search = `Searching for the tag ${tags.join(' or ')} finds ${tickets.length === 1 ? 'the ticket' : `all ${tickets.length} tickets`}.`;
  return [
    ...shared,
    ...(tags.length > 0 ? [search] : []),
    'No customer got an e-mail because of the import.',
    'Lists sorted by date show the tickets at their original dates.',
  ];
}

function day(iso: string): string {
  return iso.slice(0, 10);
}

function hasOtherScript(text: string): boolean {
  return /[\p{L}--\p{Script=Latin}]|\p{Extended_Pictographic}/v.test(text);
}
