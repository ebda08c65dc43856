import { describe, expect, it } from 'vitest';
import { emptyCounts } from '../../../src/domain/ticket-state.ts';
import { commandLines } from '../../../src/view/command-line.ts';
import { nextSteps, stepBlocks } from '../../../src/view/next-steps.ts';
import { blockLines } from '../../../src/view/terminal/blocks.ts';
import { summaryWith } from '../sample.ts';
import { testStyle } from './sink.ts';

describe('what to do next', () => {
  const commands = commandLines({ command: 'run', files: ['export.jsonl'], options: [] });
  const next = (parts: Parameters<typeof summaryWith>[0], options = {}) =>
    blockLines(stepBlocks(nextSteps(summaryWith(parts), { commands, ...options })), testStyle(120)).join(
      '\n',
    );
  const counts = (parts: object) => ({ tickets: { ...emptyCounts(), read: 9, ...parts } });

  it.each([
    ['all done: nothing', { ...counts({ done: 9 }) }, ''],
    [
      'interrupted: the same command',
      { ...counts({ pending: 9 }), exitCode: 130 },
      'helpdesk-import run export.jsonl',
    ],
    [
      'interrupted at once: it says that one is in doubt, and to run again before anything else',
      { ...counts({ pending: 8, inDoubt: 1 }), exitCode: 130 },
      '1 ticket may or may not be in the target. Run the same command again',
    ],
    ['refused: doctor', { ...counts({ pending: 9 }), exitCode: 5 }, 'helpdesk-import doctor'],
    ['stopped early: the same command', { ...counts({ pending: 9 }), exitCode: 6 }, 'Nothing is lost.'],
    ['in doubt: resolve', { ...counts({ inDoubt: 1 }), exitCode: 4 }, 'helpdesk-import resolve'],
    ['failed: status', { ...counts({ failed: 1 }), exitCode: 3 }, 'helpdesk-import status --failed'],
    [
      'rejected: the folder',
      { ...counts({ rejected: 1 }), rejects: 'left over', exitCode: 3 },
      "helpdesk-import run 'left over'",
    ],
    [
      'in the target with rows that are not valid now: the folder too',
      { ...counts({ failed: 1 }), rejects: 'left over', exitCode: 3 },
      "Where rows are not valid, correct them in left over, then import the folder:\n    helpdesk-import run 'left over'",
    ],
    [
      'a dry run with errors',
      { ...counts({ rejected: 2, pending: 7 }), mode: 'dry-run' as const, exitCode: 3 },
      'Nothing was sent. Correct the errors in the export, or go on without 2 rejected tickets.',
    ],
    [
      'a dry run without errors: a trial',
      { ...counts({ pending: 9 }), mode: 'dry-run' as const },
      'helpdesk-import run export.jsonl --trial',
    ],
    [
      'a trial that passed: the rest',
      { ...counts({ done: 8, pending: 1 }), mode: 'trial' as const },
      'If they are right, import the rest:\n    helpdesk-import run export.jsonl',
    ],
  ])('%s', (_, parts, expected) => {
    if (expected === '') expect(next(parts)).toBe('');
    else expect(next(parts)).toContain(expected);
  });

  it('a trial that rejected every ticket shows no trial, and does not suggest looking at it or importing the rest', () => {
    const parts = {
      ...counts({ rejected: 9 }),
      mode: 'trial' as const,
      trial: { tickets: [] },
      rejects: 'left',
      exitCode: 3,
    };
    expect(next(parts)).not.toContain('Look at these');
    expect(next(parts).match(/helpdesk-import .*/g)).toEqual(['helpdesk-import run left']);
  });

  it('where the tickets can be looked at', () => {
    expect(next(counts({ done: 9 }), { lookAt: 'helpdesk-import sandbox' })).toContain(
      '    helpdesk-import sandbox',
    );
  });
});
