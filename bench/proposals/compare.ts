/** What an import would send, against what is true, field by field. */

import type { MessagePayload } from '../../src/domain/payload.ts';
import type { CheckResult } from '../../src/domain/ticket.ts';
import { agentId, FALLBACK } from './answers.ts';
import type { Choices } from './choices.ts';
import type { WantedMessage, WantedTicket } from './shape.ts';
import type { TimeStyle } from './values.ts';

/** What is wrong. A word for each way, as the findings about a mapping have their codes. */
export type Wrong =
  | 'tickets'
  | 'text-lost'
  | 'text-extra'
  | 'role'
  | 'internal'
  | 'author'
  | 'message-time'
  | 'attachment'
  | 'requester'
  | 'assignee'
  | 'subject'
  | 'status'
  | 'priority'
  | 'tags'
  | 'created'
  | 'closed'
  /** A text beside the messages that came in nowhere. */
  | 'left-out';

export interface Difference {
  readonly what: Wrong;
  readonly ticket: string;
  readonly wanted: unknown;
  readonly got: unknown;
}

export interface Comparison {
  readonly wrong: readonly Difference[];
  /** Tickets that were rejected: said, not sent. */
  readonly rejected: number;
}

export function compare(
  {
    wanted,
    mustName,
    time,
  }: { wanted: readonly WantedTicket[]; mustName: string | undefined; time: TimeStyle },
  got: readonly CheckResult[],
  choices: Choices,
): Comparison {
  const wrong: Difference[] = [];
  // without ids in the export tickets are told by their subject
  const keyOf = ({ externalId, checked }: CheckResult) =>
    choices.ids === 'absent' ? (checked?.ticket.subject ?? externalId) : externalId;
  const keyOfWanted = ({ id, subject }: WantedTicket) => (choices.ids === 'absent' ? subject : id);
  const byId = new Map(got.map((result) => [keyOf(result), result]));
  const names = new Map(
    got.flatMap((result) => result.names.map(({ email, name }) => [email, name] as const)),
  );
  const judge: IsPerson = (contact, person) => isPerson(contact, person, choices, names);
  let rejected = 0;
  for (const ticket of wanted) {
    const result = byId.get(keyOfWanted(ticket));
    if (result === undefined)
      wrong.push({
        what: 'tickets',
        ticket: ticket.id,
        wanted: ticket.id,
        got: [...byId.keys()].slice(0, 3),
      });
    else if (result.checked === undefined) rejected++;
    else wrong.push(...compareTicket(ticket, result, choices, judge, time.kept));
  }
  const known = new Set(wanted.map(keyOfWanted));
  for (const result of got)
    if (!known.has(keyOf(result)) && result.checked !== undefined)
      wrong.push({ what: 'tickets', ticket: result.externalId, wanted: undefined, got: result.externalId });
  const said = got.flatMap(({ checked }) => checked?.messages.map(({ content }) => content) ?? []);
  if (mustName !== undefined && !said.some((text) => text.includes(mustName)))
    wrong.push({ what: 'left-out', ticket: '', wanted: mustName, got: undefined });
  return { wrong, rejected };
}

function compareTicket(
  wanted: WantedTicket,
  { checked }: CheckResult,
  choices: Choices,
  isPerson: IsPerson,
  kept: TimeStyle['kept'],
): Difference[] {
  if (checked === undefined) return [];
  const { ticket, messages } = checked;
  const wrong: Difference[] = [];
  const differs = (what: Wrong, is: boolean, expected: unknown, got: unknown) => {
    if (!is) wrong.push({ what, ticket: wanted.id, wanted: expected, got });
  };
  differs('subject', ticket.subject === wanted.subject, wanted.subject, ticket.subject);
  differs('status', (ticket.status ?? 'open') === wanted.status, wanted.status, ticket.status);
  differs('priority', (ticket.priority ?? 'normal') === wanted.priority, wanted.priority, ticket.priority);
  const tags = (ticket.tags ?? []).filter((tag) => !/^(?:imported|from-.*|import-.*|export-.*)$/.test(tag));
  differs('tags', sameSet(tags, wanted.tags), wanted.tags, tags);
  differs(
    'created',
    kept(Date.parse(ticket.createdAt)) === wanted.createdAt,
    new Date(wanted.createdAt).toISOString(),
    ticket.createdAt,
  );
  const closed = ticket.closedAt ?? ticket.resolvedAt;
  differs(
    'closed',
    (closed === undefined ? undefined : kept(Date.parse(closed))) === wanted.closedAt,
    wanted.closedAt,
    closed,
  );
  differs('requester', isPerson(ticket.contact, wanted.requester), wanted.requester.email, ticket.contact);
  differs(
    'assignee',
    ticket.assignedToId === (wanted.assignee && agentId(wanted.assignee.id)),
    wanted.assignee?.id,
    ticket.assignedToId,
  );
  wrong.push(...compareMessages(wanted, messages, choices, isPerson, kept));
  return wrong;
}

