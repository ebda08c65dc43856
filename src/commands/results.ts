/** Results of commands, as data: the library gives them away, so they have nothing else of the program. */
import type { WrongFile } from '../attachments/verify-files.ts';
import type { CheckName } from '../verify/check.ts';
import type { DoubtfulTicket, FailedTicket as Refused } from '../view/run-view.ts';

export interface FailedTicket extends Refused {
  readonly outcome: 'failed' | 'rejected';
}

/** One reason with the number of tickets that have it. */
export interface Reason extends Pick<FailedTicket, 'outcome' | 'code' | 'reason'> {
  readonly count: number;
  readonly example: string;
}

/** A ticket in doubt: what to look for in the target, since when, and why its outcome is unknown. */
export interface Doubt extends DoubtfulTicket {
  readonly reason: string;
}

/** `adopt`: link it to this ticket of the target. `retry`: the target does not have it, so the next run creates it. `skip`: leave it out. `release`: take an adoption back. */
export interface Settled {
  readonly externalId: string;
  readonly action: 'adopt' | 'retry' | 'skip' | 'release';
  /** Of the target, to adopt. */
  readonly ticketId?: string | undefined;
}

export interface Difference {
  readonly externalId: string;
  readonly ticketId: string;
  readonly detail: string;
}

/** One thing that was compared, over all tickets; of those that differ a few examples. */
export interface CheckFindings {
  readonly name: CheckName;
  equal: number;
  differs: number;
  /** Tickets of which the target does not report it. */
  notReported: number;
  readonly examples: Difference[];
}

/** Counts and a few examples of each kind, so that memory does not grow with the export. */
export interface Findings {
  /** Tickets that were compared, and how many of them are equal in everything. */
  compared: number;
  equal: number;
  different: number;
  /** Tickets that the target does not have any more. */
  missing: readonly Difference[];
  missingTotal: number;
  /** Tickets that could not be read back. */
  readonly unread: readonly Difference[];
  unreadTotal: number;
  /** No ticket could be read: then nothing is known. */
  targetIsUnreadable: boolean;
  /** The answer to the first ticket that was hidden. */
  hiddenBy?: { readonly status: number | undefined; readonly detail: string } | undefined;
  /** In the order of CHECK_NAMES, those that were made. */
  checks: readonly CheckFindings[];
}

/** What `verify --json` prints. */
export interface VerifyResult {
  readonly version: 1;
  readonly layout: string;
  readonly target: string;
  readonly checkpoint: string;
  /**
   * `read`: records of the export. `imported`: complete in the target and valid in the export. `incomplete`: the next run sends what
   * is missing. `changed`: imported, and other in the export now. `invalid`: imported, and not valid in the export any more. `chosen`: read back.
   */
  readonly tickets: Readonly<
    Record<'read' | 'imported' | 'incomplete' | 'changed' | 'invalid' | 'chosen', number>
  >;
  readonly findings: Findings;
  /** New addresses of fetched files, opened without a login; absent where no file was fetched for this checkpoint. */
  readonly files?: { readonly opened: number; readonly wrong: readonly WrongFile[] } | undefined;
  readonly requests: { readonly sent: number; readonly retried: number; readonly rateLimited: number };
  readonly durationMs: number;
  /** 0: everything that was chosen is equal. 3: something differs, is missing or could not be compared. 5: the token may not read. */
  readonly exitCode: number;
}
