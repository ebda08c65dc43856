/**
 * What is known of an import: one value, made by `factsOf` from the plan and the checkpoint. `--json` prints it; screens, questions,
 * reports, `status` and "Next" are views of it. Nothing else counts tickets.
 */

import type { AgentRecord, MappingRow, MonthRow, TrialPick } from '../domain/decisions.ts';
import type { Problem } from '../domain/problem.ts';
import type { OutcomeCounts } from '../domain/ticket-state.ts';
import type { ProblemGroup } from './problem-log.ts';

export interface Facts {
  readonly version: 2;
  /** `checkpoint`: all that it has recorded, not one run. */
  readonly mode: 'run' | 'dry-run' | 'trial' | 'checkpoint';
  readonly isDelta: boolean;
  readonly layout: string;
  readonly target?: string | undefined;
  readonly export: ExportFacts;
  readonly tickets: TicketFacts;
  readonly skipped: readonly { readonly reason: string; readonly count: number }[];
  /** `read`: without orphans. `sent`: also by earlier runs. `orphans`: without their ticket. */
  readonly messages: {
    readonly read: number;
    readonly sent: number;
    readonly internal: number;
    readonly orphans: number;
    readonly longest?: { readonly externalId: string; readonly messages: number } | undefined;
  };
  readonly events: { readonly read: number; readonly sent: number; readonly orphans: number };
  /** `merged`: addresses with several names. */
  readonly contacts: { readonly distinct: number; readonly merged: number };
  readonly people: PeopleFacts;
  readonly attachments: AttachmentFacts;
  /** With `--files`. */
  readonly files?: FilesForecast | undefined;
  readonly mapping: readonly MappingRow[];
  readonly mappingLeftOut: number;
  readonly lost: readonly Loss[];
  readonly kept: { readonly tickets: number; readonly columns: readonly string[] };
  /** Absent without a rate limit. */
  readonly plan: PlannedWork;
  readonly requests: {
    readonly sent: number;
    readonly retried: number;
    readonly rateLimited: number;
    /** Can change the helpdesk. */
    readonly changing: number;
  };
  /**
   * A delta's tickets with changed status, priority, tags or assignee; how many were updated; and tickets with changes of any
   * kind that were not sent.
   */
  readonly updates?:
    | { readonly found: number; readonly sent: number; readonly notUpdated: number }
    | undefined;
  readonly details: LossDetails;
  readonly known: {
    /** Looked up, or listed in the settings. */
    readonly agents: boolean;
    readonly helpdesk: boolean;
    /** UTC ISO-8601; absent if the numbers are this run's. */
    readonly since?: string | undefined;
    /** How many messages the killed run sent is unknown. */
    readonly isCutOff?: boolean | undefined;
  };
  readonly planFile?: { readonly path: string; readonly digest: string } | undefined;
  readonly problems: readonly Problem[];
  readonly problemsTotal: number;
  readonly problemGroups: readonly ProblemGroup[];
  readonly runTag?: string | undefined;
  readonly openFirst?:
    | { readonly tickets: number; readonly done: number; readonly afterMs: number }
    | undefined;
  readonly picks: readonly TrialPick[];
  readonly trial?: { readonly tickets: readonly TrialTicket[] } | undefined;
  readonly checkpoint: string;
  readonly report?: string | undefined;
  readonly rejects?: string | undefined;
  readonly durationMs: number;
  readonly exitCode: number;
}

interface ExportFacts {
  /** Covers everything to send. */
  readonly digest: string;
  /** UTC ISO-8601 `createdAt`. */
  readonly firstCreatedAt?: string | undefined;
  readonly lastCreatedAt?: string | undefined;
  readonly channels: readonly { readonly channelId?: string; readonly tickets: number }[];
  readonly months: readonly MonthRow[];
  /** A missing status becomes open. */
  readonly withoutMessages: number;
  readonly withoutStatus: number;
}

/** read = done + rejected + failed + inDoubt + skipped + pending. */
export interface TicketFacts extends OutcomeCounts {
  readonly create: number;
  readonly update: number;
  readonly unchanged: number;
  /** Done ones. */
  readonly created: number;
  readonly updated: number;
  /** Records that no checkpoint lists. */
  readonly unreadable: number;
}

