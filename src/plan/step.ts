/**
 * The step of a ticket, by its record. One that may exist in the helpdesk is never created again. An imported ticket is
 * done, even if a filter skips it now or it has become invalid.
 */

import { isAnotherTicket } from '../domain/identity.ts';
import { hasMessages, type TicketRecord } from '../domain/ledger.ts';
import { inWords } from '../domain/printable.ts';
import type { Problem } from '../domain/problem.ts';
import { problemOf } from '../domain/text/problem-words.ts';
import { stop } from '../domain/text/stops.ts';
import type { CheckedTicket, DeltaPart, PlannedAction } from '../domain/ticket.ts';
import { changesOf } from '../domain/ticket-fields.ts';
import { type Outcome, outcomeOf } from '../domain/ticket-state.ts';

export type Mode = 'run' | 'delta';

type ChangedPart = 'ticket' | DeltaPart;

const ALL_PARTS: readonly ChangedPart[] = ['ticket', 'messages', 'events'];
const DELTA_PARTS: readonly DeltaPart[] = ['messages', 'events', 'fields'];

export interface Step {
  readonly action?: PlannedAction;
  readonly outcome: Outcome;
  readonly record?: 'rejected' | 'incomplete';
  readonly changed: readonly ChangedPart[];
  /** Nothing is sent for an imported ticket that is older, invalid or another one in this export. */
  readonly held?: 'older' | 'invalid' | 'another';
}

/** `leftOut`: the filter that skips it. `isOlder`: this export is older than the imported one. */
export function decideStep(
  record: TicketRecord | undefined,
  found: {
    readonly checked: CheckedTicket | undefined;
    readonly leftOut: string | undefined;
    readonly isOlder: boolean;
    readonly origin: string | undefined;
  },
  mode: Mode,
): Step {
  const { checked, leftOut, isOlder, origin } = found;
  if (leftOut !== undefined) return stepOfSkipped(record);
  if (checked === undefined) return stepOfRejected(record, mode);
  return isOlder ? stepOfOlder(record, checked) : stepOf(record, checked, mode, origin);
}

/** `origin`: of the ticket in this export. */
export function stepOf(
  record: TicketRecord | undefined,
  checked: CheckedTicket,
  mode: Mode,
  origin?: string,
): Step {
  if (record === undefined) return { action: { do: 'create' }, outcome: 'pending', changed: [] };
  const mayExist = record.ticketId !== undefined || record.state === 'creating' || record.state === 'inDoubt';
  if (mayExist && isAnotherTicket(record.origin, origin) === true) {
    const outcome = record.ticketId === undefined ? 'inDoubt' : 'failed';
    return { outcome, changed: ALL_PARTS, held: 'another' };
  }
  const changed = changedParts(record, checked);
  const outcome = record.state === 'rejected' ? 'pending' : knownOutcome(record);
  const action = actionOf(record, checked, mode, changed);
  return action === undefined ? { outcome, changed } : { action, outcome, changed };
}

function actionOf(
  record: TicketRecord,
  checked: CheckedTicket,
  mode: Mode,
  changed: readonly ChangedPart[],
): PlannedAction | undefined {
  switch (record.state) {
    case 'pending':
    case 'refused':
      return { do: 'create', wasTried: true };
    case 'rejected':
      // It was about to be created before it was rejected, so the helpdesk may have it.
      return record.fingerprints === undefined ? { do: 'create' } : { do: 'create', wasTried: true };
    case 'creating':
    case 'inDoubt':
      return { do: 'settle' };
    case 'created':
    case 'incomplete':
      return finish(record, checked, mode);
    case 'done': {
      const parts = DELTA_PARTS.filter((part) => changed.includes(part));
      if (mode !== 'delta' || parts.length === 0) return undefined;
      return { do: 'reopen', ticketId: idOf(record), parts };
    }
    case 'skipped':
      return undefined;
  }
}

export function stepOfOlder(record: TicketRecord | undefined, checked: CheckedTicket): Step {
  const changed = record === undefined ? [] : changedParts(record, checked);
  const outcome = knownOutcome(record);
  if (outcome === 'done' && changed.length === 0) return { outcome, changed };
  // An older export must not complete it.
  return { outcome: outcome === 'pending' ? 'failed' : outcome, changed, held: 'older' };
}

