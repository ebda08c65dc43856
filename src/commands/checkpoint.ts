import { existsSync, renameSync } from 'node:fs';
import { openCheckpoint } from '../checkpoint/checkpoint.ts';
import { isFileThere } from '../checkpoint/file.ts';
import { backUpCheckpoint } from '../checkpoint/open-database.ts';
import { readCheckpoint } from '../checkpoint/read-checkpoint.ts';
import { type CommandSpec, SET, shared } from '../cli/command.ts';
import { type CliContext, type Flags, listenForStop, portsOf, READ_ONLY } from '../cli/context.ts';
import { checkpointPath, loadSettings } from '../cli/load-settings.ts';
import { answer, sayLine } from '../cli/screen.ts';
import { AppError } from '../domain/errors.ts';
import { hasTag, identityTag, readIdentityTag, sourceTag } from '../domain/identity.ts';
import { adoptedRecord, releasedRecord } from '../domain/ledger.ts';
import { countOf } from '../domain/printable.ts';
import { stop } from '../domain/text/stops.ts';
import type { Snapshot } from '../domain/ticket-api.ts';
import { learn } from '../import/learn.ts';
import { mapTickets } from '../import/map.ts';
import { readExport } from '../import/read.ts';
import type { ImportPorts } from '../import/run.ts';
import { connect, openTarget, type TargetAddress } from '../import/target.ts';
import { createSelection } from '../plan/selection.ts';
import { failureOf } from '../push/failure-meaning.ts';
import type { Settings } from '../settings/settings.ts';
import { NO_PROBLEMS } from '../source/problem-list.ts';
import { type Block, paragraph, present } from '../view/blocks.ts';

export const command: CommandSpec = {
  arguments: [
    ['<action>', 'backup [file], or rebuild [files of the export]', ['backup', 'rebuild']],
    ['[files...]', 'the copy, or the files of the export'],
  ],
  options: [shared('--base-url'), shared('--checkpoint'), SET],
  examples: [
    ['checkpoint backup', 'copy it, also while a run is going on'],
    ['checkpoint rebuild export/', 'the checkpoint is lost, and the tickets are in the helpdesk'],
  ],
  help: () =>
    [
      'checkpoint backup [file]      a whole copy, also while a run goes on (default: <checkpoint>.backup)',
      'checkpoint rebuild [files]    rebuild a lost checkpoint from the tags of the tickets in the helpdesk;',
      '                              with the files of the export, or with --set source.name=<name>; nothing is changed in the helpdesk',
    ].join('\n'),
  run: async ([action, ...files], flags, context) =>
    action === 'rebuild' ? await rebuild(files, flags, context) : await backUp(files, flags, context),
};

async function backUp(files: readonly string[], flags: Flags, context: CliContext): Promise<number> {
  const checkpoint = await checkpointPath(undefined, flags, context);
  const [backup = `${checkpoint}.backup`, ...more] = files;
  if (more.length > 0) throw new AppError('usage', 'A backup is one file: name one.');
  backUpCheckpoint(checkpoint, backup);
  const sentence = `The checkpoint ${checkpoint} was copied to ${backup}.`;
  answer(context, flags, { version: 1, checkpoint, backup }, [paragraph(sentence)]);
  return 0;
}

/** Tickets are recorded as created: the next run reads each thread and sends what is missing. */
async function rebuild(files: readonly string[], flags: Flags, context: CliContext): Promise<number> {
  const { settings } = await loadSettings(files, flags, ['target', 'credentials'], context);
  using stop = listenForStop(context, (message) => sayLine(message, context), READ_ONLY);
  await using target = await openTarget(settings);
  const ports = { ...portsOf(context, stop), emit: () => undefined };
  const result = await rebuildCheckpoint(settings, target, ports);
  answer(context, flags, result, rebuiltBlocks(result, files.length > 0, context.commands.about('resolve')));
  return result.severalTimes.length > 0 || result.unknown > 0 ? 4 : 0;
}

