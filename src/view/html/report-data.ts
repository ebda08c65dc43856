/**
 * Everything that a report shows, as plain data of bounded size: lists are cut and counted before they come here, so a
 * report of a million tickets is as small as one of a thousand. Made by commands/report, redacted by redact-report.ts, drawn by
 * render-report.ts.
 */

import type { Rate } from '../../domain/limits.ts';
import type { Problem } from '../../domain/problem.ts';
import type { SourceFrame } from '../../domain/source.ts';
import type { LossReport, Survey } from '../../domain/survey.ts';
import type { OutcomeCounts } from '../../domain/ticket-state.ts';
import type { ProblemGroup } from '../../summary/problem-log.ts';
import type { Summary, TrialChecklist, TrialTicket } from '../../summary/summary.ts';
import type { NextStep } from '../next-steps.ts';
import type { Distribution } from './chart-data.ts';
import type { Conversation } from './conversation.ts';
import type { Timeline } from './run-timeline.ts';

/** Some of many: `total` says how many there are. */
export interface Excerpt<T> {
  readonly rows: readonly T[];
  readonly total: number;
}

export interface MergedContact {
  readonly email: string;
  /** The newest one, which is sent. */
  readonly name: string;
  /** How many different names the export has for the address. */
  readonly names: number;
}

/** A create was sent and its outcome is unknown: what to look for in the target. */
export interface DoubtfulTicket {
  readonly externalId: string;
  readonly subject?: string | undefined;
  readonly createdAt?: string | undefined;
  readonly email?: string | undefined;
  /** When the create was sent, UTC ISO-8601. */
  readonly sentAt?: string | undefined;
  readonly reason?: string | undefined;
}

export interface FailedTicket {
  readonly externalId: string;
  /** There where the target has the ticket, and only its messages or events are missing. */
  readonly ticketId?: string | undefined;
  readonly code: string;
  readonly status?: number | undefined;
  readonly reason: string;
}

export interface ReportedGroup extends ProblemGroup {
  /** Some of its problems, the first one first. */
  readonly examples: readonly Problem[];
  /** The line of the export on which the first one stands. */
  readonly frame?: SourceFrame | undefined;
}

export interface ReportedProblems {
  readonly total: number;
  readonly errors: number;
  readonly warnings: number;
  readonly groups: Excerpt<ReportedGroup>;
}

/** One process that used a checkpoint. */
export interface ReportedRun {
  readonly checkpoint: string;
  readonly mode: string;
  /** UTC ISO-8601. */
  readonly startedAt: string;
  readonly endedAt?: string | undefined;
  readonly isGoingOn: boolean;
  readonly exitCode?: number | undefined;
  /** Tickets in the batches that it settled. */
  readonly tickets: number;
}

interface ReportedCheckpoint {
  readonly path: string;
  readonly target: string;
  readonly tickets: number;
  readonly bytes: number;
}

export interface ReportData {
  /** `checkpoint`: not of one run, but of what checkpoints hold. */
  readonly kind: 'dry-run' | 'trial' | 'run' | 'checkpoint';
  readonly version: string;
  /** Milliseconds since the epoch. */
  readonly madeAt: number;
  readonly redacted: boolean;
  readonly source?: { readonly files: Excerpt<string>; readonly layout: string } | undefined;
  readonly target?: string | undefined;
  /** Absent for a report of checkpoints. */
  readonly exitCode?: number | undefined;
  /** What stopped the run, where something did. */
  readonly stopped?: { readonly message: string; readonly hint?: string | undefined } | undefined;
  readonly tickets: OutcomeCounts;
  /** The export was read for this report, or for the run that it is about. */
  readonly survey?: Survey | undefined;
  /** What the target has, where the run says so. */
  readonly sent?: { readonly messages: number; readonly events: number } | undefined;
  readonly budgets: readonly Rate[];
  /** Messages per ticket. */
  readonly threads?: Distribution | undefined;
  readonly mergedContacts?: Excerpt<MergedContact> | undefined;
  /** From `createdAt` to `resolvedAt`, or `closedAt` where that is missing. */
  readonly completion?: Distribution | undefined;
  readonly problems?: ReportedProblems | undefined;
  readonly loss?: LossReport | undefined;
  readonly inDoubt: Excerpt<DoubtfulTicket>;
  readonly failed: Excerpt<FailedTicket>;
  /** Checked by asking for their headers; absent where nobody asked. */
  readonly attachmentChecks?: { readonly checked: number; readonly unreachable: number } | undefined;
  readonly requests?: Summary['requests'] | undefined;
  readonly look?: Summary['look'];
  /** The plan that was kept to be signed off, or that was sent. */
  readonly plan?: Summary['planFile'];
  readonly durationMs?: number | undefined;
  readonly timeline?: Timeline | undefined;
  /** Newest first. */
  readonly runs: readonly ReportedRun[];
  readonly checkpoints: readonly ReportedCheckpoint[];
  readonly trial?:
    | { readonly tickets: readonly TrialTicket[]; readonly checklist?: TrialChecklist | undefined }
    | undefined;
  /** Tickets as they will look, or look, in the helpdesk. */
  readonly conversations: readonly Conversation[];
  /** Why there are none, where one could expect some. */
  readonly noConversations?: string | undefined;
  readonly next: readonly NextStep[];
  /** Of a list of mapped or lost values, where the report would be too large otherwise. */
  readonly mostRows?: number | undefined;
}

/** How much of each list a report shows. */
export const SHOWN = {
  files: 20,
  mappingPerKind: 60,
  groups: 100,
  examples: 5,
  lossRows: 60,
  mergedContacts: 60,
  inDoubt: 200,
  failed: 200,
  runs: 20,
  checkpoints: 64,
  skippedReasons: 30,
} as const;

/** Why tickets are left out, the most frequent reasons first. */
export function leftOutBecause({ survey }: ReportData): Survey['skippedBecause'] {
  return (survey?.skippedBecause ?? []).toSorted((a, b) => b.count - a.count).slice(0, SHOWN.skippedReasons);
}

/** What is yet to be sent: what the survey planned is what a run has sent, only other reports leave it for later. */
export function planOf({ kind, survey }: ReportData): Survey | undefined {
  return (kind === 'dry-run' || kind === 'checkpoint') && (survey?.requests.total ?? 0) > 0
    ? survey
    : undefined;
}

export function excerpt<T>(rows: readonly T[], most: number, total = rows.length): Excerpt<T> {
  return { rows: rows.slice(0, most), total };
}
