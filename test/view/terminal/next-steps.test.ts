import { describe, expect, it } from 'vitest';
import { emptyCounts } from '../../../src/domain/ticket-state.ts';
import { commandLines } from '../../../src/view/command-line.ts';
import { nextSteps, stepBlocks } from '../../../src/view/next-steps.ts';
import { blockLines } from '../../../src/view/terminal/blocks.ts';
import { factsWith } from '../sample.ts';
import { testStyle } from './sink.ts';

describe('what to do next', () => {
  const commands = commandLines({ command: 'run', files: ['export.jsonl'], options: [] });
  const next = (parts: Parameters<typeof factsWith>[0], options = {}) =>
    blockLines(stepBlocks(nextSteps(factsWith(parts), { commands, ...options })), testStyle(120)).join('\n');
  const counts = (parts: object) => ({ tickets: { ...emptyCounts(), read: 9, ...parts } });

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

  it('what only a person knows leads to init, with the largest cause first, and errors in rows by their tickets', () => {
    const group = (code: string, tickets: number) => {
      const example = { severity: 'error' as const, code, message: '', count: tickets };
      return { severity: 'error' as const, code, count: tickets, tickets, example };
    };
    const parts = (inRows: number) => ({
      ...counts({ rejected: 9 }),
      ...{ exitCode: 3, rejects: 'left' },
      problemGroups: [group('missing-agent', 6), group('missing-contact', 7), group('invalid-email', inRows)],
    });
    const init = { init: { more: ['-o', 'own.yaml'] } };
    expect(next(parts(1), init)).toMatch(
      /addresses for customers without one \(7 tickets\), who signs[\s\S]*\(6 tickets\)[\s\S]*init export\.jsonl -o own\.yaml\n[\s\S]*run left/,
    );
    expect(next(parts(8), init)).toMatch(/run left[\s\S]*init export\.jsonl/);
    expect(next(parts(1))).not.toContain('init');
  });

  it('a folder of rejects that is gone is named no more', () => {
    const shown = next(counts({ done: 9 }), { isGone: true });
    expect(shown).not.toContain('verify');
    expect(shown).toMatch(/helpdesk-import report$/m);
  });
});
