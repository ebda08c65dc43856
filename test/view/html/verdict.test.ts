import { describe, expect, it } from 'vitest';
import { emptyCounts } from '../../../src/domain/ticket-state.ts';
import type { ReportData } from '../../../src/view/html/report-data.ts';
import { lostSection, signOffSection, verdictOf } from '../../../src/view/html/verdict.ts';
import { reportData, runData } from './sample-report.ts';

const counts = (parts: Partial<ReportData['tickets']>) => ({ ...emptyCounts(), ...parts });
const trial = (oks: readonly boolean[]) => ({
  tickets: [{ externalId: '1', why: [], checks: oks.map((ok) => ({ name: 'x', ok, detail: '' })) }],
});

const CASES: readonly [string, ReportData, string, string][] = [
  [
    'a clean dry run',
    reportData({ tickets: counts({ read: 9, pending: 9 }) }),
    'good',
    'All 9 tickets are ready to import.',
  ],
  [
    'one ticket',
    reportData({ tickets: counts({ read: 1, pending: 1 }) }),
    'good',
    'The one ticket is ready to import.',
  ],
  [
    'a dry run with rejected tickets',
    reportData({ tickets: counts({ read: 10, pending: 6, rejected: 2, skipped: 2 }) }),
    'warn',
    '6 of 8 tickets are ready to import.',
  ],
  [
    'a dry run with nothing valid',
    reportData({ tickets: counts({ read: 2, rejected: 2 }) }),
    'bad',
    '0 of 2 tickets are ready to import.',
  ],
  ['an empty export', reportData({ tickets: counts({}) }), 'warn', 'The export has no tickets.'],
  ['a finished run', runData(), 'good', 'All 12 tickets are in the helpdesk.'],
  [
    'a run with tickets in doubt',
    runData({ exitCode: 4, tickets: counts({ read: 12, done: 11, inDoubt: 1 }) }),
    'warn',
    '11 of 12 tickets are in the helpdesk.',
  ],
  [
    'a run that was stopped',
    runData({ exitCode: 130, tickets: counts({ read: 12, done: 1, pending: 11 }) }),
    'bad',
    'The import stopped early: 1 of 12 tickets is in the helpdesk.',
  ],
  [
    'a trial that passed',
    runData({ kind: 'trial', trial: trial([true, true]) }),
    'good',
    'The trial of 1 ticket passed all 2 checks.',
  ],
  [
    'a trial that failed',
    runData({ kind: 'trial', exitCode: 3, trial: trial([true, false]) }),
    'bad',
    'The trial of 1 ticket failed 1 check.',
  ],
  [
    'a trial that was stopped',
    runData({ kind: 'trial', exitCode: 6, trial: trial([]) }),
    'bad',
    'The import stopped early: 12 of 12 tickets are in the helpdesk.',
  ],
  [
    'an empty checkpoint',
    runData({ kind: 'checkpoint', tickets: counts({}) }),
    'warn',
    'The checkpoint knows no ticket yet.',
  ],
];

describe('verdict', () => {
  it.each(CASES)('%s', (_, data, tone, headline) => {
    expect(verdictOf(data)).toMatchObject({ tone, headline });
  });

  it('what is missing is said in words', () => {
    expect(
      verdictOf(
        runData({ exitCode: 4, tickets: counts({ read: 9, done: 4, rejected: 1, failed: 2, inDoubt: 2 }) }),
      ).lead,
    ).toEqual([
      '1 ticket was rejected, because something in it is not valid.',
      'The helpdesk refused 2 tickets or parts of them.',
      '2 tickets may or may not be in the helpdesk, and wait to be settled.',
    ]);
  });
});

describe('the decision', () => {
  it('names checks of a trial that failed, and nothing where all passed', () => {
    const asked = (oks: readonly boolean[]) =>
      String(signOffSection(runData({ kind: 'trial', trial: trial(oks) }))?.content);
    expect(asked([true, false, false])).toContain('2 failed checks of the trial are explained');
    expect(asked([true])).not.toContain('failed check');
  });

  it('counts rejected tickets among what is lost', () => {
    const content = (rejected: number) =>
      String(lostSection(reportData({ tickets: counts({ read: 9, pending: 8, rejected }) }))?.content);
    expect(content(2)).toContain('2 rejected tickets, until corrected');
    expect(content(0)).not.toContain('rejected');
  });

  it('speaks of what is lost in the past when all is done', () => {
    const title = (data: ReportData) => lostSection(data)?.title;
    expect(title(reportData())).toBe('What will be lost');
    expect(title(runData({ tickets: counts({ read: 9, done: 8, pending: 1 }) }))).toBe('What will be lost');
    expect(title(runData({ tickets: counts({ read: 9, done: 9 }) }))).toBe('What was lost');
  });
});
