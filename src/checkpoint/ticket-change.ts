/**
 * What a change makes of a ticket's record: pure, and the only place where records are made.
 *
 * Two rules stand beside the table of transitions (domain/ticket-state.ts), because breaking either would create a
 * ticket twice: a record with a ticket id never becomes `creating` or another ticket's, and only a record with a ticket id is resumed.
 * The intent is kept exactly as long as the outcome of the create is unknown.
 */

import { AppError } from '../domain/errors.ts';
import type { CreateIntent, TicketProblem, TicketRecord } from '../domain/ledger.ts';
import type { Fingerprints } from '../domain/ticket.ts';
import { nextState, type TicketEventName, type TicketState } from '../domain/ticket-state.ts';

export type TicketChange =
  | {
      readonly event: 'intend';
      readonly intent: CreateIntent;
      readonly fingerprints: Fingerprints;
      readonly origin?: string | undefined;
    }
  | { readonly event: 'created'; readonly ticketId: string; readonly fields?: string | undefined }
  | { readonly event: 'adopted'; readonly ticketId: string }
  | { readonly event: 'fieldsSent'; readonly fields: string; readonly ticket?: string | undefined }
  | {
      readonly event: 'messagesSent' | 'eventsSent';
      readonly sent?: Fingerprints | undefined;
      readonly thread?: string | undefined;
    }
  | { readonly event: 'refused' | 'doubt'; readonly problem: TicketProblem }
  | { readonly event: 'rejected'; readonly problem: TicketProblem; readonly origin?: string | undefined }
  | { readonly event: 'reopened'; readonly fingerprints: Fingerprints }
  | { readonly event: 'notCreated' | 'resumed' | 'left' | 'released' | 'undone' };

/** A problem's sentence is cut to this many characters, so that no answer of a target swells the checkpoint. */
const MAX_PROBLEM_LENGTH = 300;

/** The record after a change. Throws AppError `internal` when the change is impossible: a defect of the caller. */
export function changedRecord(
  externalId: string,
  before: TicketRecord | undefined,
  change: TicketChange,
): TicketRecord {
  const from = before?.state ?? 'pending';
  const state = nextState(from, change.event);
  if (state === undefined) throw impossible(externalId, from, change.event);
  const kept: TicketRecord = before ?? { externalId, state: 'pending', reached: 'nothing' };
  switch (change.event) {
    case 'intend':
      if (kept.ticketId !== undefined) throw impossible(externalId, from, change.event);
      return {
        externalId,
        state,
        reached: 'nothing',
        fingerprints: change.fingerprints,
        intent: change.intent,
        origin: change.origin ?? kept.origin,
      };
    case 'created':
      return withFields(settled(kept, { state, reached: 'created', ticketId: change.ticketId }), change);
    case 'adopted':
      if (kept.ticketId !== undefined) throw impossible(externalId, from, change.event);
      return settled(kept, { state, reached: 'created', ticketId: change.ticketId });
    case 'fieldsSent':
      return withFields({ ...kept, state }, change);
    case 'messagesSent':
      return withSent({ ...kept, state, reached: 'messaged' }, 'messages', change);
    case 'eventsSent': {
      const { reopened: _, ...record } = settled(kept, { state, reached: 'done' });
      return withSent(record, 'events', change);
    }
    case 'refused':
      return { ...settled(kept, { state }), problem: cut(change.problem) };
    case 'doubt':
      return { ...kept, state, problem: cut(change.problem) };
    case 'rejected':
      return {
        ...settled(kept, { state }),
        problem: cut(change.problem),
        origin: change.origin ?? kept.origin,
      };
    case 'notCreated':
    case 'left':
      return settled(kept, { state });
    case 'resumed':
      if (kept.ticketId === undefined) throw impossible(externalId, from, change.event);
      return settled(kept, { state });
    case 'released':
      if (kept.ticketId === undefined) throw impossible(externalId, from, change.event);
      return {
        externalId,
        state,
        reached: 'nothing',
        fingerprints: kept.fingerprints,
        origin: kept.origin,
        problem: {
          code: 'released',
          message: `It was ticket ${kept.ticketId} of the target until that was taken back.`,
        },
      };
    case 'undone':
      if (kept.ticketId === undefined) throw impossible(externalId, from, change.event);
      return { externalId, state, reached: 'nothing' };
    case 'reopened':
      return {
        ...settled(kept, { state, reached: 'created' }),
        // What was sent is recorded when it arrived; until then a changed export must still be seen as changed.
        fingerprints: kept.fingerprints ?? change.fingerprints,
        reopened: true,
      };
  }
}

/** Without the intent and the problem of what is over. */
function settled(
  before: TicketRecord,
  changes: Partial<TicketRecord> & { state: TicketState },
): TicketRecord {
  const { intent: _intent, problem: _problem, ...kept } = before;
  return { ...kept, ...changes };
}

function withSent(
  record: TicketRecord,
  part: 'messages' | 'events',
  { sent, thread = record.thread }: { sent?: Fingerprints | undefined; thread?: string | undefined },
): TicketRecord {
  if (sent === undefined) return thread === record.thread ? record : { ...record, thread };
  const fingerprints = { ...(record.fingerprints ?? sent), [part]: sent[part] };
  return { ...record, fingerprints, thread };
}

function withFields(
  record: TicketRecord,
  { fields, ticket }: { fields?: string | undefined; ticket?: string | undefined },
): TicketRecord {
  const { fingerprints } = record;
  if (fingerprints === undefined || fields === undefined) return record;
  return { ...record, fingerprints: { ...fingerprints, fields, ticket: ticket ?? fingerprints.ticket } };
}

function cut(problem: TicketProblem): TicketProblem {
  if (problem.message.length <= MAX_PROBLEM_LENGTH) return problem;
  return { ...problem, message: `${problem.message.slice(0, MAX_PROBLEM_LENGTH - 1).toWellFormed()}…` };
}

function impossible(externalId: string, state: TicketState, event: TicketEventName): AppError {
  return new AppError(
    'internal',
    `The checkpoint cannot record "${event}" for ticket ${externalId}, which is "${state}".`,
  );
}
