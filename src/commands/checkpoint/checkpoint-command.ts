/** `helpdesk-import checkpoint backup` and `checkpoint rebuild`. */

import { existsSync, renameSync } from 'node:fs';
import { createChecker } from '../../check/check-ticket.ts';
import { backUpCheckpoint } from '../../checkpoint/backup.ts';
import { openCheckpoint } from '../../checkpoint/checkpoint.ts';
import { isFileThere } from '../../checkpoint/file-kind.ts';
import { readCheckpoint } from '../../checkpoint/read-checkpoint.ts';
import { checkpointPaths } from '../../cli/checkpoint-path.ts';
import type { CliContext, Flags } from '../../cli/context.ts';
import { loadSettings } from '../../cli/load-settings.ts';
import { writeJson } from '../../cli/show-error.ts';
import { listenForStop, portsOf, READING } from '../../cli/signals.ts';
import { AppError } from '../../domain/errors.ts';
import { hasTag, identityTag, readIdentityTag, sourceTag } from '../../domain/identity.ts';
import type { Snapshot } from '../../domain/ticket-api.ts';
import { checkRules } from '../../import/check-rules.ts';
import { examineExport } from '../../import/examine.ts';
import type { ImportPorts } from '../../import/import-job.ts';
import { openSource } from '../../import/source.ts';
import { sourceNameOf } from '../../import/source-name.ts';
import { connect, openTarget, type TargetAddress } from '../../import/target.ts';
import { readFailure } from '../../push/failure-meaning.ts';
import type { Settings } from '../../settings/settings.ts';
import { countOf } from '../../view/format.ts';
import { createStyle } from '../../view/terminal/style.ts';
import { wrap } from '../../view/terminal/text-block.ts';

export async function checkpointCommand(
  [action, ...files]: readonly string[],
  flags: Flags,
  context: CliContext,
): Promise<number> {
  if (action === 'backup') return await backUp(files, flags, context);
  if (action === 'rebuild') return await rebuild(files, flags, context);
  throw new AppError('usage', `checkpoint has no action "${action ?? ''}".`, {
    hint: 'There are: checkpoint backup [file], checkpoint rebuild [files].',
  });
}

async function backUp(files: readonly string[], flags: Flags, context: CliContext): Promise<number> {
  const [path] = await checkpointPaths([], flags, context);
  const [to = `${path}.backup`, ...more] = files;
  if (more.length > 0)
    throw new AppError('usage', 'checkpoint backup writes one file.', { hint: 'Name one file.' });
  backUpCheckpoint(path, to);
  if (flags['json'] === true) writeJson(context.stdout, { version: 1, checkpoint: path, backup: to });
  else say(`The checkpoint ${path} was copied to ${to}.`, context);
  return 0;
}

async function rebuild(files: readonly string[], flags: Flags, context: CliContext): Promise<number> {
  const needs = ['target', 'credentials'] as const;
  const { settings, folder } = await loadSettings(files, flags, needs, context);
  // Its file is put in its place when it is whole.
  using stop = listenForStop(context, (message) => void context.stderr.write(`${message}\n`), READING);
  const result = await rebuildCheckpoint(settings, await openTarget(settings, context.clock), {
    ...portsOf(context, stop),
    emit: () => undefined,
    settingsFolder: folder,
  });
  const { tickets, severalTimes, unknown } = result;
  if (flags['json'] === true) writeJson(context.stdout, result);
  else {
    say(
      `${countOf(tickets, 'ticket')} of the target ${tickets === 1 ? 'is' : 'are'} in ${result.checkpoint} now. The next run reads their threads and sends what is missing.`,
      context,
    );
    if (severalTimes.length > 0)
      say(
        `${countOf(severalTimes.length, 'ticket')} of the source ${severalTimes.length === 1 ? 'stands' : 'stand'} several times in the target and ${severalTimes.length === 1 ? 'is' : 'are'} in doubt: ${severalTimes.slice(0, 20).join(', ')}. Choose with: ${context.commands.about('resolve')}`,
        context,
      );
    if (unknown > 0)
      say(
        `The external id of ${countOf(unknown, 'ticket')} cannot be derived from the tags${files.length === 0 ? ': give the files of the export' : ''}.`,
        context,
      );
  }
  return severalTimes.length > 0 || unknown > 0 ? 4 : 0;
}

function say(text: string, { stdout, env, commands }: CliContext): void {
  const style = createStyle({ stream: stdout, env, commands });
  stdout.write(`${wrap(text, style).join('\n')}\n`);
}

// Makes a checkpoint anew from the target, by the identity that its tickets carry in their tags. What stands there is recorded as
// created: the next run reads each ticket's thread and sends what is missing. An id that stands as a hash in its tag is known
// again by the export.

interface Rebuilt {
  readonly version: 1;
  readonly checkpoint: string;
  readonly target: string;
  readonly sourceName: string;
  /** Tickets that are in the checkpoint now; those in doubt are counted in `severalTimes`. */
  readonly tickets: number;
  /** External ids that several tickets of the target carry: they are in doubt, and `resolve` settles them. */
  readonly severalTimes: readonly string[];
  /** Tickets of the target whose id stands as a hash that nothing in the export has, or whose tag is gone. */
  readonly unknown: number;
}

