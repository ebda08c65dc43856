/**
 * The thread of a ticket that the helpdesk has already, brought up to the export. PUT replaces the whole list (4.2); an element with an
 * `id` updates that message, and one that is left out is deleted (public facts). What people did in the helpdesk stays:
 *
 *   only in the helpdesk                sent back as it was read
 *   the same in the export as before    sent back as it was read
 *   changed in the export               updated by its id to what the export says; files at another address stay
 *   changed in both                     sent back as it was read
 *   gone from the export                sent back as it was read
 *   sent before, and not shown          deleted by people: left out
 *   new in the export                   created
 *
 * Edits and deletions follow from the digests of what was sent (thread-record.ts). Without them a difference counts as an edit, and no
 * message as deleted: a message too many can be seen and undone, a lost one cannot. Pure.
 */
import { withoutMarkup } from '../domain/own-words.ts';
import {
  ACTOR_TYPES,
  type ActorType,
  type AttachmentPayload,
  CONTENT_TYPES,
  type ContactRef,
  type MailIds,
  type MessagePayload,
} from '../domain/payload.ts';
import {
  isImportNote,
  reportedBoolean,
  reportedId,
  reportedInstant,
  reportedObject,
  reportedString,
} from '../domain/snapshot.ts';
import type { Snapshot } from '../domain/ticket-api.ts';
import { pairThread } from './pair-thread.ts';
import {
  digestOf,
  hasOtherFiles,
  isEdited,
  keysOf,
  nameOf,
  recordOf,
  type SentMessage,
  type SentThread,
  sentMessage,
} from './thread-record.ts';

export interface MergedThread {
  readonly messages: readonly MessagePayload[];
  readonly ours: ReadonlySet<MessagePayload>;
  /** Sent back as it was read, so its text has to be whole. */
  readonly sentBack: readonly Snapshot[];
  readonly kept: number;
  readonly edited: number;
  readonly deleted: number;
  readonly removed: number;
  /** Nothing of their old text is left in the export's. */
  readonly replaced: number;
  /** The export lost all recorded messages. */
  readonly isAnother: boolean;
  readonly isChange: boolean;
  toRecord(echo: readonly Snapshot[] | undefined): string;
}

/**
 * @param identified ours with their Message-IDs, in the same order @param countsAsSent nothing was recorded, so all that reads
 * the same counts as sent @returns `unreported`: a message that has to go back lacks a part; `emptied`: nothing of what was
 * sent is shown
 */
export function mergeThread(
  ours: readonly MessagePayload[],
  reported: readonly Snapshot[],
  known: SentThread | undefined,
  identified: readonly MessagePayload[] = ours,
  countsAsSent = false,
): MergedThread | 'unreported' | 'emptied' {
  const notes = reported.filter(isImportNote);
  const read = notes.length === 0 ? reported : reported.filter((message) => !notes.includes(message));
  if (read.length === 0 && known !== undefined && known.length > 0) return 'emptied';
  const { before: sent, shown, removed, own } = pairThread(ours, identified, read, known);
  const keys = keysOf(ours);
  const gone = removed.flatMap(({ reported }) => reported ?? []);
  const sentBack = [...own, ...gone, ...notes];
  const thread: MessagePayload[] = [];
  /** Messages sent as in the export are recorded when they were sent. */
  const settled: (SentMessage | { readonly key: number; readonly message: MessagePayload })[] = removed.map(
    ({ entry }) => entry,
  );
  const exported = new Set<MessagePayload>();
  const counts = { edited: 0, deleted: 0, replaced: 0 };
  let isChange = false;
  for (const [index, message] of ours.entries()) {
    const key = keys[index] as number;
    const before = sent.get(message);
    const reported = shown.get(message);
    if (reported === undefined && before !== undefined) {
      counts.deleted += 1;
      settled.push({ ...before, key });
      continue;
    }
    const isEditedThere = reported !== undefined && isEdited(message, reported, before);
    const isUnchanged = before?.sent === digestOf(message);
    if (reported !== undefined && (isEditedThere || (isUnchanged && keptMessage(reported) !== undefined))) {
      const kept = keptMessage(reported);
      if (kept === undefined) return 'unreported';
      if (isEditedThere) {
        counts.edited += 1;
        sentBack.push(reported);
      }
      thread.push(kept);
      settled.push(before === undefined ? sentMessage(key, message, undefined) : { ...before, key });
      continue;
    }
    const full = identified[index] as MessagePayload;
    const sending = reported === undefined ? full : updated(full, reported, before);
    if (reported !== undefined && before !== undefined && isReplaced(message, reported)) counts.replaced += 1;
    isChange ||=
      reported === undefined ||
      (countsAsSent ? typeof reportedString(reported, 'content') !== 'string' : !isUnchanged);
    thread.push(sending);
    exported.add(sending);
    settled.push({ key, message: sending });
  }
  const [kept, keptNotes] = [[...own, ...gone].map(keptMessage), notes.map(keptMessage)];
  const areAll = (messages: (MessagePayload | undefined)[]): messages is MessagePayload[] =>
    messages.every((message) => message !== undefined);
  if (!areAll(kept) || !areAll(keptNotes)) return 'unreported';
  const messages = [...inOrderOfTime(thread, kept), ...keptNotes];
  const toRecord = (echo: readonly Snapshot[] | undefined) => {
    const at = new Map(messages.map((message, index) => [message, index]));
    const whole = echo?.length === messages.length ? echo : undefined;
    return recordOf(
      settled.map((entry) =>
        'message' in entry
          ? sentMessage(entry.key, entry.message, whole?.[at.get(entry.message) ?? -1])
          : entry,
      ),
    );
  };
  return {
    ...{ messages, ours: exported, sentBack, kept: own.length, ...counts, isChange, toRecord },
    removed: gone.length,
    isAnother: removed.length > 0 && removed.length === known?.length,
  };
}

