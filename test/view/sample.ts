import { createProblemLog, type Problem, type ProblemSnapshot } from '../../src/domain/problem.ts';
import type { CheckedTicket } from '../../src/domain/ticket.ts';
import { emptyCounts } from '../../src/domain/ticket-state.ts';
import type { Facts } from '../../src/plan/facts.ts';
import { lostOf } from '../../src/plan/lost.ts';
import { type Conversation, conversationOf } from '../../src/view/conversation/conversation.ts';
import { renderReport } from '../../src/view/html/report.ts';
import type { View } from '../../src/view/run-view.ts';

/** Of an export as a support team has it, small enough to be read here. */
const DETAILS: Facts['details'] = {
  columns: [
    { table: 'tickets', column: 'satisfaction_score', file: 'tickets.csv', filled: 801 },
    { table: 'tickets', column: 'brand', file: 'tickets.csv', filled: 12_430 },
  ],
  values: [{ field: 'status', value: 'On Hold', count: 41, action: 'rejects the ticket' }],
  authors: [{ author: 'bot-17', count: 5 }],
  notHeld: [{ code: 'system-events', what: 'CC recipients', count: 77 }],
};

const AGENTS: Facts['people']['agents'] = [
  { agent: 'ana', name: 'Ana', how: 'listed', id: 'agt_02', messages: 900, events: 10, assigned: 80 },
  { agent: 'ben@example.com', how: 'fallback', id: 'agt_01', messages: 390, events: 10, assigned: 0 },
  { agent: 'cleo@example.com', how: 'none', messages: 0, events: 0, assigned: 3 },
];

export const NOTHING_LOST: Pick<Facts, 'details' | 'people' | 'contacts' | 'attachments'> = {
  details: { columns: [], values: [], authors: [], notHeld: [] },
  people: { agents: [], later: 0 },
  contacts: { distinct: 5102, merged: 0 },
  attachments: {
    ...{ read: 0, bytes: 0, stored: 0, missing: 0, links: 0, tickets: 0, checked: 0, unreachable: 0 },
    hosts: [],
  },
};

export function ticketsWith(parts: Partial<Facts['tickets']>): Facts['tickets'] {
  const { pending = 0, done = 0 } = parts;
  return {
    ...emptyCounts(),
    ...{ create: pending, update: 0, unchanged: done, created: 0, updated: 0, unreadable: 0 },
    ...parts,
  };
}

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

type FactsParts = Partial<Omit<Facts, 'tickets' | 'problems'>> & {
  readonly tickets?: Partial<Facts['tickets']> | undefined;
  readonly problems?: ProblemSnapshot;
};

