/**
 * The facts of an import: one value, made by `factsOf` from the plan and by `factsOfCheckpoint` from the checkpoint. `--json`
 * prints it; screens, questions, reports, `status` and "Next" are views of it. Nothing else counts tickets.
 */
import type { CheckpointFacts } from '../checkpoint/status.ts';
import type { AgentOffer, AgentRecord, MonthRow, TrialPick } from '../domain/decisions.ts';
import type { Problem, ProblemGroup } from '../domain/problem.ts';
import type { MappedValue } from '../domain/ticket.ts';
import type { OutcomeCounts } from '../domain/ticket-state.ts';

export interface Facts extends CheckpointFacts {
  readonly version: 2;
  /** `checkpoint`: all that it has recorded, not one run. */
  readonly mode: 'run' | 'dry-run' | 'trial' | 'checkpoint';
  readonly isDelta: boolean;
  readonly layout: string;
  readonly target?: string | undefined;
  readonly export: {
    readonly files: readonly string[];
    /** Covers everything to send. */
    readonly digest: string;
    /** The zone of times without one; days are shown in it. */
    readonly timezone?: string | undefined;
    /** UTC ISO-8601 `createdAt`. */
    readonly firstCreatedAt?: string | undefined;
    readonly lastCreatedAt?: string | undefined;
    readonly channels: readonly { readonly channelId?: string; readonly tickets: number }[];
    readonly months: readonly MonthRow[];
    readonly withoutMessages: number;
    /** A missing status becomes open. */
    readonly withoutStatus: number;
    /** Times that the export lacks: creations, set by the settings or said by a message, and those of messages. */
    readonly made?:
      | (Counts<'createdSet' | 'createdSaid' | 'times'> & { readonly createdSetTo?: string | undefined })
      | undefined;
    /** In a checkpoint: tickets when the latest whole run began, those done, and those that no run has settled. */
    readonly total?: number | undefined;
    readonly done?: number | undefined;
    readonly left?: number | undefined;
  };
  readonly tickets: TicketFacts;
  readonly skipped: readonly { readonly reason: string; readonly count: number }[];
  /** `read`: without orphans. `sent`: also by earlier runs. `orphans`: without their ticket. */
  readonly messages: Counts<'read' | 'sent' | 'internal' | 'orphans'> & {
    readonly longest?: { readonly externalId: string; readonly messages: number } | undefined;
  };
  readonly events: Counts<'read' | 'sent' | 'orphans'>;
  /** `merged`: addresses with several names. `made`: made up, `byName` of them from a name alone, `namesakes` under the name of another one. */
  readonly contacts: Counts<'distinct' | 'merged'> & Partial<Counts<'made' | 'byName' | 'namesakes'>>;
  readonly people: {
    readonly agents: readonly AgentRecord[];
    readonly later: number;
    /** Answers of the helpdesk in a dry run; each part absent without one. */
    readonly look?: LookFacts | undefined;
  };
  /** `links` of `tickets` stay where they are, on `hosts`. `checked` and `unreachable`: by a trial. */
  readonly attachments: Counts<
    'read' | 'bytes' | 'stored' | 'missing' | 'links' | 'tickets' | 'checked' | 'unreachable'
  > & { readonly hosts: readonly { readonly host: string; readonly files: number }[] };
  /**
   * A dry run with `--files`. `wanted`: not fetched yet. `waiting`: imported tickets with missing files, which a delta sends
   * again once these can be fetched. `bytes`: estimated from the `sized` ones. Signed addresses have `expired`, or are `ending`
   * between `first` and `last`, UTC ISO-8601.
   */
  readonly files?:
    | (Counts<'wanted' | 'waiting' | 'sized' | 'expired' | 'ending'> & {
        readonly bytes?: number | undefined;
        readonly first?: string | undefined;
        readonly last?: string | undefined;
      })
    | undefined;
  readonly mapping: readonly MappedValue[];
  readonly mappingLeftOut: number;
  readonly lost: readonly Loss[];
  readonly kept: { readonly tickets: number; readonly columns: readonly string[] };
  readonly plan: {
    /** `updates`: in a delta. `checks`: at most, to recognise the helpdesk, try message IDs and count. */
    readonly requests: Counts<'creates' | 'messages' | 'events' | 'updates' | 'reads' | 'total' | 'checks'>;
    /** Absent without a rate limit. */
    readonly estimatedSeconds?: number | undefined;
    readonly rate?: string | undefined;
    readonly batches: Counts<'count' | 'size'>;
  };
  /** `changing`: those that can change the helpdesk. */
  readonly requests: Counts<'sent' | 'retried' | 'rateLimited' | 'changing'>;
  /**
   * In a delta: imported tickets with a new status, priority, assignee or tags (`found`, and how many were `sent`), with other
   * messages or events; and tickets with changes of any kind that were not sent.
   */
  readonly updates?: Counts<'found' | 'messages' | 'events' | 'sent' | 'notUpdated'> | undefined;
  readonly details: {
    /** `filled` counts rows with a value. Kept ones are under `kept`. */
    readonly columns: readonly { table: string; column: string; file: string; filled: number }[];
    readonly values: readonly { field: string; value: string; count: number; action: string }[];
    readonly authors: readonly { author: string; count: number }[];
    /** By their codes under `lost`; `columns`: left of all rows of the `table`. */
    readonly notHeld: readonly {
      readonly code: string;
      readonly what: string;
      readonly count: number;
      readonly table?: string;
      readonly files?: readonly string[];
      readonly columns?: readonly string[];
    }[];
  };
  readonly known: {
    /** Looked up, or listed in the settings. */
    readonly agents: boolean;
    readonly helpdesk: boolean;
    /** UTC ISO-8601; absent if the numbers are this run's. */
    readonly since?: string | undefined;
    /** How many messages the killed run sent is unknown. */
    readonly isCutOff?: boolean | undefined;
  };
  /** Written by a dry run. */
  readonly planFile?: { readonly path: string } | undefined;
  readonly problems: readonly Problem[];
  readonly problemsTotal: number;
  readonly problemGroups: readonly Readonly<ProblemGroup>[];
  readonly runTag?: string | undefined;
  readonly openFirst?: Counts<'tickets' | 'done' | 'afterMs'> | undefined;
  readonly picks: readonly TrialPick[];
  readonly trial?: { readonly tickets: readonly TrialTicket[] } | undefined;
  readonly checkpoint: string;
  readonly report?: string | undefined;
  readonly rejects?: string | undefined;
  readonly durationMs: number;
  /** Why the run stopped early. */
  readonly stopped?: { readonly message: string; readonly hint?: string | undefined } | undefined;
  readonly exitCode: number;
}

