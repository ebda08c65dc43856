/** The raw export, cut into rows, cells and words. */
import { isUtf8 } from 'node:buffer';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { parse as parseCsv } from 'csv-parse/sync';
import { decodeHTML } from 'entities';
import iconv from 'iconv-lite';

export interface Cell {
  readonly file: string;
  /** Without indexes: `messages[].author.id`. */
  readonly column: string;
  readonly text: string;
  /** Of its record. */
  readonly stream: string;
}

/** A line of a table, or an object of a list; `around` it are the values of the objects that hold the list. */
export interface Row {
  readonly cells: readonly Cell[];
  readonly around: readonly Cell[];
}

const NO_DATA = /^(?:expected|settings)\.json$|^README|^LICENSE|\.(?:ya?ml|md|sh|py|mjs|txt)$|^\./;

export function filesOf(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path];
  const names = readdirSync(path).filter((name) => !NO_DATA.test(name));
  return names.flatMap((name) => filesOf(join(path, name)));
}

export function rowsOf(path: string): Row[] {
  const bytes = path.endsWith('.gz') ? gunzipSync(readFileSync(path)) : readFileSync(path);
  const text = iconv.decode(bytes, isUtf8(bytes) ? 'utf8' : 'windows-1252');
  const file = basename(path);
  if (/^\s*[[{]/.test(text)) {
    const whole = documentIn(text);
    const lines = text.split('\n').filter((line) => line.trim() !== '');
    return (typeof whole === 'string' ? lines.map(documentIn) : [whole]).flatMap((one) => {
      const { stream, record } = one as { stream?: unknown; record?: { stream?: unknown } };
      return rowsIn(one, { file, column: '', stream: String(stream ?? record?.stream ?? '') }, []);
    });
  }
  const [first = ''] = text.split(/[\r\n]/);
  const many = (delimiter: string) => first.split(delimiter).length;
  const [delimiter = ','] = [',', ';', '\t', '|'].toSorted((a, b) => many(b) - many(a));
  const rows: string[][] = parseCsv(text, { delimiter, relax_column_count: true, relax_quotes: true });
  const [header = [], ...lines] = rows;
  return lines.map((line) => ({
    cells: line.flatMap((cell, at) => {
      const column = header[at]?.trim() || `column ${at + 1}`;
      const value = /^\s*[[{]/.test(cell) ? documentIn(cell) : cell;
      return leavesOf(value, column).map((leaf) => ({ ...leaf, file, stream: '' }));
    }),
    around: [],
  }));
}

export const cellsOf = (path: string) => rowsOf(path).flatMap(({ cells }) => cells);

export function documentIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value);

function rowsIn(value: unknown, place: Omit<Cell, 'text'>, around: readonly Cell[]): Row[] {
  const lists: [column: string, list: unknown[]][] = [];
  const cells = leavesOf(value, '', (column, list) => {
    if (!list.some(isObject)) return false;
    lists.push([column, list]);
    return true;
  }).map(({ column, text }) => ({ ...place, column: `${place.column}${column}`, text }));
  const inner = lists.flatMap(([column, list]) =>
    list.flatMap((one) =>
      rowsIn(one, { ...place, column: `${place.column}${column}[].` }, [...around, ...cells]),
    ),
  );
  return [{ cells, around }, ...inner];
}

/** Filled values by their path. `takes`: a list that is left out. */
export function leavesOf(
  value: unknown,
  column: string,
  takes: (column: string, list: unknown[]) => boolean = () => false,
): { readonly column: string; readonly text: string }[] {
  if (Array.isArray(value))
    return takes(column, value) ? [] : value.flatMap((each) => leavesOf(each, `${column}[]`, takes));
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).flatMap(([key, inner]) =>
      leavesOf(inner, column === '' ? key : `${column}.${key}`, takes),
    );
  const text = String(value ?? '').trim();
  return text === '' ? [] : [{ column, text }];
}

/** Words of a text as people read it, with the addresses behind links and pictures. */
export function wordsOf(text: string): string[] {
  const bare = text.replace(/<[a-z][^<>]*?(?:href|src)="([^"]*)"[^<>]*>/gi, ' $1 ');
  const plain = /[<&]/.test(text) ? decodeHTML(bare.replace(/<\/?[a-z!][^<>@]*>/gi, ' ')) : text;
  const words = plain
    .normalize('NFKC')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu);
  return words ?? [];
}
