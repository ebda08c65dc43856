import { hash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Problem } from '../../../src/domain/problem.ts';
import { emptyCounts } from '../../../src/domain/ticket-state.ts';
import { renderReport } from '../../../src/view/html/render-report.ts';
import type { ReportData } from '../../../src/view/html/report-data.ts';
import { SURVEY } from '../terminal/sample.ts';
import { conversation, reportData, runData, tagsOf, textOf, unescaped } from './sample-report.ts';

const timeline = {
  stepMs: 1000,
  steps: [
    { requests: 10, rateLimited: 0, done: 2, notDone: 0 },
    { requests: 12, rateLimited: 2, done: 3, notDone: 1 },
  ],
  hasRequests: true,
  pausedMs: 0,
};
const trial = {
  tickets: [
    {
      externalId: '4711',
      ticketId: 'tkt_1',
      why: [],
      checks: [
        { name: 'subject', ok: true, detail: 'The subject is the same.' },
        { name: 'message order', ok: false, detail: 'Message 2 stands before message 1.' },
      ],
    },
    { externalId: '4712', why: [], checks: [{ name: 'imported', ok: false, detail: 'It is not there.' }] },
  ],
  checklist: {
    overall: ['No customer got an e-mail.'],
    tickets: [{ ticketId: 'tkt_1', subject: 'x', look: ['It has two notes.'] }],
  },
};
const clean: Partial<ReportData> = {
  tickets: { ...emptyCounts(), read: 3, pending: 3 },
  survey: { ...SURVEY, skippedBecause: [] },
  problems: { total: 0, errors: 0, warnings: 0, groups: { rows: [], total: 0 } },
  loss: { unusedColumns: [], unmappedValues: [], agentsWithoutId: [], unknownAuthors: [], notHeld: [] },
  inDoubt: { rows: [], total: 0 },
  failed: { rows: [], total: 0 },
};

const KINDS: readonly [string, ReportData, readonly string[]][] = [
  [
    'a dry run',
    reportData(),
    [
      'outcome',
      'lost',
      'sign-off',
      'next',
      'in-doubt',
      'failed',
      'problems',
      'loss',
      'mapping',
      'tickets',
      'contacts',
      'attachments',
      'conversations',
    ],
  ],
  [
    'a dry run without a flaw',
    reportData(clean),
    ['outcome', 'lost', 'sign-off', 'next', 'mapping', 'tickets', 'contacts', 'attachments', 'conversations'],
  ],
  [
    'a run',
    runData({ timeline }),
    [
      'outcome',
      'lost',
      'sign-off',
      'next',
      'problems',
      'loss',
      'mapping',
      'tickets',
      'contacts',
      'attachments',
      'run',
      'conversations',
    ],
  ],
  [
    'a trial',
    runData({ ...clean, kind: 'trial', trial, timeline }),
    [
      'outcome',
      'lost',
      'sign-off',
      'next',
      'conversations',
      'mapping',
      'tickets',
      'contacts',
      'attachments',
      'run',
    ],
  ],
  [
    'a checkpoint alone',
    {
      kind: 'checkpoint',
      version: '1.2.3',
      madeAt: 0,
      redacted: false,
      tickets: { ...emptyCounts(), read: 5, done: 5 },
      budgets: [],
      inDoubt: { rows: [], total: 0 },
      failed: { rows: [], total: 0 },
      runs: [],
      checkpoints: [{ path: 'a.sqlite', target: 'x', tickets: 5, bytes: 1 }],
      conversations: [],
      next: [],
    },
    ['outcome', 'sign-off', 'run'],
  ],
];

