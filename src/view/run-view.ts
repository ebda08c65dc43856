/**
 * What screen and report show of a run, or of checkpoints: plain data of bounded size, so a report of a million tickets is
 * as small as one of a thousand. Commands make it; `redact.ts` takes people out of it; the other files here make blocks of it.
 */
import type { Problem } from '../domain/problem.ts';
import type { SourceFrame } from '../domain/source.ts';
import type { LossReport, Survey } from '../domain/survey.ts';
import type { OutcomeCounts } from '../domain/ticket-state.ts';
import type { ProblemGroup } from '../summary/problem-log.ts';
import type { Summary, TrialChecklist } from '../summary/summary.ts';
import type { Conversation } from './conversation/conversation.ts';
import type { NextStep } from './next-steps.ts';

/** Some of many: `total` says how many there are. */
export interface Excerpt<T> {
  readonly rows: readonly T[];
  readonly total: number;
}

export interface ShownGroup extends ProblemGroup {
  /** Some of its problems, the first one first. */
  readonly examples?: readonly Problem[] | undefined;
  /** The line of the export of the first one. */
  readonly frame?: SourceFrame | undefined;
  /** An earlier run showed it in full. */
  readonly isKnown?: boolean | undefined;
}

export interface RunView {
  /** `checkpoint`: not of one run, but of what checkpoints hold. */
  readonly kind: 'dry-run' | 'trial' | 'run' | 'checkpoint';
  readonly tickets: OutcomeCounts;
  /** Absent for a report of checkpoints. */
  readonly summary?: Summary | undefined;
  /** The export was read for this view, or for the run that it is about. */
  readonly survey?: Survey | undefined;
  readonly loss?: LossReport | undefined;
  readonly layout?: string | undefined;
  readonly files: readonly string[];
  readonly target?: string | undefined;
  /** The rate limit behind the estimate: `1000/60 and 5000/300`. */
  readonly rate?: string | undefined;
  /** What stopped the run, where something did. */
  readonly stopped?: { readonly message: string; readonly hint?: string | undefined } | undefined;
  readonly problems: readonly ShownGroup[];
  readonly checklist?: TrialChecklist | undefined;
  readonly next: readonly NextStep[];
}

export interface MergedContact {
  readonly email: string;
  /** The newest one, which is sent. */
  readonly name: string;
  /** How many different names the export has for the address. */
  readonly names: number;
}

/** A create was sent and its outcome is unknown: what to look for in the helpdesk. */
export interface DoubtfulTicket {
  readonly externalId: string;
  /** That it was sent with, and no other ticket has. */
  readonly tag?: string | undefined;
  /** When the create was sent, UTC ISO-8601. */
  readonly sentAt?: string | undefined;
  readonly reason?: string | undefined;
}

export interface FailedTicket {
  readonly externalId: string;
  /** The helpdesk has the ticket; only its messages or events are missing. */
  readonly ticketId?: string | undefined;
  readonly code: string;
  readonly status?: number | undefined;
  readonly reason: string;
}

/** One process that used a checkpoint. */
export interface ShownRun {
  readonly checkpoint: string;
  readonly mode: string;
  /** UTC ISO-8601. */
  readonly startedAt: string;
  readonly endedAt?: string | undefined;
  readonly isGoingOn: boolean;
  readonly exitCode?: number | undefined;
  /** Tickets in the batches that it settled. */
  readonly tickets: number;
  readonly runTag?: string | undefined;
}

export interface ReportData extends RunView {
  readonly version: string;
  /** Milliseconds since the epoch. */
  readonly madeAt: number;
  readonly redacted: boolean;
  readonly mergedContacts?: Excerpt<MergedContact> | undefined;
  readonly inDoubt: Excerpt<DoubtfulTicket>;
  readonly failed: Excerpt<FailedTicket>;
  /** Newest first. */
  readonly runs: readonly ShownRun[];
  readonly checkpoints: readonly string[];
  /** Tickets as they will look, or look, in the helpdesk. */
  readonly conversations: readonly Conversation[];
  /** Why the list is empty, where a reader could expect entries. */
  readonly noConversations?: string | undefined;
}

/** How much of each list is shown. */
export const SHOWN = {
  groups: 30,
  examples: 3,
  rows: 40,
  mergedContacts: 20,
  inDoubt: 60,
  failed: 60,
  runs: 20,
} as const;

/** What is yet to be sent: what the survey planned is what a run has sent, only other views leave it for later. */
export function planOf({ kind, survey }: Pick<RunView, 'kind' | 'survey'>): Survey | undefined {
  return (kind === 'dry-run' || kind === 'checkpoint') && (survey?.requests.total ?? 0) > 0
    ? survey
    : undefined;
}

export function excerpt<T>(rows: readonly T[], most: number, total = rows.length): Excerpt<T> {
  return { rows: rows.slice(0, most), total };
}
