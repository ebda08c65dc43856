/** `inspect`, `verify`, `status` and `resolve`: the commands of these names as functions. */

import { readCheckpoint } from './checkpoint/read-checkpoint.ts';
import { addCounts, type CheckpointStatus, checkpointStatus, type KnownCounts } from './checkpoint/status.ts';
import { failureReasons, listDoubts, listFailed, withReaders } from './commands/checkpoint-view.ts';
import { type Decision, openExisting, settle } from './commands/resolve.ts';
import type { Doubt, FailedTicket, Reason, Settled, VerifyResult } from './commands/results.ts';
import { verifyImport } from './commands/verify-import.ts';
import { type ExportReport, inspectExport, inspectionJson } from './discover/inspection.ts';
import { AppError } from './domain/errors.ts';
import type { ImportPorts } from './import/import-job.ts';
import { openTarget } from './import/target.ts';
import type { ImportOptions } from './library-options.ts';
import { envOf, librarySettings, requireKnown } from './library-settings.ts';
import { guarded, type StopSignals, stopSignals } from './library-stop.ts';
import { openExport } from './source/open-export.ts';
import { systemClock } from './system-clock.ts';
import { version } from './version.ts';

export interface InspectOptions {
  /** Files and folders of the export; `-` is `stdin`. */
  readonly files: string | readonly string[];
  /** Name of a layout. Default: the one that fits best. */
  readonly from?: string | undefined;
  readonly encoding?: string | undefined;
  readonly delimiter?: string | undefined;
  readonly stdin?: ImportOptions['stdin'];
  readonly signal?: AbortSignal | undefined;
}

/** What is in an export: its layout, tables, columns and joins. Sends nothing and writes nothing. */
export async function inspect(options: InspectOptions): Promise<ExportReport> {
  requireKnown('inspect', options, {
    files: true,
    from: true,
    encoding: true,
    delimiter: true,
    stdin: true,
    signal: true,
  });
  using stop = stopSignals(options);
  stop.soft.throwIfAborted();
  const { files, from, encoding, delimiter, stdin } = options;
  await using opened = await openExport([files].flat(), { encoding, delimiter, stdin, signal: stop.soft });
  using inspection = await inspectExport(opened, { from, signal: stop.soft });
  return inspectionJson(inspection, opened.files);
}

type Both = 'settings' | 'target' | 'checkpoint' | 'env' | 'signal' | 'stopAtOnce' | 'onEvent';
const BOTH = {
  settings: true,
  target: true,
  checkpoint: true,
  env: true,
  signal: true,
  stopAtOnce: true,
  onEvent: true,
} as const;

type OfVerify = Both | 'files' | 'since' | 'until' | 'only' | 'limit' | 'shard' | 'attachments' | 'stdin';

/** The options of the import to verify. */
export interface VerifyOptions extends Pick<ImportOptions, OfVerify> {
  /** Tickets to read back: a number, or `all`. Default: 100. */
  readonly sample?: number | 'all' | undefined;
}

/** Reads imported tickets back and compares them with the export. Changes nothing. */
export async function verify(options: VerifyOptions): Promise<VerifyResult> {
  requireKnown('verify', options, {
    ...BOTH,
    files: true,
    since: true,
    until: true,
    only: true,
    limit: true,
    shard: true,
    attachments: true,
    stdin: true,
    sample: true,
  });
  const { sample = 100, ...shared } = options;
  if (sample !== 'all' && !(Number.isSafeInteger(sample) && sample >= 1))
    throw new AppError('usage', 'sample must be a whole number from 1, or "all".');
  return await underSignals(options, async (ports) => {
    const { settings, folder } = await librarySettings(shared);
    readCheckpoint(settings.output.checkpoint).close();
    const target = await openTarget(settings, systemClock);
    try {
      return await verifyImport(settings, target, sample, { ...ports, settingsFolder: folder });
    } finally {
      await target.sandbox?.close();
    }
  });
}

