/** Reading a column of a table's rows: a path in the row's object, resolved once per CSV, whose headers compare without case. */
import type { JoinTable } from '../../domain/join-plan.ts';
import { cellPaths, type JsonObject, plainHeader, type RecordRef, type Row } from '../../domain/source.ts';
import { type SourceFile, valueAt as valueOfKeys } from '../../domain/source-file.ts';
import type { Layout } from '../language/layout.ts';
import { alternatives, type Path, parsePath, valueAt } from './paths.ts';
import { comparable, parseStructure } from './values.ts';

type Names = Pick<Layout, 'aliases'>;

/** A column's own name, and the other ones that the layout has for it. */
export function namesOf({ aliases = {} }: Names, column: string): string[] {
  const others = Object.entries(aliases).find(([name]) => plainHeader(name) === plainHeader(column));
  return [column, ...(others?.[1] ?? [])];
}

/** Texts that mean that nothing is there, in small letters. The empty one always does, but where values pass as they are. */
export function nullsOf({ nulls = [], times }: Pick<Layout, 'nulls' | 'times'>): ReadonlySet<string> {
  return new Set([...(times?.pass === true ? [] : ['']), ...nulls.map(comparable)]);
}

export interface HeaderColumn {
  readonly header: Header;
  /** Where a row's object has it. */
  readonly keys: readonly string[];
  /** The cells that are it, or parts of it. */
  readonly indexes: readonly number[];
  /** It is an object of several cells. */
  readonly isObject?: boolean;
  /** The path within what the cell holds. */
  readonly within?: Path;
}

/** The columns of a CSV, and where the objects of its rows have them. */
export class Header {
  readonly written: readonly string[];
  readonly #plain: readonly string[];
  readonly paths: readonly (readonly string[])[];

  constructor(written: readonly string[]) {
    this.written = written;
    this.#plain = written.map(plainHeader);
    this.paths = cellPaths(written);
  }

  /** A header of that name, else headers below it (`path.key`), else one that is its beginning and holds JSON as text. */
  find(path: string): HeaderColumn | undefined {
    const name = plainHeader(path);
    const same = this.#at((header) => header === name);
    if (same !== undefined) return same;
    const below = this.#at((header) => header.startsWith(`${name}.`));
    if (below !== undefined)
      return { ...below, keys: below.keys.slice(0, path.split('.').length), isObject: true };
    for (let cut = path.lastIndexOf('.'); cut > 0; cut = path.lastIndexOf('.', cut - 1)) {
      const beginning = plainHeader(path.slice(0, cut));
      const within = this.#at((header) => header === beginning);
      if (within !== undefined) return { ...within, within: parsePath(path.slice(cut + 1)) };
    }
    return undefined;
  }

  #at(fits: (plain: string) => boolean): HeaderColumn | undefined {
    const indexes = this.#plain.flatMap((plain, index) => (fits(plain) ? [index] : []));
    const keys = this.paths[indexes[0] ?? -1] ?? [];
    return keys.length === 0 ? undefined : { header: this, keys, indexes };
  }
}

/** A cell or value that an expression looked at, recorded for `--explain` and for the places of problems. */
export interface Touch {
  readonly table: string;
  readonly row: Row;
  readonly column: string;
  /** Undefined where it is empty. */
  readonly value: unknown;
  /** The list item that the column is of, and where such items may be in the row. */
  readonly item?: unknown;
  readonly lists?: readonly Path[];
}

interface RowToRead {
  readonly row: Row;
  readonly notes: { readonly trace: Touch[] | undefined };
}

/** A row with several values under one header, of which the first was taken. */
interface Repeat {
  readonly ref: RecordRef;
  readonly header: string;
  readonly taken: string;
  readonly left: string;
}

