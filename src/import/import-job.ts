import type { Readable } from 'node:stream';
import type { Checker } from '../check/check-ticket.ts';
import type { AppError } from '../domain/errors.ts';
import type { Emit } from '../domain/ports.ts';
import type { ProblemLog, ProblemSink } from '../domain/problem.ts';
import type { RecordRef } from '../domain/source.ts';
import type { ContactNames, JoinedExport } from '../domain/source-file.ts';
import type { CheckResult } from '../domain/ticket.ts';
import type { Mapper } from '../mapping/compile/mapper.ts';
import type { Detection } from '../mapping/detect/detect.ts';
import type { Facts } from '../plan/facts.ts';
import type { TicketPlan } from '../plan/ticket-plan.ts';
import type { StagedExport } from '../source/open-export.ts';
import type { KeptFiles } from './keep-files.ts';
import type { Options } from './options.ts';
import type { SourceName } from './source-name.ts';
import type { ProcessPorts, TargetAddress } from './target.ts';

export interface ImportJob extends Omit<Options, 'appApi'> {
  readonly source: OpenedSource;
  readonly ports: ImportPorts;
  readonly target: TargetAddress | undefined;
  readonly sourceName: SourceName;
  readonly names: ContactNames;
  readonly check: Checker;
  /** Adds the new addresses of files. */
  readonly view: (result: CheckResult) => CheckResult;
  readonly files: KeptFiles;
  readonly problem: ProblemSink;
  readonly log: ProblemLog;
  readonly notUpdated: ReadonlySet<string>;
  /** Imported tickets with a change that the API has no call for. */
  readonly fixed: Set<string>;
  /** Monotonic milliseconds; the time that a question waits for its answer is none of the run's. */
  started: number;
  readonly runTag?: string | undefined;
}

export interface TypedRun {
  readonly again: string;
  readonly all: string;
  /** File names are relative to it. */
  readonly folder: string;
}

export interface ImportPorts extends ProcessPorts {
  readonly stdin?: Readable | undefined;
  readonly soft: AbortSignal;
  readonly hard: AbortSignal;
  readonly typed?: (TypedRun & { inText(sentence: string): string }) | undefined;
  readonly frames?: boolean | undefined;
  /** Asked once, before anything is sent; false stops the run. */
  readonly confirm?: ((facts: Facts) => Promise<boolean>) | undefined;
  /** After the run is recorded, while its source is open. */
  readonly beforeClose?:
    | ((job: ImportJob, facts: Facts, stoppedBy: AppError | undefined) => Promise<void>)
    | undefined;
}

export interface OpenedSource extends AsyncDisposable {
  readonly files: StagedExport;
  nameOf(ref: Pick<RecordRef, 'file'>): string;
  readonly detection: Detection;
  readonly joined: JoinedExport;
  readonly mapper: Mapper;
  readonly plan: TicketPlan;
  /** Some warnings about files appear only while records are read. */
  tellFileProblems(): void;
}

export interface SourcePorts {
  readonly stdin?: Readable | undefined;
  readonly emit: Emit;
  readonly soft: AbortSignal;
  readonly problem: ProblemSink;
  readonly findAgent?: ((email: string, signal: AbortSignal) => Promise<string | undefined>) | undefined;
}
