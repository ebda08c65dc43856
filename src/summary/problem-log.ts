/** Collects problems: rows for JSON and report, groups for the screen. Memory is bounded, and counts stay exact. */
import { groupField, type Problem, problemGroupKey, problemKey, type Severity } from '../domain/problem.ts';

/** One row per severity, code and field (contract, "JSON"). */
export interface ProblemGroup {
  readonly severity: Severity;
  readonly code: string;
  /** Without indexes: `messages[].agentId`; absent without a field. */
  readonly field?: string | undefined;
  readonly count: number;
  /** The first problem. */
  readonly example: Problem;
}

/** Identifies a kind of problem across runs. */
export function groupKey({ severity, code, field = '' }: ProblemGroup): string {
  return `${severity} ${code} ${field.slice(0, 100)}`;
}

export interface ProblemSnapshot {
  /** Errors first, each in order of appearance; at most `maxRows`. */
  readonly rows: readonly Problem[];
  /** All problems, also those without a row. */
  readonly total: number;
  /** Errors first, the most frequent first. */
  readonly groups: readonly ProblemGroup[];
}

export interface ProblemLog {
  /** A sink that returns whether the problem is the first of its group, its example. */
  readonly add: (problem: Problem) => boolean;
  snapshot(): ProblemSnapshot;
}

/** The export may name fields (unknown columns), so groups are bounded too. */
const MOST_GROUPS = 1000;
const FURTHER_FIELDS = '(further fields)';
const MOST_ROWS = 1000;

export function createProblemLog(maxRows = MOST_ROWS): ProblemLog {
  const rows: Record<Severity, Map<string, Problem>> = { error: new Map(), warning: new Map() };
  const groups = new Map<string, { -readonly [K in keyof ProblemGroup]: ProblemGroup[K] }>();
  let total = 0;

  function addRow(problem: Problem): void {
    const key = problemKey(problem);
    const { error, warning } = rows;
    const known = rows[problem.severity].get(key);
    if (known !== undefined) {
      known.count += problem.count;
      return;
    }
    if (error.size + warning.size >= maxRows) {
      // An error replaces the youngest warning.
      const youngest = problem.severity === 'error' ? [...warning.keys()].at(-1) : undefined;
      if (youngest === undefined) return;
      warning.delete(youngest);
    }
    rows[problem.severity].set(key, { ...problem });
  }

  function addGroup(problem: Problem): boolean {
    const { severity, code, count } = problem;
    let key = problemGroupKey(problem);
    let field = groupField(problem.field);
    if (!groups.has(key) && groups.size >= MOST_GROUPS) {
      // One group for all further fields of this code.
      field = FURTHER_FIELDS;
      key = problemGroupKey({ ...problem, field });
    }
    const known = groups.get(key);
    if (known !== undefined) {
      known.count += count;
      return false;
    }
    groups.set(key, { severity, code, ...(field !== '' && { field }), count, example: problem });
    return true;
  }

  return {
    add: (problem) => {
      total += problem.count;
      addRow(problem);
      return addGroup(problem);
    },
    snapshot: () => ({
      rows: [...rows.error.values(), ...rows.warning.values()].map((row) => ({ ...row })),
      total,
      groups: [...groups.values()]
        .map((group) => ({ ...group }))
        .sort((a, b) => (a.severity === b.severity ? b.count - a.count : a.severity === 'error' ? -1 : 1)),
    }),
  };
}
