/** What `verify` found, as data: the library gives it away, so it knows nothing else of the program. */
import type { WrongFile } from '../../attachments/verify-files.ts';
import type { CheckName } from '../../verify/check.ts';

export interface Difference {
  readonly externalId: string;
  readonly ticketId: string;
  readonly detail: string;
}

/** One thing that was compared, over all tickets; of those that differ a few examples. */
export interface CheckFindings {
  readonly name: CheckName;
  readonly equal: number;
  readonly differs: number;
  /** Tickets of which the target does not report it. */
  readonly notReported: number;
  readonly examples: readonly Difference[];
}

export interface Findings {
  /** Tickets that were compared, and how many of them are equal in everything. */
  readonly compared: number;
  readonly equal: number;
  readonly different: number;
  /** Tickets that the target does not have any more. */
  readonly missing: readonly Difference[];
  readonly missingTotal: number;
  /** Tickets that could not be read back. */
  readonly unread: readonly Difference[];
  readonly unreadTotal: number;
  /** No ticket could be read: then nothing is known. */
  readonly targetIsUnreadable: boolean;
  /** The answer to the first ticket that was hidden. */
  readonly hiddenBy?: { readonly status: number | undefined; readonly detail: string } | undefined;
  /** In the order of CHECK_NAMES, those that were made. */
  readonly checks: readonly CheckFindings[];
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
