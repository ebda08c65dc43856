/** Three tickets that show most of a mapping: the longest, one with an internal note, and an ordinary one. */

import { shorten } from '../../domain/printable.ts';
import { textOf } from '../../domain/source-file.ts';
import type { MappedItem, MappedTicket, NamedPerson } from '../../domain/ticket.ts';
import type { Conversation, ConversationMessage } from '../../view/conversation/conversation.ts';
import { countOf } from '../../view/format.ts';

/** Messages at the beginning and at the end of a ticket that are shown. */
const FIRST = 5;
const LAST = 2;
/** Characters of a text: a few lines of the widest terminal. */
const MOST_TEXT = 2000;
/** Width of a text on its own line. */
const WIDEST = 200;
/** Kept of a kind, so that three different ones can be shown. */
const KEPT = 3;

export class TicketPicker {
  #longest: MappedTicket | undefined;
  readonly #noted: MappedTicket[] = [];
  readonly #ordinary: MappedTicket[] = [];
  readonly #any: MappedTicket[] = [];

  see(mapped: MappedTicket): void {
    if (mapped.excluded !== undefined) return;
    const { messages } = mapped;
    if (this.#any.length < KEPT) this.#any.push(mapped);
    if (messages.length > (this.#longest?.messages.length ?? 0)) this.#longest = mapped;
    if (this.#noted.length < KEPT && messages.some(({ value }) => value['isInternal'] === true))
      this.#noted.push(mapped);
    if (this.#ordinary.length < KEPT && isOrdinary(messages)) this.#ordinary.push(mapped);
  }

  async picked(): Promise<Conversation[]> {
    const taken = new Map<MappedTicket, string>();
    const take = (
      candidates: readonly (MappedTicket | undefined)[],
      why: (ticket: MappedTicket) => string,
    ) => {
      const free = candidates.find((ticket) => ticket !== undefined && !taken.has(ticket));
      if (free !== undefined) taken.set(free, why(free));
    };
    take([this.#longest], ({ messages }) => `the longest: ${countOf(messages.length, 'message')}`);
    take(this.#noted, () => 'has an internal note');
    take([...this.#ordinary, ...this.#any], () => 'an ordinary one');
    if (taken.size < KEPT) take([...this.#ordinary, ...this.#any], () => 'one more');
    const text = await textReader(taken.keys());
    return [...taken].map(([ticket, why]) => shown(ticket, why, text));
  }
}

/** A question and its answer, and not much more. */
function isOrdinary(messages: readonly MappedItem[]): boolean {
  const roles = new Set(messages.map(({ value }) => value['actorType']));
  return messages.length >= 2 && messages.length <= FIRST + LAST && roles.size > 1;
}

/** The text of a body; what reads html takes long to load. */
async function textReader(tickets: Iterable<MappedTicket>): Promise<(value: MappedItem['value']) => string> {
  const isHtml = (value: MappedItem['value']) =>
    value['contentType'] === 'html' ||
    /<(?:p|br|div|span|a|b|html|body|table)\b[^<>]*>/i.test(textOf(value['content']));
  const someHtml = [...tickets].some(({ messages }) => messages.some(({ value }) => isHtml(value)));
  const { htmlLines } = someHtml
    ? await import('../../view/conversation/html-text.ts')
    : { htmlLines: String };
  return (value) => {
    const content = textOf(value['content']).slice(0, 10 * MOST_TEXT);
    return (isHtml(value) ? htmlLines(content) : content).slice(0, MOST_TEXT);
  };
}

function shown(
  { externalId, ticket, requester, messages, problems, unmapped = [] }: MappedTicket,
  why: string,
  text: (value: MappedItem['value']) => string,
): Conversation {
  const line = (value: unknown) => shorten(textOf(value).slice(0, MOST_TEXT), WIDEST);
  const inTime = messages.toSorted((a, b) =>
    compare(textOf(a.value['occurredAt']), textOf(b.value['occurredAt'])),
  );
  const left = inTime.length - FIRST - LAST;
  const some = left > 0 ? [...inTime.slice(0, FIRST), ...inTime.slice(-LAST)] : inTime;
  const { tags } = ticket;
  const lost = problems.find(({ code }) => code === 'lost-assignee');
  const shownMessages = some.map(({ value, who }): ConversationMessage => {
    const { attachments } = value;
    const author = personOf(who) ?? personOf(value['contact']);
    return {
      kind: 'message',
      author: AUTHORS.find((known) => known === value['actorType']) ?? '',
      name: author?.name ?? (line(value['agentId']) || undefined),
      email: author?.email,
      isInternal: value['isInternal'] === true,
      occurredAt: line(value['occurredAt']),
      contentType: 'text',
      content: text(value),
      attachments: [],
      moreAttachments: Array.isArray(attachments) ? attachments.length : 0,
      pictures: [],
    };
  });
  const note = noteOf(unmapped.map(({ column, text: kept }) => `${line(column)}: ${line(kept)}`));
  return {
    externalId: line(externalId),
    why: [why],
    subject: line(ticket['subject']),
    contact: personOf(requester) ?? personOf(ticket['contact']),
    status: line(ticket['status']) || 'open',
    priority: line(ticket['priority']),
    assignee: line(ticket['assignedToId']) || (lost === undefined ? '' : 'an agent without an ID'),
    tags: Array.isArray(tags) ? tags.map(line) : [line(tags)].filter(Boolean),
    createdAt: line(ticket['createdAt']),
    readOnly: false,
    messages: messages.length,
    events: 0,
    entries: [
      ...shownMessages.slice(0, left > 0 ? FIRST : undefined),
      ...(left > 0 ? [{ kind: 'gap' as const, entries: left }, ...shownMessages.slice(FIRST)] : []),
      ...note,
    ],
  };
}

const AUTHORS = ['customer', 'agent', 'system'] as const;

/** The last message of the ticket, which keeps the fields that nothing maps. */
function noteOf(fields: readonly string[]): ConversationMessage[] {
  if (fields.length === 0) return [];
  return [
    {
      kind: 'message',
      author: 'system',
      name: 'Fields with no equivalent here (unmapped: note)',
      isInternal: true,
      occurredAt: '',
      contentType: 'text',
      content: fields.join('; '),
      attachments: [],
      moreAttachments: 0,
      pictures: [],
    },
  ];
}

/** Texts that are times of one form compare as times; others keep their order. */
function compare(one: string, other: string): number {
  return /^\d{4}-/.test(one) && /^\d{4}-/.test(other) ? (one < other ? -1 : one > other ? 1 : 0) : 0;
}

function personOf(person: unknown): { name?: string; email: string } | undefined {
  if (typeof person !== 'object' || person === null) return undefined;
  const { name, email, id } = person as NamedPerson;
  const address = textOf(email);
  const called = textOf(name) || (address === '' ? textOf(id) : '');
  if (called === '' && address === '') return undefined;
  return {
    ...(called !== '' && { name: shorten(called, WIDEST) }),
    email: shorten(address, WIDEST),
  };
}
