/** What an import takes from outside. */
import type { Readable } from 'node:stream';
import type { Clock, Random } from '../domain/clock.ts';
import type { AppError } from '../domain/errors.ts';
import type { Emit } from '../domain/run-events.ts';
import type { Survey } from '../domain/survey.ts';
import type { CommandLines } from '../report/command-line.ts';
import type { ImportJob } from './import-job.ts';

export interface ImportPorts {
  readonly clock: Clock;
  readonly random: Random;
  readonly emit: Emit;
  /** Proxy settings are read from here. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin?: Readable;
  /** Aborted: take nothing new, finish what is in flight. */
  readonly soft: AbortSignal;
  /** Aborted: end at once. */
  readonly hard: AbortSignal;
  /** Version of the program, for the checkpoint and the User-Agent. */
  readonly version: string;
  /** What was typed and in which folder, where it was: told in the rejects, and kept with the run so that `status` can say how to go on. */
  readonly typed?: { readonly commands: CommandLines; readonly folder: string } | undefined;
  /** Folder of the settings file: a relative `transform` is loaded from there. */
  readonly settingsFolder: string;
  /** The lines of the export are wanted on which problems stand, to be shown to a person. */
  readonly frames?: boolean;
  /**
   * Asked once, when the plan is known and before anything is sent. Resolves to false where the user would rather not.
   * Without it nobody is asked.
   */
  readonly confirm?: (survey: Survey) => Promise<boolean>;
  /** Called once when the run is over and recorded, and its source is still open: for who wants another look at it (a report). */
  readonly beforeClose?: (job: ImportJob, survey: Survey, stoppedBy: AppError | undefined) => Promise<void>;
}
