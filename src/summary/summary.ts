/** The JSON summary (`--json`), version 1, exactly as the contract has it; the screen and the HTML report show the same object. */

import { type AppError, ERROR_CODES } from '../domain/errors.ts';
import type { Problem } from '../domain/problem.ts';
import type { FilesForecast, Survey, TargetLook } from '../domain/survey.ts';
import { OUTCOMES, type OutcomeCounts } from '../domain/ticket-state.ts';
import { OUTCOME_VIEWS } from './outcomes.ts';
import type { ProblemGroup, ProblemSnapshot } from './problem-log.ts';

export interface TrialCheck {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
}

export interface TrialTicket {
  readonly externalId: string;
  /** Absent where the ticket did not get as far as into the target. */
  readonly ticketId?: string | undefined;
  readonly why: readonly string[];
  readonly checks: readonly TrialCheck[];
}

/** What a person should look at, as sentences. */
export interface TrialChecklist {
  readonly tickets: readonly {
    readonly ticketId: string;
    readonly subject: string;
    readonly look: readonly string[];
  }[];
  /** What concerns the whole trial. */
  readonly overall: readonly string[];
}

export interface Summary {
  readonly version: 1;
  readonly mode: 'run' | 'dry-run' | 'trial';
  readonly layout: string;
  /** Absent in a dry run without a target. */
  readonly target?: string | undefined;
  readonly tickets: OutcomeCounts;
  readonly messages: { readonly read: number; readonly sent: number; readonly orphans: number };
  readonly events: { readonly read: number; readonly sent: number; readonly orphans: number };
  /** Of a delta: tickets whose status, priority, tags or assignee changed in the export, and how many were updated in the target. */
  readonly updates?: { readonly found: number; readonly sent: number } | undefined;
  readonly contacts: { readonly distinct: number };
  readonly attachments: { readonly read: number; readonly checked: number; readonly unreachable: number };
  /** Of a dry run with `--files`. */
  readonly files?: FilesForecast | undefined;
  /** Valid tickets with an internal note of what no rule uses. */
  readonly notes: number;
  readonly requests: {
    readonly sent: number;
    readonly retried: number;
    readonly rateLimited: number;
    /** Of all that were sent, those that could change something in the target. */
    readonly changing: number;
  };
  /** Of a dry run: what a run would send, and how long the rate budget alone makes that take; why filters leave tickets out. */
  readonly plan?:
    | {
        readonly requests: Survey['requests'];
        readonly durationMs?: number;
        readonly skipped: Survey['skippedBecause'];
        readonly channels: Survey['channels'];
      }
    | undefined;
  /** The plan that a dry run kept, or that a run sent. */
  readonly planFile?: { readonly path: string; readonly digest: string } | undefined;
  /** Of a dry run: what the target was asked, and what is looked up at import. */
  readonly look?: TargetLook | undefined;
  /** At most 1,000 rows. */
  readonly problems: readonly Problem[];
  /** All of them, rows or not. */
  readonly problemsTotal: number;
  readonly problemGroups: readonly ProblemGroup[];
  /** The tag that every ticket carries that this run created. */
  readonly runTag?: string | undefined;
  /** Open and pending tickets of this run, which went first: how many are there, and how long after the first request the last one was. */
  readonly openFirst?:
    | { readonly tickets: number; readonly done: number; readonly afterMs: number }
    | undefined;
  /** The ticket made first for a person's own address, and whether mail came of it; without an id it was not made yet. */
  readonly trial?: { readonly tickets: readonly TrialTicket[] } | undefined;
  readonly checkpoint: string;
  readonly report?: string | undefined;
  /** Absent where no rejects were written. */
  readonly rejects?: string | undefined;
  readonly durationMs: number;
  readonly exitCode: number;
}

export function planOf({
  requests,
  estimatedSeconds: seconds,
  skippedBecause,
  channels,
}: Survey): Summary['plan'] {
  return {
    requests,
    ...(seconds !== undefined && { durationMs: Math.round(seconds * 1000) }),
    skipped: skippedBecause,
    channels,
  };
}

export type SummaryParts = Omit<Summary, 'version' | 'problems' | 'problemsTotal' | 'problemGroups'> & {
  readonly problems: ProblemSnapshot;
};

/** The same with every command in its sentences as it is to be typed. */
export function withCommands(summary: Summary, inText: (text: string) => string): Summary {
  const reported = (problem: Problem): Problem => ({ ...problem, message: inText(problem.message) });
  return {
    ...summary,
    problems: summary.problems.map(reported),
    problemGroups: summary.problemGroups.map((group) => ({ ...group, example: reported(group.example) })),
  };
}

/** Puts the parts in the order in which the contract shows them. */
export function buildSummary({ problems, ...parts }: SummaryParts): Summary {
  const { runTag, openFirst, trial, checkpoint, report, rejects, durationMs, exitCode, ...counts } = parts;
  return {
    version: 1,
    ...counts,
    problems: problems.rows,
    problemsTotal: problems.total,
    problemGroups: problems.groups,
    ...(runTag === undefined ? {} : { runTag }),
    ...(openFirst === undefined ? {} : { openFirst }),
    ...(trial === undefined ? {} : { trial }),
    checkpoint,
    ...(report === undefined ? {} : { report }),
    ...(rejects === undefined ? {} : { rejects }),
    durationMs: Math.round(durationMs),
    exitCode,
  };
}

/** With which code the process ends (contract, "Exit codes"): a pure decision over what a run came to. */
interface RunResult {
  readonly tickets: OutcomeCounts;
  /** What stopped the run, if anything did; several where one led to another. */
  readonly stoppedBy?: readonly AppError[];
  /** Whether rows of tickets are lost of which nobody knows whose they are. */
  readonly lostRows?: boolean;
  /** Whether the export has an older version of a ticket than was imported. */
  readonly olderThanImported?: boolean;
  /** Whether a check of the trial failed. */
  readonly failedChecks?: boolean;
  /** The target has a ticket more than once. */
  readonly duplicates?: boolean;
  /** A run that nothing stopped has left no ticket without an outcome; not so a trial or a dry run. */
  readonly mustReachAll?: boolean;
}

/**
 * Where several apply, the first of these. A defect comes before all: nothing else that is said can be relied on then.
 * 2 comes next: what the run was told, or what it read, cannot be relied on, so that no count of tickets is the whole of it.
 */
const PRECEDENCE: readonly number[] = [1, 2, 130, 143, 5, 6, 4, 3];

export function exitCodeOf({
  tickets,
  stoppedBy = [],
  failedChecks = false,
  duplicates = false,
  lostRows = false,
  olderThanImported = false,
  mustReachAll = false,
}: RunResult): number {
  const codes = new Set<number>(stoppedBy.map(({ code }) => ERROR_CODES[code]));
  for (const outcome of OUTCOMES) if (tickets[outcome] > 0) codes.add(OUTCOME_VIEWS[outcome].exitCode ?? 0);
  if (duplicates) codes.add(4);
  if (failedChecks || lostRows || olderThanImported) codes.add(3);
  if (mustReachAll && tickets.pending > 0) codes.add(ERROR_CODES.unreachable);
  return PRECEDENCE.find((code) => codes.has(code)) ?? 0;
}

/** How a run ended, by exit code (contract, "Exit codes"). */
export const END_WORDS: Readonly<Record<number, string>> = {
  0: 'all done',
  1: 'an internal error',
  2: 'refused to go on',
  3: 'some rejected or failed',
  4: 'some in doubt',
  5: 'permission refused',
  6: 'stopped early',
  130: 'interrupted',
  143: 'terminated',
};
