/**
 * What the checkpoint keeps of the messages that were sent for a ticket (`TicketRecord.thread`): 12 bytes of digests each, by which a later
 * delta tells what people changed in the helpdesk from what changed in the export.
 *
 *   key    which message it is: its Message-ID, or its second, its kind of author and which of several such it is
 *   sent   what of it was sent
 *   seen   what the helpdesk then showed of it, or what was sent where it showed nothing: text, attachments, whether it is a note
 *
 * The note of the import has an entry of its own, and no delta looks at it: an undo must know whether people wrote in it.
 *
 * Many services clean markup, entities and white space, so these do not count; and keep copies of attachments, so their names do. Pure.
 */
import { sha256 } from '../domain/identity.ts';
import { plainText, withoutMarkup, withoutSpace } from '../domain/own-words.ts';
import type { MessagePayload } from '../domain/payload.ts';
import { reportedArray, reportedBoolean, reportedString } from '../domain/snapshot.ts';
import type { Snapshot } from '../domain/ticket-api.ts';

export interface SentMessage {
  readonly sent: number;
  readonly seen: number;
}

export type SentThread = ReadonlyMap<number, SentMessage>;

type Entry = readonly [key: number, message: SentMessage];

const ENTRY = 12;
const NOTE_KEY = 0xffff_ffff;

function entriesIn(record: string | undefined): Entry[] {
  const bytes = Buffer.from(record ?? '', 'hex');
  if (bytes.length % ENTRY !== 0) return [];
  return Array.from({ length: bytes.length / ENTRY }, (_, nth) => {
    const at = ENTRY * nth;
    const message = { sent: bytes.readUInt32BE(at + 4), seen: bytes.readUInt32BE(at + 8) };
    return [bytes.readUInt32BE(at), message];
  });
}

export function recordOf(entries: readonly Entry[]): string {
  const bytes = Buffer.allocUnsafe(ENTRY * entries.length);
  for (const [nth, [key, { sent, seen }]] of entries.entries()) {
    bytes.writeUInt32BE(key, ENTRY * nth);
    bytes.writeUInt32BE(sent, ENTRY * nth + 4);
    bytes.writeUInt32BE(seen, ENTRY * nth + 8);
  }
  return bytes.toString('hex');
}

export function sentThread(record: string | undefined): SentThread | undefined {
  const thread = new Map(entriesIn(record).filter(([key]) => key !== NOTE_KEY));
  return thread.size === 0 ? undefined : thread;
}

/** The record with this note, or else the previous record's. */
export function withNote(
  record: string | undefined,
  note: MessagePayload | undefined,
  reported: Snapshot | undefined,
  before: string | undefined,
): string | undefined {
  if (note !== undefined) return (record ?? '') + recordOf([[NOTE_KEY, sentMessage(note, reported)]]);
  if (record === undefined) return undefined;
  return record + recordOf(entriesIn(before).filter(([key]) => key === NOTE_KEY));
}

/** Differences between a thread and what the helpdesk had after sending, its note included. */
export function differences(
  record: string | undefined,
  thread: readonly Snapshot[],
): { readonly added: number; readonly missing: number } {
  const left = new Map<number, number>();
  for (const [, { seen }] of entriesIn(record)) left.set(seen, (left.get(seen) ?? 0) + 1);
  let added = 0;
  for (const reported of thread) {
    const seen = formsOf(reported).find((form) => (left.get(form) ?? 0) > 0);
    if (seen === undefined) added += 1;
    else left.set(seen, (left.get(seen) ?? 0) - 1);
  }
  return { added, missing: [...left.values()].reduce((sum, count) => sum + count, 0) };
}

export function readsAsSent(record: string | undefined, reported: Snapshot): boolean {
  const forms = formsOf(reported);
  return entriesIn(record).some(([, { seen }]) => forms.includes(seen));
}

/** Possible records of a message that reads so now. */
export function formsOf(reported: Snapshot): number[] {
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

/**
 * The record of messages about to be sent, completed with `echo`, what the helpdesk made of them. Most is computed before, as
 * the texts are gone when the answer comes.
 */
export function recordOfSending(
  messages: readonly MessagePayload[],
): (echo: readonly Snapshot[] | undefined) => string {
  const keys = keysOf(messages);
  const sent = messages.map((message, nth): Entry => [keys[nth] as number, sentMessage(message, undefined)]);
  return (echo) => {
    if (echo?.length !== messages.length) return recordOf(sent);
    const seen = messages.map((message, nth) => seenOf(message, echo[nth] as Snapshot));
    return recordOf(sent.map(([key, { sent }], nth): Entry => [key, { sent, seen: seen[nth] as number }]));
  };
}

/** A sent message, and what the helpdesk answered of it. */
export function sentMessage(message: MessagePayload, reported: Snapshot | undefined): SentMessage {
  const seen =
    reported === undefined ? digestOfWords(whatIsSaid(message, undefined)) : seenOf(message, reported);
  return { sent: digestOf(message), seen };
}

function seenOf(message: MessagePayload, reported: Snapshot): number {
  return digestOfWords(whatIsSaid(message, { ...reported, content: reportedWhole(message, reported) }));
}

/** The shown text; a shorter one may be just its beginning, as in a list. */
function reportedWhole({ content: ours }: MessagePayload, reported: Snapshot): string {
  const full = reportedString(reported, 'fullContent');
  const content = typeof full === 'string' && full !== '' ? full : reportedString(reported, 'content');
  if (typeof content !== 'string' || content === ours) return ours;
  return plainText(ours).startsWith(plainText(content)) ? ours : content;
}

/** `before`: its record. */
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

/** What readers get of a message; unreported parts count as sent. */
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

export function keysOf(messages: readonly MessagePayload[]): number[] {
  const times = new Map<string, number>();
  return messages.map(({ messageId, occurredAt, actorType }) => {
    const name = messageId ?? `${Math.floor(Date.parse(occurredAt) / 1000)} ${actorType}`;
    const nth = times.get(name) ?? 0;
    times.set(name, nth + 1);
    return digest(`${name} ${nth}`);
  });
}

/** A digest of the message without the IDs of the helpdesk and of mails. */
export function digestOf({
  id: _,
  messageId: __,
  inReplyToId: ___,
  referencesIds: ____,
  ...said
}: MessagePayload): number {
  return digest(JSON.stringify(Object.entries(said).filter(([, value]) => value !== undefined)));
}

export function digestOfWords(text: string): number {
  return digest(withoutSpace(text));
}

function digest(text: string): number {
  return Number.parseInt(sha256(text).slice(0, 8), 16);
}
