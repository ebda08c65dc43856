/**
 * Decides what to do with a ticket of the export, from its record in the checkpoint.
 *
 * A ticket that may exist in the target is never created again: it is finished, settled or left alone. And the checkpoint comes before this
 * run: an imported ticket is done, even if a filter skips it now or its record has become invalid.
 */
import { AppError } from '../domain/errors.ts';
import { hasMessages, type TicketRecord } from '../domain/ledger.ts';
import type { Problem } from '../domain/problem.ts';
import type { CheckedTicket, DeltaPart, PlannedAction } from '../domain/ticket.ts';
import { changesOf } from '../domain/ticket-fields.ts';
import { type Outcome, outcomeOf } from '../domain/ticket-state.ts';

export type Mode = 'run' | 'delta';

/** Parts of an imported ticket that changed in the export. */
type ChangedPart = 'ticket' | DeltaPart;

const DELTA_PARTS: readonly DeltaPart[] = ['messages', 'events', 'fields'];

export interface Step {
  /** What to send, if anything. */
  readonly action?: PlannedAction;
  /** Its outcome until the action ends. */
  readonly outcome: Outcome;
  /** What the checkpoint records of a rejected ticket. */
  readonly record?: 'rejected' | 'refused';
  readonly changed: readonly ChangedPart[];
  /** The export is older than the import: nothing is sent. */
  readonly isOlder?: true;
}

