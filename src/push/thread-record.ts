/**
 * What the checkpoint keeps of the messages that were sent for a ticket (`TicketRecord.thread`): 12 bytes of digests each, by
 * which a later delta tells what people changed in the target from what changed in the export.
 *
 *   key    which message it is: its Message-ID, or its second, its kind of author and which of several such it is
 *   sent   what of it was sent
 *   seen   what it said as the target then told it, or as it was sent where the target did not tell: its text, whether it is
 *          a note, and its attachments
 *
 * A text counts without its markup, its entities and its white space, as many services clean these; attachments by their names,
 * as many services keep copies at addresses of their own. Pure.
 */

import type { MessagePayload } from '../domain/payload.ts';
import { reportedArray, reportedBoolean, reportedString } from '../domain/snapshot.ts';
import type { Snapshot } from '../domain/ticket-api.ts';

export interface SentMessage {
  readonly sent: string;
  readonly seen: string;
}

export type SentThread = ReadonlyMap<string, SentMessage>;

const DIGITS = 8;

/** Undefined where nothing is known of what was sent. */
export function sentThread(record: string | undefined): SentThread | undefined {
  if (record === undefined || record === '' || record.length % (3 * DIGITS) !== 0) return undefined;
  const part = (at: number, nth: number) => record.slice(at + nth * DIGITS, at + (nth + 1) * DIGITS);
  const thread = new Map<string, SentMessage>();
  for (let at = 0; at < record.length; at += 3 * DIGITS)
    thread.set(part(at, 0), { sent: part(at, 1), seen: part(at, 2) });
  return thread;
}

export function recordOf(thread: SentThread): string {
  return [...thread].map(([key, { sent, seen }]) => key + sent + seen).join('');
}

/** The record of messages that were sent, `echo` being what the target made of them. */
export function recordSent(
  messages: readonly MessagePayload[],
  echo: readonly Snapshot[] | undefined,
): string {
  const told = echo?.length === messages.length ? echo : undefined;
  const keys = keysOf(messages);
  return recordOf(
    new Map(messages.map((message, index) => [keys[index] as string, sentMessage(message, told?.[index])])),
  );
}

/** One message that was sent, and what the target made of it where it told. */
export function sentMessage(message: MessagePayload, told: Snapshot | undefined): SentMessage {
  const full = told?.['fullContent'];
  const content = typeof full === 'string' && full !== '' ? full : told?.['content'];
  const text = typeof content === 'string' ? plainText(content) : '';
  // A shorter one may be the beginning alone, as a list would show it.
  const isLess = text === '' || plainText(message.content).startsWith(text);
  const seen = told && { ...told, content: isLess ? message.content : content };
  return { sent: digestOf(message), seen: digestOfWords(whatIsSaid(message, seen)) };
}

/** Whether people changed it in the target since it was sent: `before` is what is known of that. */
export function isEdited(message: MessagePayload, told: Snapshot, before: SentMessage | undefined): boolean {
  const said = whatIsSaid(message, told);
  const ours = whatIsSaid(message, undefined, areNamed(reportedArray(told, 'attachments') ?? []));
  if (withoutSpace(said) === withoutSpace(ours)) return false;
  return before === undefined || digestOfWords(said) !== before.seen;
}

/** But for white space: what readers get of a message as the target tells it; what it does not tell is taken to be as it was sent. */
function whatIsSaid(message: MessagePayload, told: Snapshot | undefined, byNames = true): string {
  const ours = message.attachments ?? [];
  const text = (told && reportedString(told, 'content')) ?? message.content;
  const isInternal = (told && reportedBoolean(told, 'isInternal')) ?? message.isInternal ?? false;
  const attachments = (told && reportedArray(told, 'attachments')) ?? ours;
  const areTold = byNames && areNamed(ours) && areNamed(attachments);
  const files = areTold ? attachments.map(nameOf).sort().join('\u0000') : String(attachments.length);
  const rest = (isInternal ? '\u0000note' : '') + (attachments.length === 0 ? '' : `\u0000${files}`);
  return withoutMarkup(text) + rest;
}

function areNamed(attachments: readonly unknown[]): boolean {
  return attachments.every((each) => nameOf(each) !== '');
}

function nameOf(attachment: unknown): string {
  const name =
    typeof attachment === 'object' && attachment !== null && 'name' in attachment && attachment.name;
  return typeof name === 'string' ? name : '';
}

/** What a message of the export is called, of each. */
export function keysOf(messages: readonly MessagePayload[]): string[] {
  const times = new Map<string, number>();
  return messages.map(({ messageId, occurredAt, actorType }) => {
    const name = messageId ?? `${Math.floor(Date.parse(occurredAt) / 1000)} ${actorType}`;
    const nth = times.get(name) ?? 0;
    times.set(name, nth + 1);
    return digest(`${name} ${nth}`);
  });
}

const IDS: ReadonlySet<string> = new Set<keyof MessagePayload>([
  'id',
  'messageId',
  'inReplyToId',
  'referencesIds',
]);

/** Of everything that a message says, apart from the ids of the target and of mails. */
export function digestOf(message: MessagePayload): string {
  let said = '';
  for (const key in message) {
    const value = message[key as keyof MessagePayload];
    if (value === undefined || IDS.has(key)) continue;
    said += `${key}\u0000${typeof value === 'string' ? value : JSON.stringify(value)}\u0000`;
  }
  return digest(said);
}

/** What is left of a text when a service has cleaned it. */
export function plainText(text: string): string {
  return withoutSpace(withoutMarkup(text));
}

function withoutMarkup(text: string): string {
  if (!/[<&]/.test(text)) return text;
  return text
    .replace(/<(script|style)\b[\s\S]*?<\/\1\s*>/gi, '')
    .replace(/<[^<>]*>/g, '')
    .replace(/&(?:nbsp|#160|#xa0);/gi, ' ')
    .replace(/&(?:lt|#60);/g, '<')
    .replace(/&(?:gt|#62);/g, '>')
    .replace(/&(?:quot|#34);/g, '"')
    .replace(/&(?:#39|#x27|apos);/g, "'")
    .replace(/&amp;/g, '&');
}

function withoutSpace(text: string): string {
  return text.replace(/\s+/g, '');
}

/** What `\s` stands for. */
const SPACES: ReadonlySet<number> = new Set(
  [
    ...'\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff',
  ].map((space) => space.charCodeAt(0)),
);

/** Of a text but for its white space. Taking that out first would be a tenth of the cost of sending a ticket. */
export function digestOfWords(text: string): string {
  let hash = OFFSET;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 32 || ((code < 32 || code > 126) && SPACES.has(code))) continue;
    hash = Math.imul(hash ^ code, PRIME);
  }
  return digits(hash);
}

function digest(text: string): string {
  let hash = OFFSET;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), PRIME);
  return digits(hash);
}

/** FNV-1a: 32 bits are kept, and what is longer costs several times as much. */
const OFFSET = 0x811c9dc5;
const PRIME = 0x01000193;

function digits(hash: number): string {
  return (hash >>> 0).toString(16).padStart(DIGITS, '0');
}
