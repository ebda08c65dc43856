/** The messages of a ticket as they were sent against those that the target tells (2.2, 2.3). Pure. */
import type { AttachmentPayload, EventPayload, MessagePayload } from '../domain/payload.ts';
import {
  isoOf,
  pairEvents,
  sameInstant,
  textKey,
  toldArray,
  toldBoolean,
  toldId,
  toldInstant,
  toldString,
} from '../domain/snapshot.ts';
import type { Snapshot } from '../domain/ticket-api.ts';
import { htmlText } from '../present/conversation/html-text.ts';
import { type Check, listSome, mergeChecks, NOT_TOLD, plural } from './check.ts';
import { compareContact } from './compare-ticket.ts';
import { pairMessages } from './pair-messages.ts';

/** Details count messages from 1, in the order in which they were sent. */
export function compareMessages(sent: readonly MessagePayload[], read: readonly Snapshot[]): Check[] {
  const { readIndex, extra } = pairMessages(sent, read);
  const checks: Check[] = [...compareCount(sent.length, readIndex, extra.length, read.length)];
  const order = compareOrder(readIndex, read);
  if (order !== undefined) checks.push(order);
  for (const [index, message] of sent.entries()) {
    const at = readIndex[index];
    const told = at === undefined ? undefined : read[at];
    if (told !== undefined) checks.push(...compareMessage(message, told, `message ${index + 1}`));
  }
  return mergeChecks(checks);
}

function compareCount(
  sent: number,
  readIndex: readonly (number | undefined)[],
  extra: number,
  read: number,
): Check[] {
  const name = 'message count';
  const missing = [...readIndex.keys()].filter((index) => readIndex[index] === undefined);
  if (missing.length === 0 && extra === 0)
    return [
      { name, ok: true, detail: sent === 1 ? 'The message is there.' : `All ${sent} messages are there.` },
    ];
  const parts = [
    `The target has ${plural(read, 'message')} where ${sent} ${sent === 1 ? 'was' : 'were'} sent.`,
  ];
  if (missing.length > 0) parts.push(`Missing: number ${listSome(missing.map((index) => index + 1))}.`);
  if (extra > 0) parts.push(`Only in the target: ${extra}.`);
  return [{ name, ok: false, detail: parts.join(' ') }];
}

/** The same sequence, or exactly the opposite one: some targets list the newest message first. */
function compareOrder(
  readIndex: readonly (number | undefined)[],
  read: readonly Snapshot[],
): Check | undefined {
  const name = 'message order';
  const found = [...readIndex.entries()].filter((pair): pair is [number, number] => pair[1] !== undefined);
  if (found.length < 2) return undefined;
  const turns = { up: 0, down: 0 };
  let firstBreak = 0;
  for (const [place, pair] of found.entries()) {
    const before = found[place - 1];
    if (before === undefined) continue;
    if (pair[1] > before[1]) turns.up++;
    else {
      if (turns.down === 0) firstBreak = pair[0];
      turns.down++;
    }
  }
  if (turns.down === 0)
    return { name, ok: true, detail: 'The messages stand in the order of the conversation.' };
  // Two messages alone could as well have changed places, unless their times say that the list runs backwards.
  if (turns.up === 0 && (found.length > 2 || runsBackwards(read)))
    return { name, ok: true, detail: 'The target lists the newest message first, in the right order.' };
  return { name, ok: false, detail: `From message ${firstBreak + 1} on the target has another order.` };
}

function runsBackwards(read: readonly Snapshot[]): boolean {
  return read.every((message, index) => {
    const at = toldInstant(message, 'occurredAt');
    const next = read[index + 1];
    const after = next === undefined ? undefined : toldInstant(next, 'occurredAt');
    return next === undefined || (typeof at === 'number' && typeof after === 'number' && at > after);
  });
}

function compareMessage(sent: MessagePayload, read: Snapshot, of: string): Check[] {
  const contact = compareContact(sent, read, of);
  return [
    compareContent(sent, read, of),
    compareTime(sent.occurredAt, toldInstant(read, 'occurredAt'), of),
    compareAuthor(sent, read, of),
    ...(contact === undefined ? [] : [contact]),
    compareInternal(sent.isInternal ?? false, toldBoolean(read, 'isInternal'), of),
    ...compareMessageId(sent.messageId, toldString(read, 'messageId'), of),
    ...compareAttachments(sent.attachments ?? [], read, of),
  ];
}

function compareTime(sent: string, told: number | null | undefined, of: string): Check {
  const name = 'timestamps';
  if (told === undefined) return { name, ok: true, detail: NOT_TOLD };
  if (told !== null && sameInstant(sent, told))
    return { name, ok: true, detail: 'The messages have their original times.' };
  return {
    name,
    ok: false,
    detail: `${capital(of)} has ${told === null ? 'no time' : isoOf(told)} instead of ${sent}.`,
  };
}

function compareAuthor(sent: MessagePayload, read: Snapshot, of: string): Check {
  const name = 'authors';
  const actor = toldString(read, 'actorType');
  if (typeof actor === 'string' && actor !== sent.actorType)
    return { name, ok: false, detail: `${capital(of)} is by ${actor} instead of ${sent.actorType}.` };
  const agent = toldId(read, 'agentId', 'agent');
  if (sent.agentId !== undefined && typeof agent === 'string' && agent !== sent.agentId)
    return { name, ok: false, detail: `${capital(of)} is by agent ${agent} instead of ${sent.agentId}.` };
  if (actor === undefined) return { name, ok: true, detail: NOT_TOLD };
  if (actor === null) return { name, ok: false, detail: `${capital(of)} has no author in the target.` };
  return { name, ok: true, detail: 'Customers and agents are told apart as sent.' };
}

