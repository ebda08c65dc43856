/** Files, lists and kinds of records that no table of a mapping takes. */
import type { JoinedExport, JoinInput } from '../domain/join-plan.ts';
import type { JsonObject } from '../domain/source.ts';
import {
  type ExportFiles,
  isJsonObject,
  type SourceFile,
  selectObject,
  valueAt,
} from '../domain/source-file.ts';
import type { Mapper } from '../mapping/compile/mapper.ts';
import { collectionsOf } from '../mapping/detect/collections.ts';
import type { Detection } from '../mapping/detect/detect.ts';

export interface ReviewedSource {
  readonly files: Pick<ExportFiles, 'files' | 'problems'>;
  readonly detection: Pick<Detection, 'layout' | 'plan'>;
  readonly joined: Pick<JoinedExport, 'unmatchedRows' | 'rowCounts'>;
  readonly mapper: Pick<Mapper, 'unread'>;
}

export interface UnreadList {
  /** In words, for a sentence. */
  readonly name: string;
  /** Characters of sentences in its first records. */
  readonly text: number;
  /** Whether a column of it has IDs of tickets. */
  readonly joins: boolean;
}

type Cells = readonly (readonly [name: string, value: unknown])[];

export function unreadLists(
  { files, detection }: ReviewedSource,
  isTicket: (id: string) => boolean,
): UnreadList[] {
  const inputs = Map.groupBy(
    detection.plan.tables.flatMap((table) => table.inputs),
    ({ file }) => file,
  );
  const folders = files.problems.flatMap(({ code, file }) =>
    code === 'ignored-folder' && file !== undefined
      ? [{ name: `the folder ${baseName(file)}, which was not entered`, text: 1, joins: false }]
      : [],
  );
  const lists = files.files.flatMap((file) => {
    const taken = inputs.get(file.id) ?? [];
    return [...leftKinds(file, taken), ...leftCollections(file, taken)].map(
      ({ name, rows }): UnreadList => ({
        name: `${name} (${rows.length < 200 ? rows.length : 'at least 200'} rows)`,
        text: rows.flat().reduce((sum, [, value]) => sum + (isSentence(value) ? value.length : 0), 0),
        joins: hasIds(rows, isTicket),
      }),
    );
  });
  return [...lists, ...folders];
}

interface Left {
  readonly name: string;
  readonly rows: readonly Cells[];
}

function leftCollections(file: SourceFile, taken: readonly JoinInput[]): Left[] {
  const { outline } = file;
  const isWhole = taken.some(({ selector }) => selector === undefined || selector.path === undefined);
  return collectionsOf(outline)
    .filter(({ selector, path, samples, format }) => {
      if (taken.length === 0) return format === 'csv' || samples.length > 0;
      if (isWhole && selector?.where === undefined) return false;
      return (
        path !== undefined &&
        path.length > 0 &&
        !taken.some(({ selector: known }) => known?.path?.join('.') === path.join('.'))
      );
    })
    .map(({ path, stream, samples, format }) => {
      const list = stream ?? (path === undefined || path.length === 0 ? undefined : path.join('.'));
      const rows =
        format === 'csv'
          ? (outline.sampleRows ?? []).map((cells) =>
              cells.map((cell, at) => [outline.header?.[at] ?? '', cell] as const),
            )
          : samples.map((sample) => cellsIn(sample));
      return { name: list === undefined ? baseName(file.name) : `${list} in ${baseName(file.name)}`, rows };
    });
}

/** Kinds of records in a stream that no table takes, as the samples show them. */
function leftKinds(file: SourceFile, taken: readonly JoinInput[]): Left[] {
  const [first] = taken;
  const where = first?.selector?.where;
  const path = first?.selector?.path?.join('.');
  if (where === undefined || !taken.every(({ selector }) => selector?.where !== undefined)) return [];
  const samples = file.outline.collections?.find((each) => each.path?.join('.') === path)?.sample ?? [];
  const left = samples.filter((sample) =>
    taken.every(({ selector }) => selectObject(sample, selector) === undefined),
  );
  const kindOf = (sample: JsonObject) => {
    const value = valueAt(sample, where.path);
    if (typeof value === 'string' || typeof value === 'number') return String(value);
    const objects = Object.keys(sample).filter((key) => isJsonObject(sample[key]));
    return value === undefined && where.oneOf === undefined && objects.length === 1 ? objects[0] : undefined;
  };
  return [...Map.groupBy(left, kindOf)].flatMap(([kind, some]) =>
    kind === undefined ? [] : { name: `${kind} in ${baseName(file.name)}`, rows: some.map(cellsIn) },
  );
}

/** Of a record and of the objects in it. */
function cellsIn(record: JsonObject): Cells {
  return Object.entries(record).flatMap(
    ([name, value]): Cells => (isJsonObject(value) ? cellsIn(value) : [[name, value]]),
  );
}

function isSentence(value: unknown): value is string {
  return typeof value === 'string' && value.length >= 30 && /\S\s\S+\s\S+\s\S/.test(value);
}

function hasIds(rows: readonly Cells[], isTicket: (id: string) => boolean): boolean {
  const columns = new Map<string, Set<string>>();
  for (const [name, value] of rows.flat()) {
    if (value === '' || (typeof value !== 'string' && typeof value !== 'number')) continue;
    const values = columns.get(name) ?? new Set();
    columns.set(name, values.add(String(value)));
  }
  return [...columns.values()].some((values) => {
    const found = [...values].filter(isTicket).length;
    return found >= 2 && found >= 0.5 * values.size;
  });
}

export function baseName(file: string): string {
  return file.replace(/^.*[\\/]/, '');
}
