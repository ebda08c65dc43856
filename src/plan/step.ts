/**
 * What is to be done about a ticket of the export, by what the checkpoint knows of it. Pure.
 *
 * Two things come before everything else. A ticket that may exist in the target is never created again: it is finished,
 * settled or left alone. And what the checkpoint knows stands over what this run would like: a ticket that an earlier
 * process imported is done, even where a filter leaves it out now or its record in the export has become invalid.
 */
import { AppError } from '../domain/errors.ts';
import type { TicketRecord } from '../domain/ledger.ts';
import type { Problem } from '../domain/problem.ts';
import type { CheckedTicket, DeltaPart, PlannedAction } from '../domain/ticket.ts';
import { changesOf } from '../domain/ticket-fields.ts';
import type { Outcome } from '../domain/ticket-state.ts';

export type Mode = 'run' | 'delta';

/** Parts of a ticket that are in the target and read otherwise in the export now. */
type ChangedPart = 'ticket' | DeltaPart;

const DELTA_PARTS: readonly DeltaPart[] = ['messages', 'events', 'fields'];

export interface Step {
  /** What to send; absent when there is nothing to send. */
  readonly action?: PlannedAction;
  /** What the ticket counts as until the action, if there is one, settles it anew. */
  readonly outcome: Outcome;
  /** What the checkpoint is to record of a ticket that checking rejected. */
  readonly record?: 'rejected' | 'refused';
  readonly changed: readonly ChangedPart[];
  /** The export has an older version of it than was imported: nothing of that is sent. */
  readonly isOlder?: true;
}

/** The step of a ticket that passed checking and that no filter leaves out. */
export function stepOf(record: TicketRecord | undefined, checked: CheckedTicket, mode: Mode): Step {
  switch (record?.state) {
    case undefined:
      return { action: { do: 'create' }, outcome: 'pending', changed: [] };
    case 'pending':
      return { action: { do: 'create', wasTried: true }, outcome: 'pending', changed: [] };
    case 'rejected':
      return {
        action: record.ticketId === undefined ? createAfter(record) : finish(record, checked, mode),
        outcome: 'pending',
        changed: changedParts(record, checked),
      };
    case 'creating':
    case 'inDoubt':
      return { action: { do: 'settle' }, outcome: 'inDoubt', changed: [] };
    case 'created':
    case 'messaged':
      return {
        action: finish(record, checked, mode),
        outcome: 'pending',
        changed: changedParts(record, checked),
      };
    case 'failed':
      return {
        action: record.ticketId === undefined ? { do: 'create' } : finish(record, checked, mode),
        outcome: 'failed',
        changed: changedParts(record, checked),
      };
    case 'done': {
      const changed = changedParts(record, checked);
      const parts = DELTA_PARTS.filter((part) => changed.includes(part));
      if (mode !== 'delta' || parts.length === 0) return { outcome: 'done', changed };
      return { action: { do: 'reopen', ticketId: idOf(record), parts }, outcome: 'done', changed };
    }
    case 'skipped':
      return { outcome: 'skipped', changed: [] };
  }
}

/** The step of a ticket in the target of which the export has an older version than was imported: it is left as it is. */
export function stepOfOlder(record: TicketRecord | undefined, checked: CheckedTicket): Step {
  const changed = record === undefined ? [] : changedParts(record, checked);
  if (record?.state === 'done' && changed.length === 0) return { outcome: 'done', changed };
  const known = knownOutcome(record);
  // Incomplete in the target, and not to be completed from this export.
  return { outcome: known === 'pending' ? 'failed' : known, changed, isOlder: true };
}

/** The step of a ticket that checking rejected: nothing is sent, and nothing that is known is forgotten. */
export function stepOfRejected(record: TicketRecord | undefined): Step {
  switch (record?.state) {
    case undefined:
    case 'pending':
    case 'rejected':
      return { outcome: 'rejected', record: 'rejected', changed: [] };
    case 'failed':
      // With its ticket id: recorded as rejected it would be created once more when its record is corrected.
      return record.ticketId === undefined
        ? { outcome: 'rejected', record: 'rejected', changed: [] }
        : { outcome: 'failed', changed: [] };
    case 'created':
    case 'messaged':
      // It is in the target and cannot be completed from this export.
      return { outcome: 'failed', record: 'refused', changed: [] };
    case 'creating':
    case 'inDoubt':
    case 'done':
    case 'skipped':
      return { outcome: knownOutcome(record), changed: [] };
  }
}

/** The step of a ticket that the user's filters leave out: nothing is sent or recorded. */
export function stepOfSkipped(record: TicketRecord | undefined): Step {
  const known = knownOutcome(record);
  const isOpen = known === 'rejected' || record === undefined || record.state === 'pending';
  return { outcome: isOpen ? 'skipped' : known, changed: [] };
}

