/** Counts what the export holds and what importing it takes, in constant memory. */

import { AppError } from '../domain/errors.ts';
import type { Rate } from '../domain/limits.ts';
import type { MappingRow, MonthRow, Survey } from '../domain/survey.ts';
import type { CheckResult, MappedValue, PlannedAction } from '../domain/ticket.ts';
import { emptyCounts, OUTCOMES, type Outcome, type OutcomeCounts } from '../domain/ticket-state.ts';
import { estimateSeconds, MOST_CHECKS, requestsOf } from './planned.ts';

/** Most mapped values to count; more mean a column of free text. */
const MAPPING_ROWS = 1000;
/** Most reasons for skipping to count. */
const SKIP_REASONS = 100;

interface SurveyedTicket {
  readonly result: CheckResult;
  readonly outcome: Outcome;
  /** What is sent for it, if anything. */
  readonly action?: PlannedAction | undefined;
  readonly skippedBecause?: string | undefined;
}

export interface SurveyRest {
  readonly contacts: Survey['contacts'];
  readonly orphans: Survey['orphans'];
  readonly batchSize: number;
  readonly budgets: readonly Rate[];
  readonly trial: Survey['trial'];
}

interface SurveyBuilder {
  ticket(ticket: SurveyedTicket): void;
  /** A record that cannot be a ticket: it counts as read and rejected, unless a filter skips it. */
  unreadable(outcome: Outcome, skippedBecause?: string): void;
  /** Throws AppError `internal` if the counts do not add up. */
  result(rest: SurveyRest): Survey;
}

export function createSurvey(): SurveyBuilder {
  const tickets = emptyCounts();
  const skipped = new Map<string, number>();
  const mapping = createMappingCounts();
  const channels = new Map<string | undefined, number>();
  const months = new Map<string, { count: number; byStatus: Record<string, number> }>();
  const read = { messages: 0, internal: 0, events: 0, attachments: 0, bytes: 0 };
  const requests = { creates: 0, messages: 0, events: 0, updates: 0, reads: 0 };
  let notes = 0;
  let toSend = 0;
  let first = Number.POSITIVE_INFINITY;
  let last = Number.NEGATIVE_INFINITY;
  let longest: Survey['longestThread'];

  const count = (outcome: Outcome, skippedBecause: string | undefined): void => {
    tickets.read++;
    tickets[outcome]++;
    if (skippedBecause === undefined) return;
    const reason =
      skipped.has(skippedBecause) || skipped.size < SKIP_REASONS ? skippedBecause : 'other reasons';
    skipped.set(reason, (skipped.get(reason) ?? 0) + 1);
  };

  return {
    unreadable: (outcome, skippedBecause) => count(outcome, skippedBecause),
    ticket: ({ result, outcome, action, skippedBecause }) => {
      count(outcome, outcome === 'skipped' ? skippedBecause : undefined);
      read.messages += result.messages;
      read.internal += result.internal;
      read.events += result.events;
      read.attachments += result.attachments;
      read.bytes += result.attachmentBytes;
      if (outcome === 'skipped') return;
      // The helpdesk's version of a now invalid ticket has other values.
      if (outcome !== 'done' || result.checked !== undefined)
        for (const value of result.mapped) mapping.add(value);
      if (result.createdAt !== undefined) {
        first = Math.min(first, result.createdAt);
        last = Math.max(last, result.createdAt);
      }
      const { checked } = result;
      if (checked === undefined) return;
      if (checked.note !== undefined) notes++;
      const { channelId } = checked.ticket;
      channels.set(channelId, (channels.get(channelId) ?? 0) + 1);
      const month = checked.ticket.createdAt.slice(0, 7);
      let row = months.get(month);
      if (row === undefined) {
        row = { count: 0, byStatus: {} };
        months.set(month, row);
      }
      row.count++;
      const status = checked.ticket.status ?? 'open';
      row.byStatus[status] = (row.byStatus[status] ?? 0) + 1;
      const thread = checked.messages.length;
      if (thread > (longest?.messages ?? 0)) longest = { externalId: checked.externalId, messages: thread };
      if (action === undefined) return;
      toSend++;
      const taken = requestsOf(action, checked);
      requests.creates += taken.creates;
      requests.messages += taken.messages;
      requests.events += taken.events;
      requests.updates += taken.updates;
      requests.reads += taken.reads;
    },
    result: ({ contacts, orphans, batchSize, budgets, trial }) => {
      reconcile(tickets);
      const { creates, messages, events, updates, reads } = requests;
      const total = creates + messages + events + updates + reads;
      const seconds = estimateSeconds(total, budgets);
      return {
        tickets: { ...tickets },
        skippedBecause: [...skipped]
          .map(([reason, times]) => ({ reason, count: times }))
          .sort((a, b) => b.count - a.count),
        messages: { read: read.messages, internal: read.internal },
        events: { read: read.events },
        attachments: { read: read.attachments, bytes: read.bytes },
        notes,
        mapping: mapping.rows(),
        mappingLeftOut: mapping.leftOut(),
        channels: [...channels]
          .map(([channelId, tickets]) => ({ ...(channelId === undefined ? {} : { channelId }), tickets }))
          .sort((a, b) => b.tickets - a.tickets),
        months: monthRows(months),
        contacts,
        requests: { ...requests, total, checks: total === 0 ? 0 : MOST_CHECKS },
        ...(seconds === undefined ? {} : { estimatedSeconds: seconds }),
        ...(first <= last
          ? { firstCreatedAt: new Date(first).toISOString(), lastCreatedAt: new Date(last).toISOString() }
          : {}),
        ...(longest === undefined ? {} : { longestThread: longest }),
        orphans,
        batches: { count: Math.ceil(toSend / batchSize), size: batchSize },
        trial,
      };
    },
  };
}

