/** Counts what the export holds and what importing it takes, in constant memory. */

import type { Rate } from '../domain/limits.ts';
import type { MappingRow, Survey } from '../domain/survey.ts';
import type { CheckResult, MappedValue, PlannedAction } from '../domain/ticket.ts';
import { emptyCounts, type Outcome } from '../domain/ticket-state.ts';
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

export interface SurveyRest extends Pick<Survey, 'contacts' | 'orphans' | 'trial'> {
  readonly batchSize: number;
  readonly budgets: readonly Rate[];
}

const KINDS: readonly MappedValue['kind'][] = ['status', 'priority', 'actor', 'contentType'];

export function createSurvey() {
  const tickets = emptyCounts();
  const skipped = new Map<string, number>();
  const mapping = new Map<string, MappingRow & { count: number }>();
  let mappingLeftOut = 0;
  const channels = new Map<string | undefined, number>();
  const months = new Map<string, { count: number; byStatus: Record<string, number> }>();
  const read = { messages: 0, internal: 0, events: 0, attachments: 0, bytes: 0 };
  const requests = { creates: 0, messages: 0, events: 0, updates: 0, reads: 0 };
  let notes = 0;
  let toSend = 0;
  let first = Number.POSITIVE_INFINITY;
  let last = Number.NEGATIVE_INFINITY;
  let longest: Survey['longestThread'];

  const count = (outcome: Outcome, skippedBecause?: string): void => {
    tickets.read++;
    tickets[outcome]++;
    if (skippedBecause === undefined) return;
    const reason =
      skipped.has(skippedBecause) || skipped.size < SKIP_REASONS ? skippedBecause : 'other reasons';
    skipped.set(reason, (skipped.get(reason) ?? 0) + 1);
  };

  const map = ({ kind, from, to }: MappedValue): void => {
    const key = `${kind}\n${to}\n${from}`;
    const row = mapping.get(key);
    if (row !== undefined) row.count++;
    else if (mapping.size >= MAPPING_ROWS) mappingLeftOut++;
    else mapping.set(key, { kind, from, to, count: 1 });
  };

  return {
    /** A record that cannot be a ticket: it counts as read and rejected, unless a filter skips it. */
    unreadable: count,
    ticket: ({ result, outcome, action, skippedBecause }: SurveyedTicket): void => {
      count(outcome, outcome === 'skipped' ? skippedBecause : undefined);
      read.messages += result.messages;
      read.internal += result.internal;
      read.events += result.events;
      read.attachments += result.attachments;
      read.bytes += result.attachmentBytes;
      if (outcome === 'skipped') return;
      // The helpdesk's version of a now invalid ticket has other values.
      if (outcome !== 'done' || result.checked !== undefined) for (const value of result.mapped) map(value);
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
    result: ({ contacts, orphans, batchSize, budgets, trial }: SurveyRest): Survey => {
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
        mapping: [...mapping.values()].sort(
          (a, b) => KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind) || b.count - a.count,
        ),
        mappingLeftOut,
        channels: [...channels]
          .map(([channelId, tickets]) => ({ ...(channelId === undefined ? {} : { channelId }), tickets }))
          .sort((a, b) => b.tickets - a.tickets),
        months: [...months]
          .map(([month, row]) => ({ month, ...row }))
          .sort((a, b) => (a.month < b.month ? -1 : 1)),
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
