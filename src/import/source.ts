/** The source of an import, opened: files read, layout known, tables joined. What every command that reads an export needs. */

import { accessSync, constants, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { AppError } from '../domain/errors.ts';
import type { Emit } from '../domain/run-events.ts';
import type { RecordRef, Row } from '../domain/source.ts';
import type { ExportFiles } from '../domain/source-file.ts';
import { compileLayout } from '../mapping/compile/compile-layout.ts';
import { builtinLayout, detectBuiltin } from '../mapping/detect/builtin-layouts.ts';
import { type Detection, detectLayout } from '../mapping/detect/detect.ts';
import type { Layout } from '../mapping/language/layout.ts';
import { TicketPlan } from '../plan/ticket-plan.ts';
import { rejectFoldersOf } from '../rejects/reject-folder.ts';
import type { Settings } from '../settings/settings.ts';
import { joinExport } from '../source/join.ts';
import { openExport, type StagedExport } from '../source/open-export.ts';
import type { OpenedSource, SourcePorts } from './import-job.ts';
import { type KeptPlan, openPlan, sourceOfPlan } from './open-plan.ts';
import { listedAgents, readPeople } from './people/named-files.ts';

/**
 * Throws AppError `source` where the export cannot be read or its layout is not known, `configuration` where the mapping
 * is wrong or leaves something open.
 */
export async function openSource(settings: Settings, ports: SourcePorts): Promise<OpenedSource> {
  const { source } = settings;
  const { emit, soft: signal } = ports;
  emit({ type: 'stage', stage: 'reading' });
  const kept = settings.plan?.run === undefined ? undefined : await openPlan(settings.plan.run);
  const files =
    kept?.files ??
    (await openExport(source.files, {
      encoding: areRejects(source.files) ? undefined : source.encoding,
      delimiter: source.delimiter,
      skipLines: source.skipLines,
      stdin: ports.stdin,
      signal,
      onListed: (bytes) => requireTemporaryRoom(bytes, emit),
      onProgress: (bytes, totalBytes, records) => emit({ type: 'read', bytes, totalBytes, records }),
    }));
  try {
    return kept !== undefined && ports.explains !== true
      ? await sourceOfPlan(kept, settings, ports)
      : await mappedSource(files, kept, settings, ports);
  } catch (error) {
    await files[Symbol.asyncDispose]();
    throw error;
  }
}

async function mappedSource(
  files: StagedExport,
  kept: KeptPlan | undefined,
  settings: Settings,
  ports: SourcePorts,
): Promise<OpenedSource> {
  const { source } = settings;
  const { soft: signal } = ports;
  let reported = 0;
  const tellFileProblems = () => {
    for (const problem of files.problems.slice(reported)) ports.problem(problem);
    reported = files.problems.length;
  };
  tellFileProblems();
  const detection = kept?.sending.detection ?? (await detect(files, settings));
  for (const problem of detection.problems) ports.problem(problem);
  const joined = joinExport(files, detection.plan, signal);
  const file = settings.people.people;
  const people = kept?.people ?? (file === undefined ? undefined : await readPeople(file, signal));
  const agents = kept?.sending.agents ?? (await listedAgents(settings.people, signal));
  const mapper = await compileLayout(detection.layout, detection.plan, {
    files,
    joined,
    settings: {
      ...source,
      ...settings.people,
      agents,
      unmapped: settings.unmapped,
      ignored: ignoredBy(settings.mapping),
      personOf: people && ((who) => people.of(who)?.first),
    },
    folder: ports.settingsFolder,
    signal,
    findAgent: ports.findAgent,
  });
  return {
    files,
    nameOf: ({ file }) => files.files[file]?.name ?? '',
    detection,
    joined,
    mapper,
    live: { joined, mapper },
    plan: new TicketPlan(files.stage.database),
    people,
    agents,
    tellFileProblems,
    [Symbol.asyncDispose]: () => files[Symbol.asyncDispose](),
  };
}

/** Rejects are UTF-8 whatever the export was, and are recognised where a spreadsheet wrote them in another encoding. */
function areRejects(files: readonly string[]): boolean {
  return files.length > 0 && files.every((file) => rejectFoldersOf([file]).length > 0);
}

/** A row of a ticket as its table reads it. */
export function rowAt(
  { table, ref }: { readonly table: string; readonly ref: RecordRef },
  { files, detection }: Pick<OpenedSource, 'files' | 'detection'>,
): Row | undefined {
  const inputs = detection.plan.tables.find(({ name }) => name === table)?.inputs ?? [];
  const selector = inputs.find((input) => input.file === ref.file)?.selector;
  const record = files.files[ref.file]?.at(ref, selector);
  return record === undefined || record.error !== undefined ? undefined : { ...record, table };
}

/** The layout that `mapping` describes, or one of the built-in ones, named or recognised. */
export async function detect(
  files: Pick<ExportFiles, 'files'>,
  { mapping, source }: Settings,
): Promise<Detection> {
  const outlines = files.files.map((file) => file.outline);
  if (mapping === undefined) return detectBuiltin(outlines, source.from);
  const layout = await ownLayout(mapping);
  return detectLayout(outlines, [layout], layout.name);
}

async function ownLayout(mapping: unknown): Promise<Layout> {
  // The schema of the language takes long to load, and the built-in layouts do without it.
  const { readMapping } = await import('../mapping/language/read-layout.ts');
  const read = readMapping(mapping, builtinLayout);
  if ('layout' in read) return read.layout;
  throw new AppError('configuration', 'The `mapping` in the settings file has mistakes.', {
    lines: read.issues.map(({ path, message }) => `mapping.${path.map(String).join('.')}: ${message}`),
  });
}

function ignoredBy(mapping: unknown): string[] {
  const { ignore } = (mapping ?? {}) as { ignore?: unknown };
  return [ignore ?? []].flat().filter((name) => typeof name === 'string');
}

/** They take at most so many times the unpacked export. */
const TIMES = 2.2;
/** Less is not worth a line. */
const WORTH_SAYING = 200e6;

/** `bytes`: of the export, as far as known. Throws AppError `disk-write` where it cannot fit. */
function requireTemporaryRoom(bytes: number, emit: Emit, folder = temporaryFolder()): void {
  const needed = bytes * TIMES;
  const free = freeIn(folder);
  if (free !== undefined && free < needed)
    throw new AppError(
      'disk-write',
      `The rows and the plan of this export need up to ${megabytes(needed)} in ${folder}, which has ${megabytes(free)} free.`,
      { hint: 'Nothing was sent. Free up space, or name another folder in SQLITE_TMPDIR, and run again.' },
    );
  if (needed >= WORTH_SAYING)
    emit({
      type: 'note',
      message: `This takes up to ${megabytes(needed)} of temporary disk in ${folder}.`,
    });
}

/** Where SQLite puts temporary files. */
function temporaryFolder(): string {
  if (process.platform === 'win32') return tmpdir();
  const { SQLITE_TMPDIR, TMPDIR } = process.env;
  const folders = [SQLITE_TMPDIR, TMPDIR, '/var/tmp', '/usr/tmp', '/tmp'];
  return folders.find((folder) => folder !== undefined && isWritable(folder)) ?? '.';
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function freeIn(folder: string): number | undefined {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return undefined;
  }
}

function megabytes(bytes: number): string {
  return `${Math.ceil(bytes / 1e6).toLocaleString('en-US')} MB`;
}
