/** The messages and events of a ticket as they were sent against those that the target tells (2.2 to 2.4). Pure. */

import type { AttachmentPayload, EventPayload, MessagePayload } from '../domain/payload.ts';
import {
  bareId,
  isoOf,
  pairEvents,
  reportedArray,
  reportedBoolean,
  reportedId,
  reportedInstant,
  reportedString,
  textKey,
} from '../domain/snapshot.ts';
import type { Snapshot } from '../domain/ticket-api.ts';
import { isImportNote, withoutImportNotes } from '../domain/unmapped.ts';
import { htmlText } from '../view/conversation/html-text.ts';
import { type Check, failed, judged, listSome, mergeChecks, NOT_REPORTED, passed, plural } from './check.ts';
import { compareContact, isSame, placesOf } from './compare-ticket.ts';
import { withoutFileNote } from './file-note.ts';

/** Details count messages from 1, in the order in which they were sent. */
export function compareMessages(sent: readonly MessagePayload[], reported: readonly Snapshot[]): Check[] {
  const read = withoutImportNotes(reported);
  const readIndex = placesOf(sent, read);
  return mergeChecks([
    compareCount(readIndex, read.length),
    ...compareOrder(readIndex, read),
    ...reported.filter(isImportNote).map(compareNote),
    ...sent.flatMap((message, index) => {
      const reported = read[readIndex[index] ?? -1];
      return reported === undefined ? [] : compareMessage(message, reported, `message ${index + 1}`);
    }),
  ]);
}

function compareNote(note: Snapshot): Check {
  const isInternal = reportedBoolean(note, 'isInternal');
  const asSent = 'Internal notes are internal, and nothing else is.';
  const otherwise = 'The note of the import is shown to the customer.';
  return judged('internal notes', isInternal, isInternal === true, asSent, otherwise);
}

function compareCount(readIndex: readonly (number | undefined)[], read: number): Check {
  const name = 'message count';
  const sent = readIndex.length;
  const missing = [...readIndex.keys()].filter((index) => readIndex[index] === undefined);
  const extra = read - (sent - missing.length);
  if (missing.length === 0 && extra === 0)
    return passed(name, sent === 1 ? 'The message is there.' : `All ${sent} messages are there.`);
  const parts = [
    `The target has ${plural(read, 'message')} where ${sent} ${sent === 1 ? 'was' : 'were'} sent.`,
  ];
  if (missing.length > 0) parts.push(`Missing: number ${listSome(missing.map((index) => index + 1))}.`);
  if (extra > 0) parts.push(`Only in the target: ${extra}.`);
  return failed(name, parts.join(' '));
}

/** The same sequence, or exactly the opposite one: some targets list the newest message first. */
function compareOrder(readIndex: readonly (number | undefined)[], read: readonly Snapshot[]): Check[] {
  const name = 'message order';
  const found = [...readIndex.entries()].filter((pair): pair is [number, number] => pair[1] !== undefined);
  if (found.length < 2) return [];
  const breaks = found.filter(([, at], place) => at < (found[place - 1]?.[1] ?? -1));
  const [first] = breaks;
  if (first === undefined) return [passed(name, 'The messages are in the order of the conversation.')];
  // Two messages alone could as well have changed places, unless their times say that the list runs backwards.
  if (breaks.length === found.length - 1 && (found.length > 2 || runsBackwards(read)))
    return [passed(name, 'The target lists the newest message first, in the right order.')];
  return [failed(name, `From message ${first[0] + 1} on the target has another order.`)];
}

function runsBackwards(read: readonly Snapshot[]): boolean {
  const times = read.map((message) => reportedInstant(message, 'occurredAt'));
  return times.every((at, index) => {
    const after = times[index + 1];
    return index === times.length - 1 || (typeof at === 'number' && typeof after === 'number' && at > after);
  });
}

function compareMessage(sent: MessagePayload, read: Snapshot, of: string): Check[] {
  const subject = of.charAt(0).toUpperCase() + of.slice(1);
  const at = reportedInstant(read, 'occurredAt');
  const isInternal = reportedBoolean(read, 'isInternal');
  return [
    compareContent(sent, read, of),
    judged(
      'timestamps',
      at,
      isSame(sent.occurredAt, at),
      'The messages have their original times.',
      `${subject} has ${typeof at === 'number' ? isoOf(at) : 'no time'} instead of ${sent.occurredAt}.`,
    ),
    compareAuthor(sent, read, subject),
    ...compareContact(sent, read, of),
    judged(
      'internal notes',
      isInternal,
      (isInternal ?? false) === (sent.isInternal ?? false),
      'Internal notes are internal, and nothing else is.',
      sent.isInternal === true
        ? `${subject} is an internal note, and the target shows it to the customer.`
        : `${subject} is hidden from the customer as an internal note, and was not one.`,
    ),
    ...compareMessageId(sent.messageId, reportedString(read, 'messageId'), subject),
    ...compareAttachments(sent.attachments ?? [], read, of),
  ];
}

