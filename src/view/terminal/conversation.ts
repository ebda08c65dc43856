import { countOf, printable, shorten, textWidth } from '../../domain/printable.ts';
import type { Conversation, ConversationEntry, ConversationMessage } from '../conversation/conversation.ts';
import { factLines, type Style, widestText, wrap } from './style.ts';

/** Narrower, its time moves to the next line. */
const LEAST_NAME = 12;
const LABEL_COLUMNS = 14;
const MOST_LINES = 4;

/** A caller with HTML takes the text out first. */
export function conversationLines(ticket: Conversation, style: Style): string[] {
  const { externalId, subject, entries, why, contact, status, priority, assignee, tags, createdAt } = ticket;
  const { ellipsis } = style.symbols;
  const facts = {
    shown: why.join('; '),
    from: contact === undefined ? 'no customer' : named(contact.name, contact.email),
    status: [status, priority].filter(Boolean).join(', '),
    assignee,
    tags: tags.join(', '),
    created: timeText(createdAt),
  };
  const shown = Object.entries(facts).flatMap(([label, text]) =>
    text ? [{ label, text: shorten(printable(text), widestText(style) - LABEL_COLUMNS, ellipsis) }] : [],
  );
  return [
    style.bold(shorten(`${printable(externalId)}  ${printable(subject)}`, style.width - 1, ellipsis)),
    ...factLines(shown, style),
    ...entries.flatMap((entry) => entryLines(entry, style)),
    ...(entries.length === 0 ? [`  ${style.yellow('no messages')}`] : []),
  ];
}

function named(name: string | undefined, email: string | undefined): string {
  if (name === undefined || name === email) return email ?? '';
  return email ? `${name} <${email}>` : name;
}

function timeText(text: string): string {
  return text.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(?::\d\d(?:\.\d{1,9})?)?/, '$1 $2 ').trimEnd();
}

function entryLines(entry: ConversationEntry, style: Style): string[] {
  const { ellipsis, arrow } = style.symbols;
  if (entry.kind === 'message') return messageLines(entry, style);
  if (entry.kind === 'gap')
    return [`  ${style.dim(`${ellipsis} ${countOf(entry.entries, 'more message')}`)}`];
  const { name, author, what, before = '–', after = '–', occurredAt } = entry;
  const text = printable(`${name ?? author} ${what}: ${before} ${arrow} ${after}  ${timeText(occurredAt)}`);
  return [`  ${style.dim(shorten(text, style.width - 3, ellipsis))}`];
}

function messageLines(message: ConversationMessage, style: Style): string[] {
  const { author, isInternal, name, email, occurredAt, content, attachments, moreAttachments } = message;
  const paints = { agent: style.green, customer: style.cyan, system: style.dim, '': style.dim };
  const paint = isInternal ? style.yellow : paints[author];
  const kind = `${author || 'unknown author'}${isInternal ? ', internal note' : ''}`;
  const time = printable(timeText(occurredAt));
  const who = printable(named(name, email));
  const room = style.width - 7 - textWidth(kind);
  const fits = room - textWidth(time) >= LEAST_NAME;
  const most = Math.max(LEAST_NAME, fits ? room - textWidth(time) : room);
  const speaker = who === '' ? kind : `${shorten(who, most, style.symbols.ellipsis)} (${kind})`;
  const files = attachments.length + moreAttachments;
  return [
    `  ${paint(speaker)}${fits && time !== '' ? `  ${style.dim(time)}` : ''}`,
    ...(fits || time === '' ? [] : [`  ${style.dim(time)}`]),
    ...bodyLines(content, style),
    ...(files === 0 ? [] : [`    ${style.dim(countOf(files, 'attachment'))}`]),
  ];
}

function bodyLines(text: string, style: Style): string[] {
  const { ellipsis } = style.symbols;
  const room = Math.max(20, widestText(style) - 4);
  const words = printable(text)
    .split(/ +/)
    .map((word) => shorten(word, room, ellipsis));
  const shown = words.join(' ').trim();
  if (shown === '') return [`    ${style.dim('(no text)')}`];
  const lines = wrap(shown, style, { indent: 4 });
  if (lines.length <= MOST_LINES) return lines;
  const last = lines[MOST_LINES - 1] ?? '';
  return [...lines.slice(0, MOST_LINES - 1), `${shorten(last, room + 3, '')}${ellipsis}`];
}
