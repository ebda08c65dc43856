/** Problems as rows and groups, in bounded memory with exact counts. */
import { groupField, type Problem, problemGroupKey, problemKey, type Severity } from '../domain/problem.ts';

export interface ProblemGroup {
  readonly severity: Severity;
  readonly code: string;
  /** Without indexes: `messages[].agentId`. */
  readonly field?: string | undefined;
  readonly count: number;
  readonly tickets?: number | undefined;
  readonly example: Problem;
}

/** Across runs. */
export function groupKey({ severity, code, field = '' }: ProblemGroup): string {
  return `${severity} ${code} ${field.slice(0, 100)}`;
}

export interface ProblemSnapshot {
  /** Errors first; at most `maxRows`. */
  readonly rows: readonly Problem[];
  readonly total: number;
  readonly groups: readonly ProblemGroup[];
}

export interface ProblemLog {
  /** Returns whether the problem is the first of its group. */
  readonly add: (problem: Problem) => boolean;
  snapshot(): ProblemSnapshot;
}

/** An export may name fields, so groups are bounded too. */
const MOST_GROUPS = 1000;
const FURTHER_FIELDS = '(further fields)';
const MOST_ROWS = 1000;

export function createProblemLog(maxRows = MOST_ROWS): ProblemLog {
  const rows: Record<Severity, Map<string, Problem>> = { error: new Map(), warning: new Map() };
  const groups = new Map<string, { -readonly [K in keyof ProblemGroup]: ProblemGroup[K] }>();
  /** Problems of one ticket come one after another. */
  const latest = new Map<string, string>();
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
      field = FURTHER_FIELDS;
      key = problemGroupKey({ ...problem, field });
    }
    const known = groups.get(key);
    const isOther = problem.ticket !== undefined && latest.get(key) !== problem.ticket;
    if (problem.ticket !== undefined) latest.set(key, problem.ticket);
    if (known !== undefined) {
      known.count += count;
      if (isOther) known.tickets = (known.tickets ?? 0) + 1;
      return false;
    }
    const tickets = isOther ? { tickets: 1 } : {};
    groups.set(key, { severity, code, ...(field !== '' && { field }), count, ...tickets, example: problem });
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