/** Details tell where a text differs, never what it says. */
function compareContent(sent: MessagePayload, read: Snapshot, of: string): Check {
  const name = 'message content';
  const content = reportedString(read, 'content');
  if (content === undefined) return passed(name, NOT_REPORTED);
  const reported = content ?? '';
  const type = reportedString(read, 'contentType');
  const wanted = sent.contentType ?? 'text';
  if (typeof type === 'string' && type !== wanted)
    return failed(name, `The content type of ${of} is ${type} instead of ${wanted}.`);
  const [there, expected] = [withoutFileNote(reported), withoutFileNote(sent.content)];
  if (textKey(there) === textKey(expected)) return passed(name, 'All texts are the same.');
  if (wanted === 'html' && textOf(there) === textOf(expected))
    return passed(name, 'The target cleans html; what people read is the same.');
  return failed(
    name,
    `The text of ${of} differs from character ${firstDifference(sent.content, reported) + 1} on (${reported.length} characters instead of ${sent.content.length}).`,
  );
}

function firstDifference(a: string, b: string): number {
  const end = Math.min(a.length, b.length);
  let at = 0;
  while (at < end && a.charCodeAt(at) === b.charCodeAt(at)) at++;
  return at;
}

/** What a person reads, white space aside: services drop scripts, styles and attributes, and write entities their own way. */
export function textOf(html: string): string {
  return htmlText(html).replace(/\s+/g, '');
}

function compareAuthor(sent: MessagePayload, read: Snapshot, subject: string): Check {
  const name = 'authors';
  const actor = reportedString(read, 'actorType');
  if (typeof actor === 'string' && actor !== sent.actorType)
    return failed(name, `${subject} is by ${actor} instead of ${sent.actorType}.`);
  const agent = reportedId(read, 'agentId', 'agent');
  if (sent.agentId !== undefined && typeof agent === 'string' && agent !== sent.agentId)
    return failed(name, `${subject} is by agent ${agent} instead of ${sent.agentId}.`);
  const otherwise = `${subject} has no author in the target.`;
  return judged(name, actor, actor !== null, 'Customers and agents are as sent.', otherwise);
}

/** Whether the target keeps them is not shown, so one that tells none has not failed. */
function compareMessageId(
  sent: string | undefined,
  reported: string | null | undefined,
  subject: string,
): Check[] {
  if (sent === undefined || reported === undefined || reported === null || reported === '') return [];
  const asSent = 'The messages have the ids of their mails.';
  const otherwise = `${subject} has another message id than the one that was sent.`;
  return [judged('message ids', reported, bareId(sent) === bareId(reported), asSent, otherwise)];
}

/** A target may copy a file to an address of its own; then its name tells it. */
function compareAttachments(sent: readonly AttachmentPayload[], read: Snapshot, of: string): Check[] {
  const name = 'attachments';
  const reported = reportedArray(read, 'attachments');
  if (reported === undefined) return sent.length === 0 ? [] : [passed(name, NOT_REPORTED)];
  const left = (reported ?? []).flatMap((entry) => {
    if (typeof entry !== 'object' || entry === null) return [];
    const { url, name: label } = entry as Readonly<Record<string, unknown>>;
    return { url: typeof url === 'string' ? url : '', name: typeof label === 'string' ? label : '' };
  });
  if (sent.length === 0 && (reported?.length ?? 0) === 0) return [];
  const takeOut = (key: 'url' | 'name', wanted: string | undefined) => {
    const at = left.findIndex((file) => file[key] === wanted);
    if (at >= 0) left.splice(at, 1);
    return at >= 0;
  };
  const moved = sent.filter(({ url }) => !takeOut('url', url));
  const missing = moved.filter((file) => !takeOut('name', file.name));
  if (missing.length > 0 || left.length > 0) {
    const parts = [
      ...(missing.length > 0 ? [`${missing.length} of ${sent.length} missing`] : []),
      ...(left.length > 0 ? [`${left.length} that ${left.length === 1 ? 'was' : 'were'} not sent`] : []),
    ];
    return [failed(name, `The attachments of ${of} differ: ${parts.join(', ')}.`)];
  }
  const all = 'All attachments are there';
  return [
    passed(name, moved.length > 0 ? `${all}; the target keeps files under its own addresses.` : `${all}.`),
  ];
}

/**
 * Every event sent must be there with its values and time. Further ones are no failure: a target writes some of its own
 * (a ticket was created, a tag was added). The order is not judged: what stands in a history is ordered by its times.
 */
export function compareEvents(sent: readonly EventPayload[], read: readonly Snapshot[]): Check[] {
  if (sent.length === 0) return [];
  const missing = pairEvents(sent, read).missing.map((index) => index + 1);
  return [
    judged(
      'events',
      read,
      missing.length === 0,
      `All ${sent.length} events are there.`,
      `${missing.length} of ${sent.length} events are missing or differ in value or time: number ${listSome(missing)}.`,
    ),
  ];
}