/** A run in which all went well; `parts` say what did not. */
export function factsWith({ problems = snapshotOf([]), tickets, ...parts }: FactsParts = {}): Facts {
  const facts: Omit<Facts, 'lost'> = {
    version: 2,
    mode: 'run',
    isDelta: false,
    layout: 'zendesk',
    target: 'https://helpdesk.example.com',
    export: {
      files: ['exports/tickets.csv'],
      digest: '12430-abc',
      firstCreatedAt: '2024-01-02T10:00:00.000Z',
      lastCreatedAt: '2024-04-27T10:00:00.000Z',
      channels: [{ channelId: 'chn_email', tickets: 12_000 }, { tickets: 189 }],
      months: [
        { month: '2024-01', count: 8000, byStatus: { closed: 8000 } },
        { month: '2024-02', count: 4429, byStatus: { closed: 4000, open: 429 } },
        { month: '2024-04', count: 1, byStatus: { open: 1 } },
      ],
      withoutMessages: 0,
      withoutStatus: 0,
    },
    tickets: ticketsWith(tickets ?? { read: 12_430, done: 12_430 }),
    skipped: [
      { reason: 'exclude rule "spam"', count: 180 },
      { reason: 'created before --since', count: 20 },
    ],
    messages: {
      ...{ read: 60_231, sent: 60_231, internal: 3011, orphans: 12 },
      longest: { externalId: '4711', messages: 87 },
    },
    events: { read: 20_111, sent: 20_111, orphans: 0 },
    contacts: { distinct: 5102, merged: 31 },
    people: { agents: AGENTS, later: 0 },
    attachments: {
      ...{ read: 911, bytes: 1.2e9, stored: 0, missing: 0, links: 900, tickets: 420 },
      ...{ checked: 0, unreachable: 0 },
      hosts: [{ host: 'files.example.com', files: 900 }],
    },
    mapping: [
      { kind: 'status', from: 'Open', to: 'open', count: 9200 },
      { kind: 'status', from: '顧客の返信待ち', to: 'pending', count: 300 },
      { kind: 'status', from: '', to: 'open', count: 3 },
      { kind: 'priority', from: 'P1', to: 'urgent', count: 12 },
      { kind: 'actor', from: 'end-user', to: 'customer', count: 40_000 },
    ],
    mappingLeftOut: 2,
    kept: { tickets: 0, columns: [] },
    plan: {
      requests: {
        ...{ creates: 12_189, messages: 12_100, events: 9001, updates: 0, reads: 0 },
        ...{ total: 33_290, checks: 20 },
      },
      estimatedSeconds: 1997,
      rate: '1000/60 and 5000/300',
      batches: { count: 122, size: 100 },
    },
    requests: { sent: 33_290, retried: 0, rateLimited: 0, changing: 33_290 },
    details: DETAILS,
    known: { agents: true, helpdesk: true },
    picks: [
      { externalId: '4711', why: ['the longest thread: 87 messages', 'status closed'] },
      { externalId: '12', why: ['an internal note', 'non-Latin text', 'attachments'] },
    ],
    problems: problems.rows,
    problemsTotal: problems.total,
    problemGroups: problems.groups,
    checkpoint: 'helpdesk-import.checkpoint.sqlite',
    durationMs: 1_999_123,
    exitCode: 0,
    ...parts,
  };
  return { ...facts, lost: parts.lost ?? lostOf(facts) };
}

/** A run with something of every outcome. */
export const MIXED = {
  tickets: {
    ...emptyCounts(),
    read: 12_430,
    done: 12_150,
    rejected: 41,
    failed: 30,
    inDoubt: 9,
    skipped: 200,
  },
  messages: {
    ...{ read: 60_231, sent: 60_000, internal: 3011, orphans: 12 },
    longest: { externalId: '4711', messages: 87 },
  },
  attachments: {
    ...{ read: 911, bytes: 1.2e9, stored: 0, missing: 0, links: 900, tickets: 420 },
    ...{ checked: 40, unreachable: 2 },
    hosts: [{ host: 'files.example.com', files: 900 }],
  },
  requests: { sent: 33_290, retried: 12, rateLimited: 1, changing: 33_200 },
  problems: snapshotOf(PROBLEMS),
  rejects: 'helpdesk-import.rejects',
  report: 'report.html',
  exitCode: 4,
} satisfies FactsParts;

/** A checked ticket with one of everything; `parts` replace parts of it. */
export function checkedTicket(parts: Partial<CheckedTicket> = {}): CheckedTicket {
  return {
    seq: 0,
    externalId: '4711',
    ref: { file: 0, row: 0, line: 2 },
    ticket: {
      subject: 'Where is my order?',
      contact: { email: 'ana@example.com' },
      status: 'closed',
      priority: 'high',
      tags: ['shipping', 'imported'],
      assignedToId: 'agt_01',
      createdAt: '2024-03-05T10:00:00.000Z',
      resolvedAt: '2024-03-06T10:00:00.000Z',
    },
    messages: [
      {
        actorType: 'customer',
        content: 'It should have come on Monday.',
        occurredAt: '2024-03-05T10:00:00.000Z',
        contact: { email: 'ana@example.com' },
      },
      {
        actorType: 'agent',
        content: '<p>It is <b>on its way</b>.</p>',
        contentType: 'html',
        occurredAt: '2024-03-05T11:00:00.000Z',
        agentId: 'agt_01',
        attachments: [{ url: 'https://files.example.com/label.pdf', name: 'label.pdf', sizeBytes: 1234 }],
      },
      {
        actorType: 'agent',
        content: 'Ring the carrier *today*.',
        contentType: 'markdown',
        occurredAt: '2024-03-05T12:00:00.000Z',
        agentId: 'agt_02',
        isInternal: true,
      },
    ],
    events: [
      {
        type: 'status_change',
        oldValue: { status: 'open' },
        newValue: { status: 'closed' },
        actorType: 'agent',
        agentId: 'agt_01',
        occurredAt: '2024-03-06T10:00:00.000Z',
      },
    ],
    fingerprints: { ticket: '0', messages: '0', events: '0' },
    rows: [],
    ...parts,
  };
}

