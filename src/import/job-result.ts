/** What an import came to, before it is a summary. */
import type { AppError } from '../domain/errors.ts';
import type { OutcomeCounts } from '../domain/ticket-state.ts';
import type { Summary, TrialChecklist, TrialTicket } from '../summary/summary.ts';
import type { Surveyed } from './survey-export.ts';

export interface JobResult {
  readonly surveyed: Surveyed;
  readonly tickets: OutcomeCounts;
  /** What the target has of the export's messages and events, whichever process sent it. */
  readonly sent: {
    readonly messages: number;
    readonly events: number;
    /** Tickets of which this run changed own fields in the target. */
    readonly updates: number;
  };
  readonly requests: Summary['requests'];
  /** What a dry run learnt of the target. */
  readonly look?: Summary['look'];
  readonly attachments: { readonly checked: number; readonly unreachable: number };
  readonly files?: Summary['files'];
  /** The plan that was kept, or that was run. */
  readonly planFile?: Summary['planFile'];
  readonly trial?:
    | {
        readonly tickets: readonly TrialTicket[];
        readonly checklist: TrialChecklist;
        readonly failed: boolean;
      }
    | undefined;
  /** Kinds of problems that an earlier run of the same export showed in full (`groupKey`). */
  readonly shownBefore?: ReadonlySet<string> | undefined;
  /** The folder of rejects, where there are any. */
  readonly rejects?: string | undefined;
  readonly stoppedBy?: AppError | undefined;
  /** When every open and pending ticket had an outcome, where these went first. */
  readonly openFirst?: Summary['openFirst'];
  /** The target has a ticket of this import more than once. */
  readonly duplicates?: boolean | undefined;
  /** Notes the end of the run in the checkpoint and lets go of it. */
  readonly record?: ((summary: Summary) => Promise<void>) | undefined;
}
