/** The files of usage events, opened: which records they hold, and the mapping that reads them. */
import type { Readable } from 'node:stream';
import { AppError } from '../domain/errors.ts';
import type { ProblemSink } from '../domain/problem.ts';
import type { ExportFiles, FileShape, RecordSelector } from '../domain/source-file.ts';
import type { StagePlan, StageTable } from '../domain/stage-plan.ts';
import { openExport } from '../read/open-export.ts';
import type { Settings } from '../settings/settings.ts';
import { compileUsageMapper, USAGE_TABLE, type UsageMapper } from './usage-mapper.ts';
import { NATIVE_USAGE, readUsageMapping, type UsageMapping } from './usage-mapping-language.ts';

export interface UsageSource extends AsyncDisposable {
  readonly files: ExportFiles;
  readonly table: StageTable;
  readonly plan: StagePlan;
  readonly mapper: UsageMapper;
  fileName(file: number): string;
  header(file: number): readonly string[];
}

export interface UsageSourcePorts {
  readonly stdin?: Readable | undefined;
  readonly signal: AbortSignal;
  readonly problem: ProblemSink;
}

/** Throws AppError `source` where files cannot be read, `configuration` where the mapping is wrong or leaves something open. */
export async function openUsageSource(settings: Settings, ports: UsageSourcePorts): Promise<UsageSource> {
  const { source, appApi } = settings;
  const mapping = usageMapping(appApi?.usageEvents);
  await using stack = new AsyncDisposableStack();
  const files = stack.use(
    await openExport(source.files, {
      encoding: source.encoding,
      delimiter: source.delimiter,
      stdin: ports.stdin,
      signal: ports.signal,
    }),
  );
  for (const problem of files.problems) ports.problem(problem);
  const table: StageTable = {
    name: USAGE_TABLE,
    role: 'root',
    key: [],
    inputs: files.files.map(({ id, shape }) => {
      const selector = selectorOf(shape, mapping.path);
      return selector === undefined ? { file: id } : { file: id, selector };
    }),
  };
  const mapper = await compileUsageMapper(files, {
    table,
    mapping,
    timezone: source.timezone,
    dayFirst: source.dayFirst,
    isNative: appApi?.usageEvents === undefined,
    signal: ports.signal,
  });
  const byId = new Map(files.files.map((file) => [file.id, file]));
  const open = stack.move();
  return {
    files,
    table,
    plan: { tables: [table] },
    mapper,
    fileName: (file) => byId.get(file)?.name ?? '',
    header: (file) => byId.get(file)?.shape.header ?? [],
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

function usageMapping(written: unknown): UsageMapping {
  if (written === undefined) return NATIVE_USAGE;
  const read = readUsageMapping(written);
  if ('mapping' in read) return read.mapping;
  throw new AppError('configuration', 'The mapping of usage events in the settings file has mistakes.', {
    lines: read.issues.map(
      ({ path, message }) => `${['appApi.usageEvents', ...path.map(String)].join('.')}: ${message}`,
    ),
  });
}

/** CSV and JSONL hold a record a line. A JSON document is a list of them, holds one, or is one itself. */
function selectorOf(shape: FileShape, path: UsageMapping['path']): RecordSelector | undefined {
  if (shape.format === 'csv') return undefined;
  const [wanted] = [path ?? []].flat();
  if (wanted !== undefined) return wanted === '.' ? undefined : { path: wanted.split('.') };
  if (shape.format === 'jsonl') return undefined;
  const found = shape.collections?.find((collection) => collection.path !== undefined)?.path;
  return found === undefined ? undefined : { path: found };
}