interface PeopleFacts {
  readonly agents: readonly AgentRecord[];
  readonly later: number;
  readonly look?: TargetLook | undefined;
}

interface AttachmentFacts {
  readonly read: number;
  readonly bytes: number;
  readonly stored: number;
  readonly missing: number;
  readonly links: number;
  readonly hosts: readonly { readonly host: string; readonly files: number }[];
  readonly tickets: number;
  readonly checked: number;
  readonly unreachable: number;
}

export interface Loss {
  readonly code: LossCode;
  /** "439 attachments stay links to acme.zendesk.com". */
  readonly what: string;
  readonly count: number;
  readonly tickets?: number | undefined;
  readonly remedy?: string | undefined;
}

export type LossCode =
  | 'rejected'
  | 'failed'
  | 'in-doubt'
  | 'conversations'
  | 'status'
  | 'older'
  | 'links'
  | 'missing'
  | 'texts'
  | 'columns'
  | 'left-out'
  | 'not-held'
  | 'values'
  | 'agents'
  | 'assignees'
  | 'authors'
  | 'orphans'
  | 'names'
  | 'unreachable';

interface LossDetails {
  /** `filled` counts rows with a value. Kept ones are under `kept`. */
  readonly columns: readonly { table: string; column: string; file: string; filled: number }[];
  readonly values: readonly { field: string; value: string; count: number; action: string }[];
  readonly authors: readonly { author: string; count: number }[];
  readonly notHeld: readonly { what: string; count: number }[];
}

export interface PlannedWork {
  readonly requests: {
    readonly creates: number;
    readonly messages: number;
    readonly events: number;
    /** In a delta. */
    readonly updates: number;
    readonly reads: number;
    readonly total: number;
    /** Requests at most to recognise the helpdesk, try message IDs and count. */
    readonly checks: number;
  };
  readonly estimatedSeconds?: number | undefined;
  readonly batches: { readonly count: number; readonly size: number };
}

export interface TrialCheck {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
}

export interface TrialTicket {
  readonly externalId: string;
  readonly ticketId?: string | undefined;
  readonly why: readonly string[];
  readonly checks: readonly TrialCheck[];
}

export interface TrialChecklist {
  readonly tickets: readonly {
    readonly ticketId: string;
    readonly subject: string;
    readonly requester: string;
    readonly status: string;
    readonly messages: number;
    readonly notes: number;
    readonly look: readonly string[];
  }[];
  readonly overall: readonly string[];
}

export interface TargetLook {
  readonly target: string;
  readonly failure?: string | undefined;
  readonly agents: {
    readonly asked: number;
    readonly found: number;
    readonly unknown: readonly string[];
  };
  /** Absent if the helpdesk does not list them. */
  readonly team?:
    | { readonly total: number; readonly first: readonly { readonly id: string; readonly name?: string }[] }
    | undefined;
  /** The first ones: looked up, found, found with another name. Absent without an answer. */
  readonly contacts?:
    | { readonly asked: number; readonly found: number; readonly renamed: number }
    | undefined;
  /** As far as read; `unknown`: of this export and not in the checkpoint. */
  readonly tickets?:
    | {
        readonly ofSource: number;
        /** More than listed, and not counted. */
        readonly isMore?: boolean | undefined;
        readonly unknown: number;
        readonly example?: { readonly externalId: string; readonly ticketId: string } | undefined;
      }
    | undefined;
}

interface FilesForecast {
  /** Addresses that have not been fetched yet. */
  readonly wanted: number;
  /** Imported tickets with missing files, which a delta sends again once these can be fetched. */
  readonly waiting: number;
  readonly sized: number;
  /** Estimated from the sized ones. */
  readonly bytes?: number | undefined;
  /** Signed addresses: how many have expired, how many will, and when; UTC ISO-8601. */
  readonly expired: number;
  readonly ending: number;
  readonly first?: string | undefined;
  readonly last?: string | undefined;
}