/** Its record is kept. An imported ticket cannot be compared, so all of it counts as changed. */
export function stepOfRejected(record: TicketRecord | undefined, mode: Mode): Step {
  const outcome = knownOutcome(record);
  // This export cannot complete it.
  if (record?.state === 'created') return { outcome: 'failed', record: 'incomplete', changed: [] };
  // Recorded as rejected with a ticket ID, it would be created again after a correction.
  const isOpen = outcome === 'pending' || outcome === 'rejected';
  if (isOpen || record?.state === 'refused') return { outcome: 'rejected', record: 'rejected', changed: [] };
  if (outcome !== 'done') return { outcome, changed: [] };
  return { outcome: mode === 'delta' ? 'rejected' : 'done', changed: ALL_PARTS, held: 'invalid' };
}

export function stepOfSkipped(record: TicketRecord | undefined): Step {
  const known = knownOutcome(record);
  const isOpen = known === 'rejected' || record === undefined || record.state === 'pending';
  return { outcome: isOpen ? 'skipped' : known, changed: [] };
}

function knownOutcome(record: TicketRecord | undefined): Outcome {
  return record === undefined ? 'pending' : outcomeOf(record.state);
}

/**
 * Only a delta sends messages again, after reading. Any run finishes a stopped delta as a delta, as people may have written
 * meanwhile.
 */
function finish(record: TicketRecord, checked: CheckedTicket, mode: Mode): PlannedAction {
  const changed = mode === 'delta' ? changedParts(record, checked) : [];
  const ticketId = idOf(record);
  if (record.reopened === true) {
    const parts: DeltaPart[] = ['messages', 'events'];
    return { do: 'reopen', ticketId, parts: changed.includes('fields') ? [...parts, 'fields'] : parts };
  }
  const from = hasMessages(record) && !changed.includes('messages') ? 'events' : 'messages';
  return { do: 'finish', from, ticketId };
}

function changedParts(record: TicketRecord, checked: CheckedTicket): readonly ChangedPart[] {
  const { fingerprints: then, ticketId } = record;
  if (then === undefined || ticketId === undefined) return [];
  const now = checked.fingerprints;
  const changed = changedFields(record, checked);
  if (hasMessages(record) && then.messages !== now.messages) changed.push('messages');
  if (record.state === 'done' && then.events !== now.events) changed.push('events');
  return changed;
}

/** `fields`: updatable ones; `ticket`: others, or unknown ones. */
function changedFields({ fingerprints: then }: TicketRecord, { fingerprints: now }: CheckedTicket) {
  if (then?.fields === undefined || now.fields === undefined)
    return then === undefined || then.ticket === now.ticket ? [] : ['ticket' as ChangedPart];
  const { fields, rest } = changesOf(then.fields, now.fields);
  const changed: ChangedPart[] = rest ? ['ticket'] : [];
  return fields.length > 0 ? [...changed, 'fields' as const] : changed;
}

function idOf(record: TicketRecord): string {
  if (record.ticketId === undefined)
    throw stop('record-without-id', { ticket: record.externalId, state: record.state });
  return record.ticketId;
}

const WORDS: Readonly<Record<ChangedPart, string>> = {
  ticket: 'its own fields',
  fields: 'its status, priority, assignee or tags',
  messages: 'its messages',
  events: 'its history',
};

const PARTS = { messages: 'the messages', events: 'the history', fields: 'these fields' } as const;

const HELD: Readonly<Record<NonNullable<Step['held']>, string>> = {
  older: 'older-than-imported',
  another: 'another-ticket-now:step',
  invalid: 'invalid-since-import',
};

/** Warnings, as the helpdesk keeps what it has. `file`: name of the ticket's file. */
export function changeProblems(
  { changed, held }: Step,
  { externalId, ref }: Pick<CheckedTicket, 'externalId' | 'ref'>,
  mode: Mode,
  file: string,
): Problem[] {
  const place = { ticket: externalId, file, line: ref.line };
  const sendable = changed.filter((part) => part !== 'ticket');
  if (held === 'invalid' && mode === 'delta') return [];
  if (held !== undefined) return [problemOf(HELD[held], {}, place)];
  if (mode === 'run' && sendable.length > 0) {
    const parts = {
      changed: inWords(changed.map((part) => WORDS[part])),
      sendable: inWords(sendable.map((part) => PARTS[part])),
    };
    return [problemOf('changed-since-import', parts, place)];
  }
  return changed.includes('ticket') ? [problemOf('field-not-updatable:planned', {}, place)] : [];
}