export interface StatusOptions {
  /** One checkpoint, or those of all shards. */
  readonly checkpoint: string | readonly string[];
  /** Failed and rejected tickets, and tickets in doubt, to list. Default: 0. */
  readonly list?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface StatusResult {
  readonly checkpoints: readonly CheckpointStatus[];
  readonly total: KnownCounts;
  readonly failed: readonly FailedTicket[];
  /** Why tickets failed or were rejected, most frequent first. */
  readonly reasons: readonly Reason[];
  readonly inDoubt: readonly Doubt[];
}

/** What checkpoints hold, also during an import. Connects to nothing and changes nothing. */
export async function status(options: StatusOptions): Promise<StatusResult> {
  requireKnown('status', options, { checkpoint: true, list: true, signal: true });
  using stop = stopSignals(options);
  const { checkpoint, list = 0 } = options;
  stop.soft.throwIfAborted();
  return await withReaders([checkpoint].flat(), (readers) => {
    const statuses = readers.map((reader) => checkpointStatus(reader));
    return {
      checkpoints: statuses,
      total: addCounts(statuses.map(({ tickets }) => tickets)),
      failed: listFailed(readers, list),
      reasons: failureReasons(readers),
      inDoubt: listDoubts(readers, list),
    };
  });
}

/** A decision about a ticket in doubt; `ticketId` is the target's. */
export type ResolveDecision =
  | { readonly externalId: string; readonly action: 'adopt'; readonly ticketId: string }
  | { readonly externalId: string; readonly action: 'retry' | 'skip' | 'release' };

export interface ResolveOptions extends Pick<ImportOptions, Both> {
  /** All are carried out, or all are refused. */
  readonly decisions?: readonly ResolveDecision[] | undefined;
  /** Tickets still in doubt to list. Default: 50. */
  readonly list?: number | undefined;
}

export interface ResolveResult {
  readonly settled: readonly Settled[];
  readonly inDoubt: readonly Doubt[];
  readonly inDoubtTotal: number;
}

/** Settles tickets in doubt, or lists them. The next import creates those to retry. */
export async function resolve(options: ResolveOptions): Promise<ResolveResult> {
  requireKnown('resolve', options, { ...BOTH, decisions: true, list: true });
  const { decisions = [], list = 50, ...shared } = options;
  const wanted = decisions.map((decision, at) => ({ ...decision, where: `decisions[${at}]` }));
  return await underSignals(options, async (ports) => {
    const { settings } = await librarySettings(shared, []);
    const path = settings.output.checkpoint;
    const settled = wanted.length === 0 ? [] : await settleIn(path, wanted, ports);
    const reader = readCheckpoint(path);
    try {
      return {
        settled,
        inDoubt: listDoubts([reader], list),
        inDoubtTotal: checkpointStatus(reader).tickets.inDoubt,
      };
    } finally {
      reader.close();
    }
  });
}

async function settleIn(
  path: string,
  decisions: readonly Decision[],
  ports: Pick<ImportPorts, 'clock' | 'version'>,
): Promise<Settled[]> {
  const checkpoint = openExisting(path, ports);
  try {
    return await settle(decisions, checkpoint);
  } finally {
    await checkpoint.close();
  }
}

/** An error of the caller's listener stops the work and is thrown at its end. */
async function underSignals<T>(
  options: Pick<ImportOptions, 'env' | 'onEvent' | 'signal' | 'stopAtOnce'> &
    Partial<Pick<ImportOptions, 'stdin' | 'attachments'>>,
  work: (ports: Omit<ImportPorts, 'settingsFolder'>) => Promise<T>,
): Promise<T> {
  using stop: StopSignals = stopSignals(options);
  stop.soft.throwIfAborted();
  const listener = guarded(options.onEvent, stop.interrupt);
  const { soft, hard } = stop;
  const { emit } = listener;
  const ports = { clock: systemClock, random: Math.random, version: version(), env: envOf(options) };
  try {
    const result = await work({ ...ports, emit, soft, hard, stdin: options.stdin });
    if (listener.thrown === undefined) return result;
  } catch (error) {
    if (listener.thrown === undefined) throw error;
  }
  throw listener.thrown.error;
}