type Counts<Of extends string> = Readonly<Record<Of, number>>;

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
  /** Tickets that the checkpoint lists. */
  readonly known?: number | undefined;
}

export interface LookFacts {
  readonly target: string;
  readonly failure?: string | undefined;
  readonly agents: Counts<'asked' | 'found'> & { readonly unknown: readonly string[] };
  readonly team?:
    | { readonly total: number; readonly first: readonly { readonly id: string; readonly name?: string }[] }
    | undefined;
  /** Agents without an ID whose name one of the helpdesk has. */
  readonly offers: readonly AgentOffer[];
  /** The first ones: looked up, found, found with another name. */
  readonly contacts?: Counts<'asked' | 'found' | 'renamed'> | undefined;
  /** As far as read; `unknown`: of this export and not in the checkpoint. `isMore`: more than listed, and not counted. */
  readonly tickets?:
    | (Counts<'ofSource' | 'unknown'> & {
        readonly isMore?: boolean | undefined;
        readonly example?: { readonly externalId: string; readonly ticketId: string } | undefined;
      })
    | undefined;
}

export interface Loss {
  readonly code: string;
  /** "439 attachments stay links to acme.zendesk.com". */
  readonly what: string;
  readonly count: number;
  readonly tickets?: number | undefined;
  readonly remedy?: string | undefined;
}

export interface TrialTicket {
  readonly externalId: string;
  readonly ticketId?: string | undefined;
  readonly why: readonly string[];
  /** Absent for a ticket that was not sent. */
  readonly subject?: string | undefined;
  readonly customer?: string | undefined;
  readonly status?: string | undefined;
  readonly checks: readonly { readonly name: string; readonly ok: boolean; readonly detail: string }[];
}

export function checksOf({ trial }: Pick<Facts, 'trial'>): { passed: number; failed: number } {
  const checks = trial?.tickets.flatMap((ticket) => ticket.checks) ?? [];
  const passed = checks.filter(({ ok }) => ok).length;
  return { passed, failed: checks.length - passed };
}

export function countOfCode({ problemGroups }: Pick<Facts, 'problemGroups'>, code: string): number {
  return problemGroups.filter((group) => group.code === code).reduce((sum, { count }) => sum + count, 0);
}
