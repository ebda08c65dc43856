/** An export held in memory: files read and joined in the simplest way, so that layouts are tested without reading and staging. */
import { parse } from 'csv-parse/sync';
import type { JoinedExport, JoinPlan, JoinTable } from '../../../src/domain/join-plan.ts';
import {
  cellPaths,
  csvObject,
  type JsonObject,
  type Row,
  type SourceItem,
  type SourceTicket,
} from '../../../src/domain/source.ts';
import type {
  ExportFiles,
  FileOutline,
  JsonCollection,
  RecordSelector,
  SourceFile,
} from '../../../src/domain/source-file.ts';

/** File name → text. Names end in .csv, .jsonl or .json. */
export type Texts = Readonly<Record<string, string>>;

interface MemoryFile {
  readonly file: SourceFile;
  rows(table: string, selector: RecordSelector | undefined): Row[];
}

export interface MemoryExport {
  readonly files: ExportFiles;
  readonly outlines: FileOutline[];
  stage(plan: JoinPlan): JoinedExport & { list(): SourceItem[] };
}

export function memoryExport(texts: Texts): MemoryExport {
  const all = Object.entries(texts).map(([name, text], id) => memoryFile(id, name, text));
  const files: ExportFiles = {
    files: all.map(({ file }) => file),
    problems: [],
    [Symbol.asyncDispose]: async () => {},
  };
  return { files, outlines: files.files.map((file) => file.outline), stage: (plan) => stage(all, plan) };
}

function memoryFile(id: number, name: string, text: string): MemoryFile {
  return name.endsWith('.csv') || name.endsWith('.tsv') ? csvFile(id, name, text) : jsonFile(id, name, text);
}

function csvFile(id: number, name: string, text: string): MemoryFile {
  const delimiter = name.endsWith('.tsv') ? '\t' : ',';
  const records = parse(text, {
    delimiter,
    relax_column_count: true,
    relax_quotes: true,
    bom: true,
    info: true,
    skip_empty_lines: true,
  }) as unknown as { record: string[]; info: { lines: number; bytes: number } }[];
  const [head, ...body] = records;
  let before = head?.info ?? { lines: 1, bytes: 0 };
  const rows = body.map(({ record, info }) => {
    const row = { record, offset: before.bytes, line: before.lines + 1 };
    before = info;
    return row;
  });
  const outline: FileOutline = {
    file: id,
    name,
    format: 'csv',
    header: head?.record ?? [],
    sampleRows: rows.slice(0, 200).map((row) => row.record),
  };
  const paths = cellPaths(outline.header ?? []);
  const read = (table: string): Row[] =>
    rows.map(({ record, line }) => ({
      table,
      ref: { file: id, row: id * 1_000_000 + line, line },
      cells: record,
      object: csvObject(record, paths),
    }));
  return memory(id, name, outline, read);
}

function jsonFile(id: number, name: string, text: string): MemoryFile {
  const documents = name.endsWith('.jsonl')
    ? text
        .split('\n')
        .flatMap((line, index) =>
          line.trim() === '' ? [] : [{ value: JSON.parse(line) as unknown, line: index + 1 }],
        )
    : [{ value: JSON.parse(text) as unknown, line: 1 }];
  const collections = new Map<string, { path: string[] | undefined; sample: JsonObject[] }>();
  const add = (path: string[] | undefined, objects: unknown[]) => {
    const sample = objects.filter(isObject);
    if (sample.length === 0) return;
    const key = path === undefined ? '.' : `/${path.join('/')}`;
    const there = collections.get(key) ?? { path, sample: [] };
    if (there.sample.length < 100) there.sample.push(...sample.slice(0, 100));
    collections.set(key, there);
  };
  const walk = (value: unknown, path: string[]) => {
    if (Array.isArray(value)) add(path, value);
    else if (isObject(value) && path.length < 3)
      for (const [key, inner] of Object.entries(value)) walk(inner, [...path, key]);
  };
  for (const { value } of documents) {
    if (isObject(value)) add(undefined, [value]);
    walk(value, []);
  }
  const outline: FileOutline = {
    file: id,
    name,
    format: name.endsWith('.jsonl') ? 'jsonl' : 'json',
    collections: [...collections.values()] as JsonCollection[],
  };
  const read = (table: string, selector: RecordSelector | undefined): Row[] =>
    documents.flatMap(({ value, line }, at) => {
      const found = selector?.path === undefined ? [value] : dig(value, selector.path);
      const records = Array.isArray(found) ? found : [];
      return records.flatMap((record, index): Row[] => {
        if (
          selector?.where !== undefined &&
          selector.where.oneOf?.includes(String(dig(record, selector.where.path))) === false
        )
          return [];
        const object = dig(record, selector?.unwrap ?? []);
        return isObject(object)
          ? [{ table, ref: { file: id, row: id * 1_000_000 + at * 1000 + index, line }, object }]
          : [];
      });
    });
  return memory(id, name, outline, read);
}

