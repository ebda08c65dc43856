import type { CheckedTicket } from '../../../src/domain/ticket.ts';
import { emptyCounts } from '../../../src/domain/ticket-state.ts';
import { type Conversation, conversationOf } from '../../../src/view/html/conversation.ts';
import type { ReportData } from '../../../src/view/html/report-data.ts';
import { LOSS, PROBLEMS, SURVEY, snapshotOf } from '../terminal/sample.ts';

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
    mapped: [],
    ...parts,
  };
}

export function conversation(parts: Partial<CheckedTicket> = {}): Conversation {
  return conversationOf(checkedTicket(parts), ['status closed', 'an internal note'], (email) =>
    email === 'ana@example.com' ? 'Ana Ruiz' : undefined,
  );
}

/** A dry run with something of everything in it; `parts` say what is different. */
export function reportData(parts: Partial<ReportData> = {}): ReportData {
  const { groups, errors, warnings, total } = snapshotOf(PROBLEMS);
  return {
    kind: 'dry-run',
    version: '1.2.3',
    madeAt: Date.parse('2025-06-02T08:00:00.000Z'),
    redacted: false,
    source: { files: { rows: ['exports/tickets.csv'], total: 1 }, layout: 'zendesk' },
    tickets: SURVEY.tickets,
    exitCode: 3,
    survey: SURVEY,
    mergedContacts: { rows: [{ email: 'ana@example.com', name: 'Ana Ruiz', names: 2 }], total: 31 },
    sent: { messages: 0, events: 0 },
    budgets: [{ requests: 1000, seconds: 60 }],
    threads: {
      bins: [
        { label: '1', count: 100 },
        { label: '2', count: 12_089 },
      ],
      total: 12_189,
      median: 2,
    },
    completion: { bins: [{ label: '1–4 hours', short: '<4h', count: 7 }], total: 7, median: 7_200_000 },
    problems: {
      total,
      errors,
      warnings,
      groups: {
        rows: groups.map((group) => ({ ...group, examples: [group.example] })),
        total: groups.length,
      },
    },
    loss: LOSS,
    inDoubt: {
      rows: [
        {
          externalId: '99',
          subject: 'Refund',
          createdAt: '2024-01-02T10:00:00.000Z',
          email: 'ben@example.com',
          sentAt: '2025-06-01T08:00:00.000Z',
          reason: 'The connection was closed before an answer came.',
        },
      ],
      total: 3,
    },
    failed: {
      rows: [{ externalId: '98', code: 'refused', status: 422, reason: 'contact.email is not accepted' }],
      total: 1,
    },
    attachmentChecks: { checked: 0, unreachable: 0 },
    runs: [],
    checkpoints: [],
    conversations: [conversation()],
    next: [
      { text: 'To import a few representative tickets first:', command: 'helpdesk-import run x.csv --trial' },
    ],
    ...parts,
  };
}

/** A finished run. */
export function runData(parts: Partial<ReportData> = {}): ReportData {
  return {
    ...reportData(),
    kind: 'run',
    exitCode: 0,
    target: 'https://helpdesk.example.com',
    tickets: { ...emptyCounts(), read: 12, done: 12 },
    inDoubt: { rows: [], total: 0 },
    failed: { rows: [], total: 0 },
    requests: { sent: 36, retried: 1, rateLimited: 0, changing: 30 },
    durationMs: 90_000,
    runs: [
      {
        checkpoint: 'a.sqlite',
        mode: 'run',
        startedAt: '2025-06-02T07:58:00.000Z',
        endedAt: '2025-06-02T07:59:30.000Z',
        isGoingOn: false,
        exitCode: 0,
        tickets: 12,
      },
    ],
    checkpoints: [{ path: 'a.sqlite', target: 'https://helpdesk.example.com', tickets: 12, bytes: 40_960 }],
    ...parts,
  };
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
