/** What the stages of one import share. */

import type { Readable } from 'node:stream';
import type { Checker } from '../check/check-ticket.ts';
import type { People } from '../check/people.ts';
import type { AppError } from '../domain/errors.ts';
import type { ContactNames, JoinedExport } from '../domain/join-plan.ts';
import type { ProblemSink } from '../domain/problem.ts';
import type { Emit } from '../domain/run-events.ts';
import type { RecordRef } from '../domain/source.ts';
import type { Survey } from '../domain/survey.ts';
import type { CheckResult } from '../domain/ticket.ts';
import type { Mapper } from '../mapping/compile/mapper.ts';
import type { Detection } from '../mapping/detect/detect.ts';
import type { PlanMeta } from '../plan/plan-file.ts';
import type { TicketPlan } from '../plan/ticket-plan.ts';
import type { Settings } from '../settings/settings.ts';
import type { StagedExport } from '../source/open-export.ts';
import type { ProblemLog } from '../summary/problem-log.ts';
import type { KeptFiles } from './files/keep-files.ts';
import type { SourceName } from './source-name.ts';
import type { ProcessPorts } from './target.ts';

export interface ImportJob {
  readonly source: OpenedSource;
  readonly settings: Settings;
  readonly ports: ImportPorts;
  readonly sourceName: SourceName;
  readonly names: ContactNames;
  readonly check: Checker;
  /** Tickets as they are sent, with what was learnt of their files and links. */
  readonly view: (result: CheckResult) => CheckResult;
  readonly files: KeptFiles;
  readonly problem: ProblemSink;
  readonly log: ProblemLog;
  /** By the monotonic clock. */
  readonly started: number;
  /** What the tickets that this run creates carry. */
  readonly runTag?: string | undefined;
}

export interface TypedRun {
  /** The command as it was typed. */
  readonly again: string;
  /** The same for the whole import, where it was a trial. */
  readonly all: string;
  /** Where it was typed: the names of files count from there. */
  readonly folder: string;
}

// What an import takes from outside.

export interface ImportPorts extends ProcessPorts {
  readonly stdin?: Readable | undefined;
  /** Aborted: take nothing new, finish what is in flight. */
  readonly soft: AbortSignal;
  /** Aborted: end at once. */
  readonly hard: AbortSignal;
  /** The typed command and its folder, for rejects and `status`. */
  readonly typed?: (TypedRun & { inText(sentence: string): string }) | undefined;
  /** Folder of the settings file: a relative `transform` is loaded from there. */
  readonly settingsFolder: string;
  /** Lines of the export are shown with problems. */
  readonly frames?: boolean | undefined;
  /**
   * Asked once, when the plan is known and before anything is sent. Resolves to false where the user would rather not.
   * Without it there is no question.
   */
  readonly confirm?: ((survey: Survey) => Promise<boolean>) | undefined;
  /** Called once after the run is recorded, while its source is open, for the report. */
  readonly beforeClose?:
    | ((job: ImportJob, survey: Survey, stoppedBy: AppError | undefined) => Promise<void>)
    | undefined;
}

export interface OpenedSource extends AsyncDisposable {
  readonly files: StagedExport;
  /** The name of the file of a record, as the user gave it. */
  nameOf(ref: Pick<RecordRef, 'file'>): string;
  readonly detection: Detection;
  readonly joined: Pick<JoinedExport, 'unmatchedRows' | 'unreadableRows'>;
  readonly mapper: Pick<Mapper, 'agentNames' | 'loss' | 'problems'>;
  /** The export; absent where the source is a plan that was kept. */
  readonly live?: { readonly joined: JoinedExport; readonly mapper: Mapper } | undefined;
  readonly plan: TicketPlan;
  /** Where the source is a plan that was kept. */
  readonly kept?: PlanMeta | undefined;
  /** Whose addresses are one person's, where the settings name a file of people. */
  readonly people?: People | undefined;
  /** Ids of agents that the settings list. */
  readonly agents?: Readonly<Record<string, string>> | undefined;
  /** Tells the warnings about whole files that have come up since the last call: some show only while records are read. */
  tellFileProblems(): void;
}

export interface SourcePorts {
  readonly stdin?: Readable | undefined;
  readonly emit: Emit;
  readonly soft: AbortSignal;
  readonly problem: ProblemSink;
  /** Folder of the settings file: a relative `transform` is loaded from there. */
  readonly settingsFolder: string;
  readonly findAgent?: ((email: string, signal: AbortSignal) => Promise<string | undefined>) | undefined;
  /** A ticket is to be mapped once more, also where the source is a plan. */
  readonly explains?: boolean | undefined;
}
