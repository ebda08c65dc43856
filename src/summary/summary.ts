/** The JSON summary (`--json`), version 1. Screen and HTML report show the same object. */

import { type AppError, ERROR_CODES } from '../domain/errors.ts';
import type { Problem } from '../domain/problem.ts';
import type { FilesForecast, Survey, TargetLook } from '../domain/survey.ts';
import { OUTCOMES, type Outcome, type OutcomeCounts } from '../domain/ticket-state.ts';
import type { ProblemGroup } from './problem-log.ts';

export interface TrialCheck {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
}

export interface TrialTicket {
  readonly externalId: string;
  /** Absent if the ticket is not in the target. */
  readonly ticketId?: string | undefined;
  readonly why: readonly string[];
  readonly checks: readonly TrialCheck[];
}

/** What a person should check, in sentences. */
export interface TrialChecklist {
  readonly tickets: readonly {
    readonly ticketId: string;
    readonly subject: string;
    readonly look: readonly string[];
  }[];
  /** Checks of the whole trial. */
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
  /** Of a delta: tickets whose status, priority, tags or assignee changed, and how many were updated. */
  readonly updates?: { readonly found: number; readonly sent: number } | undefined;
  readonly contacts: { readonly distinct: number };
  readonly attachments: { readonly read: number; readonly checked: number; readonly unreachable: number };
  /** Of a dry run with `--files`. */
  readonly files?: FilesForecast | undefined;
  /** Valid tickets with an internal note of unmapped fields. */
  readonly notes: number;
  readonly requests: {
    readonly sent: number;
    readonly retried: number;
    readonly rateLimited: number;
    /** Sent requests that can change the target. */
    readonly changing: number;
  };
  /** Of a dry run: the requests of a run and their time at the rate budget; why tickets are skipped. */
  readonly plan?:
    | {
        readonly requests: Survey['requests'];
        readonly durationMs?: number | undefined;
        readonly skipped: Survey['skippedBecause'];
        readonly channels: Survey['channels'];
      }
    | undefined;
  /** The plan that a dry run kept, or that a run sent. */
  readonly planFile?: { readonly path: string; readonly digest: string } | undefined;
  /** Of a dry run: the target's answers, and what is looked up at import. */
  readonly look?: TargetLook | undefined;
  /** At most 1,000 rows. */
  readonly problems: readonly Problem[];
  /** All problems. */
  readonly problemsTotal: number;
  readonly problemGroups: readonly ProblemGroup[];
  /** The tag of the tickets that this run creates. */
  readonly runTag?: string | undefined;
  /** Open and pending tickets of this run: how many are imported, and the time until the last one. */
  readonly openFirst?:
    | { readonly tickets: number; readonly done: number; readonly afterMs: number }
    | undefined;
  /** The ticket made first for a person's own address, and whether mail came of it; without an id it was not made yet. */
  readonly trial?: { readonly tickets: readonly TrialTicket[] } | undefined;
  readonly checkpoint: string;
  readonly report?: string | undefined;
  /** Absent without rejects. */
  readonly rejects?: string | undefined;
  readonly durationMs: number;
  readonly exitCode: number;
}

export function planOf(survey: Survey): Summary['plan'] {
  const { requests, estimatedSeconds: seconds, skippedBecause: skipped, channels } = survey;
  const durationMs = seconds === undefined ? undefined : Math.round(seconds * 1000);
  return { requests, durationMs, skipped, channels };
}

/** The same with complete commands in its sentences. */
export function withCommands(summary: Summary, inText: (text: string) => string): Summary {
  const reported = (problem: Problem): Problem => ({ ...problem, message: inText(problem.message) });
  return {
    ...summary,
    problems: summary.problems.map(reported),
    problemGroups: summary.problemGroups.map((group) => ({ ...group, example: reported(group.example) })),
  };
}

export interface OutcomeView {
  readonly word: string;
  readonly tone: 'good' | 'bad' | 'warn' | 'soft';
  /** A colour of the stylesheet. */
  readonly swatch: 'done' | 'ready' | 'rejected' | 'failed' | 'doubt' | 'skipped';
  readonly meaning: string;
  /** In a dry run. */
  readonly dryMeaning: string;
  /** The exit code of a run with such tickets. */
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

/** What each outcome is called and means, on every screen and page. */
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
  /** What stopped the run; one may lead to another. */
  readonly stoppedBy?: readonly AppError[];
  /** A check of the trial failed, rows were lost, or the export is older than what was imported. */
  readonly isFlawed?: boolean;
  /** The target has a ticket more than once. */
  readonly duplicates?: boolean;
  /** A complete run leaves no ticket pending; a trial or a dry run may. */
  readonly mustReachAll?: boolean;
}

/**
 * If several apply, the first of these. An internal error comes first, as nothing else is reliable then; 2 comes next, as its counts are
 * incomplete.
 */
const PRECEDENCE: readonly number[] = [1, 2, 130, 143, 5, 6, 4, 3];

/** Contract, "Exit codes". */
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
