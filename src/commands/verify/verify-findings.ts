/** What verifying found, gathered: counts and a few examples per check, so that memory does not grow with the export. */
import type { WrongFile } from '../../attachments/verify-files.ts';
import { CHECK_NAMES, type Check, type CheckName, NOT_REPORTED } from '../../verify/check.ts';
import type { ReadBack } from '../../verify/read-back.ts';

export interface Difference {
  readonly externalId: string;
  readonly ticketId: string;
  readonly detail: string;
}

/** One thing that was compared, over all tickets. */
export interface CheckFindings {
  readonly name: CheckName;
  readonly equal: number;
  readonly differs: number;
  /** Tickets of which the target does not tell it. */
  readonly notReported: number;
  /** Of those that differ, at most five. */
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
  /** True when no ticket at all could be read: then nothing is known. */
  readonly targetIsUnreadable: boolean;
  /** The answer to the first ticket that was hidden, HTTP status and sentence. */
  readonly hiddenBy?: { readonly status: number | undefined; readonly detail: string } | undefined;
  /** In the order of CHECK_NAMES, those that were made. */
  readonly checks: readonly CheckFindings[];
}

const EXAMPLES = 5;

export type TicketVerdict =
  /** It was read back; `checks` in the order of CHECK_NAMES. */
  { readonly kind: 'compared'; readonly checks: readonly Check[] } | Exclude<ReadBack, { kind: 'read' }>;

/** Counts all, and keeps the first few. */
class Examples {
  readonly first: Difference[] = [];
  total = 0;

  add(difference: Difference): void {
    if (this.total++ < EXAMPLES) this.first.push(difference);
  }
}

export class FindingsLog {
  readonly #checks = new Map<CheckName, { equal: number; notReported: number; differs: Examples }>();
  readonly #hidden = new Examples();
  readonly #unread = new Examples();
  #hiddenBy: Findings['hiddenBy'];
  #compared = 0;
  #equal = 0;
  #showsItsList = false;

  /** The target can be read, whatever became of the single tickets. */
  targetShowsItsList(): void {
    this.#showsItsList = true;
  }

  add(externalId: string, ticketId: string, verdict: TicketVerdict): void {
    const at = { externalId, ticketId };
    if (verdict.kind === 'hidden') {
      const { status, detail } = verdict;
      this.#hiddenBy ??= { status, detail };
      this.#hidden.add({ ...at, detail: status === 404 ? 'The target does not have it.' : detail });
      return;
    }
    if (verdict.kind === 'failed') {
      this.#unread.add({ ...at, detail: verdict.detail });
      return;
    }
    this.#compared++;
    if (verdict.checks.every(({ ok }) => ok)) this.#equal++;
    for (const { name, ok, detail } of verdict.checks) {
      const counts = this.#checks.get(name) ?? { equal: 0, notReported: 0, differs: new Examples() };
      this.#checks.set(name, counts);
      if (!ok) counts.differs.add({ ...at, detail });
      else if (detail === NOT_REPORTED) counts.notReported++;
      else counts.equal++;
    }
  }

  /** Whether any ticket was read back. */
  get hasRead(): boolean {
    return this.#compared > 0;
  }

  /** Tickets that the target hid so far. */
  get hidden(): number {
    return this.#hidden.total;
  }

  result(): Findings {
    // A target that shows other tickets and hides this one does not have it any more.
    const targetIsUnreadable = !this.hasRead && !this.#showsItsList && this.#hidden.total > 0;
    const missing = targetIsUnreadable ? new Examples() : this.#hidden;
    return {
      compared: this.#compared,
      equal: this.#equal,
      different: this.#compared - this.#equal,
      missing: missing.first,
      missingTotal: missing.total,
      unread: this.#unread.first,
      unreadTotal: this.#unread.total,
      targetIsUnreadable,
      hiddenBy: this.#hiddenBy,
      checks: CHECK_NAMES.flatMap((name) => {
        const counts = this.#checks.get(name);
        if (counts === undefined) return [];
        const { equal, notReported, differs } = counts;
        return { name, equal, differs: differs.total, notReported, examples: differs.first };
      }),
    };
  }
}

/** New addresses of fetched files, opened without a login. */
export interface VerifiedFiles {
  readonly opened: number;
  /** Those that do not give what was fetched. */
  readonly wrong: readonly WrongFile[];
}

/** What verifying came to, as data (`verify --json`), and with which code it ends. Pure. */
export interface VerifyResult {
  readonly version: 1;
  readonly layout: string;
  readonly target: string;
  readonly checkpoint: string;
  readonly tickets: {
    /** Records of the export. */
    readonly read: number;
    /** Complete in the target, by the checkpoint, and valid in the export: what can be compared. */
    readonly imported: number;
    /** In the target, and not complete there: the next run sends what is missing. */
    readonly incomplete: number;
    /** Imported, and other in the export now than when they were sent: a difference is to be expected. */
    readonly changed: number;
    /** Imported, and not valid in the export any more: nothing to compare with. */
    readonly invalid: number;
    /** Read back: all of those imported, or a sample of them. */
    readonly chosen: number;
  };
  readonly findings: Findings;
  /** Absent where no file was fetched for this checkpoint. */
  readonly files?: VerifiedFiles | undefined;
  readonly requests: { readonly sent: number; readonly retried: number; readonly rateLimited: number };
  readonly durationMs: number;
  readonly exitCode: number;
}

/**
 * 0: everything that was chosen is equal. 3: something differs, is missing or could not be compared: a check that could not be
 * made is no success. 5: the token may not read.
 */
export function verifyExitCode(findings: Findings, wrongFiles = 0): 0 | 3 | 5 {
  if (findings.targetIsUnreadable) return findings.hiddenBy?.status === 403 ? 5 : 3;
  return findings.different + findings.missingTotal + findings.unreadTotal + wrongFiles > 0 ? 3 : 0;
}
