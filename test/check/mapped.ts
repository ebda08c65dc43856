import { createChecker } from '../../src/check/check-ticket.ts';
import type { CheckRules } from '../../src/check/fields.ts';
import type { Problem } from '../../src/domain/problem.ts';
import type { RecordRef } from '../../src/domain/source.ts';
import type { CheckResult, MappedTicket } from '../../src/domain/ticket.ts';

export const NOW = Date.parse('2025-06-01T12:00:00Z');

export function refAt(line: number, file = 0): RecordRef {
  return { file, row: line, line };
}

export const RULES: CheckRules = {
  fileName: (ref) => ['tickets.csv', 'messages.csv', 'events.csv'][ref.file] ?? `file ${ref.file}`,
  now: () => NOW,
  tag: 'imported',
  statusChangeType: 'status_change',
};

type Fields = Record<string, unknown>;

/** A ticket on line 2 of tickets.csv; messages on lines 10, 11, … of messages.csv; events on lines 20, 21, … */
export function mapped(
  ticket: Fields,
  messages: readonly unknown[] = [],
  events: readonly unknown[] = [],
  more: Partial<MappedTicket> = {},
): MappedTicket {
  return {
    kind: 'ticket',
    seq: 7,
    externalId: 'T-1',
    ref: refAt(2),
    ticket,
    messages: messages.map((value, index) => ({ value: value as Fields, ref: refAt(10 + index, 1) })),
    events: events.map((value, index) => ({ value: value as Fields, ref: refAt(20 + index, 2) })),
    rows: [{ table: 'tickets', ref: refAt(2) }],
    problems: [],
    values: [],
    ...more,
  };
}

export const TICKET = {
  subject: 'Printer on fire',
  contact: { email: 'ann@example.com' },
  createdAt: '2024-05-01T10:00:00Z',
};
export const FROM_CUSTOMER = {
  actorType: 'customer',
  content: 'Help!',
  contact: { email: 'ann@example.com' },
  occurredAt: '2024-05-01T10:00:00Z',
};
export const FROM_AGENT = {
  actorType: 'agent',
  content: 'Use water.',
  agentId: 'agent-1',
  occurredAt: '2024-05-01T11:00:00Z',
};
export const STATUS_CHANGE = {
  type: 'status_change',
  oldValue: { status: 'open' },
  newValue: { status: 'resolved' },
  actorType: 'agent',
  agentId: 'agent-1',
  occurredAt: '2024-05-01T12:00:00Z',
};

export function check(ticket: MappedTicket, rules: Partial<CheckRules> = {}): CheckResult {
  return createChecker({ ...RULES, ...rules })(ticket);
}

/** `error invalid-status status`, first to last. */
export function reported(result: { readonly problems: readonly Problem[] }): string[] {
  return result.problems.map((problem) => `${problem.severity} ${problem.code} ${problem.field}`);
}
