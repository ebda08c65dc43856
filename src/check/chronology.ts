/**
 * Times that are possible each and impossible together. Real exports do this (merged tickets, moved systems, clocks), and
 * the specification allows it, so these are warnings, one of a kind per ticket.
 */
import type { Findings, Place } from './findings.ts';
import type { FieldTime, TimedCandidate } from './times.ts';

export interface TicketTimes {
  readonly createdAt: number;
  readonly resolvedAt: FieldTime;
  readonly closedAt: FieldTime;
}

export function checkChronology(
  ticket: TicketTimes,
  messages: readonly TimedCandidate[],
  events: readonly TimedCandidate[],
  place: Place,
  findings: Findings,
): void {
  const { createdAt, resolvedAt, closedAt } = ticket;
  if (resolvedAt !== undefined && resolvedAt < createdAt)
    findings.warning(
      place,
      'resolvedAt',
      'resolved-before-created',
      'The ticket was resolved before it was created; both times are sent as they are, so check which one is wrong.',
    );
  if (closedAt !== undefined && closedAt < createdAt)
    findings.warning(
      place,
      'closedAt',
      'closed-before-created',
      'The ticket was closed before it was created; both times are sent as they are, so check which one is wrong.',
    );
  warnOfEarly('message', messages, createdAt, findings);
  warnOfEarly('event', events, createdAt, findings);
}

function warnOfEarly(
  what: 'message' | 'event',
  items: readonly TimedCandidate[],
  createdAt: number,
  findings: Findings,
): void {
  let early = 0;
  let first: TimedCandidate | undefined;
  for (const item of items) {
    if (item.at === undefined || !(item.at < createdAt)) continue;
    early++;
    if (first === undefined || item.at < (first.at ?? 0)) first = item;
  }
  if (first === undefined) return;
  const subject = early === 1 ? `A ${what} is` : `${early} ${what}s are`;
  findings.warning(
    first.place,
    'occurredAt',
    `${what}-before-ticket`,
    `${subject.replace('A event', 'An event')} from before the ticket was created; the times are sent as they are, so check createdAt.`,
  );
}
