import type { AttachmentPayload, ContentType, EventPayload, MessagePayload } from '../domain/payload.ts';
import { capitalized, countOf, escapedHtml } from '../domain/printable.ts';
import * as snapshots from '../domain/snapshot.ts';
import { say } from '../domain/text/problem-words.ts';
import type { Snapshot } from '../domain/ticket-api.ts';
import { htmlText } from '../view/conversation/html-text.ts';
import { type Check, failed, judged, listSome, mergeChecks, NOT_REPORTED, passed } from './check.ts';
import { compareContact, isSame } from './compare-ticket.ts';

/** Services drop scripts and attributes, and rewrite entities. */
const readable = (html: string) => htmlText(html).replace(/\s+/g, '');
const NOTES = 'internal notes';
const NOTES_AS_SENT = 'Internal notes are internal, and nothing else is.';

/** Details count messages from 1, in the order of sending. */
export function compareMessages(sent: readonly MessagePayload[], reported: readonly Snapshot[]): Check[] {
  const read = snapshots.withoutImportNotes(reported);
  const places = placesOf(sent, read);
  return mergeChecks([
    compareCount(places, read.length),
    ...compareOrder(places, read),
    ...reported.filter(snapshots.isImportNote).map((note) => {
      const isInternal = snapshots.reportedBoolean(note, 'isInternal');
      const otherwise = 'The note of the import is shown to the customer.';
      return judged(NOTES, isInternal, isInternal === true, NOTES_AS_SENT, otherwise);
    }),
    ...sent.flatMap((message, index) => {
      const same = read[places[index] ?? -1];
      return same === undefined ? [] : compareMessage(message, same, `message ${index + 1}`);
    }),
  ]);
}

export function placesOf(
  sent: readonly MessagePayload[],
  read: readonly Snapshot[],
): readonly (number | undefined)[] {
  if (read.every((message) => message['content'] === undefined && message['occurredAt'] === undefined))
    return sent.map((_, index) => (index < read.length ? index : undefined));
  const placeOf = new Map(read.map((message, index) => [message, index]));
  const found = new Map(
    snapshots.pairMessages(sent, read, true).pairs.map(([own, same]) => [own, placeOf.get(same)]),
  );
  return sent.map((message) => found.get(message));
}

function compareCount(places: readonly (number | undefined)[], read: number): Check {
  const sent = places.length;
  const missing = [...places.keys()].filter((index) => places[index] === undefined);
  const extra = read - (sent - missing.length);
  const parts = [
    `The helpdesk has ${countOf(read, 'message')}; ${countOf(sent, 'was', 'were')} sent.`,
    ...(missing.length > 0 ? [`Missing: number ${listSome(missing.map((index) => index + 1))}.`] : []),
    ...(extra > 0 ? [`Only in the helpdesk: ${extra}.`] : []),
  ];
  const asSent = say('{sent|The message is|All # messages are} in the helpdesk.', { sent });
  return judged('message count', read, parts.length === 1 && extra === 0, asSent, parts.join(' '));
}

/** Some helpdesks list the newest message first. */
function compareOrder(places: readonly (number | undefined)[], read: readonly Snapshot[]): Check[] {
  const name = 'message order';
  const found = [...places.entries()].filter((pair): pair is [number, number] => pair[1] !== undefined);
  if (found.length < 2) return [];
  const breaks = found.filter(([, at], place) => at < (found[place - 1]?.[1] ?? -1));
  const [first] = breaks;
  if (first === undefined) return [passed(name, 'The messages are in the order of the conversation.')];
  // Two messages may have changed places, unless their times prove a reversed list.
  const times = read.map((message) => snapshots.reportedInstant(message, 'occurredAt'));
  const runsBackwards = times.every(
    (at, index) => index === 0 || (at ?? Number.NaN) < (times[index - 1] ?? 0),
  );
  if (breaks.length === found.length - 1 && (found.length > 2 || runsBackwards))
    return [passed(name, 'The helpdesk lists the newest message first, in the right order.')];
  return [failed(name, `From message ${first[0] + 1} on the order in the helpdesk differs.`)];
}

export function compareMessage(sent: MessagePayload, read: Snapshot, of: string): Check[] {
  const subject = capitalized(of);
  const at = snapshots.reportedInstant(read, 'occurredAt');
  const times = 'The messages have their original times.';
  const otherTime = `${subject} has ${typeof at === 'number' ? snapshots.isoOf(at) : 'no time'} instead of ${sent.occurredAt}.`;
  const isInternal = snapshots.reportedBoolean(read, 'isInternal');
  const isSameSide = (isInternal ?? false) === (sent.isInternal ?? false);
  const otherSide = sent.isInternal
    ? `${subject} is an internal note, and the helpdesk shows it to the customer.`
    : `${subject} is hidden from the customer as an internal note, and was not one.`;
  const checks = [
    compareContent(sent, read, of),
    judged('timestamps', at, isSame(sent.occurredAt, at), times, otherTime),
    compareAuthor(sent, read, subject),
    ...compareContact(sent, read, of),
    judged(NOTES, isInternal, isSameSide, NOTES_AS_SENT, otherSide),
    ...compareAttachments(sent.attachments ?? [], read, of),
  ];
  const mailId = snapshots.reportedString(read, 'messageId');
  // The helpdesk need not keep them.
  if (sent.messageId === undefined || !mailId) return checks;
  const isSameId = snapshots.bareId(sent.messageId) === snapshots.bareId(mailId);
  const otherId = `${subject} has another message ID than was sent.`;
  return [
    ...checks,
    judged('message ids', mailId, isSameId, 'The messages have the ids of their mails.', otherId),
  ];
}

