/** The opened source: files read, layout known, tables joined. */

import { accessSync, constants, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import type { CheckRules } from '../check/fields.ts';
import { AppError } from '../domain/errors.ts';
import { checkRegular, whyUnread } from '../domain/files.ts';
import { BOUNDS } from '../domain/limits.ts';
import type { Clock, Emit } from '../domain/ports.ts';
import type { RecordRef, Row } from '../domain/source.ts';
import type { FileOutline } from '../domain/source-file.ts';
import { compileLayout } from '../mapping/compile/compile-layout.ts';
import { builtinLayout, detectBuiltin } from '../mapping/detect/builtin-layouts.ts';
import { type Detection, detectLayout } from '../mapping/detect/detect.ts';
import type { Layout } from '../mapping/language/layout.ts';
import { TicketPlan } from '../plan/ticket-plan.ts';
import { joinExport } from '../source/join.ts';
import { openExport, type StagedExport } from '../source/open-export.ts';
import { rejectFoldersOf } from '../source/reject-folder.ts';
import type { OpenedSource, SourcePorts } from './import-job.ts';
import type { Options } from './options.ts';

/** Throws AppError `source` and `configuration`. */
export async function openSource(reading: Options['reading'], ports: SourcePorts): Promise<OpenedSource> {
  const { inputs, encoding, delimiter, skipLines } = reading;
  const { emit, soft: signal } = ports;
  emit({ type: 'stage', stage: 'reading' });
  const find = await layoutFinder(reading);
  const files = await openExport(inputs, {
    encoding: areRejects(inputs) ? undefined : encoding,
    delimiter,
    skipLines,
    stdin: ports.stdin,
    signal,
    decide: (outlines, problems) => {
      try {
        find(outlines);
      } catch (error) {
        for (const problem of problems) ports.problem(problem);
        throw error;
      }
    },
    onListed: (bytes) => requireTemporaryRoom(bytes, emit),
    onProgress: (bytes, totalBytes, records) => emit({ type: 'read', bytes, totalBytes, records }),
  });
  try {
    return await mappedSource(files, find, reading, ports);
  } catch (error) {
    await files[Symbol.asyncDispose]();
    throw error;
  }
}

async function mappedSource(
  files: StagedExport,
  find: LayoutFinder,
  reading: Options['reading'],
  ports: SourcePorts,
): Promise<OpenedSource> {
  const { soft: signal } = ports;
  let reported = 0;
  const tellFileProblems = () => {
    for (const problem of files.problems.slice(reported)) ports.problem(problem);
    reported = files.problems.length;
  };
  tellFileProblems();
  const detection = find(files.files.map(({ outline }) => outline));
  for (const problem of detection.problems) ports.problem(problem);
  const joined = joinExport(files, detection.plan, signal);
  const agents = await listedAgents(reading, signal);
  const mapper = await compileLayout(detection.layout, detection.plan, {
    files,
    joined,
    settings: {
      ...reading,
      agents,
      ignored: ignoredBy(reading.mapping),
    },
    signal,
    findAgent: ports.findAgent,
  });
  return {
    files,
    nameOf: ({ file }) => files.files[file]?.name ?? '',
    detection,
    joined,
    mapper,
    plan: new TicketPlan(files.stage.database),
    tellFileProblems,
    [Symbol.asyncDispose]: () => files[Symbol.asyncDispose](),
  };
}

/** Without `sourceName` no ticket is marked with its identity. */
export function checkRules(
  { reading, marks }: Pick<Options, 'reading' | 'marks'>,
  source: OpenedSource,
  clock: Clock,
  sourceName?: () => string,
  runTag?: string,
): CheckRules {
  return {
    ...reading,
    ...marks,
    fileName: (ref) => source.nameOf(ref),
    now: clock.now,
    sourceName,
    runTag,
  };
}

/** Rejects are always UTF-8. */
function areRejects(files: readonly string[]): boolean {
  return files.length > 0 && files.every((file) => rejectFoldersOf([file]).length > 0);
}

export function rowAt(
  { table, ref }: { readonly table: string; readonly ref: RecordRef },
  { files, detection }: Pick<OpenedSource, 'files' | 'detection'>,
): Row | undefined {
  const inputs = detection.plan.tables.find(({ name }) => name === table)?.inputs ?? [];
  const selector = inputs.find((input) => input.file === ref.file)?.selector;
  const record = files.files[ref.file]?.at(ref, selector);
  return record === undefined || record.error !== undefined ? undefined : { ...record, table };
}

type LayoutFinder = (outlines: readonly FileOutline[]) => Detection;

async function layoutFinder({ mapping, from }: Options['reading']): Promise<LayoutFinder> {
  if (mapping === undefined) return (outlines) => detectBuiltin(outlines, from);
  const layout = await ownLayout(mapping);
  return (outlines) => detectLayout(outlines, [layout], layout.name);
}

async function ownLayout(mapping: unknown): Promise<Layout> {
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

/** At most this many times the unpacked export. */
const TIMES = 3;
const WORTH_SAYING = 200e6;

/** Throws AppError `disk-write` if it cannot fit. */
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

function temporaryFolder(): string {
  if (process.platform === 'win32') return tmpdir();
  const { SQLITE_TMPDIR, TMPDIR } = process.env;
  const isWritable = (folder: string) =>
    tried(() => accessSync(folder, constants.W_OK | constants.X_OK) ?? true) === true;
  const folders = [SQLITE_TMPDIR, TMPDIR, '/var/tmp', '/usr/tmp', '/tmp'];
  return folders.find((folder) => folder !== undefined && isWritable(folder)) ?? '.';
}

function freeIn(folder: string): number | undefined {
  const { bavail, bsize } = tried(() => statfsSync(folder)) ?? {};
  return bavail === undefined || bsize === undefined ? undefined : bavail * bsize;
}

function tried<T>(ask: () => T): T | undefined {
  try {
    return ask();
  } catch {
    return undefined;
  }
}

function megabytes(bytes: number): string {
  return `${Math.ceil(bytes / 1e6).toLocaleString('en-US')} MB`;
}

const AGENTS =
  'A file of agents is a CSV with a header and two columns: the id or e-mail in the export, and the agent ID in the helpdesk.';

export async function listedAgents(
  { agents = {} }: Pick<Options['reading'], 'agents'>,
  signal: AbortSignal,
): Promise<Readonly<Record<string, string>>> {
  if (typeof agents !== 'string') return agents;
  const ids: Record<string, string> = Object.create(null) as Record<string, string>;
  for await (const { place, cells, isHeader } of agentRows(agents, signal)) {
    const [who = '', id = ''] = cells;
    if (isHeader) continue;
    if (who === '' || id === '') throw wrong(`${place} needs an agent and an agent id.`, AGENTS);
    ids[who] = id;
  }
  return ids;
}

async function* agentRows(file: string, signal: AbortSignal) {
  try {
    checkRegular(file, BOUNDS.team.most);
  } catch (error) {
    throw wrong(`The file of agents ${file} ${whyUnread(error)}.`, AGENTS);
  }
  await using opened = await openExport([file], { signal });
  for (const list of opened.files) {
    const { name, outline } = list;
    const trimmed = (cells: readonly string[]) => cells.map((cell) => cell.trim());
    yield { place: `${name}:1`, cells: trimmed(outline.header ?? []), isHeader: true };
    for await (const batch of list.records(undefined, signal))
      for (const { cells = [], ref, error } of batch) {
        const place = `${name}:${ref.line}`;
        if (error !== undefined) throw wrong(`${place} cannot be read: ${error}`, AGENTS);
        yield { place, cells: trimmed(cells), isHeader: false };
      }
  }
}

function wrong(message: string, hint: string, lines: string[] = []): AppError {
  return new AppError('configuration', message, { lines, hint });
}
