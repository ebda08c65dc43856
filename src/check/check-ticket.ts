/**
 * A ticket as mapped becomes a ticket that may be sent, or is rejected with everything that is wrong with it.
 *
 *   pick the API's fields → normalize addresses, times, tags → find missing times → judge by the schemas →
 *   chronology → order by time → fingerprints
 *
 * Nothing is thrown for data, and nothing is repaired in silence: what is changed without a word is the spelling of
 * addresses and times (2.5), white space around tags, and the order of messages and events.
 */
import type { z } from 'zod';
import type { CheckResult, NamedContact } from '../domain/checked.ts';
import type { MappedTicket } from '../domain/mapped.ts';
import type { EventPayload, MessagePayload } from '../domain/payload.ts';
import { AcceptedTicket } from './accepted-ticket.ts';
import { checkChronology } from './chronology.ts';
import { type EventCandidate, eventCandidate } from './event-candidate.ts';
import { type Candidate, isRecord } from './fields.ts';
import { Findings, type Place } from './findings.ts';
import { type MessageCandidate, messageCandidate } from './message-candidate.ts';
import { plainEvent, plainMessage, plainTicket } from './plainly-good.ts';
import { quickEvent, quickMessage } from './quick-candidate.ts';
import type { CheckRules } from './rules.ts';
import { reportIssues } from './schema-findings.ts';
import type { EventSchemaRules, PayloadSchemas } from './schemas.ts';
import { type ContactCandidate, ticketCandidate } from './ticket-candidate.ts';
import { createTimeRules, fillTimes, findCreatedAt, type TimedCandidate } from './times.ts';

type MakeSchemas = (rules: EventSchemaRules) => PayloadSchemas;

/**
 * The result at once, but for the first ticket with a record that is not plainly good: what judges such records is loaded
 * when it is met, as that takes as long as the rest of the program's start and a good export never needs it.
 */
export type Checker = (mapped: MappedTicket) => CheckResult | Promise<CheckResult>;

/** Throws AppError `configuration` where the rules themselves are impossible (an unknown time zone). */
export function createChecker(rules: CheckRules): Checker;
/** With the schemas at hand the result is always there at once. */
export function createChecker(
  rules: CheckRules,
  makeSchemas: MakeSchemas,
): (mapped: MappedTicket) => CheckResult;
export function createChecker(rules: CheckRules, makeSchemas?: MakeSchemas): Checker {
  const times = createTimeRules(rules);
  const needsContactId = rules.customerEvents === 'reject';
  const schemaRules = { statusChangeTypes: [rules.statusChangeType], customerNeedsContactId: needsContactId };
  let schemas = makeSchemas?.(schemaRules);
  let isUndecided = false;

  /** The payload, or undefined where the schema has issues: each becomes a finding. */
  const judge = <Kind extends keyof PayloadSchemas>(
    kind: Kind,
    candidate: Candidate,
    place: Place,
    findings: Findings,
  ): z.infer<PayloadSchemas[Kind]> | undefined => {
    if (schemas === undefined) {
      isUndecided = true;
      return undefined;
    }
    const result = schemas[kind].safeParse(candidate);
    if (result.success) return result.data as z.infer<PayloadSchemas[Kind]>;
    reportIssues(result.error.issues, candidate, place, findings);
    return undefined;
  };
  const judgeMessage = (item: MessageCandidate, findings: Findings): MessagePayload | undefined =>
    item.payload ??
    plainMessage(item, item.contact) ??
    judge('message', item.candidate, item.place, findings);
  const judgeEvent = (item: EventCandidate, findings: Findings): EventPayload | undefined =>
    item.payload ??
    plainEvent(item, rules.statusChangeType, needsContactId) ??
    judge('event', item.candidate, item.place, findings);

  const check = (mapped: MappedTicket): CheckResult => {
    const findings = new Findings(mapped, rules.fileName);
    const place: Place = { ref: mapped.ref, index: 0 };
    const messages = mapped.messages.map(
      (item, index) => quickMessage(item, index, times) ?? messageCandidate(item, index, times, findings),
    );
    const events = mapped.events.map(
      (item, index) =>
        quickEvent(item, index, rules.statusChangeType, needsContactId, times) ??
        eventCandidate(item, index, rules.statusChangeType, times, findings),
    );
    const counted = { ...measure(messages), events: events.length };
    if (mapped.excluded !== undefined) return leftOut(mapped, counted);

    const ticket = ticketCandidate(mapped.ticket, mapped.externalId, rules, times, place, findings);

    const createdAt = findCreatedAt(ticket.createdAt, ticket.candidate, messages, times, place, findings);
    fillTimes(messages, createdAt, times, findings);
    fillTimes(events, createdAt, times, findings);

    const payload = plainTicket(ticket, createdAt) ?? judge('ticket', ticket.candidate, place, findings);
    const sentMessages = judgeAll(messages, judgeMessage, findings);
    const sentEvents = judgeAll(events, judgeEvent, findings);
    if (ticket.candidate['contact'] === undefined && ticket.candidate['contactId'] === undefined)
      findings.warning(
        place,
        'contact',
        'no-contact',
        'The ticket has neither contact nor contactId, so the target cannot tell who asked; add one if you can.',
      );
    if (messages.length === 0)
      findings.warning(
        place,
        'messages',
        'no-messages',
        'The ticket has no messages; it is sent without any, so check that the export is complete.',
      );
    if (createdAt !== undefined) checkChronology({ ...ticket, createdAt }, messages, events, place, findings);

    const checked =
      payload === undefined || findings.rejects
        ? undefined
        : new AcceptedTicket(mapped, payload, sentMessages, sentEvents, ticket.marks);
    return {
      seq: mapped.seq,
      externalId: mapped.externalId,
      problems: findings.problems,
      ...(checked === undefined ? {} : { checked }),
      ...(createdAt === undefined ? {} : { createdAt }),
      ...contactsOf(ticket.contact, createdAt, messages),
      mapped: mapped.values,
      ...counted,
    };
  };

  return (mapped) => {
    const result = check(mapped);
    if (!isUndecided) return result;
    return import('./schemas.ts').then(({ payloadSchemas }) => {
      schemas = payloadSchemas(schemaRules);
      isUndecided = false;
      return check(mapped);
    });
  };
}

