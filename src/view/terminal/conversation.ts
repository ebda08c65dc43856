/** A ticket on a terminal as it will be in the helpdesk: who says what to whom, speakers named and coloured. */
import { printable, shorten, textWidth } from '../../domain/printable.ts';
import type { Conversation, ConversationEntry, ConversationMessage } from '../conversation/conversation.ts';
import { countOf } from '../format.ts';
import type { Style } from './style.ts';
import { factLines, widestText, wrap } from './style.ts';

/** Columns of a name, before its time moves to the next line. */
const LEAST_NAME = 12;
/** Columns of the indent and the labels of facts. */
const LABEL_COLUMNS = 14;
/** Lines of a text that are shown. */
const MOST_LINES = 4;

/** Bodies are shown as they are: a caller that has HTML takes the text out of it first. */
export function conversationLines(ticket: Conversation, style: Style): string[] {
  const { externalId, subject, entries } = ticket;
  const title = `${printable(externalId)}  ${printable(subject)}`;
  return [
    style.bold(shorten(title, style.width - 1, style.symbols.ellipsis)),
    ...factLines(headFacts(ticket, style), style),
    ...entries.flatMap((entry) => entryLines(entry, style)),
    ...(entries.length === 0 ? [`  ${style.yellow('no messages')}`] : []),
  ];
}

function headFacts(ticket: Conversation, style: Style) {
  const { why, contact, status, priority, assignee, tags, createdAt } = ticket;
  const rows = [
    ['shown', why.join('; ')],
    ['from', contact === undefined ? 'no requester' : named(contact.name, contact.email)],
    ['status', [status, priority].filter(Boolean).join(', ')],
    ['assignee', assignee],
    ['tags', tags.join(', ')],
    ['created', timeText(createdAt)],
  ] as const;
  const room = widestText(style) - LABEL_COLUMNS;
  return rows.flatMap(([label, text]) =>
    text === undefined || text === ''
      ? []
      : [{ label, text: shorten(printable(text), room, style.symbols.ellipsis) }],
  );
}

function named(name: string | undefined, email: string | undefined): string {
  if (name === undefined || name === email) return email ?? '';
  return email === undefined || email === '' ? name : `${name} <${email}>`;
}

/** To the minute; a time of another form as it is. */
function timeText(text: string): string {
  return text.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(?::\d\d(?:\.\d{1,9})?)?/, '$1 $2 ').trimEnd();
}

function entryLines(entry: ConversationEntry, style: Style): string[] {
  if (entry.kind === 'gap')
    return [`  ${style.dim(`${style.symbols.ellipsis} ${countOf(entry.entries, 'more message')}`)}`];
  if (entry.kind === 'message') return messageLines(entry, style);
  const { name, author, what, before = '–', after = '–', occurredAt } = entry;
  const text = printable(
    `${name ?? author} ${what}: ${before} ${style.symbols.arrow} ${after}  ${timeText(occurredAt)}`,
  );
  return [`  ${style.dim(shorten(text, style.width - 3, style.symbols.ellipsis))}`];
}

function messageLines(message: ConversationMessage, style: Style): string[] {
  const { author, isInternal, name, email, occurredAt, content, attachments, moreAttachments } = message;
  const paint = isInternal
    ? style.yellow
    : author === 'agent'
      ? style.green
      : author === 'customer'
        ? style.cyan
        : style.dim;
  const kind = [author === '' ? 'unknown author' : author, ...(isInternal ? ['internal note'] : [])].join(
    ', ',
  );
  const time = printable(timeText(occurredAt));
  const who = named(name, email);
  // indent, brackets, and two spaces before the time
  const room = style.width - 7 - textWidth(kind);
  const fits = room - textWidth(time) >= LEAST_NAME;
  const shown = shorten(
    printable(who),
    Math.max(LEAST_NAME, fits ? room - textWidth(time) : room),
    style.symbols.ellipsis,
  );
  const files = attachments.length + moreAttachments;
  return [
    `  ${paint(who === '' ? kind : `${shown} (${kind})`)}${fits && time !== '' ? `  ${style.dim(time)}` : ''}`,
    ...(fits || time === '' ? [] : [`  ${style.dim(time)}`]),
    ...bodyLines(content, style),
    ...(files === 0 ? [] : [`    ${style.dim(countOf(files, 'attachment'))}`]),
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
