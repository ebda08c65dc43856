/** The JSON summary (`--json`), version 1, exactly as the contract has it; the screen and the HTML report show the same object. */

import type { Problem } from '../../domain/problem.ts';
import type { OutcomeCounts } from '../../domain/ticket-state.ts';
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

export interface Summary {
  readonly version: 1;
  readonly mode: 'run' | 'dry-run' | 'trial';
  readonly layout: string;
  /** Absent in a dry run without a target. */
  readonly target?: string | undefined;
  readonly tickets: OutcomeCounts;
  readonly messages: { readonly read: number; readonly sent: number; readonly orphans: number };
  readonly events: { readonly read: number; readonly sent: number; readonly orphans: number };
  readonly contacts: { readonly distinct: number };
  readonly attachments: { readonly read: number; readonly checked: number; readonly unreachable: number };
  readonly requests: { readonly sent: number; readonly retried: number; readonly rateLimited: number };
  /** At most as many rows as `--max-problems` says. */
  readonly problems: readonly Problem[];
  /** All of them, rows or not. */
  readonly problemsTotal: number;
  readonly problemGroups: readonly ProblemGroup[];
  readonly trial?: { readonly tickets: readonly TrialTicket[] } | undefined;
  readonly checkpoint: string;
  readonly report?: string | undefined;
  /** Absent where no rejects were written. */
  readonly rejects?: string | undefined;
  readonly durationMs: number;
  readonly exitCode: number;
}

export type SummaryParts = Omit<Summary, 'version' | 'problems' | 'problemsTotal' | 'problemGroups'> & {
  readonly problems: ProblemSnapshot;
};

/** The same with every command in its sentences as it is to be typed. */
export function withCommands(summary: Summary, inText: (text: string) => string): Summary {
  const told = (problem: Problem): Problem => ({ ...problem, message: inText(problem.message) });
  return {
    ...summary,
    problems: summary.problems.map(told),
    problemGroups: summary.problemGroups.map((group) => ({ ...group, example: told(group.example) })),
  };
}

/** Puts the parts in the order in which the contract shows them. */
export function buildSummary({ problems, ...parts }: SummaryParts): Summary {
  const { trial, checkpoint, report, rejects, durationMs, exitCode, ...counts } = parts;
  return {
    version: 1,
    ...counts,
    problems: problems.rows,
    problemsTotal: problems.total,
    problemGroups: problems.groups,
    ...(trial === undefined ? {} : { trial }),
    checkpoint,
    ...(report === undefined ? {} : { report }),
    ...(rejects === undefined ? {} : { rejects }),
    durationMs: Math.round(durationMs),
    exitCode,
  };
}