/**
 * The step of a ticket where links are what the run is about: only what the target has as the export has it is touched; what has
 * changed is told, and a delta brings it in first. `wants`: its links are to be rewritten, or to be as they were.
 */
export function stepOfLinks(
  record: TicketRecord | undefined,
  checked: CheckedTicket | undefined,
  wants: boolean,
): Step {
  const known: Step = { outcome: knownOutcome(record), changed: [] };
  if (!wants || checked === undefined || record?.ticketId === undefined) return known;
  if (record.state === 'done')
    return record.fingerprints?.messages === undefined ||
      record.fingerprints.messages === checked.fingerprints.messages
      ? { ...known, action: { do: 'reopen', ticketId: record.ticketId, parts: ['messages'] } }
      : { ...known, changed: ['messages'] };
  return record.reopened === true ? { ...known, action: finish(record, checked, 'run') } : known;
}

/** What a ticket counts as by the checkpoint alone. */
export function knownOutcome(record: TicketRecord | undefined): Outcome {
  if (record === undefined) return 'pending';
  switch (record.state) {
    case 'created':
    case 'messaged':
      return 'pending';
    case 'creating':
      return 'inDoubt';
    default:
      return record.state;
  }
}

/**
 * Messages that arrived are not sent again, changed or not: that is for a delta, which looks at the target first. A delta
 * that stopped half-way is finished as one, by whatever run: by now the target may have messages of its own.
 */
function finish(record: TicketRecord, checked: CheckedTicket, mode: Mode): PlannedAction {
  const arrived = record.reached === 'messaged' || record.reached === 'done';
  const ticketId = idOf(record);
  if (record.reopened === true) {
    const parts: DeltaPart[] = arrived ? ['events'] : ['messages', 'events'];
    const isChanged = mode === 'delta' && changedParts(record, checked).includes('fields');
    return { do: 'reopen', ticketId, parts: isChanged ? [...parts, 'fields'] : parts };
  }
  return { do: 'finish', from: arrived ? 'events' : 'messages', ticketId };
}

/** One with digests was about to be created once, before it was rejected: the target may have it. */
function createAfter({ fingerprints }: TicketRecord): PlannedAction {
  return fingerprints === undefined ? { do: 'create' } : { do: 'create', wasTried: true };
}

/** Compared is only what the target has: what has not arrived yet is sent as the export says now. */
function changedParts(record: TicketRecord, checked: CheckedTicket): readonly ChangedPart[] {
  const { fingerprints: then, reached } = record;
  if (then === undefined || reached === 'nothing') return [];
  const now = checked.fingerprints;
  const changed = changedFields(record, checked);
  if (reached !== 'created' && then.messages !== now.messages) changed.push('messages');
  if (reached === 'done' && then.events !== now.events) changed.push('events');
  return changed;
}

/** `fields`: those that the target may be able to change; `ticket`: any other, or any where it is not known which. */
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

// What is told about a ticket that is in the target and reads otherwise in the export now.

const WORDS: Readonly<Record<ChangedPart, string>> = {
  ticket: 'its own fields',
  fields: 'its status, priority, assignee or tags',
  messages: 'its messages',
  events: 'its history',
};

const PARTS = { messages: 'the messages', events: 'the history', fields: 'these fields' } as const;

/** Warnings, as nothing is lost: the target keeps what it has. `file` is the name of the ticket's file. */
export function changeProblems(step: Step, checked: CheckedTicket, mode: Mode, file: string): Problem[] {
  const { changed, action } = step;
  const warning = (code: string, message: string): Problem => ({
    severity: 'warning',
    code,
    ticket: checked.externalId,
    file,
    line: checked.ref.line,
    message,
    count: 1,
  });
  const notUpdatable = warning(
    'field-not-updatable',
    'Fields of the ticket itself have changed since it was imported, and a delta cannot bring them in; change them in the target by hand.',
  );
  if (step.isOlder === true)
    return [
      warning(
        'older-than-imported',
        'The export has an older version of this ticket than was imported, so the ticket was left as it is. Use the newest export.',
      ),
    ];
  if (mode === 'run') {
    if (changed.length === 0) return [];
    if (changed.every((part) => part === 'ticket')) return [notUpdatable];
    const what = listed(changed.map((part) => WORDS[part]));
    const parts = changed.filter((part) => part !== 'ticket').map((part) => PARTS[part]);
    return [
      warning(
        'changed-since-import',
        `The ticket has changed since it was imported (${what}); run with --delta to bring ${listed(parts)} in.`,
      ),
    ];
  }
  const problems: Problem[] = changed.includes('ticket') ? [notUpdatable] : [];
  if (changed.includes('messages') && action?.do !== 'reopen')
    problems.push(
      warning(
        'changed-since-import',
        'The messages have changed since they were sent, and the import of the ticket is not complete; run with --delta once more to bring them in.',
      ),
    );
  return problems;
}

function listed(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}
