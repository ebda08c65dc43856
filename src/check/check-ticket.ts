/**
 * Turns a mapped ticket into one that may be sent, or rejects it with all its problems.
 *
 *   pick the API's fields → normalize addresses, times, tags → find missing times → judge by the definitions →
 *   chronology → order by time → fingerprints
 *
 * Only these change silently: the spelling of addresses and times (2.5), white space around tags, the order of messages and events.
 */
import type { TicketPayload } from '../domain/payload.ts';
import { printable, shorten } from '../domain/printable.ts';
import { isJsonObject } from '../domain/source-file.ts';
import type { CheckResult, MappedTicket, NamedContact } from '../domain/ticket.ts';
import { MISSING_TIME } from './advice.ts';
import {
  type ContactCandidate,
  eventCandidate,
  type MessageCandidate,
  messageCandidate,
  ticketCandidate,
} from './candidates.ts';
import type { Definition } from './definition.ts';
import type { Candidate, CheckRules } from './fields.ts';
import { Findings, type Reporter } from './findings.ts';
import { fingerprintsOf } from './fingerprints.ts';
import { importNote } from './import-note.ts';
import { eventPayload, messagePayload, ticketPayload } from './payloads.ts';
import { checkChronology, createTimeRules, fillTimes, findCreatedAt, type TimedCandidate } from './times.ts';

export type Checker = (mapped: MappedTicket) => CheckResult;

export function createChecker(rules: CheckRules): Checker {
  const times = createTimeRules(rules);
  const { statusChangeType } = rules;
  const event = eventPayload([statusChangeType]);
  return (mapped) => {
    const { seq, externalId } = mapped;
    const findings = new Findings(mapped, rules.fileName);
    const report = findings.reporter(mapped.ref);
    const messages = mapped.messages.map(({ value, ref }, index) =>
      messageCandidate(value, times, findings.reporter(ref, 'messages', index)),
    );
    const events = mapped.events.map(({ value, ref }, index) =>
      eventCandidate(value, statusChangeType, times, findings.reporter(ref, 'events', index)),
    );
    const counted = { ...measure(messages), events: events.length };
    if (mapped.excluded !== undefined)
      return { seq, externalId, problems: [], contacts: [], names: [], mapped: [], ...counted };

    const ticket = ticketCandidate(mapped.ticket, externalId, rules, times, report);
    const createdAt = findCreatedAt(ticket.createdAt, ticket.candidate, messages, times, report);
    for (const items of [messages, events]) fillTimes(items, createdAt, times);

    const payload = judge(ticketPayload, ticket.candidate, report);
    const sentMessages = judgeAll(messagePayload, messages);
    const sentEvents = judgeAll(event, events);
    const isNobodys =
      ticket.candidate['contact'] === undefined && ticket.candidate['contactId'] === undefined;
    if (isNobodys && !findings.rejects) report('contact', 'no-contact');
    if (messages.length === 0) report('messages', 'no-messages');
    if (createdAt !== undefined) checkChronology({ ...ticket, createdAt }, messages, events, report);
    const judged = {
      seq,
      externalId,
      problems: findings.problems,
      createdAt,
      made: madeTimes(ticket.createdAt, createdAt, messages),
      ...contactsOf(ticket.contact, createdAt, messages),
      mapped: mapped.values,
      ...counted,
    };
    if (payload === undefined || findings.rejects) return judged;
    const { note, notKept } = importNote(
      rules.unmapped === 'note' ? (mapped.unmapped ?? []) : [],
      payload,
      sentMessages,
      `ticket ${shorten(printable(externalId), 80)} in ${rules.sourceName?.() ?? 'the source'}`,
    );
    const { subject, channelId } = payload;
    addSettings(payload, externalId, rules);
    const parts = { ticket: payload, messages: sentMessages, events: sentEvents, ...(note && { note }) };
    const asExported = { marks: ticket.marks, subject, channelId };
    const fingerprints = fingerprintsOf(parts, asExported);
    const { ref, rows } = mapped;
    return {
      ...judged,
      notKept,
      checked: { seq, externalId, ref, rows, ...parts, fingerprints, asExported },
    };
  };
}

