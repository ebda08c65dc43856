/**
 * What an export holds and what importing it takes: plain data, made without a network, shown by the dry run and used by the run.
 * Counts are of the whole export unless a field says otherwise.
 */
import type { MappedValue } from './ticket.ts';
import type { OutcomeCounts } from './ticket-state.ts';

/** How often the value `from` of the source becomes the API's value `to`. */
export interface MappingRow {
  readonly kind: MappedValue['kind'];
  /** Empty if the source has no value. */
  readonly from: string;
  readonly to: string;
  readonly count: number;
}

/** Tickets created in one month. Months without a ticket may be absent. */
export interface MonthRow {
  /** `2024-03`, by UTC. */
  readonly month: string;
  readonly count: number;
  /** Counts by the API's status; a ticket without one counts as `open` (2.1). */
  readonly byStatus: Readonly<Record<string, number>>;
}

/** A ticket chosen for the trial, with its reasons in words. */
export interface TrialPick {
  readonly externalId: string;
  /** e.g. "the longest thread: 42 messages". */
  readonly why: readonly string[];
}

export interface Survey {
  /** Outcomes so far, from checking and from the checkpoint. */
  readonly tickets: OutcomeCounts;
  /** Why tickets are skipped, with counts: an exclude rule, a filter, the shard. */
  readonly skippedBecause: readonly { readonly reason: string; readonly count: number }[];
  /** Rows read, those of rejected tickets included, orphans not. */
  readonly messages: { readonly read: number; readonly internal: number };
  readonly events: { readonly read: number };
  readonly attachments: { readonly read: number; readonly bytes: number };
  /** Valid tickets with a note of unmapped fields. */
  readonly notes: number;
  /** Most frequent first within a kind. */
  readonly mapping: readonly MappingRow[];
  /** Mapping rows beyond the limit. */
  readonly mappingLeftOut: number;
  /** Valid tickets by channel, most first; without an ID: the target's default channel. */
  readonly channels: readonly { readonly channelId?: string; readonly tickets: number }[];
  /** Oldest first. */
  readonly months: readonly MonthRow[];
  /** `merged`: addresses with several names. */
  readonly contacts: { readonly distinct: number; readonly merged: number };
  /** Requests that are still to be sent. */
  readonly requests: {
    readonly creates: number;
    readonly messages: number;
    readonly events: number;
    /** Tickets whose status, priority, tags or assignee changed since they were imported (a delta). */
    readonly updates: number;
    /** Reads before changes (deltas and unfinished tickets). */
    readonly reads: number;
    readonly total: number;
    /** The most that recognising the target, trying message IDs and counting add. */
    readonly checks: number;
  };
  /** Time of these requests at the rate budget; undefined without a budget. */
  readonly estimatedSeconds?: number | undefined;
  /** UTC ISO-8601 `createdAt` of the oldest and the newest ticket. */
  readonly firstCreatedAt?: string | undefined;
  readonly lastCreatedAt?: string | undefined;
  readonly longestThread?: { readonly externalId: string; readonly messages: number } | undefined;
  /** Rows whose ticket is not in the export. */
  readonly orphans: { readonly messages: number; readonly events: number };
  /** Number and size of the batches to send. */
  readonly batches: { readonly count: number; readonly size: number };
  /** The tickets of a trial. */
  readonly trial: readonly TrialPick[];
}

/** A column that no rule uses. */
export interface UnreadColumn {
  readonly table: string;
  readonly column: string;
  readonly file: string;
  readonly filled: number;
  /** Characters in it that read like sentences. */
  readonly text: number;
}

/** What a dry run read from the target. */
export interface TargetLook {
  /** Absent if it was not asked. */
  readonly target?: string | undefined;
  /** Why it was not asked everything. */
  readonly failure?: string | undefined;
  readonly agents: {
    /** Addresses without an ID in the settings: how many were looked up, and found. */
    readonly asked: number;
    readonly found: number;
    /** The first that were not found. */
    readonly unknown: readonly string[];
    /** Looked up when the tickets are imported. */
    readonly later: number;
  };
  /** The target's agents; absent if it does not list them. */
  readonly team?:
    | { readonly total: number; readonly first: readonly { readonly id: string; readonly name?: string }[] }
    | undefined;
  /** The first contacts of the export: looked up, found, and found with another name. Absent if the target does not answer. */
  readonly contacts?:
    | { readonly asked: number; readonly found: number; readonly renamed: number }
    | undefined;
  /** Tickets of this source in the target, as far as read; `unknown`: those of this export that the checkpoint does not have. */
  readonly tickets?:
    | {
        readonly ofSource: number;
        readonly unknown: number;
        /** The first unknown one. */
        readonly example?: { readonly externalId: string; readonly ticketId: string } | undefined;
      }
    | undefined;
}

/** What a loss report calls people whom the export does not name. */
export const NO_NAME = '(nobody)';

export interface LossReport {
  /** Columns or JSON paths that no rule uses; `filled` counts rows with a value. */
  readonly unusedColumns: readonly { table: string; column: string; file: string; filled: number }[];
  /** Values without an entry in a value map. */
  readonly unmappedValues: readonly { field: string; value: string; count: number; action: string }[];
  /** Agents of the source without an agent id. */
  readonly agentsWithoutId: readonly { agent: string; count: number; fallback?: string | undefined }[];
  /** Messages of unknown authors. */
  readonly unknownAuthors: readonly { author: string; count: number }[];
  /** Fields of the source that the API does not have. */
  readonly notHeld: readonly { what: string; count: number }[];
}

/** The files that a dry run would fetch. */
export interface FilesForecast {
  readonly wanted: number;
  /** Fetched by an earlier run. */
  readonly known: number;
  /** Imported tickets with missing files: a delta sends them again once these can be fetched. */
  readonly waiting: number;
  /** Files whose size the export has. */
  readonly sized: number;
  /** Of all wanted files, estimated from the sized ones. */
  readonly bytes?: number | undefined;
  readonly hostsTotal: number;
  /** The twenty hosts with most files. */
  readonly hosts: readonly { readonly host: string; readonly files: number }[];
  /** Signed addresses: how many have expired or will, and when. */
  readonly signatures: {
    readonly expired: number;
    readonly ending: number;
    readonly first?: string | undefined;
    readonly last?: string | undefined;
  };
}
