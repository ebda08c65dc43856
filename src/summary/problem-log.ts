/**
 * Collects problems: rows for JSON and report, groups for the screen, and totals. Memory is bounded by `maxRows` and MOST_GROUPS; totals stay
 * exact.
 */
import { groupField, type Problem, problemGroupKey, problemKey, type Severity } from '../domain/problem.ts';

/** One row per severity, code and field (contract, "JSON"). */
export interface ProblemGroup {
  readonly severity: Severity;
  readonly code: string;
  /** Without indexes: `messages[].agentId`; absent without a field. */
  readonly field?: string;
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
  readonly errors: number;
  readonly warnings: number;
  /** Problems without a row. */
  readonly leftOut: number;
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

interface Counted {
  problem: Problem;
  count: number;
}

/** What a log keeps and a result lists. */
const MOST_ROWS = 1000;

export function createProblemLog(maxRows = MOST_ROWS): ProblemLog {
  const rows: Record<Severity, Map<string, Counted>> = { error: new Map(), warning: new Map() };
  const groups = new Map<string, Counted & { field: string }>();
  const totals: Record<Severity, number> = { error: 0, warning: 0 };

  function addRow(problem: Problem): void {
    const key = problemKey(problem);
    const mine = rows[problem.severity];
    const known = mine.get(key);
    if (known !== undefined) {
      known.count += problem.count;
      return;
    }
    if (rows.error.size + rows.warning.size >= maxRows) {
      // An error replaces the youngest warning.
      const youngest = problem.severity === 'error' ? [...rows.warning.keys()].at(-1) : undefined;
      if (youngest === undefined) return;
      rows.warning.delete(youngest);
    }
    mine.set(key, { problem, count: problem.count });
  }

  function addGroup(problem: Problem): boolean {
    let key = problemGroupKey(problem);
    let field = groupField(problem.field);
    if (!groups.has(key) && groups.size >= MOST_GROUPS) {
      // One group for all further fields of this code.
      field = FURTHER_FIELDS;
      key = problemGroupKey({ ...problem, field });
    }
    const known = groups.get(key);
    if (known === undefined) groups.set(key, { problem, count: problem.count, field });
    else known.count += problem.count;
    return known === undefined;
  }

  return {
    add: (problem) => {
      totals[problem.severity] += problem.count;
      addRow(problem);
      return addGroup(problem);
    },
    snapshot: () => {
      const kept = [...rows.error.values(), ...rows.warning.values()];
      const total = totals.error + totals.warning;
      return {
        rows: kept.map(({ problem, count }) => ({ ...problem, count })),
        total,
        errors: totals.error,
        warnings: totals.warning,
        leftOut: total - kept.reduce((sum, { count }) => sum + count, 0),
        groups: [...groups.values()].map(asGroup).toSorted(byWeight),
      };
    },
  };
}

function asGroup({ problem, count, field }: Counted & { field: string }): ProblemGroup {
  const { severity, code } = problem;
  return { severity, code, ...(field === '' ? {} : { field }), count, example: problem };
}

function byWeight(a: ProblemGroup, b: ProblemGroup): number {
  if (a.severity !== b.severity) return a.severity === 'error' ? -1 : 1;
  return b.count - a.count;
}
