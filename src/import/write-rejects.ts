/** The rejects at the end of a run: tickets and rows that were not imported, to be corrected and run again. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Checkpoint } from '../checkpoint/checkpoint.ts';
import { sha256 } from '../domain/identity.ts';
import type { Ledger, TicketRecord } from '../domain/ledger.ts';
import type { CheckResult } from '../domain/ticket.ts';
import { LEFT_OPEN } from '../domain/ticket-state.ts';
import { openReason, reasonOf } from '../plan/reject-reason.ts';
import type { PlanEntry } from '../plan/ticket-plan.ts';
import type { Settings } from '../settings/settings.ts';
import { RejectRows } from '../source/reject-files.ts';
import { rejectFoldersOf } from '../source/reject-folder.ts';
import type { FilesView } from './known-files.ts';
import { looseRows } from './problem-places.ts';
import { nameOf } from './read.ts';
import type { ImportPorts, Source } from './run.ts';

const REJECTS_IN_TIME_MS = 10_000;

/** A rejected ticket stays in the rejects until it is sent. */
const REJECTED = `leftOut IS NULL AND (outcome IN ('rejected', 'failed') OR outcome = 'pending' AND state IN (${LEFT_OPEN.map((state) => `'${state}'`).join(', ')}))`;

type RejectSettings = Pick<Settings, 'source' | 'selection' | 'output'>;

interface Rejecting {
  readonly settings: RejectSettings;
  readonly ports: Pick<ImportPorts, 'typed' | 'hard'>;
}

/** If it takes longer, or after a second Ctrl-C, the folder stays and the next run writes it. */
export async function rejectsInTime(
  { settings, ports }: Rejecting,
  source: Source,
  checkpoint: Checkpoint,
  view: FilesView,
): Promise<string | undefined> {
  const hard = AbortSignal.any([ports.hard, AbortSignal.timeout(REJECTS_IN_TIME_MS)]);
  try {
    return await settleRejects({ settings, ports: { ...ports, hard } }, source, checkpoint, view);
  } catch (error) {
    if (hard.aborted) return undefined;
    throw error;
  }
}

export async function settleRejects(
  run: Rejecting,
  source: Source,
  checkpoint: Checkpoint,
  view: FilesView,
): Promise<string | undefined> {
  const { settings } = run;
  // Another process writes the checkpoint, and the rejects with it.
  if (checkpoint.failure?.code === 'checkpoint') return undefined;
  const { rejected, refused, incomplete } = checkpoint.counts();
  const read = rejectFoldersOf(settings.source.files);
  const nothing =
    rejected + refused + incomplete + source.plan.steps.counts().rejected === 0 &&
    looseRows(source).next().done === true &&
    !existsSync(settings.output.rejects) &&
    read.length === 0;
  return nothing ? undefined : await writeRejects(run, source, checkpoint, view, read);
}

/** `read`: folders of the export that are written anew, with the rows that were not imported; none in a dry run. */
export async function writeRejects(
  { settings, ports }: Rejecting,
  source: Source,
  ledger: Pick<Ledger, 'get'> | undefined,
  view: FilesView,
  read: readonly string[] = [],
): Promise<string | undefined> {
  const { files, detection } = source;
  const rejects = new RejectRows(
    { files, plan: detection.plan },
    {
      folder: settings.output.rejects,
      mark: nameOfImport(settings),
      inputs: settings.source.files,
      ...{ read, signal: ports.hard },
      inText: (sentence) => ports.typed?.inText(sentence) ?? sentence,
    },
  );
  for (const page of source.plan.entries(read.length > 0 ? 'TRUE' : REJECTED)) {
    ports.hard.throwIfAborted();
    for (const entry of page) take(rejects, source, ledger, view, entry);
  }
  for (const { kind, ref, table, message } of looseRows(source))
    if (kind === 'lost' || kind === 'unreadable') rejects.addUnreadable(ref);
    else rejects.add([{ table, ref }], message);
  await rejects.complete();
  return rejects.write();
}

function take(
  rejects: RejectRows,
  source: Source,
  ledger: Pick<Ledger, 'get'> | undefined,
  view: FilesView,
  entry: PlanEntry,
): void {
  const { leftOut } = entry;
  if (entry.kind === 'unreadable') {
    const { code, ref, table, message } = entry;
    if (leftOut !== undefined) rejects.stay([{ table, ref }]);
    else if (code === 'unreadable') rejects.addUnreadable(ref);
    else rejects.add([{ table, ref }], message);
    return;
  }
  const record = ledger?.get(entry.externalId);
  const result = view(entry.result, nameOf(source, entry.ref));
  const reason = reasonOf({ ...entry, result, record });
  const state = record?.state;
  if (reason !== undefined && leftOut === undefined) rejects.add(entry.rows, reason);
  else if (state !== 'skipped' && (state !== 'done' || !hasSameContent(record, result)))
    rejects.stay(entry.rows, openReason(state));
}

function nameOfImport({ source, selection, output }: RejectSettings): string {
  const files = source.files.map((file) => resolve(file));
  return sha256(JSON.stringify([files, selection, resolve(output.checkpoint)])).slice(0, 32);
}

function hasSameContent(record: TicketRecord | undefined, { checked }: CheckResult): boolean {
  const then = record?.fingerprints;
  const now = checked?.fingerprints;
  return (
    then !== undefined &&
    now !== undefined &&
    then.ticket === now.ticket &&
    then.messages === now.messages &&
    then.events === now.events
  );
}
