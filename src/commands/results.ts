import type { WrongFile } from '../attachments/verify-files.ts';
import type { CheckName } from '../verify/check.ts';
import type { FailedTicket } from '../view/run-view.ts';

export interface Reason extends Pick<FailedTicket, 'outcome' | 'code' | 'reason'> {
  readonly count: number;
  readonly example: string;
}

/** `adopt`: link it to this ticket. `retry`: the next run creates it. `skip`: leave it out. `release`: undo an adoption. */
export interface Settled {
  readonly externalId: string;
  readonly action: 'adopt' | 'retry' | 'skip' | 'release';
  readonly ticketId?: string | undefined;
}

export interface Difference {
  readonly externalId: string;
  readonly ticketId: string;
  readonly detail: string;
}

export interface CheckFindings {
  readonly name: CheckName;
  equal: number;
  differs: number;
  notReported: number;
  readonly examples: Difference[];
}

/** A few examples of each kind, in bounded memory. */
export interface Findings {
  compared: number;
  equal: number;
  different: number;
  missing: readonly Difference[];
  missingTotal: number;
  readonly unread: readonly Difference[];
  unreadTotal: number;
  targetIsUnreadable: boolean;
  hiddenBy?: { readonly status: number | undefined; readonly detail: string } | undefined;
  checks: readonly CheckFindings[];
}

export interface VerifyResult {
  readonly version: 1;
  readonly layout: string;
  readonly target: string;
  readonly checkpoint: string;
  /**
   * `read`: records of the export. `imported`: complete and valid. `incomplete`: the next run sends what is missing. `changed`:
   * other in the export now. `invalid`: not valid any longer. `chosen`: read back.
   */
  readonly tickets: Readonly<
    Record<'read' | 'imported' | 'incomplete' | 'changed' | 'invalid' | 'chosen', number>
  >;
  readonly findings: Findings;
  /** Opened without a login; absent without fetched files. */
  readonly files?: { readonly opened: number; readonly wrong: readonly WrongFile[] } | undefined;
  readonly requests: { readonly sent: number; readonly retried: number; readonly rateLimited: number };
  readonly durationMs: number;
  /** 0: all equal. 3: something differs, is missing or could not be compared. 5: the token may not read. */
  readonly exitCode: number;
}
