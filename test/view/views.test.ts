import { describe, expect, it } from 'vitest';
import { textWidth } from '../../src/domain/printable.ts';
import { groupKey, type Problem } from '../../src/domain/problem.ts';
import { allProblemWords } from '../../src/domain/text/problem-words.ts';
import type { Block, Of } from '../../src/view/blocks.ts';
import { monthBlocks, sourceFacts } from '../../src/view/plan.ts';
import { problemBlocks } from '../../src/view/problems.ts';
import { runTable } from '../../src/view/report.ts';
import { screenBlocks } from '../../src/view/sections.ts';
import { outcomeBlocks } from '../../src/view/summary.ts';
import { blockLines } from '../../src/view/terminal/blocks.ts';
import { verdictOf } from '../../src/view/verdict.ts';
import { dryView, type factsWith, MIXED, PROBLEMS, runView, snapshotOf, trialView } from './sample.ts';
import { testStyle } from './terminal/sink.ts';

const screen = (blocks: readonly Block[], width = 80) => blockLines(blocks, testStyle(width)).join('\n');
const run = (facts: Parameters<typeof factsWith>[0] = {}) => runView({ facts }).facts;
const mixed = runView({ next: [], facts: MIXED });

it('days of tickets are those of the zone of the export', () => {
  const { facts } = dryView();
  const at = { firstCreatedAt: '2026-06-01T20:00:00Z', lastCreatedAt: '2026-08-08T20:00:00Z' };
  const plan = sourceFacts({ ...facts, export: { ...facts.export, ...at, timezone: 'Asia/Kolkata' } });
  expect(plan).toContainEqual({ label: 'created', value: '2026-06-02 to 2026-08-09' });
});

describe('the end of a run', () => {
  it("shows the helpdesk's tickets, the sent ones and every place", () => {
    const shown = screen(screenBlocks(mixed));
    expect(shown.slice(0, shown.indexOf('What was lost'))).toMatchInlineSnapshot(`
      "! 12,150 of 12,230 tickets are in the helpdesk.

        done      12,150  98%  in the helpdesk, complete
        rejected      41  <1%  invalid, not sent
        failed        30  <1%  refused by the helpdesk, or incomplete there
        in doubt       9  <1%  sent, outcome unknown
        skipped      200   2%  left out by filters or rules
        read      12,430

      Left out: 180 exclude rule "spam", 20 created before --since.

      What was read and sent
        messages     60,231 (60,000 in the helpdesk, 3,011 internal notes, 12 without
                     their ticket, longest thread 87 in ticket 4711)
        events       20,111 (20,111 in the helpdesk)
        customers    5,102 (31 with several names)
        attachments  911 (1.2 GB, 900 links, 40 checked, 2 unreachable)
        requests     33,290 (90 to read, 12 retries, 1 rate limited, 17/s)
        time         33 min 19 s
        helpdesk     https://helpdesk.example.com
        layout       zendesk
        checkpoint   helpdesk-import.checkpoint.sqlite
        rejects      helpdesk-import.rejects
        report       report.html

      "
    `);
    expect(shown).toMatch(/What was lost[\s\S]*Errors: these tickets[\s\S]*Warnings: these do not stop/);
  });

  it('names four reasons of left out tickets, and says if there are more', () => {
    const of = (count: number) =>
      Array.from({ length: count }, (_, n) => ({ reason: `rule ${n}`, count: 1 }));
    const shown = (count: number) => screen(outcomeBlocks({ ...mixed.facts, skipped: of(count) }));
    expect(shown(4)).toContain('Left out: 1 rule 0, 1 rule 1, 1 rule 2, 1 rule 3.');
    expect(shown(5)).toContain('1 rule 3, and for other reasons.');
  });

  it('of a trial shows failed checks in full, and passed ones by their number', () => {
    const data = trialView([true, true, false], 3);
    const text = screen(screenBlocks({ ...data, next: [] }));
    expect(text.slice(text.indexOf('Trial: '))).toMatchInlineSnapshot(`
      "Trial: 1 ticket, 1 check failed
        ticket  in the helpdesk  subject  customer  status    checks
        4711    tkt_1                                       1 failed
          the longest thread

        Ticket 4711
          ✓ 2 checks passed
          ✗ message order  Swapped."
    `);
    expect(screen(screenBlocks(data, { verbose: true }))).toContain('✓ message order  As it was.');
    expect(screen(screenBlocks(data, { quiet: true }))).toContain('✗ message order  Swapped.');
  });
});