/** As the export says, with files of the helpdesk that have another address or host than they were sent with. */
function updated(full: MessagePayload, reported: Snapshot, before: SentMessage | undefined): MessagePayload {
  const known = reported.id === '' ? full : { id: reported.id, ...full };
  const { attachments } = full;
  if (attachments === undefined) return known;
  const there = Map.groupBy(attachmentsOf(reported) ?? [], nameOf);
  const areOthers = before !== undefined && hasOtherFiles(before, reported);
  const kept = attachments.map((each) => {
    const shown = there.get(nameOf(each))?.shift();
    return shown !== undefined && (areOthers || hostOf(shown) !== hostOf(each)) ? shown : each;
  });
  return { ...known, attachments: kept };
}

const hostOf = ({ url }: AttachmentPayload) => URL.parse(url)?.host;

const WORD = /[\p{L}\p{N}]+/gu;

function isReplaced({ content }: MessagePayload, reported: Snapshot): boolean {
  const words = (text: string) => new Set(withoutMarkup(text).toLowerCase().match(WORD) ?? []);
  const [then, now] = [words(reportedString(reported, 'content') ?? ''), words(content)];
  return then.size > 0 && now.size > 0 && ![...then].some((word) => now.has(word));
}

/** Ours keep their order. A message of the helpdesk comes after all of ours that are not later. */
export function inOrderOfTime(
  ours: readonly MessagePayload[],
  kept: readonly MessagePayload[],
): readonly MessagePayload[] {
  if (kept.length === 0) return ours;
  const at = (message: MessagePayload) => Date.parse(message.occurredAt);
  const later = [...kept].sort((one, other) => at(one) - at(other));
  const merged: MessagePayload[] = [];
  let next = 0;
  for (const message of ours) {
    for (let own = later[next]; own !== undefined && at(own) < at(message); own = later[next]) {
      merged.push(own);
      next += 1;
    }
    merged.push(message);
  }
  return [...merged, ...later.slice(next)];
}

/**
 * A message that only the helpdesk has, as the element that keeps it. Undefined if its ID, author, text or time, or the address
 * of an attachment, is missing: sent back it would change or be refused.
 */