/** The step of a valid, selected ticket. */
export function stepOf(record: TicketRecord | undefined, checked: CheckedTicket, mode: Mode): Step {
  if (record === undefined) return { action: { do: 'create' }, outcome: 'pending', changed: [] };
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
      return { do: 'create', wasTried: true };
    case 'rejected':
      if (record.ticketId !== undefined) return finish(record, checked, mode);
      // With digests it was about to be created before it was rejected: the target may have it.
      return record.fingerprints === undefined ? { do: 'create' } : { do: 'create', wasTried: true };
    case 'failed':
      return record.ticketId === undefined ? { do: 'create' } : finish(record, checked, mode);
    case 'creating':
    case 'inDoubt':
      return { do: 'settle' };
    case 'created':
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

/** The step of a ticket whose export is older than the import: no change. */
export function stepOfOlder(record: TicketRecord | undefined, checked: CheckedTicket): Step {
  const changed = record === undefined ? [] : changedParts(record, checked);
  const outcome = knownOutcome(record);
  if (outcome === 'done' && changed.length === 0) return { outcome, changed };
  // Incomplete in the target, and an older export must not complete it.
  return { outcome: outcome === 'pending' ? 'failed' : outcome, changed, isOlder: true };
}

/** The step of a rejected ticket: nothing is sent, and its record is kept. */
export function stepOfRejected(record: TicketRecord | undefined): Step {
  const outcome = knownOutcome(record);
  // It is in the target, and this export cannot complete it.
  if (record?.state === 'created') return { outcome: 'failed', record: 'refused', changed: [] };
  // With a ticket id and recorded as rejected it would be created again after a correction.
  const isOpen = outcome === 'pending' || outcome === 'rejected';
  if (isOpen || (outcome === 'failed' && record?.ticketId === undefined))
    return { outcome: 'rejected', record: 'rejected', changed: [] };
  return { outcome, changed: [] };
}

/** The step of a skipped ticket: nothing is sent or recorded. */
export function stepOfSkipped(record: TicketRecord | undefined): Step {
  const known = knownOutcome(record);
  const isOpen = known === 'rejected' || record === undefined || record.state === 'pending';
  return { outcome: isOpen ? 'skipped' : known, changed: [] };
}

/**
 * The step of a ticket in `links`: only messages that the target has as in the export are changed; changed tickets are listed, and need a
 * delta first. `isWanted`: rewrite its links, or restore them.
 */
export function stepOfLinks(
  record: TicketRecord | undefined,
  checked: CheckedTicket | undefined,
  isWanted: boolean,
): Step {
  const known: Step = { outcome: knownOutcome(record), changed: [] };
  if (!isWanted || checked === undefined || record?.ticketId === undefined) return known;
  if (record.state === 'done')
    return record.fingerprints?.messages === undefined ||
      record.fingerprints.messages === checked.fingerprints.messages
      ? { ...known, action: { do: 'reopen', ticketId: record.ticketId, parts: ['messages'] } }
      : { ...known, changed: ['messages'] };
  return record.reopened === true ? { ...known, action: finish(record, checked, 'run') } : known;
}

/** The outcome of a ticket by the checkpoint. */
function knownOutcome(record: TicketRecord | undefined): Outcome {
  return record === undefined ? 'pending' : outcomeOf(record.state);
}

/**
 * Messages in the target are not sent again, changed or not: only a delta does, after reading. Any run finishes a stopped delta as a delta, as
 * people may have written meanwhile.
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

/** Compares only what the target has; the rest is sent as in the export. */
function changedParts(record: TicketRecord, checked: CheckedTicket): readonly ChangedPart[] {
  const { fingerprints: then, ticketId } = record;
  if (then === undefined || ticketId === undefined) return [];
  const now = checked.fingerprints;
  const changed = changedFields(record, checked);
  if (hasMessages(record) && then.messages !== now.messages) changed.push('messages');
  if (record.state === 'done' && then.events !== now.events) changed.push('events');
  return changed;
}

/** `fields`: fields that the target may change; `ticket`: others, or unknown ones. */
function changedFields({ fingerprints: then }: TicketRecord, { fingerprints: now }: CheckedTicket) {
  if (then?.fields === undefined || now.fields === undefined)
    return then === undefined || then.ticket === now.ticket ? [] : ['ticket' as ChangedPart];
  const { fields, rest } = changesOf(then.fields, now.fields);
  const changed: ChangedPart[] = rest ? ['ticket'] : [];
  return fields.length > 0 ? [...changed, 'fields' as const] : changed;
}

function idOf(record: TicketRecord): string {
  if (record.ticketId === undefined)
    throw new AppError(
      'internal',
      `The checkpoint says that ticket ${record.externalId} is "${record.state}" and has no ticket id for it.`,
    );
  return record.ticketId;
}

// Warnings about imported tickets that changed in the export.

const WORDS: Readonly<Record<ChangedPart, string>> = {
  ticket: 'its own fields',
  fields: 'its status, priority, assignee or tags',
  messages: 'its messages',
  events: 'its history',
};

const PARTS = { messages: 'the messages', events: 'the history', fields: 'these fields' } as const;

/** Warnings, as the target keeps what it has. `file`: name of the ticket's file. */
export function changeProblems(step: Step, checked: CheckedTicket, mode: Mode, file: string): Problem[] {
  const { changed } = step;
  const found: (readonly [code: string, message: string])[] = [];
  const sendable = changed.filter((part) => part !== 'ticket');
  if (step.isOlder === true)
    found.push([
      'older-than-imported',
      'The export has an older version of this ticket than was imported, so the ticket was left as it is. Use the newest export.',
    ]);
  else if (mode === 'run' && sendable.length > 0)
    found.push([
      'changed-since-import',
      `The ticket has changed since it was imported (${listed(changed.map((part) => WORDS[part]))}); run with --delta to bring ${listed(sendable.map((part) => PARTS[part]))} in.`,
    ]);
  else if (changed.includes('ticket'))
    found.push([
      'field-not-updatable',
      'Fields of the ticket itself have changed since it was imported, and a delta cannot bring them in; change them in the target by hand.',
    ]);
  const place = { ticket: checked.externalId, file, line: checked.ref.line };
  return found.map(([code, message]) => ({ severity: 'warning', code, ...place, message, count: 1 }));
}

function listed(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}
