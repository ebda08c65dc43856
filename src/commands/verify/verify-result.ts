/** What verifying came to, as data (`verify --json`), and with which code it ends. Pure. */
import type { Findings } from './verify-findings.ts';

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
  readonly requests: { readonly sent: number; readonly retried: number; readonly rateLimited: number };
  readonly durationMs: number;
  readonly exitCode: number;
}

/**
 * 0: everything that was chosen is equal. 3: something differs, is missing or could not be compared: a check that could not be
 * made is no success. 5: the token may not read.
 */
export function verifyExitCode(findings: Findings): 0 | 3 | 5 {
  if (findings.targetIsUnreadable) return findings.hiddenBy?.status === 403 ? 5 : 3;
  return findings.different + findings.missingTotal + findings.unreadTotal > 0 ? 3 : 0;
}