export function keptMessage(read: Snapshot): MessagePayload | undefined {
  const actorType = ACTOR_TYPES.find((known) => known === read['actorType']);
  const attachments = attachmentsOf(read);
  const content = contentOf(read, attachments);
  const occurredAt = timeOf(read);
  const author = actorType === undefined ? undefined : authorOf(actorType, read);
  if (read.id === '' || actorType === undefined || content === undefined) return undefined;
  if (occurredAt === undefined || author === undefined || attachments === undefined) return undefined;
  const contentType = CONTENT_TYPES.find((known) => known === read['contentType']);
  const isInternal = reportedBoolean(read, 'isInternal');
  return {
    id: read.id,
    actorType,
    content,
    ...(contentType === undefined ? {} : { contentType }),
    occurredAt,
    ...author,
    ...(typeof isInternal === 'boolean' ? { isInternal } : {}),
    ...(attachments.length === 0 ? {} : { attachments }),
    ...mailIdsOf(read),
  };
}

function mailIdsOf(read: Snapshot): MailIds {
  const [messageId, inReplyToId] = [reportedString(read, 'messageId'), reportedString(read, 'inReplyToId')];
  const reported = read['referencesIds'];
  const references = Array.isArray(reported) ? reported.filter((each) => typeof each === 'string') : [];
  return {
    ...(typeof messageId === 'string' && messageId !== '' ? { messageId } : {}),
    ...(typeof inReplyToId === 'string' && inReplyToId !== '' ? { inReplyToId } : {}),
    ...(references.length === 0 ? {} : { referencesIds: references }),
  };
}

function contentOf(read: Snapshot, attachments: AttachmentPayload[] | undefined): string | undefined {
  const content = reportedString(read, 'content');
  if (typeof content === 'string' && content.trim() !== '') return content;
  const hasAttachments = attachments !== undefined && attachments.length > 0;
  // A missing text is not an empty one.
  return content !== undefined && hasAttachments ? (content ?? '') : undefined;
}

/** In the helpdesk's own words if possible: a repeated PUT must not move it by a rounding. */
function timeOf(read: Snapshot): string | undefined {
  const at = reportedInstant(read, 'occurredAt');
  if (typeof at !== 'number' || Math.abs(at) > 8.64e15) return undefined;
  const reported = reportedString(read, 'occurredAt');
  return typeof reported === 'string' ? reported : new Date(at).toISOString();
}

type Author = { contactId?: string; contact?: ContactRef; agentId?: string };

/** Undefined if an author is required (2.2) and missing. */
function authorOf(actorType: ActorType, read: Snapshot): Author | undefined {
  const agentId = reportedId(read, 'agentId', 'agent');
  const agent = typeof agentId === 'string' ? { agentId } : undefined;
  const contact = contactOf(read);
  switch (actorType) {
    case 'agent':
      return agent === undefined ? undefined : { ...contact, ...agent };
    case 'customer':
      return contact === undefined ? undefined : { ...contact, ...agent };
    case 'system':
      return { ...contact, ...agent };
  }
}

function contactOf(read: Snapshot): Author | undefined {
  const contactId = reportedId(read, 'contactId', 'contact');
  if (typeof contactId === 'string') return { contactId };
  const contact = reportedObject(read, 'contact');
  const email = contact ? reportedString(contact, 'email') : undefined;
  return typeof email === 'string' ? { contact: { email } } : undefined;
}

function attachmentsOf(read: Snapshot): AttachmentPayload[] | undefined {
  const attachments: AttachmentPayload[] = [];
  const { attachments: reported } = read;
  for (const element of Array.isArray(reported) ? (reported as readonly unknown[]) : []) {
    const attachment = attachmentOf(element);
    if (attachment === undefined) return undefined;
    attachments.push(attachment);
  }
  return attachments;
}

function attachmentOf(element: unknown): AttachmentPayload | undefined {
  if (typeof element !== 'object' || element === null) return undefined;
  const fields = element as Readonly<Record<string, unknown>>;
  const [url, name, type] = (['url', 'name', 'contentType'] as const).map((field) =>
    reportedString(fields, field),
  );
  const size = fields['sizeBytes'];
  if (typeof url !== 'string' || url === '') return undefined;
  return {
    url,
    ...(typeof name === 'string' ? { name } : {}),
    ...(typeof type === 'string' ? { contentType: type } : {}),
    ...(typeof size === 'number' && Number.isSafeInteger(size) ? { sizeBytes: size } : {}),
  };
}