function rebuiltBlocks(
  { tickets, severalTimes, unknown, checkpoint }: Awaited<ReturnType<typeof rebuildCheckpoint>>,
  hasExport: boolean,
  resolve: string,
): Block[] {
  const several = countOf(severalTimes.length, 'ticket');
  return present([
    `${checkpoint} has ${countOf(tickets, 'ticket')} of the helpdesk now. The next run sends missing messages.`,
    severalTimes.length > 0 &&
      `In doubt, as the helpdesk has them several times: ${several} (${severalTimes.slice(0, 20).join(', ')}). Choose with: ${resolve}`,
    unknown > 0 &&
      `The external id of ${countOf(unknown, 'ticket')} cannot be derived from the tags${hasExport ? '' : ': give the files of the export'}.`,
  ]).map((text) => paragraph(text));
}

async function rebuildCheckpoint(settings: Settings, target: TargetAddress, ports: ImportPorts) {
  const path = settings.output.checkpoint;
  // A refused first run leaves a checkpoint without tickets.
  if (isFileThere(path) && sizeOf(path) !== 0) throw stop('rebuild-exists', { path });
  const { sourceName, ids } = await sourceOf(settings, ports);
  const found = await ticketsOf(sourceName, settings, target, ports);
  const { tickets, unknown } = byExternalId(found, sourceName, ids);
  // The log of a lost checkpoint helps only if its file is found again.
  if (!isFileThere(path) && existsSync(`${path}-wal`)) renameSync(`${path}-wal`, `${path}-wal.old`);
  const severalTimes: string[] = [];
  const checkpoint = openCheckpoint(path, {
    target: target.key,
    clock: ports.clock,
    programVersion: ports.version,
  });
  try {
    void checkpoint.usedWith({ sourceName });
    for (const [externalId, [first = '', ...others]] of tickets) {
      void checkpoint.put(adoptedRecord(checkpoint, externalId, first));
      if (others.length === 0) continue;
      void checkpoint.put(releasedRecord(checkpoint, externalId));
      severalTimes.push(externalId);
    }
    await checkpoint.flush();
  } finally {
    await checkpoint.close();
  }
  return {
    ...{ version: 1, checkpoint: path, target: target.baseUrl, sourceName, tickets: tickets.size },
    /** External IDs on several tickets: they are in doubt, and `resolve` settles them. */
    severalTimes,
    /** No tag, or a hash that no ID of the export has. */
    unknown,
  };
}

function sizeOf(path: string): number {
  using reader = readCheckpoint(path);
  return reader.size();
}

async function sourceOf(
  settings: Settings,
  ports: ImportPorts,
): Promise<{ sourceName: string; ids: ReadonlySet<string> | undefined }> {
  const { files: inputs, name } = settings.source;
  if (inputs.length === 0 && name !== undefined) return { sourceName: name, ids: undefined };
  if (inputs.length === 0) throw stop('rebuild-without-name');
  await using read = await readExport({ settings, ports, problems: NO_PROBLEMS });
  const source = await learn({ settings, ports }, read, undefined);
  const ids = new Set<string>();
  for await (const page of mapTickets(settings, source, createSelection(settings.selection), {}, ports.soft))
    for (const made of page)
      if (made.kind === 'ticket' && made.leftOut === undefined) ids.add(made.externalId);
  return { sourceName: source.name.name, ids };
}

async function ticketsOf(
  sourceName: string,
  { run }: Settings,
  target: TargetAddress,
  ports: ImportPorts,
): Promise<Snapshot[]> {
  await using api = connect(target, run, ports);
  const tag = sourceTag(sourceName);
  const refuse = (message: string, hint = '', cause?: unknown) =>
    new AppError('checkpoint', message, { hint: `No checkpoint was created.${hint}`, cause });
  try {
    const reported = await api.findTickets({ tags: [tag], fields: ['tags'] }, ports.hard);
    const ours = reported.filter(({ tags }) => hasTag(tags, tag));
    if (ours.length > 0) return ours;
  } catch (error) {
    if (error instanceof AppError) throw error;
    const { ends, problem } = failureOf(error, ports.hard);
    throw (
      ends?.reason ??
      refuse(`A checkpoint can be rebuilt only from a readable helpdesk: ${problem.message}`, '', error)
    );
  }
  throw refuse(
    `The helpdesk ${target.baseUrl} shows no ticket with the tag ${tag}.`,
    ' Check the address, the token and the name of the source (--set source.name=<name>).',
  );
}

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
