import { describe, expect, it } from 'vitest';
import { createProblemLog, type Problem } from '../../src/domain/problem.ts';

const problem = (parts: Partial<Problem> = {}): Problem => ({
  severity: 'error',
  code: 'invalid-email',
  ticket: '1',
  file: 'a.csv',
  line: 2,
  field: 'contact.email',
  message: 'no address',
  count: 1,
  ...parts,
});

function logOf(problems: readonly Problem[], maxRows?: number) {
  const log = createProblemLog(maxRows);
  for (const one of problems) log.add(one);
  return log.snapshot();
}

describe('rows', () => {
  it('fold only where severity, code, ticket, file, line and field are equal', () => {
    const different: Partial<Problem>[] = [
      { severity: 'warning' },
      { code: 'x' },
      { ticket: '2' },
      { file: 'b.csv' },
      { line: 3 },
      { field: 'messages[0].contact.email' },
    ];
    const { rows, total } = logOf([
      problem(),
      problem({ message: 'other words', count: 2 }),
      ...different.map(problem),
    ]);
    expect(rows).toHaveLength(1 + different.length);
    expect(rows[0]).toEqual(problem({ count: 3 }));
    expect(total).toBe(3 + different.length);
  });

  it('stand errors first, at most as many as the log keeps, and the rest is counted', () => {
    const many = Array.from({ length: 30 }, (_, line) =>
      problem({ line, severity: line % 2 ? 'warning' : 'error', count: 2 }),
    );
    const { rows, total } = logOf(many, 10);
    expect(rows.map(({ severity }) => severity)).toEqual(Array.from({ length: 10 }, () => 'error'));
    expect(total).toBe(60);
  });

  it('an error is never left out for a warning', () => {
    const warnings = Array.from({ length: 50 }, (_, line) => problem({ severity: 'warning', line }));
    const errors = Array.from({ length: 8 }, (_, line) => problem({ line }));
    const { rows } = logOf([...warnings, ...errors], 10);
    expect(rows.filter(({ severity }) => severity === 'error')).toHaveLength(8);
    expect(rows.filter(({ severity }) => severity === 'warning').map(({ line }) => line)).toEqual([0, 1]);
  });
});

describe('groups', () => {
  it('have one row per severity, code and field without indexes, the most frequent first, errors before warnings', () => {
    const { groups } = logOf([
      problem({ severity: 'warning', code: 'unused-column', field: 'brand', count: 99 }),
      problem({ field: 'messages[0].agentId', code: 'missing-agent' }),
      problem({ field: 'messages[7].agentId', code: 'missing-agent', line: 9, count: 4000 }),
      problem(),
    ]);
    expect(groups.map(({ severity, code, field, count }) => [severity, code, field, count])).toEqual([
      ['error', 'missing-agent', 'messages[].agentId', 4001],
      ['error', 'invalid-email', 'contact.email', 1],
      ['warning', 'unused-column', 'brand', 99],
    ]);
    expect(groups[0]?.example).toMatchObject({ field: 'messages[0].agentId' });
  });

  it('are bounded too for any number of columns, and still count all', () => {
    const { groups } = logOf(
      Array.from({ length: 5000 }, (_, n) =>
        problem({ severity: 'warning', code: 'unused-column', field: `c${n}` }),
      ),
    );
    expect(groups.length).toBeLessThanOrEqual(1001);
    expect(groups.reduce((sum, { count }) => sum + count, 0)).toBe(5000);
    expect(groups[0]).toMatchObject({ field: '(further fields)', count: 4000 });
  });
});
