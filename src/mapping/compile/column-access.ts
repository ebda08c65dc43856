/** Reading a column of a table's rows: a path in the row's object, resolved once per CSV, whose headers compare without case. */

import type { JoinTable } from '../../domain/join-plan.ts';
import { type JsonObject, plainHeader, type RecordRef } from '../../domain/source.ts';
import { type SourceFile, valueAt as valueOfKeys } from '../../domain/source-file.ts';
import type { Layout } from '../language/layout.ts';
import { Header, type HeaderColumn, parsePath, valueAt } from './column-path.ts';
import type { Evaluate } from './scope.ts';
import { comparable, parseStructure } from './text-forms.ts';

/** A row with several values under one header, of which the first was taken. */
interface Repeat {
  readonly ref: RecordRef;
  readonly header: string;
  readonly taken: string;
  readonly left: string;
}

/** Texts that mean that nothing is there, in small letters. The empty one always does, but where values pass as they are. */
export function nullsOf({ nulls = [], times }: Pick<Layout, 'nulls' | 'times'>): ReadonlySet<string> {
  return new Set([...(times?.pass === true ? [] : ['']), ...nulls.map(comparable)]);
}

/** Knows the headers of a table's files and other names of its columns. */
export class TableColumns {
  readonly table: JoinTable;
  /** The first row of each file and header. */
  readonly repeats = new Map<string, Repeat>();
  readonly #headers = new Map<number, Header>();
  readonly #aliases: ReadonlyMap<string, readonly string[]>;
  readonly #nulls: ReadonlySet<string>;

  constructor(
    table: JoinTable,
    files: readonly SourceFile[],
    aliases: ReadonlyMap<string, readonly string[]> = new Map(),
    nulls: ReadonlySet<string> = new Set(['']),
  ) {
    this.table = table;
    this.#aliases = aliases;
    this.#nulls = nulls;
    for (const input of table.inputs) {
      const header = files.find(({ id }) => id === input.file)?.outline.header;
      if (header !== undefined) this.#headers.set(input.file, new Header(header));
    }
  }

  /** Whether some file of the table has this column; true where that cannot be known (JSON). */
  knows(path: string): boolean {
    if (path === '' || this.#headers.size < this.table.inputs.length) return true;
    return this.inHeaders(path).length > 0;
  }

  /** Of all its CSV files. */
  headers(): Header[] {
    return [...this.#headers.values()];
  }

  /** The header of a file of the table; undefined for JSON. */
  header(file: number): Header | undefined {
    return this.#headers.get(file);
  }

  /** A column's own name, and behind it the other ones. */
  names(path: string): string[] {
    return [path, ...(this.#aliases.get(plainHeader(path)) ?? [])];
  }

  /** What the path is in the CSV files that have it. */
  inHeaders(path: string): HeaderColumn[] {
    return this.headers().flatMap((header) => this.#find(path, header) ?? []);
  }

  /** Reads `path` from a row. `wanted`: of a header that repeats the first filled cell, or all of them. */
  reader(path: string, wanted: 'first' | 'all'): Evaluate {
    const fromJson = objectReader(this.names(path));
    const byFile = new Map<number, (object: JsonObject, ref: RecordRef) => unknown>();
    for (const [file, header] of this.#headers) {
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
