/**
 * The record of the messages that were sent for a ticket (`TicketRecord.thread`): 24 bytes of digests each, by which a later
 * delta tells what people changed in the helpdesk from what changed in the export.
 *
 *   key     which message it is: its Message-ID, or its second, its kind of author and which of several such it is
 *   sent    all that was sent of it
 *   words   the text, the names of its files and whether it is a note, as they were sent
 *   seen    the same as the helpdesk then showed it
 *   links   addresses in the text, as the helpdesk then showed them
 *   files   addresses of its files, as the helpdesk then showed them
 *
 * The note of the import has an entry of its own, and no delta looks at it: an undo must know whether people wrote in it. Records of
 * earlier versions have 12 bytes each: key, sent and seen. Many services clean markup, entities and white space, so these do not
 * count. Pure.
 */
import { sha256 } from '../domain/identity.ts';
import { NOTE_KEY, OLD_ENTRY, THREAD_ENTRY } from '../domain/ledger.ts';
import { plainText, withoutMarkup, withoutSpace } from '../domain/own-words.ts';
import type { MessagePayload } from '../domain/payload.ts';
import { reportedArray, reportedBoolean, reportedString } from '../domain/snapshot.ts';
import type { Snapshot } from '../domain/ticket-api.ts';

export interface SentMessage {
  readonly key: number;
  readonly sent: number;
  readonly words: number;
  readonly seen: number;
  /** Absent in records of earlier versions. */
  readonly links?: number | undefined;
  readonly files?: number | undefined;
}

export type SentThread = readonly SentMessage[];

const MARK = 2;
const NOTE = Number.parseInt(NOTE_KEY, 16);

function entriesIn(record = ''): SentThread {
  const bytes = Buffer.from(record, 'hex');
  const isOld = bytes.length % 2 === 0;
  const [each, from] = isOld ? [OLD_ENTRY, 0] : [THREAD_ENTRY, 1];
  if ((bytes.length - from) % each !== 0) return [];
  return Array.from({ length: (bytes.length - from) / each }, (_, nth) => {
    const part = (index: number) => bytes.readUInt32BE(from + each * nth + 4 * index);
    const [key, sent] = [part(0), part(1)];
    if (isOld) return { key, sent, words: part(2), seen: part(2) };
    return { key, sent, words: part(2), seen: part(3), links: part(4), files: part(5) };
  });
}

export function recordOf(entries: SentThread): string {
  if (entries.length === 0) return '';
  const bytes = Buffer.allocUnsafe(1 + THREAD_ENTRY * entries.length);
  bytes.writeUInt8(MARK, 0);
  for (const [nth, { key, sent, words, seen, links = UNKNOWN, files = UNKNOWN }] of entries.entries())
    for (const [index, value] of [key, sent, words, seen, links, files].entries())
      bytes.writeUInt32BE(value, 1 + THREAD_ENTRY * nth + 4 * index);
  return bytes.toString('hex');
}

/** Kept of a message that an earlier version recorded. */
const UNKNOWN = 1;
const isKnown = (digest: number | undefined): digest is number => digest !== undefined && digest !== UNKNOWN;

export function sentThread(record: string | undefined): SentThread | undefined {
  const thread = entriesIn(record).filter(({ key }) => key !== NOTE);
  return thread.length === 0 ? undefined : thread;
}

/** The record with this note, or else the previous record's. */
export function withNote(
  record: string | undefined,
  note: MessagePayload | undefined,
  reported: Snapshot | undefined,
  before: string | undefined,
): string | undefined {
  const notes =
    note === undefined
      ? entriesIn(before).filter(({ key }) => key === NOTE)
      : [sentMessage(NOTE, note, reported)];
  if (record === undefined && note === undefined) return undefined;
  return recordOf([...entriesIn(record), ...notes]);
}

export interface Differences {
  readonly added: number;
  readonly missing: number;
  /** Messages with the same words, and other links or files. */
  readonly changed: number;
  /** Messages whose links and files were not recorded. */
  readonly unknown: number;
}

/** Differences between a thread and what the helpdesk had after sending, its note included. */
export function differences(record: string | undefined, thread: readonly Snapshot[]): Differences {
  const left = new Set(entriesIn(record));
  const counts = { added: 0, missing: 0, changed: 0, unknown: 0 };
  for (const reported of thread) {
    const same = [...left].filter((entry) => readsAs(entry, reported));
    const [entry] = same.toSorted(
      (one, other) => Number(isMoved(one, reported)) - Number(isMoved(other, reported)),
    );
    if (entry === undefined) counts.added += 1;
    else {
      left.delete(entry);
      if (isMoved(entry, reported)) counts.changed += 1;
      const hasParts = linksIn(reported) !== 0 || filesOf(reported) !== 0;
      if (hasParts && !(isKnown(entry.links) && isKnown(entry.files))) counts.unknown += 1;
    }
  }
  return { ...counts, missing: left.size };
}