describe('the plan', () => {
  const dry = dryView();
  it('shows the export, its mapping, the requests and the losses', () => {
    const shown = screen(screenBlocks(dry));
    expect(shown.slice(0, shown.indexOf('How values are mapped'))).toMatchInlineSnapshot(`
      "Plan for 12,430 tickets
        from         exports/tickets.csv (zendesk)
        created      2024-01-02 to 2024-04-27
        messages     60,231 (3,011 internal notes, 12 without their ticket, longest
                     thread 87 in ticket 4711)
        events       20,111
        customers    5,102 (31 with several names)
        attachments  911 (1.2 GB, 900 links)
        channels     2 (chn_email: 12,000, default: 189)
        to send      12,189 tickets
        requests     33,290 (and up to 20 to check the helpdesk)
        time         about 33 min (at 1000/60 and 5000/300)

      "
    `);
    expect(
      shown.slice(shown.indexOf('Agents of'), shown.indexOf('\n\n', shown.indexOf('Not imported'))),
    ).toMatchInlineSnapshot(`
      "Agents of the export
        agent             messages  events  assigned  sent as
        ben@example.com        390      10         0  the fallback agent (agt_01)
        cleo@example.com         0       0         3  no agent
        Ana                    900      10        80  agt_02

      Not imported
        Unmapped values
          field   value      count  what happens
          status  "On Hold"     41  rejects the ticket
        Unknown authors
          author  messages
          bot-17         5
        Columns that are not imported
          column              values  file
          brand               12,430  tickets.csv
          satisfaction_score     801  tickets.csv"
    `);
  });

  it.each([80, 120])('fits into %i columns with the end of the run, and so do runs and commands', (width) => {
    const command =
      "helpdesk-import run 'two words.csv' --set source.name=lamps --checkpoint lamps.sqlite --yes";
    const summary = screenBlocks({ ...mixed, next: [{ text: 'Go on:', command }] });
    const began = '2025-06-02T07:58:00.000Z';
    const run = {
      ...{ mode: 'run', startedAt: began, endedAt: began },
      ...{ version: '1', pid: 1, isGoingOn: false, exitCode: 3 },
    };
    const runs = runTable([{ ...run, summary: { runTag: 'run-20250602-075800', durationMs: 90_000 } }]);
    const shown = blockLines([...screenBlocks(dry), ...summary, runs], testStyle(width));
    for (const line of shown) expect(textWidth(line), line).toBeLessThanOrEqual(width);
    const text = shown.join('\n');
    expect(text.replaceAll(/ \\\n +/g, ' ')).toContain(`    ${command}\n`);
    expect(text).toMatch(
      /run +1 min 30 s +run-20250602-075800\s+some[\s\S]*updated[\s\S]*\(exit code\s+3\)$/,
    );
  });

  it('marks a value that the helpdesk refuses', () => {
    const mapping = [{ kind: 'status', from: 'waiting', to: 'waiting', count: 8 }] as const;
    expect(screen(screenBlocks(dryView({ facts: { mapping } })))).toContain('waiting: rejected');
  });
});

describe('the verdict', () => {
  it('warns of changes that were not sent, and says when nothing had to be', () => {
    const problem = { ...PROBLEMS[0]!, severity: 'warning', code: 'changed-since-import', count: 3 } as const;
    expect(verdictOf(run({ problems: snapshotOf([problem]) }))).toMatchObject({
      tone: 'warn',
      news: ['3 tickets changed in the export since the import; the changes were not sent.'],
    });
    const missing = { ...problem, code: 'missing-in-target' } as const;
    expect(verdictOf(run({ problems: snapshotOf([missing]) }))).toMatchObject({
      tone: 'warn',
      news: ['The helpdesk no longer has all of the imported tickets.'],
    });
    const idle = { sent: 6, retried: 0, rateLimited: 0, changing: 0 };
    expect(verdictOf(run({ requests: idle })).news).toEqual(['Already imported; nothing to send.']);
  });

  it('names the records that a rule left out', () => {
    const lost = [
      { code: 'unsent' as const, what: 'drafts', count: 1 },
      { code: 'columns' as const, what: 'columns', count: 9 },
    ];
    expect(verdictOf(run({ lost })).news).toContain('Left out: drafts.');
  });
});

