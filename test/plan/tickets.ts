import type { EventPayload, MessagePayload, TicketPayload } from '../../src/domain/payload.ts';
import type { CheckedTicket, CheckResult } from '../../src/domain/ticket.ts';
import type { Step } from '../../src/plan/step.ts';
import { TicketPlan } from '../../src/plan/ticket-plan.ts';
import { traitsOf } from '../../src/plan/trial.ts';
import { openTempDatabase } from '../../src/source/stage.ts';

export const FINGERPRINTS = { ticket: 't'.repeat(16), messages: 'm'.repeat(16), events: 'e'.repeat(16) };

export function message(change: Partial<MessagePayload> = {}): MessagePayload {
  return { actorType: 'system', content: 'x', occurredAt: '2024-05-01T10:00:00.000Z', ...change };
}

export function event(from: string, to: string): EventPayload {
  return {
    type: 'status_change',
    oldValue: { status: from },
    newValue: { status: to },
    actorType: 'system',
    occurredAt: '2024-05-01T10:00:00.000Z',
  };
}

export function ticket(
  seq: number,
  fields: Partial<TicketPayload> = {},
  messages: readonly MessagePayload[] = [message()],
  events: readonly EventPayload[] = [],
): CheckedTicket {
  return {
    seq,
    externalId: `T-${seq}`,
    ref: { file: 0, row: seq, line: seq + 2 },
    ticket: {
      subject: 'Subject',
      contact: { email: 'ann@example.com' },
      createdAt: '2024-05-01T10:00:00.000Z',
      ...fields,
    },
    messages,
    events,
    fingerprints: FINGERPRINTS,
    rows: [],
  };
}

export function resultOf(checked: CheckedTicket, more: Partial<CheckResult> = {}): CheckResult {
  return {
    seq: checked.seq,
    externalId: checked.externalId,
    problems: [],
    checked,
    createdAt: Date.parse(checked.ticket.createdAt),
    contacts: [],
    names: [],
    mapped: [],
    messages: checked.messages.length,
    internal: 0,
    events: checked.events.length,
    attachments: 0,
    attachmentBytes: 0,
    ...more,
  };
}

export function rejected(seq: number, more: Partial<CheckResult> = {}): CheckResult {
  const { checked: _, createdAt: __, ...result } = resultOf(ticket(seq));
  return { ...result, ...more };
}

const PENDING: Step = { outcome: 'pending', changed: [] };

/** A plan of these results, surveyed. */
export function planOf(
  tickets: readonly { result: CheckResult; step?: Step; leftOut?: string }[],
): TicketPlan {
  const plan = new TicketPlan(openTempDatabase());
  plan.begin();
  for (const [seq, { result, step = PENDING, leftOut }] of tickets.entries()) {
    const { externalId, checked } = result;
    const ref = { file: 0, row: seq, line: seq + 2 };
    const none = {
      agents: [null],
      subject: undefined,
      excluded: undefined,
      exportedAt: undefined,
      refusal: undefined,
    };
    plan.add([{ kind: 'ticket', seq, externalId, ref, rows: [], result, ...none }]);
    const stepped = { seq, externalId, result, step, leftOut };
    plan.steps.add(stepped, checked && traitsOf(checked));
    plan.steps.addMapped(stepped);
  }
  return plan;
}
