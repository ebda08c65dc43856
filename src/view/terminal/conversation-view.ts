/** Tickets on a terminal as they will be in the helpdesk: who says what to whom, speakers named and coloured. */
import { printable, shorten, textWidth } from '../../domain/printable.ts';
import { countOf } from '../format.ts';
import type { Style } from './style.ts';
import { type Fact, factLines, heading, widestText, wrap } from './text-block.ts';

export interface ShownMessage {
  /** `customer`, `agent`, `system`; empty where nothing tells. */
  readonly role: string;
  readonly who?: string | undefined;
  readonly isInternal: boolean;
  readonly at: string;
  /** The beginning of the text. */
  readonly text: string;
  readonly attachments: number;
}

export interface ShownTicket {
  readonly externalId: string;
  /** Why it is shown. */
  readonly why: string;
  readonly subject: string;
  readonly requester?: string | undefined;
  readonly status?: string | undefined;
  readonly priority?: string | undefined;
  readonly assignee?: string | undefined;
  readonly tags?: string | undefined;
  readonly createdAt?: string | undefined;
  /** The first and the last ones. */
  readonly messages: readonly ShownMessage[];
  /** What the note of unmapped fields holds: names and values. */
  readonly note?: readonly (readonly [name: string, value: string])[] | undefined;
  /** Index of the message before which others are left out, and how many. */
  readonly gap?: { readonly at: number; readonly count: number } | undefined;
}

/** Columns of a name, before its time moves to the next line. */
const LEAST_NAME = 12;
/** Columns that the indent and the labels of facts take. */
const BESIDE_LABELS = 14;
/** Lines of a text that are shown. */
const MOST_LINES = 4;

export function conversationLines(tickets: readonly ShownTicket[], style: Style): string[] {
  return tickets.flatMap((ticket) => ticketLines(ticket, style));
}

function ticketLines(ticket: ShownTicket, style: Style): string[] {
  const { externalId, why, subject, gap } = ticket;
  const title = `${printable(externalId)}  ${printable(subject)}`;
  const facts: Fact[] = (
    [
      ['shown', why],
      ['from', ticket.requester ?? 'nobody known'],
      ['status', [ticket.status, ticket.priority].filter(Boolean).join(', ')],
      ['assignee', ticket.assignee],
      ['tags', ticket.tags],
      ['created', ticket.createdAt],
    ] as const
  ).flatMap(([label, text]) =>
    text === undefined || text === ''
      ? []
      : [
          {
            label,
            text: shorten(printable(text), widestText(style) - BESIDE_LABELS, style.symbols.ellipsis),
          },
        ],
  );
  return [
    ...heading(shorten(title, style.width - 1, style.symbols.ellipsis), style),
    ...factLines(facts, style),
    ...ticket.messages.flatMap((message, index) => [
      ...(gap?.at === index
        ? [`  ${style.dim(`${style.symbols.ellipsis} ${countOf(gap.count, 'more message')}`)}`]
        : []),
      ...messageLines(message, style),
    ]),
    ...(ticket.messages.length === 0 ? [`  ${style.yellow('no messages')}`] : []),
    ...noteLines(ticket.note ?? [], style),
  ];
}

/** Fields of the note that are shown. */
const MOST_FIELDS = 8;

/** Where fields without a place are kept: the last message of the ticket. */
function noteLines(note: NonNullable<ShownTicket['note']>, style: Style): string[] {
  if (note.length === 0) return [];
  const more = note.length - MOST_FIELDS;
  return [
    `  ${style.yellow('internal note of fields without a place here (unmapped: note)')}`,
    ...note
      .slice(0, MOST_FIELDS)
      .map(
        ([name, value]) =>
          `    ${shorten(printable(`${name}: ${value}`), widestText(style) - 4, style.symbols.ellipsis)}`,
      ),
    ...(more > 0 ? [`    ${style.dim(`and ${countOf(more, 'more', 'more')}`)}`] : []),
  ];
}

function messageLines(
  { role, who, isInternal, at, text, attachments }: ShownMessage,
  style: Style,
): string[] {
  const paint = isInternal
    ? style.yellow
    : role === 'agent'
      ? style.green
      : role === 'customer'
        ? style.cyan
        : style.dim;
  const kind = [role === '' ? 'nobody known' : role, ...(isInternal ? ['internal note'] : [])].join(', ');
  const time = printable(at);
  // indent, brackets, and two spaces before the time
  const room = style.width - 7 - textWidth(kind);
  const fits = room - textWidth(time) >= LEAST_NAME;
  const name = shorten(
    printable(who ?? ''),
    Math.max(LEAST_NAME, fits ? room - textWidth(time) : room),
    style.symbols.ellipsis,
  );
  const speaker = paint(who === undefined ? kind : `${name} (${kind})`);
  return [
    `  ${speaker}${fits && time !== '' ? `  ${style.dim(time)}` : ''}`,
    ...(fits || time === '' ? [] : [`  ${style.dim(time)}`]),
    ...bodyLines(text, style),
    ...(attachments === 0 ? [] : [`    ${style.dim(countOf(attachments, 'attachment'))}`]),
  ];
}

/** Broken to the width, words longer than a line too: an export may hold anything. */
function bodyLines(text: string, style: Style): string[] {
  const room = Math.max(20, widestText(style) - 4);
  const words = printable(text)
    .split(/ +/)
    .map((word) => shorten(word, room, style.symbols.ellipsis))
    .join(' ')
    .trim();
  if (words === '') return [`    ${style.dim('(no text)')}`];
  const lines = wrap(words, style, { indent: 4 });
  if (lines.length <= MOST_LINES) return lines;
  const last = lines[MOST_LINES - 1] ?? '';
  return [...lines.slice(0, MOST_LINES - 1), `${shorten(last, room + 3, '')}${style.symbols.ellipsis}`];
}
