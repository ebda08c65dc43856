/**
 * What an export holds and what importing it will take: plain data, made by planning without a network, shown by the dry
 * run, and the same object that the run works from. Counts are of the whole export unless a field says otherwise.
 */
import type { MappedValue } from './ticket.ts';
import type { OutcomeCounts } from './ticket-state.ts';

/** One row of "what maps to what": how often the source's value `from` becomes the API's value `to`. */
export interface MappingRow {
  readonly kind: MappedValue['kind'];
  /** Empty where the source gives no value. */
  readonly from: string;
  readonly to: string;
  readonly count: number;
}

/** Tickets created in one month. Months without a ticket may be absent. */
export interface MonthRow {
  /** `2024-03`, by UTC. */
  readonly month: string;
  readonly count: number;
  /** Counts by the API's status; a ticket without one counts as `open`, which is what the service makes of it (2.1). */
  readonly byStatus: Readonly<Record<string, number>>;
}

/** A ticket chosen for the trial, with its reasons in words. */
export interface TrialPick {
  readonly externalId: string;
  /** e.g. "the longest thread: 42 messages". */
  readonly why: readonly string[];
}

export interface Survey {
  /** Outcomes as they would be (dry run: valid tickets are `pending`) or as the checkpoint already knows them. */
  readonly tickets: OutcomeCounts;
  /** Why tickets are skipped, with counts: an exclude rule, a filter, the shard. */
  readonly skippedBecause: readonly { readonly reason: string; readonly count: number }[];
  /** Rows read, those of rejected tickets included, orphans not. */
  readonly messages: { readonly read: number; readonly internal: number };
  readonly events: { readonly read: number };
  readonly attachments: { readonly read: number; readonly bytes: number };
  /** Valid tickets that get a note with what no rule uses. */
  readonly notes: number;
  /** Most frequent first within a kind. */
  readonly mapping: readonly MappingRow[];
  /** Mapping rows left out because there were too many different values. */
  readonly mappingLeftOut: number;
  /** Valid tickets by channel, most first; without an id: where the target puts them. */
  readonly channels: readonly { readonly channelId?: string; readonly tickets: number }[];
  /** Oldest first. */
  readonly months: readonly MonthRow[];
  /** `merged`: addresses for which the export has more than one name. */
  readonly contacts: { readonly distinct: number; readonly merged: number };
  /** What the run has yet to send; a ticket that is done needs none. */
  readonly requests: {
    readonly creates: number;
    readonly messages: number;
    readonly events: number;
    /** Tickets whose status, priority, tags or assignee changed since they were imported (a delta). */
    readonly updates: number;
    /** Threads, histories and tickets that are read before they are changed (a delta, and tickets left half-way). */
    readonly reads: number;
    readonly total: number;
    /** At most so many more: what is asked to know the target again, to try ids of messages, and to count at the end. */
    readonly checks: number;
  };
  /** Time that the rate budget alone makes these requests take; undefined where no budget is set. */
  readonly estimatedSeconds?: number;
  /** UTC ISO-8601 `createdAt` of the oldest and the newest ticket; absent where no ticket has one. */
  readonly firstCreatedAt?: string;
  readonly lastCreatedAt?: string;
  readonly longestThread?: { readonly externalId: string; readonly messages: number };
  /** Rows whose ticket is not in the export. */
  readonly orphans: { readonly messages: number; readonly events: number };
  /** How many batches the tickets to send make, and their size. */
  readonly batches: { readonly count: number; readonly size: number };
  /** What a trial would import; empty when nothing is valid. */
  readonly trial: readonly TrialPick[];
}

/** A column that no rule uses. */
export interface UnreadColumn {
  readonly table: string;
  readonly column: string;
  readonly file: string;
  readonly filled: number;
  /** Characters of what reads like sentences in it. */
  readonly text: number;
}

// What of the source will not arrive in the target: shown before anything is sent.

/** What a dry run learnt of the target, by reading alone. */
export interface TargetLook {
  /** Absent where it was not asked. */
  readonly target?: string | undefined;
  /** Why it was not asked everything. */
  readonly failure?: string | undefined;
  readonly agents: {
    /** Addresses without an id in the settings that were asked for, and those among them that it knows. */
    readonly asked: number;
    readonly found: number;
    /** Of those that it does not know, the first. */
    readonly unknown: readonly string[];
    /** Looked up when the tickets are imported. */
    readonly later: number;
  };
  /** The agents that it has; absent where it does not list them. */
  readonly team?:
    | { readonly total: number; readonly first: readonly { readonly id: string; readonly name?: string }[] }
    | undefined;
  /** The first contacts of the export: how many were asked for, exist, and have another name there. Absent where it does not tell. */
  readonly contacts?:
    | { readonly asked: number; readonly found: number; readonly renamed: number }
    | undefined;
  /** Tickets of this source that it has, as far as they were read; how many of them are of this export and not in the checkpoint. */
  readonly tickets?:
    | {
        readonly ofSource: number;
        readonly unknown: number;
        /** The first of these: external id, and its id there. */
        readonly example?: { readonly externalId: string; readonly ticketId: string } | undefined;
      }
    | undefined;
}

export interface LossReport {
  /** Columns or JSON paths that no rule uses; `filled` counts rows with a value. */
  readonly unusedColumns: readonly { table: string; column: string; file: string; filled: number }[];
  /** Values without an entry in a value map. */
  readonly unmappedValues: readonly { field: string; value: string; count: number; action: string }[];
  /** Agents of the source without an agent id. */
  readonly agentsWithoutId: readonly { agent: string; count: number; fallback?: string | undefined }[];
  /** Messages whose author is known neither as agent nor as customer. */
  readonly unknownAuthors: readonly { author: string; count: number }[];
  /** Fields with a value in the source that the API has no place for. */
  readonly notHeld: readonly { what: string; count: number }[];
}

/** Of a dry run with files: what is to be fetched, and what the hosts said to the few files that they were asked for. */
export interface FilesForecast {
  readonly wanted: number;
  /** Fetched by an earlier run. */
  readonly known: number;
  /** Tickets that were imported while files of theirs were missing: a delta sends them again when those can be fetched. */
  readonly waiting: number;
  /** Those whose size the export says. */
  readonly sized: number;
  /** Of all that are wanted, estimated by those; absent where the export has no size. */
  readonly bytes?: number | undefined;
  readonly hostsTotal: number;
  /** The twenty with most files. */
  readonly hosts: readonly { readonly host: string; readonly files: number }[];
  /** Of signed addresses: how many have ended, and how many will, between when and when. */
  readonly signatures: {
    readonly expired: number;
    readonly ending: number;
    readonly first?: string | undefined;
    readonly last?: string | undefined;
  };
}
