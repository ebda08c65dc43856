/** The source of an import, opened: an export, or a plan that was kept. */
import type { Readable } from 'node:stream';
import type { People } from '../check/people.ts';
import type { JoinedExport } from '../domain/join-plan.ts';
import type { ProblemSink } from '../domain/problem.ts';
import type { Emit } from '../domain/run-events.ts';
import type { RecordRef } from '../domain/source.ts';
import type { Mapper } from '../mapping/compile/mapper.ts';
import type { Detection } from '../mapping/detect/detect.ts';
import type { PlanMeta } from '../plan/plan-file.ts';
import type { TicketPlan } from '../plan/ticket-plan.ts';
import type { StagedExport } from '../source/open-export.ts';

export interface OpenedSource extends AsyncDisposable {
  readonly files: StagedExport;
  /** The name of the file of a record, as the user gave it. */
  nameOf(ref: Pick<RecordRef, 'file'>): string;
  readonly detection: Detection;
  readonly joined: JoinedExport;
  readonly mapper: Mapper;
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