const isMoved = (entry: SentMessage, reported: Snapshot) =>
  hasOtherLinks(entry, reported) || hasOtherFiles(entry, reported);

export function readsAs({ seen }: Pick<SentMessage, 'seen'>, reported: Snapshot): boolean {
  return formsOf(reported).includes(seen);
}

export function hasOtherLinks({ links }: SentMessage, reported: Snapshot): boolean {
  return isKnown(links) && linksIn(reported) !== links;
}

/** Other files, or copies of them at another address. */
export function hasOtherFiles({ files }: SentMessage, reported: Snapshot): boolean {
  return isKnown(files) && Array.isArray(reported['attachments']) && filesOf(reported) !== files;
}

export function readsAsSent(record: string | undefined, reported: Snapshot): boolean {
  return entriesIn(record).some((entry) => readsAs(entry, reported));
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
  const sent = messages.map((message, nth) => sentMessage(keys[nth] as number, message, undefined));
  return (echo) => {
    if (echo?.length !== messages.length) return recordOf(sent);
    return recordOf(
      sent.map((entry, nth) => ({
        ...entry,
        ...seenOf(messages[nth] as MessagePayload, echo[nth] as Snapshot),
      })),
    );
  };
}

/** A sent message, and what the helpdesk answered of it. */
export function sentMessage(
  key: number,
  message: MessagePayload,
  reported: Snapshot | undefined,
): SentMessage {
  const words = wordsOf(message);
  const as = { content: message.content, attachments: message.attachments ?? [] };
  return {
    ...{ key, sent: digestOf(message), words, seen: words, links: linksIn(as), files: filesOf(as) },
    ...(reported === undefined ? {} : seenOf(message, reported)),
  };
}

function seenOf(message: MessagePayload, reported: Snapshot): Pick<SentMessage, 'seen' | 'links' | 'files'> {
  const shown = {
    ...reported,
    content: reportedWhole(message, reported),
    attachments: reportedArray(reported, 'attachments') ?? message.attachments ?? [],
  };
  return {
    seen: digestOfWords(whatIsSaid(message, shown)),
    links: linksIn(shown),
    files: filesOf(shown),
  };
}

/** The shown text; a shorter one may be just its beginning, as in a list. */
function reportedWhole({ content: ours }: MessagePayload, reported: Snapshot): string {
  const full = reportedString(reported, 'fullContent');
  if (typeof full === 'string' && full !== '') return full;
  const content = reportedString(reported, 'content');
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
  const hasLinksOfPeople = before !== undefined && hasOtherLinks(before, reported);
  if (withoutSpace(said) === withoutSpace(ours))
    return hasLinksOfPeople && linksIn(reported) !== linksIn({ content: message.content });
  return before === undefined || digestOfWords(said) !== before.seen || hasLinksOfPeople;
}

export function wordsOf(message: MessagePayload): number {
  return digestOfWords(whatIsSaid(message, undefined));
}

/** A message as readers get it; unreported parts count as sent. */
function whatIsSaid(
  message: MessagePayload,
  reported: Snapshot | Fields | undefined,
  byNames = true,
): string {
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

type Fields = Readonly<Record<string, unknown>>;

/** A digest of links and pictures; 0 for none. */
function linksIn(message: Fields): number {
  const content = reportedString(message, 'content') ?? '';
  const found = content.matchAll(/\b(?:href|src)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/gi);
  return digestOfSet(
    [...found].map(([, one, other, bare]) => (one ?? other ?? bare ?? '').replaceAll('&amp;', '&')),
  );
}

/** Addresses without their signatures; 0 for none. */
export function filesOf(message: Fields): number {
  const attachments = reportedArray(message, 'attachments') ?? [];
  return digestOfSet(attachments.map((each) => urlOf(each).replace(/[?#].*$/s, '')));
}

function digestOfSet(texts: readonly string[]): number {
  return texts.length === 0 ? 0 : digest(texts.toSorted().join('\n'));
}

function areNamed(attachments: readonly unknown[]): boolean {
  return attachments.every((each) => nameOf(each) !== '');
}

const textIn = (field: 'name' | 'url') => (attachment: unknown) => {
  const text = typeof attachment === 'object' && attachment !== null && (attachment as Fields)[field];
  return typeof text === 'string' ? text : '';
};
export const nameOf = textIn('name');
const urlOf = textIn('url');

export function nameOfMessage({ messageId, occurredAt, actorType }: MessagePayload): string {
  return messageId ?? `${Math.floor(Date.parse(occurredAt) / 1000)} ${actorType}`;
}

export function keyOf(name: string, nth: number): number {
  return digest(`${name} ${nth}`);
}

export function keysOf(messages: readonly MessagePayload[]): number[] {
  const times = new Map<string, number>();
  return messages.map((message) => {
    const name = nameOfMessage(message);
    const nth = times.get(name) ?? 0;
    times.set(name, nth + 1);
    return keyOf(name, nth);
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