describe('problems', () => {
  const column = (field: string, code = 'unused-column', count = 1): Problem => ({
    severity: 'warning',
    code,
    file: 't.csv',
    line: 1,
    field,
    message: `Nothing uses ${field}.`,
    count,
  });
  const lines = (problems: readonly Problem[], options = {}) =>
    screen(problemBlocks(snapshotOf(problems).groups, options));

  it('4,000 times the same are one entry with a count, an example and what to do', () => {
    expect(lines(PROBLEMS.slice(0, 1))).toMatchInlineSnapshot(`
      "Errors: these tickets are not imported
        1 ticket   Unmapped value (status)
                   e.g. tickets.csv:12, ticket 4711: The status "On Hold" is in no
                        value map.
                   → Say what it means: init asks for it, or type it, such as --set
                     "ticket.status:on hold=pending"."
    `);
  });

  it('have the line of the export below their example', () => {
    const [group] = snapshotOf(PROBLEMS).groups;
    const frame = {
      file: 'tickets.csv',
      line: 12,
      column: 3,
      before: '1,',
      marked: 'On Hold',
      after: ',x',
      cutBefore: false,
      cutAfter: false,
    };
    const text = screen(problemBlocks([group!], { frames: { [groupKey(group!)]: frame } }));
    expect(text).toContain('e.g. tickets.csv:12:3, ticket 4711: The status');
    expect(text).toMatch(/12 \| 1,On Hold,x\n +\| {3}\^{7}\n/);
  });

  it('of one wrong cell in two fields are one entry with both names', () => {
    const [group] = snapshotOf(PROBLEMS).groups;
    const frame = { file: 'tickets.csv', line: 12, column: 3, before: '', marked: 'x', after: '' };
    const both = ['createdAt', 'messages[].occurredAt'].map((field) => {
      return { ...group!, field, example: { ...group!.example, field } };
    });
    const frames = Object.fromEntries(
      both.map((of) => [groupKey(of), { ...frame, cutBefore: false, cutAfter: false }]),
    );
    const text = screen(problemBlocks(both, { frames }));
    expect(text).toContain('(createdAt, messages[].occurredAt)');
    expect(text.match(/e\.g\./g)).toHaveLength(1);
  });

  it('of many columns are one entry with their names', () => {
    const text = lines(Array.from({ length: 100 }, (_, n) => column(`c${n}`)));
    expect(text).toContain('100 × Column that is not imported');
    expect(text).toMatch(/and 76\s+more/);
    expect(lines([column('brand')])).toContain('e.g. t.csv:1: Nothing uses brand.');
  });

  it('of many kinds are cut, and counted', () => {
    const many = Array.from({ length: 20 }, (_, n) => ({ ...PROBLEMS[0]!, code: `kind-${n}`, count: 2 }));
    expect(lines(many, { most: 3 })).toMatch(/ {2}and 34 more of 17 other kinds: see --json or --report$/);
  });

  it('of a ticket that the helpdesk has twice are not called not imported', () => {
    const text = lines([{ severity: 'error', code: 'duplicate-in-target', message: 'Twice.', count: 1 }]);
    expect(text).toContain('Errors: these tickets are in the helpdesk twice');
    expect(text).not.toContain('not imported');
  });

  it('all have a title and whole sentences of advice', () => {
    for (const [code, { title, todo }] of Object.entries(allProblemWords())) {
      expect(code).toMatch(/^[a-z]+(-[a-z]+)*$/);
      expect(title).toMatch(/^[A-Z].*[^.]$/);
      expect(todo).toMatch(/^[A-Za-z].*\.$/);
    }
    expect(Object.keys(allProblemWords()).length).toBeGreaterThan(40);
  });
});

describe('tickets over time', () => {
  const months = (from: number, count: number) =>
    Array.from({ length: count }, (_, n) => ({
      month: `${Math.floor((from + n) / 12)}-${String(((from + n) % 12) + 1).padStart(2, '0')}`,
      count: 1,
      byStatus: {},
    }));

  const drawn = (rows: Parameters<typeof monthBlocks>[0]) => {
    const [title, table] = monthBlocks(rows) as [Of<'heading'>, Of<'table'>];
    return { title: title.text, periods: table.rows.map(([period]) => period), table };
  };

  it.each([
    [1, 'Tickets by month', '2024-01', '2024-01'],
    [24, 'Tickets by month', '2024-01', '2025-12'],
    [25, 'Tickets by year', '2024', '2026'],
  ])('%i months: %s', (count, title, first, last) => {
    const { periods, table, ...shown } = drawn(months(2024 * 12, count));
    expect([shown.title, periods[0], periods.at(-1)]).toEqual([title, first, last]);
    expect(table.rows.reduce((sum, [, tickets]) => sum + Number(tickets), 0)).toBe(count);
  });

  it('a period without a ticket has no row', () => {
    expect(drawn(dryView().facts.export.months).periods).toEqual(['2024-01', '2024-02', '2024-04']);
    const odd = [...months(2024 * 12, 24), { month: '9999-12', count: 1, byStatus: {} }];
    expect(drawn(odd).periods).toEqual(['2024', '2025', '9999']);
  });
});
