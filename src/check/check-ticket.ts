/**
 * A ticket as mapped becomes a ticket that may be sent, or is rejected with everything that is wrong with it.
 *
 *   pick the API's fields → normalize addresses, times, tags → find missing times → judge by the definitions →
 *   chronology → order by time → fingerprints
 *
 * Nothing is thrown for data, and nothing is repaired in silence: what is changed without a word is the spelling of
 * addresses and times (2.5), white space around tags, and the order of messages and events.
 */
import type { TicketPayload } from '../domain/payload.ts';
import { printable, shorten } from '../domain/printable.ts';
import type { CheckResult, MappedTicket, NamedContact } from '../domain/ticket.ts';
import { acceptedTicket } from './accepted-ticket.ts';
import type { Definition } from './definition.ts';
import { type Candidate, isRecord } from './fields.ts';
import { Findings, type RecordPlace } from './findings.ts';
import { importNote } from './import-note.ts';
import { eventCandidate, type MessageCandidate, messageCandidate } from './item-candidates.ts';
import {
  customerMessagePayload,
  eventPayload,
  MISSING_TIME,
  messagePayload,
  ticketPayload,
} from './payloads.ts';
import type { CheckRules } from './rules.ts';
import { type ContactCandidate, ticketCandidate } from './ticket-candidate.ts';
import { checkChronology, createTimeRules, fillTimes, findCreatedAt, type TimedCandidate } from './times.ts';

export type Checker = (mapped: MappedTicket) => CheckResult;

/** Throws AppError `configuration` where the rules themselves are impossible (an unknown time zone). */
export function createChecker(rules: CheckRules): Checker {
  const times = createTimeRules(rules);
  const event = eventPayload([rules.statusChangeType]);
  return (mapped) => {
    const findings = new Findings(mapped, rules.fileName);
    const place: RecordPlace = { ref: mapped.ref, index: 0 };
    const messages = mapped.messages.map((item, index) =>
      messageCandidate(item, index, times, rules.people, findings),
    );
    const events = mapped.events.map((item, index) =>
      eventCandidate(item, index, rules.statusChangeType, times, findings),
    );
    const counted = { ...measure(messages), events: events.length };
    if (mapped.excluded !== undefined) return leftOut(mapped, counted);

    const ticket = ticketCandidate(mapped.ticket, mapped.externalId, rules, times, place, findings);
    const createdAt = findCreatedAt(ticket.createdAt, ticket.candidate, messages, times, place, findings);
    fillTimes(messages, createdAt, times, findings);
    fillTimes(events, createdAt, times, findings);

    const payload = judge(ticketPayload, ticket.candidate, place, findings);
    const sentMessages = judgeAll(messageDefinition, messages, findings);
    const sentEvents = judgeAll(() => event, events, findings);
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
    const isGood = payload !== undefined && !findings.rejects;
    const note = isGood
      ? importNote(
          rules.unmapped === 'note' ? (mapped.unmapped ?? []) : [],
          payload,
          sentMessages,
          whose(mapped, rules),
          rules.people && otherAddresses([ticket.contact, ...messages.map(({ contact }) => contact)]),
        )
      : undefined;
    const exported = { subject: payload?.subject ?? '', channelId: payload?.channelId };
    if (isGood) addSettings(payload, mapped.externalId, rules);
    return {
      seq: mapped.seq,
      externalId: mapped.externalId,
      problems: findings.problems,
      checked: isGood
        ? acceptedTicket(
            mapped,
            { ticket: payload, messages: sentMessages, events: sentEvents, ...(note && { note }) },
            { marks: ticket.marks, ...exported },
          )
        : undefined,
      createdAt,
      ...contactsOf(ticket.contact, createdAt, messages),
      mapped: mapped.values,
      ...counted,
    };
  };
}

/** Of the people in a ticket: those under which the target does not know them. */
function otherAddresses(
  contacts: readonly (ContactCandidate | undefined)[],
): ReadonlyMap<string, readonly string[]> {
  return new Map(
    contacts.flatMap((contact) =>
      contact?.person === undefined ? [] : [[contact.email, contact.person.others]],
    ),
  );
}

/** The ticket as a person would look for it in the source. */
function whose({ externalId }: MappedTicket, { sourceName }: CheckRules): string {
  return `ticket ${shorten(printable(externalId), 80)} in ${sourceName?.() ?? 'the source'}`;
}

/** What the settings say of every ticket; the channel, of those whose export names none. */
function addSettings(payload: TicketPayload, externalId: string, rules: CheckRules): void {
  const { subject, channelId } = rules;
  if (subject !== undefined)
    payload.subject = subject.replace(/\{(subject|id)\}/g, (_, name) =>
      name === 'id' ? externalId.toWellFormed() : payload.subject,
    );
  if (channelId !== undefined) payload.channelId ??= channelId;
}

/** The payload, or undefined where the definition finds faults: each becomes a finding. */
function judge<Payload>(
  definition: Definition<Payload>,
  candidate: Candidate,
  place: RecordPlace,
  findings: Findings,
): Payload | undefined {
  const judged = definition.judge(candidate);
  if ('record' in judged) return judged.record;
  for (const { path, code, advice } of judged.faults)
    if (code !== MISSING_TIME) findings.error(place, path, code, advice);
  return undefined;
}

const messageDefinition = ({ actorType }: Candidate) =>
  actorType === 'customer' ? customerMessagePayload : messagePayload;

/** In order of time, ties as they were written. Incomplete where there were findings; the ticket is rejected then. */
function judgeAll<Payload>(
  definitionOf: (candidate: Candidate) => Definition<Payload>,
  items: readonly TimedCandidate[],
  findings: Findings,
): readonly Payload[] {
  const isInOrder = items.every(({ at = 0 }, index) => index === 0 || (items[index - 1]?.at ?? 0) <= at);
  const payloads: Payload[] = [];
  for (const { candidate, place } of isInOrder
    ? items
    : asWritten(items).toSorted((a, b) => (a.at ?? 0) - (b.at ?? 0))) {
    const payload = judge(definitionOf(candidate), candidate, place, findings);
    if (payload !== undefined) payloads.push(payload);
  }
  return payloads;
}

/**
 * A list that stands newest first is turned round: where an export has days or minutes alone, its order is all that tells what
 * came first. The text of the ticket itself may stand before it.
 */
function asWritten(items: readonly TimedCandidate[]): readonly TimedCandidate[] {
  const times = items.map(({ at, isAssumed }) => (isAssumed === true ? Number.NaN : (at ?? Number.NaN)));
  const isAbove = times.length > 2 && (times[0] ?? 0) < (times[1] ?? 0);
  const list = isAbove ? times.slice(1) : times;
  const isNewestFirst = list.every((at, index) => index === 0 || (list[index - 1] ?? 0) >= at);
  if (!isNewestFirst || (isAbove && list.some((at) => at < (times[0] ?? 0)))) return items;
  return [...(isAbove ? items.slice(0, 1) : []), ...items.slice(isAbove ? 1 : 0).toReversed()];
}

type Counts = Pick<CheckResult, 'messages' | 'events' | 'internal' | 'attachments' | 'attachmentBytes'>;

/** What an exclude rule leaves out has been read, and is judged by nobody. */
function leftOut({ seq, externalId }: MappedTicket, counted: Counts): CheckResult {
  return { seq, externalId, problems: [], contacts: [], names: [], mapped: [], ...counted };
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
