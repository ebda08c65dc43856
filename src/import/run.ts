/** Shared by the arrows of an import: made once and read only. Their results are in the tables of the source. */
import type { Readable } from 'node:stream';
import type { Checker } from '../check/check-ticket.ts';
import type { CheckpointReader } from '../checkpoint/read-checkpoint.ts';
import type { AppError } from '../domain/errors.ts';
import type { ContactNames, JoinedExport } from '../domain/source-file.ts';
import type { Mapper } from '../mapping/compile/mapper.ts';
import type { Detection } from '../mapping/detect/detect.ts';
import type { Facts } from '../plan/facts.ts';
import type { SourceName } from '../plan/source-name.ts';
import type { TicketPlan } from '../plan/ticket-plan.ts';
import type { Settings } from '../settings/settings.ts';
import type { StagedExport } from '../source/open-export.ts';
import type { Problems } from '../source/problem-list.ts';
import type { FilesView } from './known-files.ts';
import type { ProcessPorts, TargetAddress } from './target.ts';

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
  readonly beforeClose?: ((ended: EndedRun) => Promise<void>) | undefined;
}

export type ReadPorts = Pick<ImportPorts, 'stdin' | 'emit' | 'soft' | 'clock'>;

export interface Ended {
  readonly facts: Facts;
  /** Shown in full by an earlier run (`groupKey`). */
  readonly shownBefore?: ReadonlySet<string> | undefined;
  readonly stoppedBy?: AppError | undefined;
}

export interface EndedRun {
  readonly ports: Pick<ImportPorts, 'soft' | 'emit'>;
  readonly source: LearntSource;
  readonly view: FilesView;
  readonly facts: Facts;
  readonly stoppedBy: AppError | undefined;
}

export interface Run {
  readonly settings: Settings;
  readonly ports: ImportPorts;
  readonly problems: Problems;
  readonly target: TargetAddress | undefined;
  /** As it was before the run. */
  readonly ledger: CheckpointReader | undefined;
  readonly runTag: string | undefined;
  /** Monotonic milliseconds. */
  readonly started: number;
}

/** Made by `read`: files, layout and tickets of the export, in a temporary database. */
export interface Source extends AsyncDisposable {
  readonly name: SourceName;
  readonly files: StagedExport;
  readonly detection: Detection;
  /** The mapping of an export of no known layout. */
  readonly proposal?: unknown;
  readonly joined: JoinedExport;
  readonly plan: TicketPlan;
  readonly contacts: ContactNames;
  /** Problems of files told while they were read; others appear when records are read. */
  readonly toldProblems: number;
}

/** Made by `learn`: with the rules that map its tickets and check them. */
export interface LearntSource extends Source {
  readonly mapper: Mapper;
  readonly check: Checker;
}
