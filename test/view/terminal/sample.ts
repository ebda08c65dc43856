import type { Problem } from '../../../src/domain/problem.ts';
import type { LossReport, Survey } from '../../../src/domain/survey.ts';
import { emptyCounts } from '../../../src/domain/ticket-state.ts';
import { createProblemLog, type ProblemSnapshot } from '../../../src/summary/problem-log.ts';
import { buildSummary, type Summary, type SummaryParts } from '../../../src/summary/summary.ts';

/** An export as a support team has it, small enough to be read here. */
export const SURVEY: Survey = {
  tickets: { ...emptyCounts(), read: 12_430, rejected: 41, skipped: 200, pending: 12_189 },
  skippedBecause: [
    { reason: 'exclude rule "spam"', count: 180 },
    { reason: 'created before --since', count: 20 },
  ],
  messages: { read: 60_231, internal: 3011 },
  events: { read: 20_111 },
  attachments: { read: 911, bytes: 1.2e9 },
  notes: 0,
  mapping: [
    { kind: 'status', from: 'Open', to: 'open', count: 9200 },
    { kind: 'status', from: '顧客の返信待ち', to: 'pending', count: 300 },
    { kind: 'status', from: '', to: 'open', count: 3 },
    { kind: 'priority', from: 'P1', to: 'urgent', count: 12 },
    { kind: 'actor', from: 'end-user', to: 'customer', count: 40_000 },
  ],
  mappingLeftOut: 2,
  channels: [{ channelId: 'chn_email', tickets: 12_000 }, { tickets: 189 }],
  months: [
    { month: '2024-01', count: 8000, byStatus: { closed: 8000 } },
    { month: '2024-02', count: 4429, byStatus: { closed: 4000, open: 429 } },
    { month: '2024-04', count: 1, byStatus: { open: 1 } },
  ],
  contacts: { distinct: 5102, merged: 31 },
  requests: {
    creates: 12_189,
    messages: 12_100,
    events: 9001,
    updates: 0,
    reads: 0,
    total: 33_290,
    checks: 20,
  },
  estimatedSeconds: 1997,
  firstCreatedAt: '2024-01-02T10:00:00.000Z',
  lastCreatedAt: '2024-04-27T10:00:00.000Z',
  longestThread: { externalId: '4711', messages: 87 },
  orphans: { messages: 12, events: 0 },
  batches: { count: 122, size: 100 },
  trial: [
    { externalId: '4711', why: ['the longest thread: 87 messages', 'status closed'] },
    { externalId: '12', why: ['an internal note', 'non-Latin text', 'attachments'] },
  ],
};

export const LOSS: LossReport = {
  unusedColumns: [
    { table: 'tickets', column: 'satisfaction_score', file: 'tickets.csv', filled: 801 },
    { table: 'tickets', column: 'brand', file: 'tickets.csv', filled: 12_430 },
  ],
  unmappedValues: [{ field: 'status', value: 'On Hold', count: 41, action: 'rejects the ticket' }],
  agentsWithoutId: [
    { agent: 'ben@example.com', count: 400, fallback: 'agt_01' },
    { agent: 'cleo@example.com', count: 3 },
  ],
  unknownAuthors: [{ author: 'bot-17', count: 5 }],
  notHeld: [{ what: 'CC recipients', count: 77 }],
};

export const PROBLEMS: readonly Problem[] = [
  {
    severity: 'error',
    code: 'unmapped-value',
    ticket: '4711',
    file: 'tickets.csv',
    line: 12,
    field: 'status',
    message: 'The status "On Hold" is in no value map.',
    count: 4000,
  },
  {
    severity: 'error',
    code: 'invalid-email',
    ticket: '12',
    file: 'messages.csv',
    line: 90_211,
    field: 'messages[3].contact.email',
    message: '"ana at example.com" is not an e-mail address.',
    count: 1,
  },
  {
    severity: 'warning',
    code: 'unused-column',
    file: 'tickets.csv',
    line: 1,
    field: 'brand',
    message: 'The column "brand" is used by no rule and is not sent; 12,430 rows have a value in it.',
    count: 1,
  },
];

export function snapshotOf(problems: readonly Problem[]): ProblemSnapshot {
  const log = createProblemLog();
  for (const problem of problems) log.add(problem);
  return log.snapshot();
}

/** A run in which all went well; `parts` say what did not. */
export function summaryWith(parts: Partial<SummaryParts> = {}): Summary {
  return buildSummary({
    mode: 'run',
    layout: 'native',
    target: 'https://helpdesk.example.com',
    tickets: { ...emptyCounts(), read: 12_430, done: 12_430 },
    messages: { read: 60_231, sent: 60_231, orphans: 0 },
    events: { read: 20_111, sent: 20_111, orphans: 0 },
    contacts: { distinct: 5102 },
    attachments: { read: 0, checked: 0, unreachable: 0 },
    notes: 0,
    requests: { sent: 33_290, retried: 0, rateLimited: 0, changing: 33_290 },
    problems: snapshotOf([]),
    checkpoint: 'helpdesk-import.checkpoint.sqlite',
    durationMs: 1_999_123.4,
    exitCode: 0,
    ...parts,
  });
}