export function conversation(parts: Partial<CheckedTicket> = {}): Conversation {
  return conversationOf(checkedTicket(parts), ['status closed', 'an internal note'], (email) =>
    email === 'ana@example.com' ? 'Ana Ruiz' : undefined,
  );
}

type ViewParts = Partial<Omit<View, 'facts'>> & { readonly facts?: FactsParts };

const NEXT = {
  text: 'To import a few representative tickets first:',
  command: 'helpdesk-import run x.csv --trial',
};

/** A dry run with something of everything in it; `parts` say what is different. */
export function dryView({ facts, ...parts }: ViewParts = {}): View {
  return {
    facts: factsWith({
      mode: 'dry-run',
      tickets: { read: 12_430, rejected: 41, skipped: 200, pending: 12_189 },
      exitCode: 3,
      target: undefined,
      problems: snapshotOf(PROBLEMS),
      ...facts,
    }),
    samples: {
      conversations: [conversation()],
      merged: [{ email: 'ana@example.com', name: 'Ana Ruiz', names: 2 }],
    },
    next: [NEXT],
    ...parts,
  };
}

/** A finished run; `facts` say what did not go well. */
export function runView({ facts, ...parts }: ViewParts = {}): View {
  return {
    ...dryView(),
    facts: factsWith({
      tickets: { read: 12, done: 12 },
      runs: [
        {
          ...{ mode: 'run', version: '1.2.3', pid: 1, isGoingOn: false, exitCode: 0 },
          startedAt: '2025-06-02T07:58:00.000Z',
          endedAt: '2025-06-02T07:59:30.000Z',
        },
      ],
      ...facts,
    }),
    ...parts,
  };
}

export function pageOf(view: View, more: Partial<Parameters<typeof renderReport>[1]> = {}): string {
  return renderReport(view, { version: '1.2.3', madeAt: Date.parse('2025-06-02T08:00:00.000Z'), ...more });
}

/** A trial whose one ticket had checks that passed or not. */
export function trialView(oks: readonly boolean[], exitCode = 0): View {
  const checks = oks.map((ok) => ({ name: 'message order', ok, detail: ok ? 'As it was.' : 'Swapped.' }));
  const ticket = { externalId: '4711', ticketId: 'tkt_1', why: ['the longest thread'], checks };
  return runView({ facts: { mode: 'trial', trial: { tickets: [ticket] }, exitCode } });
}

/** A tag of markup with its attributes. */
export interface Tag {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
}

/** The start tags of well-formed markup, as the report makes it: every `<` that is text is escaped, every value quoted. */
export function tagsOf(markup: string): Tag[] {
  return [...markup.matchAll(/<([a-z!][a-z0-9-]*)((?:[^"'<>]|"[^"]*")*)>/gi)].map(
    ([, name = '', rest = '']) => ({
      name: name.toLowerCase(),
      attributes: Object.fromEntries(
        [...rest.matchAll(/([^\s"=/]+)(?:="([^"]*)")?/g)].map(([, key = '', text = '']) => [
          key.toLowerCase(),
          text,
        ]),
      ),
    }),
  );
}

export function unescaped(text: string): string {
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');
}

/** The text of a page without its tags, styles and frames. */
export function textOf(markup: string): string {
  return unescaped(
    markup
      .replace(/<style>[\s\S]*?<\/style>/g, '')
      .replace(/<[^>]*>/g, ' ')
      .replace(/\s+/g, ' '),
  );
}
