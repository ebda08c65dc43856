/** A problem in the data is a value, never thrown: what is wrong, where, and what to do. */
import type { SourceFrame } from './source.ts';

export type Severity = 'error' | 'warning';

export interface Problem {
  severity: Severity;
  /** Stable, e.g. `invalid-email`; documented in docs/reference.md. */
  code: string;
  ticket?: string | undefined;
  file?: string | undefined;
  /** From 1, with the header. */
  line?: number | undefined;
  column?: string | undefined;
  field?: string | undefined;
  message: string;
  count: number;
}

export function problemKey(p: Problem): string {
  return [p.severity, p.code, p.ticket ?? '', p.file ?? '', p.line ?? '', p.field ?? ''].join('\u0000');
}

export function groupField(field: string | undefined): string {
  return (field ?? '').replace(/\[\d+\]/g, '[]');
}

/** `frameOf` is called during the call only, for problems that are shown. */
export type ProblemSink = (problem: Problem, frameOf?: () => SourceFrame | undefined) => void;

export interface ProblemGroup extends Pick<Problem, 'severity' | 'code' | 'count'> {
  /** Without indexes: `messages[].agentId`. */
  readonly field?: string | undefined;
  tickets?: number | undefined;
  readonly example: Problem;
}

/** The same for a problem and its group, across runs. */
export function groupKey({ severity, code, field }: Pick<Problem, 'severity' | 'code' | 'field'>): string {
  return `${severity} ${code} ${groupField(field).slice(0, 100)}`;
}

export interface ProblemSnapshot {
  /** Errors first; at most `maxRows`. */
  readonly rows: readonly Problem[];
  readonly total: number;
  readonly groups: readonly Readonly<ProblemGroup>[];
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

function bySeverity(a: Pick<Problem, 'severity'>, b: Pick<Problem, 'severity'>): number {
  return Number(a.severity === 'warning') - Number(b.severity === 'warning');
}

export function createProblemLog(maxRows = MOST_ROWS): ProblemLog {
  const rows = new Map<string, Problem>();
  /** Keys of warnings in `rows`, the youngest last. */
  const warnings: string[] = [];
  const groups = new Map<string, ProblemGroup>();
  /** Problems of one ticket come one after another. */
  const latest = new Map<string, string>();
  let total = 0;

  function addRow(problem: Problem): void {
    const key = problemKey(problem);
    const known = rows.get(key);
    if (known !== undefined) known.count += problem.count;
    else if (rows.size < maxRows) {
      rows.set(key, { ...problem });
      if (problem.severity === 'warning') warnings.push(key);
    } else if (problem.severity === 'error') {
      // An error replaces the youngest warning.
      const youngest = warnings.pop();
      if (youngest !== undefined) rows.delete(youngest) && rows.set(key, { ...problem });
    }
  }

  function addGroup(problem: Problem): boolean {
    const { severity, code, count, ticket } = problem;
    let field = groupField(problem.field);
    const keyOf = () => [severity, code, field].join('\u0000');
    if (!groups.has(keyOf()) && groups.size >= MOST_GROUPS) field = FURTHER_FIELDS;
    const key = keyOf();
    const known = groups.get(key);
    const isOther = ticket !== undefined && latest.get(key) !== ticket;
    if (ticket !== undefined) latest.set(key, ticket);
    const tickets = isOther ? { tickets: (known?.tickets ?? 0) + 1 } : {};
    if (known !== undefined) Object.assign(known, { count: known.count + count, ...tickets });
    else
      groups.set(key, {
        severity,
        code,
        ...(field !== '' && { field }),
        count,
        ...tickets,
        example: problem,
      });
    return known === undefined;
  }

  return {
    add: (problem) => {
      total += problem.count;
      addRow(problem);
      return addGroup(problem);
    },
    snapshot: () => ({
      rows: [...rows.values()].map((row) => ({ ...row })).sort(bySeverity),
      total,
      groups: [...groups.values()]
        .map((group) => ({ ...group }))
        .sort((a, b) => bySeverity(a, b) || b.count - a.count),
    }),
  };
}