/** Throws AppError `usage` where there is a checkpoint with tickets already or no source name, `checkpoint` where the target cannot be read. */
async function rebuildCheckpoint(
  settings: Settings,
  target: TargetAddress,
  ports: ImportPorts,
): Promise<Rebuilt> {
  const path = settings.output.checkpoint;
  if (holdsTickets(path))
    throw new AppError('usage', `There is a checkpoint ${path} already, and it is not replaced.`, {
      hint: 'Name another file with --checkpoint, or move this one away.',
    });
  const { sourceName, ids } = await sourceOf(settings, ports);
  const found = await ticketsOf(sourceName, settings, target, ports);
  const { tickets, unknown } = byExternalId(found, sourceName, ids);
  setLogAside(path);
  const checkpoint = openCheckpoint(path, {
    target: target.key,
    clock: ports.clock,
    programVersion: ports.version,
  });
  const severalTimes: string[] = [];
  try {
    void checkpoint.usedWith({ sourceName, withoutIdentity: 0 });
    for (const [externalId, [first = '', ...others]] of tickets) {
      void checkpoint.adopted(externalId, first);
      if (others.length === 0) continue;
      void checkpoint.released(externalId);
      severalTimes.push(externalId);
    }
    await checkpoint.flush();
  } finally {
    await checkpoint.close();
  }
  return {
    version: 1,
    checkpoint: path,
    target: target.baseUrl,
    sourceName,
    tickets: tickets.size,
    severalTimes,
    unknown,
  };
}

/** Of a checkpoint whose file is lost: of use only where that is found again. */
function setLogAside(path: string): void {
  const log = `${path}-wal`;
  if (!isFileThere(path) && existsSync(log)) renameSync(log, `${log}.old`);
}

/** A run that was refused, because the target has tickets of its source, leaves a checkpoint without any. */
function holdsTickets(path: string): boolean {
  if (!isFileThere(path)) return false;
  const checkpoint = readCheckpoint(path);
  try {
    return checkpoint.size() > 0;
  } finally {
    checkpoint.close();
  }
}

/** The name of the source and, with an export, the ids of the tickets that this checkpoint is for. */
async function sourceOf(
  settings: Settings,
  ports: ImportPorts,
): Promise<{ sourceName: string; ids: ReadonlySet<string> | undefined }> {
  if (settings.source.files.length === 0) {
    if (settings.source.name !== undefined) return { sourceName: settings.source.name, ids: undefined };
    throw new AppError('usage', 'The source of the checkpoint is not known.', {
      hint: 'Give the files of the export, or the name used in the tags (from-zendesk: --source-name zendesk).',
    });
  }
  await using source = await openSource(settings, {
    ...ports,
    problem: () => undefined,
    signal: ports.soft,
    folder: ports.settingsFolder,
  });
  const ids = new Set<string>();
  const check = createChecker(checkRules(settings, source, ports.clock));
  for await (const chunk of examineExport({ source, settings, check }, ports.soft))
    for (const examined of chunk)
      if (examined.kind === 'ticket' && examined.skippedBecause === undefined) ids.add(examined.externalId);
  return { sourceName: sourceNameOf(settings, source).name, ids };
}

async function ticketsOf(
  sourceName: string,
  settings: Settings,
  target: TargetAddress,
  ports: ImportPorts,
): Promise<Snapshot[]> {
  const { api } = connect(target, settings, ports, undefined);
  try {
    const tag = sourceTag(sourceName);
    const reported = await api.findTickets({ tags: [tag], fields: ['tags'] }, ports.hard);
    const ours = reported.filter(({ tags }) => hasTag(tags, tag));
    if (ours.length > 0) return ours;
    throw new AppError('checkpoint', `The target ${target.baseUrl} shows no ticket with the tag ${tag}.`, {
      hint: 'No checkpoint was created. Check the target, the token and the name of the source (--source-name).',
    });
  } catch (error) {
    if (error instanceof AppError) throw error;
    const { stop, problem } = { stop: undefined, ...readFailure(error, ports.hard) };
    if (stop !== undefined) throw stop;
    throw new AppError(
      'checkpoint',
      `A checkpoint can be rebuilt only from a target that can be read: ${problem.message}`,
      {
        hint: 'No checkpoint was created.',
        cause: error,
      },
    );
  } finally {
    await api.close();
  }
}

/** With an export only its own tickets: those of another shard have a checkpoint of their own. */
function byExternalId(found: readonly Snapshot[], sourceName: string, ids: ReadonlySet<string> | undefined) {
  const known = new Map([...(ids ?? [])].map((id) => [identityTag(sourceName, id).toLowerCase(), id]));
  const tickets = new Map<string, string[]>();
  let unknown = 0;
  for (const { id, tags } of found) {
    const externalId = readIdentityTag(sourceName, tags, known);
    if (externalId === undefined) unknown += 1;
    else if (ids === undefined || ids.has(externalId))
      tickets.set(externalId, [...(tickets.get(externalId) ?? []), id]);
  }
  return { tickets, unknown };
}
