/**
 * The rows of an export in a temporary database: `source_row` has every row of every table with its cells as one JSON
 * object, `cell` has the values by column. What is asked about an export afterwards is SQL over these two.
 */
import { hash } from 'node:crypto';
import type { Database } from 'better-sqlite3';
import type { ExportFiles, ReadRecord, SourceFile } from '../domain/source-file.ts';
import { openTempDatabase } from '../source/stage.ts';
import { type Places, tablesOfExport } from './table-places.ts';
import { isNothing, kindOf } from './value-kind.ts';

export interface StagedTable extends Places {
  readonly id: number;
  readonly rows: number;
  readonly unreadable: { readonly count: number; readonly line: number; readonly reason: string } | undefined;
  /** Rows whose cells are more or fewer than the header's, and rows without any value. */
  readonly ragged: { readonly more: number; readonly fewer: number; readonly blank: number };
}

export interface Stage extends Disposable {
  readonly database: Database;
  readonly tables: readonly StagedTable[];
}

const SCHEMA = `
  CREATE TABLE source_row (id INTEGER PRIMARY KEY, tab INT, file INT, line INT, cells TEXT);
  CREATE TABLE cell (tab INT, col TEXT, row INT, item TEXT, value TEXT, kind TEXT, size INT);
`;
const CELLS = `
  INSERT INTO cell
  SELECT r.tab, c.col, r.id, c.item, c.value, c.kind, c.size FROM source_row r, cells_of(r.cells) c;
  CREATE INDEX cell_by_row ON cell (tab, col, row);
`;

/** Throws AppError `source` for what cannot be read, `disk-write` where the temporary file cannot be written. */
export async function stageRows(files: ExportFiles, signal: AbortSignal): Promise<Stage> {
  const database = openTempDatabase();
  try {
    database.exec(SCHEMA);
    database.table('cells_of', {
      columns: ['col', 'item', 'value', 'kind', 'size'],
      parameters: ['json'],
      // biome-ignore lint/suspicious/noExplicitAny: the types of the driver name no parameters
      *rows(this: unknown, ...[json]: any[]) {
        yield* cellsOf(JSON.parse(json as string));
      },
    });
    const insert = database.prepare('INSERT INTO source_row (tab, file, line, cells) VALUES (?, ?, ?, ?)');
    const tables: StagedTable[] = [];
    for (const place of tablesOfExport(files.files)) {
      const id = tables.length;
      const ragged = { more: 0, fewer: 0, blank: 0 };
      let unreadable: StagedTable['unreadable'];
      let rows = 0;
      for (const { file, collection } of place.parts) {
        const header = file.outline.header ?? [];
        for await (const records of file.records(collection.selector, signal))
          for (const record of records) {
            if (record.error !== undefined)
              unreadable = {
                count: (unreadable?.count ?? 0) + 1,
                line: unreadable?.line ?? record.ref.line,
                reason: unreadable?.reason ?? record.error,
              };
            const { cells } = record;
            if (cells !== undefined) {
              if (cells.every((cell) => cell.trim() === '')) {
                ragged.blank++;
                continue;
              }
              if (cells.length > header.length) ragged.more++;
              else if (cells.length < header.length) ragged.fewer++;
            }
            const object = asObject(record, header);
            if (object === undefined) continue;
            rows++;
            insert.run(id, file.id, record.ref.line, JSON.stringify(object));
          }
      }
      tables.push({ ...place, id, rows, unreadable, ragged });
    }
    database.exec(CELLS);
    return { database, tables, [Symbol.dispose]: () => database.close() };
  } catch (error) {
    database.close();
    throw error;
  }
}

/** A header that repeats is one column with several values. */
function asObject({ cells, object }: ReadRecord, header: readonly string[]): object | undefined {
  if (cells === undefined) return object;
  const row: Record<string, unknown> = Object.create(null);
  for (const [at, name] of header.entries()) {
    const cell = cells[at] ?? '';
    const key = name.trim();
    if (cell === '' || key === '' || key === '_reason') continue;
    const known = row[key];
    row[key] = known === undefined ? [cell] : [...(known as string[]), cell];
  }
  return { '': row };
}

type Cell = [col: string, item: string, value: string, kind: string, size: number];

/** Levels of a JSON record, items of a list and cells of a list of lists that are looked at. */
const DEEPEST = 6;
const MOST_ITEMS = 200;
const MOST_CELLS = 6;
/** Longer values are compared by a digest. */
const LONGEST = 300;

/** Paths as the mapping names them: `tags[]`, `messages[].body`, and `lines[][0]` in a list of lists. */
function* cellsOf(record: Record<string, unknown>): Generator<Cell> {
  const csv = record[''];
  if (csv !== undefined) {
    for (const [name, values] of Object.entries(csv as Record<string, string[]>))
      for (const value of values) yield* cell(name, '', value);
    return;
  }
  yield* objectCells(record, '', '', 0);
}

function* objectCells(object: object, prefix: string, item: string, depth: number): Generator<Cell> {
  for (const [key, value] of Object.entries(object)) {
    if (key === '' || (key === '_reason' && prefix === '')) continue;
    yield* valueCells(value, prefix === '' ? key : `${prefix}.${key}`, item, depth);
  }
}

function* valueCells(value: unknown, path: string, item: string, depth: number): Generator<Cell> {
  if (Array.isArray(value)) {
    if (value.length > 0) yield* cell(path, item, value);
    if (depth >= DEEPEST) return;
    for (const [at, each] of value.slice(0, MOST_ITEMS).entries()) {
      const own = `${item}/${at}`;
      yield [`${path}[]`, own, '', 'item', 0];
      if (Array.isArray(each))
        for (const [index, inner] of each.slice(0, MOST_CELLS).entries())
          yield* cell(`${path}[][${index}]`, own, inner);
      else if (typeof each === 'object' && each !== null)
        yield* objectCells(each, `${path}[]`, own, depth + 1);
      else yield* cell(`${path}[].`, own, each);
    }
  } else if (typeof value === 'object' && value !== null) {
    if (depth < DEEPEST) yield* objectCells(value, path, item, depth + 1);
  } else yield* cell(path, item, value);
}

function* cell(col: string, item: string, value: unknown): Generator<Cell> {
  const kind = kindOf(value);
  if (kind === undefined) return;
  const text = (typeof value === 'object' ? JSON.stringify(value) : String(value)).trim();
  const short =
    text.length <= LONGEST ? text : `${text.slice(0, LONGEST - 20)}…${hash('sha1', text).slice(0, 16)}`;
  yield [col, item, short, kind === 'text' && isNothing(text) ? 'nothing' : kind, text.length];
}

export type { SourceFile };
