/**
 * What the checkpoint keeps of the messages that were sent for a ticket (`TicketRecord.thread`): 12 bytes of digests each, by
 * which a later delta tells what people changed in the target from what changed in the export.
 *
 *   key    which message it is: its Message-ID, or its second, its kind of author and which of several such it is
 *   sent   what of it was sent
 *   seen   what the target then showed of it, or what was sent where it showed nothing: its text, whether it is
 *          a note, and its attachments
 *
 * The note of the import has an entry of its own, and no delta looks at it: an undo must know whether people wrote in it.
 *
 * A text counts without its markup, its entities and its white space, as many services clean these; attachments by their names,
 * as many services keep copies at addresses of their own. Pure.
 */

import { sha256 } from '../domain/hash.ts';
import { plainText, withoutMarkup, withoutSpace } from '../domain/own-words.ts';
import type { MessagePayload } from '../domain/payload.ts';
import { reportedArray, reportedBoolean, reportedString } from '../domain/snapshot.ts';
import type { Snapshot } from '../domain/ticket-api.ts';

export interface SentMessage {
  readonly sent: number;
  readonly seen: number;
}

export type SentThread = ReadonlyMap<number, SentMessage>;

/** Bytes of a message: three digests of 32 bits. */
const ENTRY = 12;
/** Of the note of the import; no message is called so but by accident. */
const NOTE_KEY = 0xffff_ffff;

/** Undefined where nothing is known of what was sent. */
export function sentThread(record: string | undefined): SentThread | undefined {
  const bytes = Buffer.from(record ?? '', 'hex');
  if (bytes.length === 0 || bytes.length % ENTRY !== 0) return undefined;
  const thread = new Map<number, SentMessage>();
  for (let at = 0; at < bytes.length; at += ENTRY) {
    const key = bytes.readUInt32BE(at);
    if (key === NOTE_KEY) continue;
    thread.set(key, { sent: bytes.readUInt32BE(at + 4), seen: bytes.readUInt32BE(at + 8) });
  }
  return thread.size === 0 ? undefined : thread;
}

/** The record with the note that was sent, or else with the record's previous note. */
export function withNote(
  record: string | undefined,
  note: MessagePayload | undefined,
  reported: Snapshot | undefined,
  before: string | undefined,
): string | undefined {
  if (note !== undefined) return (record ?? '') + recordOf([NOTE_KEY], [sentMessage(note, reported)]);
  return record === undefined ? undefined : record + entryOf(NOTE_KEY, before ?? '');
}

function entryOf(key: number, record: string): string {
  const wanted = key.toString(16).padStart(8, '0');
  for (let at = 0; at < record.length; at += 2 * ENTRY)
    if (record.startsWith(wanted, at)) return record.slice(at, at + 2 * ENTRY);
  return '';
}

/** How a thread that is read differs from what the target had when all of this was sent, the note among it. */
export function differences(
  record: string | undefined,
  thread: readonly Snapshot[],
): { readonly added: number; readonly missing: number } {
  const bytes = Buffer.from(record ?? '', 'hex');
  const left = new Map<number, number>();
  for (let at = 0; at < bytes.length; at += ENTRY) {
    const seen = bytes.readUInt32BE(at + 8);
    left.set(seen, (left.get(seen) ?? 0) + 1);
  }
  let added = 0;
  for (const reported of thread) {
    const seen = formsOf(reported).find((form) => (left.get(form) ?? 0) > 0);
    if (seen === undefined) added += 1;
    else left.set(seen, (left.get(seen) ?? 0) - 1);
  }
  return { added, missing: [...left.values()].reduce((sum, count) => sum + count, 0) };
}

/** What may have been recorded of a message that reads so now: what is not shown was recorded as it was sent. */
function formsOf(reported: Snapshot): number[] {
  const bare: MessagePayload = {
    actorType: 'system',
    content: '',
    occurredAt: '',
    attachments: (reportedArray(reported, 'attachments') ?? []) as NonNullable<MessagePayload['attachments']>,
  };
  const notes =
    typeof reportedBoolean(reported, 'isInternal') === 'boolean'
      ? [reported]
      : [reported, { ...reported, isInternal: true }];
  return notes.flatMap((each) =>
    [true, false].map((byNames) => digestOfWords(whatIsSaid(bare, each, byNames))),
  );
}