function compareInternal(sent: boolean, told: boolean | null | undefined, of: string): Check {
  const name = 'internal notes';
  if (told === undefined) return { name, ok: true, detail: NOT_TOLD };
  if ((told ?? false) === sent)
    return { name, ok: true, detail: 'Internal notes are internal, and nothing else is.' };
  return {
    name,
    ok: false,
    detail: sent
      ? `${capital(of)} is an internal note, and the target shows it to the customer.`
      : `${capital(of)} is hidden from the customer as an internal note, and was not one.`,
  };
}

/** Whether the target keeps them is not shown, so one that tells none has not failed. */
function compareMessageId(sent: string | undefined, told: string | null | undefined, of: string): Check[] {
  if (sent === undefined || told === undefined || told === null || told === '') return [];
  const name = 'message ids';
  return bareId(sent) === bareId(told)
    ? [{ name, ok: true, detail: 'The messages have the ids of their mails.' }]
    : [{ name, ok: false, detail: `${capital(of)} has another message id than the one that was sent.` }];
}

/** Services keep the angle brackets of a Message-ID, or take them off. */
function bareId(id: string): string {
  return id.trim().replace(/^<|>$/g, '');
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** One message's text (2.2). Details tell where it differs, never what it says. */

function compareContent(sent: MessagePayload, read: Snapshot, of: string): Check {
  const name = 'message content';
  const content = toldString(read, 'content');
  if (content === undefined) return { name, ok: true, detail: NOT_TOLD };
  const told = content ?? '';
  const type = toldString(read, 'contentType');
  const wantedType = sent.contentType ?? 'text';
  if (typeof type === 'string' && type !== wantedType)
    return { name, ok: false, detail: `The content type of ${of} is ${type} instead of ${wantedType}.` };
  if (textKey(told) === textKey(sent.content)) return { name, ok: true, detail: 'All texts are the same.' };
  if (wantedType === 'html' && textOf(told) === textOf(sent.content))
    return { name, ok: true, detail: 'The target cleans html; what people read is the same.' };
  return {
    name,
    ok: false,
    detail: `The text of ${of} differs from character ${firstDifference(sent.content, told) + 1} on (${told.length} characters instead of ${sent.content.length}).`,
  };
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

/** The attachments of one message (2.3). A target may copy a file to an address of its own; then its name tells it. */

function compareAttachments(sent: readonly AttachmentPayload[], read: Snapshot, of: string): Check[] {
  const name = 'attachments';
  const told = toldArray(read, 'attachments');
  if (told === undefined) return sent.length === 0 ? [] : [{ name, ok: true, detail: NOT_TOLD }];
  if (sent.length === 0 && (told?.length ?? 0) === 0) return [];

  const urls: string[] = [];
  const names: string[] = [];
  for (const entry of told ?? []) {
    if (typeof entry !== 'object' || entry === null) continue;
    const fields = entry as Readonly<Record<string, unknown>>;
    urls.push(typeof fields['url'] === 'string' ? fields['url'] : '');
    names.push(typeof fields['name'] === 'string' ? fields['name'] : '');
  }
  let missing = 0;
  let moved = 0;
  const unnamed: AttachmentPayload[] = [];
  for (const attachment of sent) if (!takeOut(urls, names, urls, attachment.url)) unnamed.push(attachment);
  for (const attachment of unnamed) {
    if (attachment.name !== undefined && takeOut(names, urls, names, attachment.name)) moved++;
    else missing++;
  }
  if (missing > 0 || urls.length > 0) {
    const parts = [
      ...(missing > 0 ? [`${missing} of ${sent.length} missing`] : []),
      ...(urls.length > 0 ? [`${urls.length} that ${urls.length === 1 ? 'was' : 'were'} not sent`] : []),
    ];
    return [{ name, ok: false, detail: `The attachments of ${of} differ: ${parts.join(', ')}.` }];
  }
  return [
    {
      name,
      ok: true,
      detail:
        moved > 0
          ? 'All attachments are there; the target keeps files under addresses of its own.'
          : 'All attachments are there.',
    },
  ];
}

/** Removes the entry whose value in `search` is `wanted` from both parallel lists. */
function takeOut(first: string[], second: string[], search: readonly string[], wanted: string): boolean {
  const at = search.indexOf(wanted);
  if (at < 0) return false;
  first.splice(at, 1);
  second.splice(at, 1);
  return true;
}

/** The history of a ticket as it was sent against the events that the target tells (2.4). Pure. */

/**
 * Every event sent must be there with its values and time. Further ones are no failure: a target writes some of its own
 * (a ticket was created, a tag was added). The order is not judged: what stands in a history is ordered by its times.
 */
export function compareEvents(sent: readonly EventPayload[], read: readonly Snapshot[]): Check[] {
  const name = 'events';
  if (sent.length === 0) return [];
  const missing = pairEvents(sent, read).missing.map((index) => index + 1);
  if (missing.length > 0)
    return [
      {
        name,
        ok: false,
        detail: `${missing.length} of ${sent.length} events are missing or differ in value or time: number ${listSome(missing)}.`,
      },
    ];
  return [{ name, ok: true, detail: `All ${sent.length} events are there.` }];
}
