import { type AppError, ERROR_CODES } from '../domain/errors.ts';
import type { Problem } from '../domain/problem.ts';
import { OUTCOMES, type Outcome, type OutcomeCounts } from '../domain/ticket-state.ts';
import type { Facts } from './facts.ts';

export function withCommands(facts: Facts, inText: (text: string) => string): Facts {
  const reported = (problem: Problem): Problem => ({ ...problem, message: inText(problem.message) });
  return {
    ...facts,
    problems: facts.problems.map(reported),
    problemGroups: facts.problemGroups.map((group) => ({ ...group, example: reported(group.example) })),
  };
}

export function checksOf({ trial }: Pick<Facts, 'trial'>): { passed: number; failed: number } {
  const checks = trial?.tickets.flatMap((ticket) => ticket.checks) ?? [];
  const passed = checks.filter(({ ok }) => ok).length;
  return { passed, failed: checks.length - passed };
}

export function countOfCode({ problemGroups }: Pick<Facts, 'problemGroups'>, code: string): number {
  return problemGroups.filter((group) => group.code === code).reduce((sum, { count }) => sum + count, 0);
}

export interface OutcomeView {
  readonly word: string;
  readonly tone: 'good' | 'bad' | 'warn' | 'soft';
  readonly swatch: 'done' | 'ready' | 'rejected' | 'failed' | 'doubt' | 'skipped';
  readonly meaning: string;
  readonly dryMeaning: string;
  readonly exitCode: 0 | 3 | 4;
}

function outcome(
  word: string,
  tone: OutcomeView['tone'],
  swatch: OutcomeView['swatch'],
  exitCode: OutcomeView['exitCode'],
  meaning: string,
  dryMeaning = meaning,
): OutcomeView {
  return { word, tone, swatch, meaning, dryMeaning, exitCode };
}

export const OUTCOME_VIEWS: Readonly<Record<Outcome, OutcomeView>> = {
  done: outcome('done', 'good', 'done', 0, 'in the helpdesk, complete'),
  rejected: outcome('rejected', 'bad', 'rejected', 3, 'invalid, not sent', 'invalid, would not be sent'),
  failed: outcome('failed', 'bad', 'failed', 3, 'refused by the helpdesk, or incomplete there'),
  inDoubt: outcome('in doubt', 'warn', 'doubt', 4, 'sent, outcome unknown'),
  skipped: outcome('skipped', 'soft', 'skipped', 0, 'left out by filters or rules'),
  pending: outcome('pending', 'soft', 'ready', 0, 'not sent yet', 'valid, ready to import'),
};

interface RunResult {
  readonly tickets: OutcomeCounts;
  /** One may lead to another. */
  readonly stoppedBy?: readonly AppError[];
  /** A check of the trial failed, rows were lost, or the export is older than the import. */
  readonly isFlawed?: boolean;
  readonly duplicates?: boolean;
  readonly mustReachAll?: boolean;
}

/** If several apply, the first. After an internal error nothing else is reliable; after 2 the counts are incomplete. */
const PRECEDENCE: readonly number[] = [1, 2, 130, 143, 5, 6, 4, 3];

export function exitCodeOf({
  tickets,
  stoppedBy = [],
  isFlawed,
  duplicates,
  mustReachAll,
}: RunResult): number {
  const codes = new Set<number>(stoppedBy.map(({ code }) => ERROR_CODES[code]));
  for (const outcome of OUTCOMES) if (tickets[outcome] > 0) codes.add(OUTCOME_VIEWS[outcome].exitCode);
  if (duplicates) codes.add(4);
  if (isFlawed) codes.add(3);
  if (mustReachAll && tickets.pending > 0) codes.add(ERROR_CODES.unreachable);
  return PRECEDENCE.find((code) => codes.has(code)) ?? 0;
}

export const END_WORDS: Readonly<Record<number, string>> = {
  0: 'all done',
  1: 'an internal error',
  2: 'refused to go on',
  3: 'some rejected, failed or not updated',
  4: 'some in doubt',
  5: 'permission refused',
  6: 'stopped early',
  130: 'interrupted',
  143: 'terminated',
};