/** The record of messages that were sent, in hexadecimal: of each its key, and what it was. */
export function recordOf(keys: readonly number[], messages: readonly SentMessage[]): string {
  const bytes = Buffer.allocUnsafe(ENTRY * keys.length);
  for (const [index, { sent, seen }] of messages.entries()) {
    const at = ENTRY * index;
    bytes.writeUInt32BE(keys[index] as number, at);
    bytes.writeUInt32BE(sent, at + 4);
    bytes.writeUInt32BE(seen, at + 8);
  }
  return bytes.toString('hex');
}

/**
 * The record of messages that are about to be sent; it is given `echo`, what the target made of them. Most of the work is done
 * before: that is when their texts are read anyway, and they are no longer at hand when the answer comes.
 */
export function recordOfSending(
  messages: readonly MessagePayload[],
): (echo: readonly Snapshot[] | undefined) => string {
  const keys = keysOf(messages);
  const sent = messages.map((message) => sentMessage(message, undefined));
  return (echo) => {
    if (echo?.length !== messages.length) return recordOf(keys, sent);
    const seen = messages.map((message, index) => seenOf(message, echo[index] as Snapshot));
    return recordOf(
      keys,
      sent.map(({ sent }, index) => ({ sent, seen: seen[index] as number })),
    );
  };
}

/** One message that was sent, and what the target made of it where it answered that. */
export function sentMessage(message: MessagePayload, reported: Snapshot | undefined): SentMessage {
  const sent = digestOf(message);
  if (reported !== undefined) return { sent, seen: seenOf(message, reported) };
  return { sent, seen: digestOfWords(whatIsSaid(message, undefined)) };
}

function seenOf(message: MessagePayload, reported: Snapshot): number {
  return digestOfWords(whatIsSaid(message, { ...reported, content: reportedWhole(message, reported) }));
}

/** The text that the target shows; a shorter one may be the beginning alone, as a list would show it. */
function reportedWhole({ content: ours }: MessagePayload, reported: Snapshot): string {
  const full = reportedString(reported, 'fullContent');
  const content = typeof full === 'string' && full !== '' ? full : reportedString(reported, 'content');
  if (typeof content !== 'string' || content === ours) return ours;
  return plainText(ours).startsWith(plainText(content)) ? ours : content;
}

/** Whether people changed it in the target since it was sent: `before` is what is known of that. */
export function isEdited(
  message: MessagePayload,
  reported: Snapshot,
  before: SentMessage | undefined,
): boolean {
  const said = whatIsSaid(message, reported);
  const ours = whatIsSaid(message, undefined, areNamed(reportedArray(reported, 'attachments') ?? []));
  if (withoutSpace(said) === withoutSpace(ours)) return false;
  return before === undefined || digestOfWords(said) !== before.seen;
}

/** But for white space: what readers get of a message as the target tells it; what it does not tell is taken to be as it was sent. */
function whatIsSaid(message: MessagePayload, reported: Snapshot | undefined, byNames = true): string {
  const ours = message.attachments ?? [];
  const text = (reported && reportedString(reported, 'content')) ?? message.content;
  const isInternal = (reported && reportedBoolean(reported, 'isInternal')) ?? message.isInternal ?? false;
  const attachments = (reported && reportedArray(reported, 'attachments')) ?? ours;
  const said = withoutMarkup(text) + (isInternal ? '\u0000note' : '');
  if (attachments.length === 0) return said;
  const areReported = byNames && areNamed(ours) && areNamed(attachments);
  const files = areReported ? attachments.map(nameOf).sort().join('\u0000') : String(attachments.length);
  return `${said}\u0000${files}`;
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
export function keysOf(messages: readonly MessagePayload[]): number[] {
  const times = new Map<string, number>();
  return messages.map(({ messageId, occurredAt, actorType }) => {
    const name = messageId ?? `${Math.floor(Date.parse(occurredAt) / 1000)} ${actorType}`;
    const nth = times.get(name) ?? 0;
    times.set(name, nth + 1);
    return digest(`${name} ${nth}`);
  });
}

/** Of everything that a message says, apart from the ids of the target and of mails. */
export function digestOf({
  id: _,
  messageId: __,
  inReplyToId: ___,
  referencesIds: ____,
  ...said
}: MessagePayload): number {
  return digest(JSON.stringify(Object.entries(said).filter(([, value]) => value !== undefined)));
}

/** Of a text but for its white space. */
export function digestOfWords(text: string): number {
  return digest(withoutSpace(text));
}

/** 32 bits. */
function digest(text: string): number {
  return Number.parseInt(sha256(text).slice(0, 8), 16);
}
