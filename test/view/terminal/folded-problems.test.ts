import { describe, expect, it } from 'vitest';
import type { Problem } from '../../../src/domain/problem.ts';
import { createProblemLog } from '../../../src/summary/problem-log.ts';
import { problemLines } from '../../../src/view/terminal/problem-view.ts';
import { createStyle } from '../../../src/view/terminal/style.ts';

const style = createStyle({ stream: { columns: 60 }, env: { LANG: 'C.UTF-8' } });
const column = (field: string, code = 'unused-column', count = 1): Problem => ({
  severity: 'warning',
  code,
  file: 't.csv',
  line: 1,
  field,
  message: `Nothing uses ${field}.`,
  count,
});

function linesOf(problems: readonly Problem[]): string[] {
  const log = createProblemLog(1000);
  for (const problem of problems) log.add(problem);
  return problemLines(log.snapshot(), style);
}

describe('columns that nothing uses', () => {
  it('are one entry that names them all', () => {
    expect(linesOf([column('brand'), column('comments[].via', 'unused-column', 2), column('group')])).toEqual(
      [
        '',
        'Warnings: these do not stop an import',
        '  4 × The column is used by no rule',
        expect.stringMatching(/^ {6}(?=.*brand)(?=.*comments\[\]\.via)(?=.*group)/),
        '      → It is not sent, or only in the note of its ticket',
        '        (unmapped: note). Map it if it matters.',
      ],
    );
  });

  it('one alone is told as any other problem, with its place', () => {
    expect(linesOf([column('brand')]).join('\n')).toContain('e.g. t.csv:1: Nothing uses brand.');
  });

  it('a hundred are cut, and counted', () => {
    const text = linesOf(Array.from({ length: 100 }, (_, n) => column(`c${n}`))).join(' ');
    expect(text).toContain('100 ×');
    expect(text).toMatch(/and 76 +more/);
  });

  it('of two kinds they stay apart, and other problems are not folded', () => {
    const text = linesOf([
      ...['a', 'b'].map((name) => column(name)),
      ...['c', 'd'].map((name) => column(name, 'unknown-field')),
      ...['e', 'f'].map((name) => column(name, 'time-in-future')),
    ]).join('\n');
    expect(text.match(/^ +\d+ ×/gm)).toHaveLength(4);
  });
});