/** The columns of a table in each of its files. */
export class TableColumns {
  readonly table: JoinTable;
  /** The first row of each file and header. */
  readonly repeats = new Map<string, Repeat>();
  /** Of its CSV files, by ID. */
  readonly headers: ReadonlyMap<number, Header>;
  readonly #layout: Names;
  readonly #nulls: ReadonlySet<string>;

  constructor(
    table: JoinTable,
    files: readonly SourceFile[],
    layout: Names & Pick<Layout, 'nulls' | 'times'>,
  ) {
    this.table = table;
    this.#layout = layout;
    this.#nulls = nullsOf(layout);
    this.headers = new Map(
      table.inputs.flatMap(({ file }) => {
        const header = files.find(({ id }) => id === file)?.outline.header;
        return header === undefined ? [] : [[file, new Header(header)] as const];
      }),
    );
  }

  /** Whether some file of the table has this column; true where that cannot be known (JSON). */
  has(path: string): boolean {
    return path === '' || this.headers.size < this.table.inputs.length || this.inHeaders(path).length > 0;
  }

  names(path: string): string[] {
    return namesOf(this.#layout, path);
  }

  /** What the path is in the CSV files that have it. */
  inHeaders(path: string): HeaderColumn[] {
    return [...this.headers.values()].flatMap((header) => this.#find(path, header) ?? []);
  }

  /** Reads `path` from a row. `wanted`: of a header that repeats the first filled cell, or all of them. */
  reader(path: string, wanted: 'first' | 'all'): (of: RowToRead) => unknown {
    const fromJson = objectReader(this.names(path));
    const byFile = new Map<number, (object: JsonObject, ref: RecordRef) => unknown>();
    for (const [file, header] of this.headers) {
      const column = this.#find(path, header);
      byFile.set(file, column === undefined ? () => undefined : this.#columnReader(column, wanted));
    }
    const table = this.table.name;
    return ({ row, notes }) => {
      const { object, ref } = row;
      const found = object && (byFile.get(ref.file) ?? fromJson)(object, ref);
      const isNull = typeof found === 'string' && this.#nulls.has(comparable(found));
      const value = isNull ? undefined : (found ?? undefined);
      notes.trace?.push({ table, row, column: path, value: value === '' ? undefined : value });
      return value;
    };
  }

  #find(path: string, header: Header): HeaderColumn | undefined {
    for (const name of this.names(path)) {
      const found = header.find(name);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #columnReader(
    { header: { written }, keys, indexes, within }: HeaderColumn,
    wanted: 'first' | 'all',
  ): (object: JsonObject, ref: RecordRef) => unknown {
    const header = written[indexes[0] ?? -1] ?? '';
    return (object, ref) => {
      const value = valueOfKeys(object, keys);
      if (within !== undefined)
        return typeof value === 'string' ? valueAt(parseStructure(value), within) : undefined;
      if (!Array.isArray(value) || wanted === 'all') return value;
      const [taken, ...others] = value as string[];
      const left = others.find((cell) => cell !== taken);
      const name = `${ref.file} ${header}`;
      if (taken !== undefined && left !== undefined && !this.repeats.has(name))
        this.repeats.set(name, { ref, header, taken, left });
      return taken;
    };
  }
}

/** The first of several paths that leads to a value. A key that contains dots is found too. */
export function objectReader(names: readonly string[]): (object: object) => unknown {
  const paths = names.map((name) => ({ name, steps: parsePath(name) }));
  return (object) => {
    for (const { name, steps } of paths) {
      const value = valueAt(object, steps) ?? valueAt(object, [{ key: name }]) ?? undefined;
      if (value !== undefined) return value;
    }
    return undefined;
  };
}

/** `a|b` as both, each with its other names. */
export function columnNames(layout: Names, column: string): string[] {
  return alternatives(column).flatMap((name) => namesOf(layout, name));
}

/** The columns that a layout ignores, with their other names. */
export function ignoredNames(layout: Layout): string[] {
  return (layout.ignore ?? []).flatMap((name) => columnNames(layout, name));
}