function compareMessages(
  wanted: WantedTicket,
  got: readonly MessagePayload[],
  choices: Choices,
  isPerson: IsPerson,
  kept: TimeStyle['kept'],
): Difference[] {
  const wrong: Difference[] = [];
  const left = [...got];
  const add = (what: Wrong, expected: unknown, is: unknown) =>
    wrong.push({ what, ticket: wanted.id, wanted: expected, got: is });
  for (const message of wanted.messages) {
    const said = plain(message.text);
    const at = left.findIndex(({ content }) => plain(content) === said);
    const near =
      at >= 0
        ? at
        : left.findIndex(
            ({ content }) =>
              plain(content).includes(said) ||
              (said.startsWith(plain(content).replace(/\.\.\.$/, '')) &&
                choices.description === 'cut' &&
                wanted.messages.length === 1),
          );
    const [found] = near < 0 ? [] : left.splice(near, 1);
    if (found === undefined)
      add(
        'text-lost',
        message.text.slice(0, 60),
        got.map(({ content }) => content.slice(0, 30)),
      );
    else compareMessage(message, found, isPerson, kept, add);
  }
  for (const { content } of left) add('text-extra', undefined, content.slice(0, 60));
  return wrong;
}

function compareMessage(
  wanted: WantedMessage,
  got: MessagePayload,
  isPerson: IsPerson,
  kept: TimeStyle['kept'],
  add: (what: Wrong, wanted: unknown, got: unknown) => void,
): void {
  if (got.actorType !== wanted.role) add('role', wanted.role, got.actorType);
  if ((got.isInternal ?? false) !== wanted.internal) add('internal', wanted.internal, got.isInternal);
  if (wanted.at !== undefined && kept(Date.parse(got.occurredAt)) !== wanted.at)
    add('message-time', new Date(wanted.at).toISOString(), got.occurredAt);
  if (wanted.by !== undefined && got.actorType === wanted.role) {
    if (wanted.role === 'customer' && !isPerson(got.contact, wanted.by))
      add('author', wanted.by.email, got.contact);
    if (wanted.role === 'agent' && got.agentId !== agentId(wanted.by.id))
      add('author', wanted.by.id, got.agentId);
  }
  if (wanted.by === undefined && wanted.role === 'agent' && got.agentId === undefined)
    add('author', FALLBACK, got.agentId);
  const [file] = got.attachments ?? [];
  if (file?.url !== wanted.attachment) add('attachment', wanted.attachment, file?.url);
}

type IsPerson = (contact: { email: string } | undefined, person: { email: string; name: string }) => boolean;

/** Who has no address in the export is known by the name alone. */
function isPerson(
  contact: { email: string } | undefined,
  person: { email: string; name: string },
  { people }: Choices,
  names: ReadonlyMap<string, string>,
): boolean {
  if (contact === undefined) return false;
  return people === 'name'
    ? names.get(contact.email) === person.name
    : contact.email.toLowerCase() === person.email.toLowerCase();
}

function plain(text: string): string {
  return text
    .replace(/^> ?/gm, '')
    .replace(/<[^<>]*>/g, ' ')
    .replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))
    .replaceAll('&rsquo;', '’')
    .replaceAll('&lt;', '<')
    .replaceAll('&amp;', '&')
    .replace(/\s+/g, '')
    .toLowerCase();
}

function sameSet(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((item) => other.includes(item));
}