/** The place of a difference, never its words. */
function compareContent(sent: MessagePayload, read: Snapshot, of: string): Check {
  const name = 'message content';
  const content = snapshots.reportedString(read, 'content');
  if (content === undefined) return passed(name, NOT_REPORTED);
  const reported = content ?? '';
  const type = snapshots.reportedString(read, 'contentType');
  const wanted = sent.contentType ?? 'text';
  if (typeof type === 'string' && type !== wanted)
    return failed(name, `The content type of ${of} is ${type} instead of ${wanted}.`);
  const [there, expected] = [withoutFileNote(reported), withoutFileNote(sent.content)];
  if (snapshots.textKey(there) === snapshots.textKey(expected))
    return passed(name, 'All texts are the same.');
  if (wanted === 'html' && readable(there) === readable(expected))
    return passed(name, 'The helpdesk cleans html; what people read is the same.');
  let at = 0;
  while (at < reported.length && reported[at] === sent.content[at]) at++;
  return failed(
    name,
    `The text of ${of} differs from character ${at + 1} on (${reported.length} characters instead of ${sent.content.length}).`,
  );
}

function compareAuthor(sent: MessagePayload, read: Snapshot, subject: string): Check {
  const name = 'authors';
  const actor = snapshots.reportedString(read, 'actorType');
  if (typeof actor === 'string' && actor !== sent.actorType)
    return failed(name, `${subject} is by ${actor} instead of ${sent.actorType}.`);
  const agent = snapshots.reportedId(read, 'agentId', 'agent');
  if (sent.agentId !== undefined && typeof agent === 'string' && agent !== sent.agentId)
    return failed(name, `${subject} is by agent ${agent} instead of ${sent.agentId}.`);
  const otherwise = `${subject} has no author in the helpdesk.`;
  return judged(name, actor, actor !== null, 'Customers and agents are as sent.', otherwise);
}

/** A helpdesk may copy a file; then the name identifies it. */
function compareAttachments(sent: readonly AttachmentPayload[], read: Snapshot, of: string): Check[] {
  const name = 'attachments';
  const reported = snapshots.reportedArray(read, 'attachments');
  if (sent.length === 0 && (reported ?? []).length === 0) return [];
  if (reported === undefined) return [passed(name, NOT_REPORTED)];
  const left = (reported ?? []).filter(
    (entry) => typeof entry === 'object' && entry !== null,
  ) as Partial<AttachmentPayload>[];
  const takeOut = (key: 'url' | 'name', wanted: string | undefined) => {
    const at = left.findIndex((file) => file[key] === wanted);
    if (at >= 0) left.splice(at, 1);
    return at >= 0;
  };
  const moved = sent.filter(({ url }) => !takeOut('url', url));
  const missing = moved.filter((file) => !takeOut('name', file.name)).length;
  const parts = [
    ...(missing > 0 ? [`${missing} of ${sent.length} missing`] : []),
    ...(left.length > 0 ? [`${countOf(left.length, 'that was', 'that were')} not sent`] : []),
  ];
  if (parts.length > 0) return [failed(name, `The attachments of ${of} differ: ${parts.join(', ')}.`)];
  const where = moved.length > 0 ? '; the helpdesk keeps files under its own addresses' : '';
  return [passed(name, `All attachments are in the helpdesk${where}.`)];
}

/** A helpdesk may add events of its own. */
export function compareEvents(sent: readonly EventPayload[], read: readonly Snapshot[]): Check[] {
  if (sent.length === 0) return [];
  const missing = snapshots.pairEvents(sent, read).missing.map((index) => index + 1);
  const asSent = say('{sent|The event is|All # events are} in the helpdesk.', { sent: sent.length });
  const otherwise = `${missing.length} of ${sent.length} events are missing or differ in value or time: number ${listSome(missing)}.`;
  return [judged('events', read, missing.length === 0, asSent, otherwise)];
}

const SAYS = 'File not imported: ';

/** `files.missing: note`. */
export function withFileNote(
  content: string,
  contentType: ContentType | undefined,
  names: readonly string[],
): string {
  const lines = names.map((name) => `${SAYS}${name}`);
  if (contentType === 'html')
    return `${content}${lines.map((line) => `<p>[${escapedHtml(line)}]</p>`).join('')}`;
  if (contentType === 'markdown')
    return `${content}\n\n${lines.map((line) => `\\[${line.replace(/[\\`*_[\]<>]/g, '\\$&')}\\]`).join('\n\n')}`;
  return `${content}\n\n${lines.map((line) => `[${line}]`).join('\n')}`;
}

const MARK = /(?:\n\n|<p>)?\\?\[File not imported: /;

/** The note depends on the settings of its run. */
export function withoutFileNote(content: string): string {
  if (!content.includes(SAYS)) return content;
  const { index } = MARK.exec(content) ?? {};
  const note = index === undefined ? '' : content.slice(index);
  return /\](?:<\/p>)?\s*$/.test(note) ? content.slice(0, index) : content;
}