type Counts = Pick<CheckResult, 'messages' | 'events' | 'internal' | 'attachments' | 'attachmentBytes'>;

/** What an exclude rule leaves out has been read, and is judged by nobody. */
function leftOut({ seq, externalId }: MappedTicket, counted: Counts): CheckResult {
  return { seq, externalId, problems: [], contacts: [], names: [], mapped: [], ...counted };
}

/** In order of time, ties in source order. Incomplete where there were findings; the ticket is rejected then. */
function judgeAll<Item extends TimedCandidate, Payload>(
  items: readonly Item[],
  judgeOne: (item: Item, findings: Findings) => Payload | undefined,
  findings: Findings,
): readonly Payload[] {
  if (items.length === 0) return [];
  const payloads: Payload[] = [];
  const times: number[] = [];
  let inOrder = true;
  for (const item of items) {
    const payload = judgeOne(item, findings);
    if (payload === undefined) continue;
    const { at = Number.NaN } = item;
    if (at < (times.at(-1) ?? Number.NEGATIVE_INFINITY)) inOrder = false;
    payloads.push(payload);
    times.push(at);
  }
  return inOrder ? payloads : byTime(payloads, times);
}

function byTime<Payload>(payloads: readonly Payload[], times: readonly number[]): Payload[] {
  return payloads
    .map((payload, index) => ({ payload, at: times[index] ?? Number.NaN }))
    .sort((a, b) => a.at - b.at)
    .map(({ payload }) => payload);
}

/** Addresses and names that are good in themselves, whatever else is wrong with the ticket; the ticket's come first. */
function contactsOf(
  own: ContactCandidate | undefined,
  createdAt: number | undefined,
  messages: readonly MessageCandidate[],
): { contacts: string[]; names: NamedContact[] } {
  const contacts = new Set<string>();
  const names: NamedContact[] = [];
  const offer = (contact: ContactCandidate | undefined, at: number | undefined): void => {
    if (contact?.isGood !== true) return;
    contacts.add(contact.email);
    // A name of unknown age gives way to every other one.
    if (contact.name !== undefined)
      names.push({
        email: contact.email,
        name: contact.name,
        at: at === undefined || Number.isNaN(at) ? 0 : at,
      });
  };
  offer(own, createdAt);
  for (const { contact, at } of messages) offer(contact, at);
  return { contacts: [...contacts], names };
}

function measure(messages: readonly MessageCandidate[]): Omit<Counts, 'events'> {
  let internal = 0;
  let attachments = 0;
  let attachmentBytes = 0;
  for (const { candidate } of messages) {
    if (candidate['isInternal'] === true) internal++;
    const attached = candidate['attachments'];
    if (!Array.isArray(attached)) continue;
    attachments += attached.length;
    for (const attachment of attached) {
      const size: unknown = isRecord(attachment) ? attachment['sizeBytes'] : undefined;
      if (typeof size === 'number' && size > 0) attachmentBytes += size;
    }
  }
  return { messages: messages.length, internal, attachments, attachmentBytes };
}