function memory(id: number, name: string, outline: FileOutline, rows: MemoryFile['rows']): MemoryFile {
  const file: SourceFile = {
    id,
    name,
    format: outline.format,
    encoding: 'utf-8',
    compression: 'none',
    bytes: 0,
    outline,
    async *records(selector) {
      yield rows('', selector).map(({ ref, cells, object }) =>
        cells ? { ref, cells, object: object ?? {} } : { ref, object: object ?? {} },
      );
    },
    at: () => undefined,
    reason: () => Promise.resolve(''),
    raw: async () => Buffer.alloc(0),
    frame: async () => undefined,
  };
  return { file, rows };
}

function stage(all: readonly MemoryFile[], plan: JoinPlan): JoinedExport & { list(): SourceItem[] } {
  const rowsOf = (table: JoinTable) => {
    const rows = table.inputs.flatMap((input) => all[input.file]!.rows(table.name, input.selector));
    return table.latest === undefined ? rows : latestOf(rows, table);
  };
  const cell = (row: Row, column: string): string => {
    if (row.cells === undefined) return text(dig(row.object, column.split('.')) ?? row.object?.[column]);
    const header = all[row.ref.file]!.file.outline.header ?? [];
    const index = header.findIndex((name) => name.trim().toLowerCase() === column.trim().toLowerCase());
    return text(row.cells[index]);
  };
  const keyOf = (row: Row, key: readonly string[]) => key.map((column) => cell(row, column)).join('\u0000');
  const latestOf = (rows: Row[], table: JoinTable) => {
    const best = new Map<string, Row>();
    for (const row of rows) {
      const there = best.get(keyOf(row, table.key));
      if (!there || keyOf(row, table.latest!) > keyOf(there, table.latest!))
        best.set(keyOf(row, table.key), row);
    }
    return [...best.values()];
  };
  const root = plan.tables.find(({ role }) => role === 'root' || role === 'group')!;
  const children = plan.tables
    .filter(({ role }) => role === 'child')
    .map((table) => ({ table, byKey: Map.groupBy(rowsOf(table), (row) => keyOf(row, table.key)) }));
  const lookups = new Map(
    plan.tables.filter(({ role }) => role === 'lookup').map((table) => [table.name, rowsOf(table)]),
  );
  const tickets: SourceTicket[] = [...Map.groupBy(rowsOf(root), (row) => keyOf(row, root.key))].map(
    ([externalId, rows], seq) => ({
      kind: 'ticket',
      seq,
      externalId: externalId.replaceAll('\u0000', '/'),
      row: rows[0]!,
      children: new Map([
        ...(root.role === 'group' ? [[root.name, rows] as const] : []),
        ...children.flatMap(({ table, byKey }) => {
          const found = byKey.get(table.parentKey ? keyOf(rows[0]!, table.parentKey) : externalId);
          return found ? [[table.name, found] as const] : [];
        }),
      ]),
    }),
  );
  return {
    list: () => tickets,
    async *tickets() {
      yield tickets;
    },
    lookup: (table, columns, values) =>
      lookups.get(table)?.find((row) => columns.every((column, at) => cell(row, column) === values[at])),
    *unmatchedRows() {},
    *unreadableRows() {},
    rowCounts: () => new Map(),
    [Symbol.asyncDispose]: async () => {},
  };
}

function dig(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((at, key) => {
    if (Array.isArray(at)) return at[Number(key)] as unknown;
    return isObject(at) && Object.hasOwn(at, key) ? at[key] : undefined;
  }, value);
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function text(value: unknown): string {
  return value === undefined || value === null ? '' : String(value).trim();
}
