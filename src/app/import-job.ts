/** What the stages of one import share, and what the last of them has to tell. */
import type { Checker } from '../check/check-ticket.ts';
import type { AppError } from '../domain/errors.ts';
import type { OutcomeCounts } from '../domain/outcome.ts';
import type { ProblemSink } from '../domain/problem.ts';
import type { ContactNames } from '../domain/stage-plan.ts';
import type { Summary, TrialTicket } from '../report/summary.ts';
import type { TrialChecklist } from '../report/trial-view.ts';
import type { Settings } from '../settings/settings.ts';
import type { ImportPorts } from './import-ports.ts';
import type { OpenedSource } from './source.ts';
import type { SourceName } from './source-name.ts';
import type { Surveyed } from './survey-export.ts';

export interface ImportJob {
  readonly source: OpenedSource;
  readonly settings: Settings;
  readonly ports: ImportPorts;
  readonly sourceName: SourceName;
  readonly names: ContactNames;
  readonly check: Checker;
  readonly problem: ProblemSink;
}

export interface JobResult {
  readonly surveyed: Surveyed;
  readonly tickets: OutcomeCounts;
  /** What the target has of the export's messages and events, whichever process sent it. */
  readonly sent: { readonly messages: number; readonly events: number };
  readonly requests: Summary['requests'];
  readonly attachments: { readonly checked: number; readonly unreachable: number };
  readonly trial?: {
    readonly tickets: readonly TrialTicket[];
    readonly checklist: TrialChecklist;
    readonly failed: boolean;
  };
  /** The folder of rejects, where there are any. */
  readonly rejects?: string;
  readonly stoppedBy?: AppError;
  /** The target has a ticket of this import more than once. */
  readonly duplicates?: boolean;
  /** Notes the end of the run in the checkpoint and lets go of it. */
  readonly record?: (summary: Summary) => Promise<void>;
}