/** ISO months of the years 0000 to 9999 sort as text. */
function monthRows(months: ReadonlyMap<string, Omit<MonthRow, 'month'>>): MonthRow[] {
  return [...months]
    .map(([month, { count, byStatus }]) => ({ month, count, byStatus: { ...byStatus } }))
    .sort((a, b) => (a.month < b.month ? -1 : 1));
}

const KINDS: readonly MappedValue['kind'][] = ['status', 'priority', 'actor', 'contentType'];

function createMappingCounts() {
  /** By the export's value: the API's value, nearly always one. */
  const counts: Record<MappedValue['kind'], Map<string, { readonly to: string; count: number }[]>> = {
    status: new Map(),
    priority: new Map(),
    actor: new Map(),
    contentType: new Map(),
  };
  let rows = 0;
  let leftOut = 0;
  return {
    add: ({ kind, from, to }: MappedValue): void => {
      const known = counts[kind].get(from);
      const row = known?.find((each) => each.to === to);
      if (row !== undefined) row.count++;
      else if (rows >= MAPPING_ROWS) leftOut++;
      else {
        rows++;
        counts[kind].set(from, [...(known ?? []), { to, count: 1 }]);
      }
    },
    rows: (): MappingRow[] =>
      KINDS.flatMap((kind) =>
        [...counts[kind]]
          .flatMap(([from, all]) => all.map(({ to, count }) => ({ kind, from, to, count })))
          .sort((a, b) => b.count - a.count),
      ),
    leftOut: (): number => leftOut,
  };
}

// Every ticket has exactly one outcome, so the sum must agree.

/** Throws AppError `internal` if the counts do not add up: a defect must not look like success. */
export function reconcile(counts: OutcomeCounts): void {
  const sum = OUTCOMES.reduce((total, outcome) => total + counts[outcome], 0);
  const isWhole = OUTCOMES.every((outcome) => Number.isInteger(counts[outcome]) && counts[outcome] >= 0);
  if (sum === counts.read && isWhole) return;
  const parts = OUTCOMES.map((outcome) => `${outcome} ${counts[outcome]}`).join(', ');
  throw new AppError('internal', `The counts do not add up: read ${counts.read}, but ${parts} make ${sum}.`, {
    hint: 'Please report this as a bug; the checkpoint is intact, and running again continues from it.',
  });
}
