/**
 * The thread of a ticket that the helpdesk has already, brought up to the export. PUT replaces the whole list (4.2); an element with an
 * `id` updates that message, and one that is left out is deleted (public facts). What people did in the helpdesk stays:
 *
 *   only in the helpdesk                sent back as it was read
 *   in both                             updated by its id to what the export says
 *   in both, edited in the helpdesk     sent back as it was read
 *   sent before, and not there          deleted by people: left out
 *   only in the export                  created
 *
 * Edits and deletions follow from the digests of what was sent (thread-record.ts). Without them a difference counts as an edit, and no
 * message as deleted: a message too many can be seen and undone, a lost one cannot. Pure.
 */
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
  pairMessages,
  reportedBoolean,
  reportedId,
  reportedInstant,
  reportedObject,
  reportedString,
  textKey,
} from '../domain/snapshot.ts';
import type { Snapshot } from '../domain/ticket-api.ts';
import {
  digestOf,
  formsOf,
  isEdited,
  keysOf,
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
  readonly isChange: boolean;
  toRecord(echo: readonly Snapshot[] | undefined): string;
}

/**
 * @param identified ours with their Message-IDs, in the same order @param countsAsSent nothing was recorded, so whatever reads
 * the same counts as sent @returns `unreported`: a message that has to go back lacks a part; `emptied`: nothing of what was
 * sent is shown; `partly`: the list may be one page of the thread
 */
export function mergeThread(
  ours: readonly MessagePayload[],
  reported: readonly Snapshot[],
  known: SentThread | undefined,
  identified: readonly MessagePayload[] = ours,
  countsAsSent = false,
): MergedThread | 'unreported' | 'emptied' | 'partly' {
  const notes = reported.filter(isImportNote);
  const read = notes.length === 0 ? reported : reported.filter((message) => !notes.includes(message));
  if (read.length === 0 && known !== undefined && known.size > 0) return 'emptied';
  const { pairs, own: unpaired } = pairMessages(identified, read);
  const there = new Map(pairs);
  const keys = keysOf(ours);
  // Sent under a time that the export no longer has: it is ours, moved.
  const past = new Set([...(known ?? [])].filter(([key]) => !keys.includes(key)).map(([, { seen }]) => seen));
  const own = unpaired.filter((shown) => {
    const same = formsOf(shown).some((form) => past.has(form))
      ? identified.find(
          (each) =>
            !there.has(each) &&
            each.actorType === shown['actorType'] &&
            textKey(each.content) === textKey(reportedString(shown, 'content') ?? ''),
        )
      : undefined;
    if (same !== undefined) there.set(same, shown);
    return same === undefined;
  });
  const wasSent = identified.filter((_, index) => known?.has(keys[index] as number) === true);
  const shown = wasSent.map((message) => there.has(message));
  if (mayBePage(read.length, shown)) return 'partly';
  const thread: MessagePayload[] = [];
  const sentBack = [...own, ...notes];
  /** By key. Messages sent as in the export are recorded when they were sent. */
  const settled = new Map<number, SentMessage | MessagePayload>();
  const exported = new Set<MessagePayload>();
  let [edited, deleted, isChange] = [0, 0, false];
  for (const [index, message] of ours.entries()) {
    const key = keys[index] as number;
    const before = known?.get(key);
    const reported = there.get(identified[index] as MessagePayload);
    if (reported === undefined && before !== undefined) {
      deleted += 1;
      settled.set(key, before);
    } else if (reported !== undefined && isEdited(message, reported, before)) {
      const kept = keptMessage(reported);
      if (kept === undefined) return 'unreported';
      edited += 1;
      sentBack.push(reported);
      thread.push(kept);
      settled.set(key, before ?? sentMessage(message, undefined));
    } else if (
      reported !== undefined &&
      before?.sent === digestOf(message) &&
      keptMessage(reported) !== undefined
    ) {
      // Unchanged in the export, so changes by people stay.
      thread.push(keptMessage(reported) as MessagePayload);
      settled.set(key, before);
    } else {
      const full = identified[index] as MessagePayload;
      const sending = reported === undefined || reported.id === '' ? full : { id: reported.id, ...full };
      isChange ||=
        reported === undefined ||
        (countsAsSent
          ? typeof reportedString(reported, 'content') !== 'string'
          : before?.sent !== digestOf(message));
      thread.push(sending);
      exported.add(sending);
      settled.set(key, sending);
    }
  }
  const [kept, keptNotes] = [own.map(keptMessage), notes.map(keptMessage)];
  const areAll = (messages: (MessagePayload | undefined)[]): messages is MessagePayload[] =>
    messages.every((message) => message !== undefined);
  if (!areAll(kept) || !areAll(keptNotes)) return 'unreported';
  const messages = [...inOrderOfTime(thread, kept), ...keptNotes];
  const toRecord = (echo: readonly Snapshot[] | undefined) => {
    const at = new Map(messages.map((message, index) => [message, index]));
    const whole = echo?.length === messages.length ? echo : undefined;
    const entries = [...settled].map(([key, value]) => {
      const message = 'seen' in value ? value : sentMessage(value, whole?.[at.get(value) ?? -1]);
      return [key, message] as const;
    });
    return recordOf(entries);
  };
  return { messages, ours: exported, sentBack, kept: kept.length, edited, deleted, isChange, toRecord };
}

/**
 * True if this looks like one page: a round length, and our missing messages are all at one end. @param sent for each message
 * that was sent, whether it is shown
 */
function mayBePage(shown: number, sent: readonly boolean[]): boolean {
  const missing = sent.filter((isThere) => !isThere).length;
  if (missing < (shown >= 20 ? 1 : 3) || shown < 10 || (shown % 10 !== 0 && shown % 25 !== 0)) return false;
  const isRun = (list: readonly boolean[]) => list.slice(0, missing).every((isThere) => !isThere);
  return isRun(sent) || isRun(sent.toReversed());
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