describe.each(KINDS)('the report of %s', (_, data, expected) => {
  const page = renderReport(data);
  const tags = tagsOf(page);

  it('has these sections in this order, and all of them in its contents', () => {
    const ids = tags.filter(({ name }) => name === 'section').map(({ attributes }) => attributes['id']);
    expect(ids).toEqual(expected);
    const nav = /<nav[\s\S]*?<\/nav>/.exec(page)?.[0] ?? '';
    expect(tagsOf(nav).flatMap(({ attributes }) => attributes['href'] ?? [])).toEqual(
      expected.map((id) => `#${id}`),
    );
  });

  it('every link within it leads somewhere, and no id stands twice', () => {
    const ids = tags.flatMap(({ attributes }) => attributes['id'] ?? []);
    expect(new Set(ids).size).toBe(ids.length);
    const links = tags
      .flatMap(({ attributes }) => attributes['href'] ?? [])
      .filter((to) => to.startsWith('#'));
    expect(links.filter((to) => !ids.includes(to.slice(1)))).toEqual([]);
  });

  it('asks nothing of anybody and runs nothing', () => {
    const forbidden = new Set(['script', 'object', 'embed', 'form', 'base', 'img', 'video', 'audio']);
    expect(tags.filter(({ name }) => forbidden.has(name))).toEqual([]);
    const keys = new Set(tags.flatMap(({ attributes }) => Object.keys(attributes)));
    expect([...keys].filter((key) => /^(on|style|src$|background|ping)/.test(key))).toEqual([]);
    expect(tags.filter(({ name }) => name === 'link').map(({ attributes }) => attributes['href'])).toEqual([
      'data:,',
    ]);
    expect(page).not.toMatch(/@import|url\(/);
  });

  it('its policy allows its own styles by their digests, and nothing else', () => {
    const policy = tags.find(({ attributes }) => attributes['http-equiv'] === 'Content-Security-Policy');
    const content = policy?.attributes['content'] ?? '';
    expect(content).toMatch(/^default-src 'none'; style-src /);
    const styles = [...unescaped(page).matchAll(/<style>([\s\S]*?)<\/style>/g)].map(
      ([, style = '']) => style,
    );
    expect(styles.length).toBeGreaterThan(0);
    for (const style of styles) expect(content).toContain(`'sha256-${hash('sha256', style, 'base64')}'`);
  });

  it('can be read aloud: language, title, one heading of the first rank, tables with captions and headings', () => {
    expect(page).toContain('<html lang="en">');
    expect(tags.filter(({ name }) => name === 'h1')).toHaveLength(1);
    expect(/<title>([^<]+)<\/title>/.exec(page)?.[1]).toMatch(/Import report$/);
    const tables = page.match(/<table[\s\S]*?<\/table>/g) ?? [];
    for (const table of tables) expect(table).toMatch(/<caption[^>]*>[^<]+<\/caption>[\s\S]*<th scope="col"/);
    for (const { attributes } of tags.filter(({ attributes: of }) => of['role'] === 'img'))
      expect(attributes['aria-label']).toBeTruthy();
    for (const { attributes } of tags.filter(({ name }) => name === 'iframe'))
      expect(attributes['title']).toBeTruthy();
  });
});

describe('what the report says', () => {
  it('a dry run is something to sign: what it raises, and a line for the name', () => {
    const text = textOf(renderReport(reportData()));
    expect(text).toContain('12,189 of 12,230 tickets are ready to import.');
    expect(text).toContain('41 tickets would not be imported. Correct them first, or go on without them');
    expect(text).toContain('The import takes about 33 min at least');
    expect(text).toContain('Name Date Decision');
    expect(text).toContain('Left out: 180 exclude rule "spam" , 20 created before --since .');
  });

  it('a problem stands with its count, what to do, and an example with its place', () => {
    const text = textOf(renderReport(reportData()));
    expect(text).toContain('4,000 The value is in no value map status Add it to the value map');
    expect(text).toContain(
      'The status "On Hold" is in no value map. tickets.csv :12 · ticket 4711 · 4,000 times',
    );
  });

  it('what maps to what, what will not arrive, who is merged', () => {
    const text = textOf(renderReport(reportData()));
    expect(text).toContain('顧客の返信待ち pending 300');
    expect(text).toContain('(nothing) open 3');
    expect(text).toContain('cleo@example.com 3 their tickets are rejected');
    expect(text).toContain('ana@example.com Ana Ruiz 2');
    expect(text).toContain('and 30 more');
  });

  it('a value that is rejected is said to be so, and values that stay as they are stand in one line', () => {
    const mapping = [
      { kind: 'status', from: 'waiting', to: 'waiting', count: 8 },
      { kind: 'status', from: 'open', to: 'open', count: 72 },
      { kind: 'status', from: 'done', to: 'closed', count: 5 },
    ] as const;
    const text = textOf(renderReport(reportData({ survey: { ...SURVEY, mapping } })));
    expect(text).toContain('waiting rejected 8 done closed 5');
    expect(text).toContain('Unchanged: open (72)');
    expect(text).not.toContain('waiting waiting');
  });

  it('a sentence that is said of several lines stands once, with the lines', () => {
    const { problems } = reportData();
    const [group] = problems?.groups.rows ?? [];
    const examples = [4, 8, 15].map((line) => ({ ...(group?.example as Problem), count: 1, line }));
    const rows = group === undefined ? [] : [{ ...group, examples }];
    const text = textOf(
      renderReport(reportData({ problems: problems && { ...problems, groups: { rows, total: 1 } } })),
    );
    expect(text.split(group?.example.message ?? '').length).toBe(2);
    expect(text).toContain('tickets.csv :4 · ticket 4711 ; tickets.csv :8 · ticket 4711 ; tickets.csv :15');
  });

  it('a ticket in doubt stands with what to look for', () => {
    const text = textOf(renderReport(reportData()));
    expect(text).toContain('99 Refund ben@example.com · created 2024-01-02 10:00 UTC');
    expect(text).toContain('2025-06-01 08:00 UTC');
    expect(text).toContain('and 2 more');
  });

  it('a conversation shows who wrote what and when, notes as notes, and history between', () => {
    const page = renderReport(reportData());
    const text = textOf(page);
    expect(text).toContain('Where is my order?');
    expect(text).toContain('Ana Ruiz customer 2024-03-05 10:00 UTC It should have come on Monday.');
    expect(text).toContain('agt_02 agent internal note Markdown 2024-03-05 12:00 UTC');
    expect(text).toContain('Status open → closed · agent · 2024-03-06 10:00 UTC');
    expect(text).toContain('label.pdf 1.2 kB');
    expect(tagsOf(page).filter(({ name }) => name === 'iframe')).toHaveLength(2);
  });

  it('a trial shows failed checks openly, passed ones by their number, and what to look at', () => {
    const text = textOf(renderReport(runData({ kind: 'trial', trial })));
    expect(text).toContain('failed: message order : Message 2 stands before message 1.');
    expect(text).toContain('1 check passed');
    expect(text).toContain('It has two notes.');
    expect(text).toContain('Ticket 4712');
  });

  it('a run that was stopped says why, and that the conversations are missing', () => {
    const text = textOf(
      renderReport(
        runData({
          exitCode: 6,
          stopped: { message: 'The disk is full.', hint: 'Free up space.' },
          conversations: [],
          noConversations: 'The run was stopped.',
        }),
      ),
    );
    expect(text).toContain('The disk is full. Free up space.');
    expect(text).toContain('Times are in UTC. The run was stopped.');
  });
});

describe('size', () => {
  it('the report of a million tickets with everything wrong is still a page of 200 KB', () => {
    const long = 'x'.repeat(50_000);
    const many = <T>(count: number, make: (index: number) => T) =>
      Array.from({ length: count }, (_, i) => make(i));
    const problem = (index: number): Problem => ({
      severity: 'error',
      code: `code-${index}`,
      ticket: long,
      file: long,
      line: index,
      field: long,
      message: long,
      count: 1_000_000,
    });
    const big = conversation({
      messages: many(1000, (index) => ({
        actorType: 'agent' as const,
        agentId: long,
        contentType: 'html' as const,
        content: `<p>${'<b>&amp;</b>'.repeat(10_000)}</p>`,
        occurredAt: new Date(index).toISOString(),
        attachments: many(100, () => ({ url: `https://x.example/${long}`, name: long })),
      })),
    });
    const page = renderReport(
      reportData({
        tickets: { ...emptyCounts(), read: 1_000_000, rejected: 1_000_000 },
        survey: {
          ...SURVEY,
          months: many(120_000, (index) => ({
            month: `${String(Math.floor(index / 12)).padStart(4, '0')}-${String((index % 12) + 1).padStart(2, '0')}`,
            count: 8,
            byStatus: { open: 8 },
          })),
          mapping: many(1000, (index) => ({
            kind: 'status' as const,
            from: `${index}${long}`,
            to: long,
            count: 1,
          })),
        },
        problems: {
          total: 1_000_000,
          errors: 1_000_000,
          warnings: 0,
          groups: {
            rows: many(100, (index) => ({
              severity: 'error' as const,
              code: `code-${index}`,
              field: long,
              count: 10_000,
              example: problem(index),
              examples: many(5, problem),
            })),
            total: 1000,
          },
        },
        loss: {
          unusedColumns: many(2000, () => ({ table: 't', column: long, file: long, filled: 1 })),
          unmappedValues: many(1000, () => ({ field: 'status', value: long, count: 1, action: 'error' })),
          agentsWithoutId: many(1000, () => ({ agent: long, count: 1 })),
          unknownAuthors: many(1000, () => ({ author: long, count: 1 })),
          notHeld: many(1000, () => ({ what: long, count: 1 })),
        },
        inDoubt: {
          rows: many(200, () => ({ externalId: long, subject: long, email: long, reason: long })),
          total: 1e6,
        },
        failed: { rows: many(200, () => ({ externalId: long, code: 'refused', reason: long })), total: 1e6 },
        conversations: many(10, () => big),
      }),
    );
    expect(page.length).toBeGreaterThan(50_000);
    expect(Buffer.byteLength(page)).toBeLessThanOrEqual(200_000);
  });
});
