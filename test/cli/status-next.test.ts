/** What `status` says to do first, after any end of a run: pure decisions over what a checkpoint tells. */
import { describe, expect, it } from 'vitest';
import type { RunStatus } from '../../src/checkpoint/status.ts';
import type { Facts } from '../../src/plan/facts.ts';
import { statusSteps } from '../../src/view/next-steps.ts';
import { typed } from './in-process.ts';

const TYPED = { again: 'helpdesk-import run x --trial', all: 'helpdesk-import run x', folder: '/work' };
const COUNTS = { known: 9, done: 9, rejected: 0, failed: 0, inDoubt: 0, skipped: 0, pending: 0 };

function run(parts: Partial<RunStatus> = {}): RunStatus {
  const at = '2025-01-01T00:00:00.000Z';
  return {
    mode: 'run',
    startedAt: at,
    isGoingOn: false,
    version: '1',
    pid: 1,
    summary: { typed: TYPED },
    ...parts,
  };
}

function steps(runs: readonly RunStatus[], counts = {}, left = 0, parts: Partial<Facts> = {}): string[] {
  const tickets = { ...COUNTS, ...counts };
  const status = {
    checkpoint: 'a.sqlite',
    tickets,
    export: { total: 20, done: tickets.done, left },
    runs,
    rate: [],
    ...parts,
  } as unknown as Facts;
  const commands = typed('status', [], { checkpoint: 'a.sqlite' });
  return statusSteps(status, { commands, folder: '/work', isNamed: false }).map(
    ({ command }) => command ?? '',
  );
}

const RESOLVE = 'helpdesk-import resolve --checkpoint a.sqlite';
const FAILED = 'helpdesk-import status --checkpoint a.sqlite --failed';

describe('what to do first', () => {
  it.each<[string, string[], string[]]>([
    ['all done: nothing', steps([run({ exitCode: 0 })]), []],
    ['killed: the same command', steps([run()], {}, 11), [TYPED.again]],
    ['interrupted', steps([run({ exitCode: 130 })], {}, 11), [TYPED.again]],
    ['stopped early', steps([run({ exitCode: 6 })], {}, 11), [TYPED.again]],
    [
      'refused: doctor, then the same',
      steps([run({ exitCode: 5 })], {}, 11),
      ['helpdesk-import doctor --checkpoint a.sqlite', TYPED.again],
    ],
    ['in doubt: again before resolve', steps([run({ exitCode: 4 })], { inDoubt: 1 }), [TYPED.again, RESOLVE]],
    ['killed and in doubt', steps([run()], { inDoubt: 1 }, 3), [TYPED.again, RESOLVE]],
    ['refused tickets: why, then again', steps([run({ exitCode: 3 })], { failed: 2 }), [FAILED, TYPED.again]],
    ['rejected ones: why', steps([run({ exitCode: 3 })], { rejected: 2 }), [FAILED]],
    ['a trial that passed: the rest', steps([run({ mode: 'trial', exitCode: 0 })], {}, 11), [TYPED.all]],
    [
      'a trial with a failed check: the trial',
      steps([run({ mode: 'trial', exitCode: 3, summary: { typed: TYPED, failedChecks: 1 } })], {}, 11),
      [TYPED.again],
    ],
    [
      'a trial that was stopped: the trial',
      steps([run({ mode: 'trial', exitCode: 130 })], {}, 11),
      [TYPED.again],
    ],
    ['a run of an older version', steps([run({ summary: undefined })], {}, 11), ['']],
    [
      'the rejects were imported, the export was not to its end',
      steps(
        [
          run({ exitCode: 0, summary: { isPart: true, typed: { ...TYPED, again: 'x' } } }),
          run({ exitCode: 6 }),
        ],
        {},
        4,
      ),
      [TYPED.again],
    ],
    [
      'a run is at work',
      steps([run()], {}, 3, { writer: { pid: 1 } }),
      ['helpdesk-import status --checkpoint a.sqlite'],
    ],
  ])('%s', (_, reported, expected) => expect(reported).toEqual(expected));

  it('a command that was typed elsewhere says where', () => {
    const elsewhere = run({ summary: { typed: { ...TYPED, folder: "/it's" } } });
    expect(steps([elsewhere], {}, 3)).toEqual([`cd '/it'\\''s' && ${TYPED.again}`]);
  });
});
