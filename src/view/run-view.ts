/** What screen and report show besides the facts. */
import type { Problem } from '../domain/problem.ts';
import type { SourceFrame } from '../domain/source.ts';
import type { Facts, PlannedWork, TrialChecklist } from '../facts/facts.ts';
import type { ProblemGroup } from '../facts/problem-log.ts';
import type { Conversation } from './conversation/conversation.ts';
import type { NextStep } from './next-steps.ts';

export interface Excerpt<T> {
  readonly rows: readonly T[];
  readonly total: number;
}

export interface ShownGroup extends ProblemGroup {
  readonly examples?: readonly Problem[] | undefined;
  readonly frame?: SourceFrame | undefined;
  readonly isKnown?: boolean | undefined;
}

export interface RunView {
  readonly facts: Facts;
  readonly files: readonly string[];
  readonly rate?: string | undefined;
  readonly stopped?: { readonly message: string; readonly hint?: string | undefined } | undefined;
  readonly problems: readonly ShownGroup[];
  readonly checklist?: TrialChecklist | undefined;
  readonly next: readonly NextStep[];
}

export interface MergedContact {
  readonly email: string;
  readonly name: string;
  readonly names: number;
}

export interface DoubtfulTicket {
  readonly externalId: string;
  /** Unique to the ticket. */
  readonly tag?: string | undefined;
  readonly sentAt?: string | undefined;
  readonly reason?: string | undefined;
}

export interface FailedTicket {
  readonly externalId: string;
  readonly outcome: 'failed' | 'rejected';
  /** Only its messages or events are missing. */
  readonly ticketId?: string | undefined;
  readonly code: string;
  readonly status?: number | undefined;
  readonly reason: string;
}

export interface ShownRun {
  readonly mode: string;
  readonly startedAt: string;
  readonly endedAt?: string | undefined;
  readonly isGoingOn: boolean;
  readonly exitCode?: number | undefined;
  /** What the run recorded of itself: `runTag`, `durationMs`. */
  readonly summary?: Readonly<Record<string, unknown>> | undefined;
}

export interface ReportData extends RunView {
  readonly version: string;
  readonly madeAt: number;
  readonly redacted: boolean;
  readonly mergedContacts?: Excerpt<MergedContact> | undefined;
  readonly inDoubt: Excerpt<DoubtfulTicket>;
  readonly failed: Excerpt<FailedTicket>;
  readonly runs: readonly ShownRun[];
  readonly checkpoint: string | undefined;
  readonly conversations: readonly Conversation[];
  /** Why the list is empty, if a reader expects entries. */
  readonly noConversations?: string | undefined;
}

export const SHOWN = {
  groups: 30,
  examples: 3,
  rows: 40,
  mergedContacts: 20,
  inDoubt: 60,
  failed: 60,
} as const;

export function planOf({ mode, plan }: Facts): PlannedWork | undefined {
  return mode === 'dry-run' && plan.requests.total > 0 ? plan : undefined;
}