function madeTimes(
  own: number | undefined,
  createdAt: number | undefined,
  messages: readonly TimedCandidate[],
): CheckResult['made'] {
  const times = messages.filter(({ isAssumed }) => isAssumed === true).length;
  const isMade = own === undefined && createdAt !== undefined;
  const created = isMade ? (times === messages.length ? 'set' : 'said') : undefined;
  return created === undefined && times === 0 ? undefined : { created, times };
}

/** The channel only if the export names none. */
function addSettings(payload: TicketPayload, externalId: string, rules: CheckRules): void {
  const { subject, channelId } = rules;
  if (subject !== undefined)
    payload.subject = subject.replace(/\{(subject|id)\}/g, (_, name) =>
      name === 'id' ? externalId.toWellFormed() : payload.subject,
    );
  if (channelId !== undefined) payload.channelId ??= channelId;
}

/** Undefined after a fault: each becomes a problem. */
function judge<Payload>(
  definition: Definition<Payload>,
  candidate: Candidate,
  report: Reporter,
): Payload | undefined {
  const judged = definition.judge(candidate);
  if ('record' in judged) return judged.record;
  for (const { path, kind, data } of judged.faults) if (kind !== MISSING_TIME) report(path, kind, data);
  return undefined;
}

function judgeAll<Payload>(
  definition: Definition<Payload>,
  items: readonly TimedCandidate[],
): readonly Payload[] {
  const isInOrder = items.every(({ at = 0 }, index) => index === 0 || (items[index - 1]?.at ?? 0) <= at);
  const ordered = isInOrder ? items : asWritten(items).toSorted((a, b) => (a.at ?? 0) - (b.at ?? 0));
  return ordered.flatMap(({ candidate, report }) => judge(definition, candidate, report) ?? []);
}

/** Reverses a list from newest to oldest: with days only, its order decides. The ticket's own text may come first. */
function asWritten(items: readonly TimedCandidate[]): readonly TimedCandidate[] {
  const times = items.map(({ at, isAssumed }) => (isAssumed === true ? Number.NaN : (at ?? Number.NaN)));
  const isAbove = times.length > 2 && (times[0] ?? 0) < (times[1] ?? 0);
  const list = isAbove ? times.slice(1) : times;
  const isNewestFirst = list.every((at, index) => index === 0 || (list[index - 1] ?? 0) >= at);
  if (!isNewestFirst || (isAbove && list.some((at) => at < (times[0] ?? 0)))) return items;
  return [...(isAbove ? items.slice(0, 1) : []), ...items.slice(isAbove ? 1 : 0).toReversed()];
}

/** A rejected ticket has them too; the ticket's come first. */
function contactsOf(
  own: ContactCandidate | undefined,
  createdAt: number | undefined,
  messages: readonly MessageCandidate[],
): { contacts: string[]; names: NamedContact[] } {
  const good = [{ contact: own, at: createdAt }, ...messages].flatMap(({ contact, at }) =>
    contact?.isGood === true ? [{ ...contact, at }] : [],
  );
  return {
    contacts: [...new Set(good.map(({ email }) => email))],
    // A name of unknown age loses.
    names: good.flatMap(({ email, name, at }) => (name === undefined ? [] : [{ email, name, at: at || 0 }])),
  };
}

function measure(
  messages: readonly MessageCandidate[],
): Pick<CheckResult, 'messages' | 'internal' | 'attachments' | 'attachmentBytes'> {
  const attached = messages.flatMap(({ candidate: { attachments } }): unknown[] =>
    Array.isArray(attachments) ? attachments : [],
  );
  const sizes = attached.map((attachment) => (isJsonObject(attachment) ? attachment['sizeBytes'] : 0));
  return {
    messages: messages.length,
    internal: messages.filter(({ candidate }) => candidate['isInternal'] === true).length,
    attachments: attached.length,
    attachmentBytes: sizes.reduce<number>(
      (sum, size) => sum + (typeof size === 'number' && size > 0 ? size : 0),
      0,
    ),
  };
}
