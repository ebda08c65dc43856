/** Reading a column of a table's rows: a path in the row's object, resolved once per CSV, whose headers compare without case. */

import type { JoinTable } from '../../domain/join-plan.ts';
import { type JsonObject, plainHeader, type RecordRef, type Row } from '../../domain/source.ts';
import { type SourceFile, valueAt as valueOfKeys } from '../../domain/source-file.ts';
import type { Layout } from '../language/layout.ts';
import { Header, type HeaderColumn, type PathStep, parsePath, valueAt } from './column-path.ts';
import type { Evaluate } from './scope.ts';
import { comparable, parseStructure } from './text-forms.ts';

/** The filled cells under a header that a CSV repeats: a text each, unlike a list in one value. */
export class RepeatedCells extends Array<unknown> {}

/** A row with several values under one header, of which the first was taken. */
export interface Repeat {
  readonly ref: RecordRef;
  readonly header: string;
  readonly taken: string;
  readonly left: string;
}

/** Texts that mean that nothing is there, in small letters. The empty one always does, but where values pass as they are. */
export function nullsOf({
  nulls = [],
  times,
}: Pick<Layout, 'nulls' | 'times'>): ReadonlySet<string> | undefined {
  const passes = times?.pass === true;
  return passes && nulls.length === 0
    ? undefined
    : new Set([...(passes ? [] : ['']), ...nulls.map(comparable)]);
}

type ReadObject = (object: JsonObject, ref: RecordRef) => unknown;

/** Knows the headers of a table's files and other names of its columns. */
export class TableColumns {
  readonly table: JoinTable;
  /** The first row of each file and header. */
  readonly repeats = new Map<string, Repeat>();
  readonly #headers = new Map<number, Header>();
  readonly #aliases: ReadonlyMap<string, readonly string[]>;
  readonly #nulls: ReadonlySet<string> | undefined;

  constructor(
    table: JoinTable,
    files: readonly SourceFile[],
    aliases: ReadonlyMap<string, readonly string[]>,
    nulls: ReadonlySet<string> | undefined,
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

  /** Headers of all its CSV files, as written. */
  headers(): string[] {
    return [...this.#headers.values()].flatMap(({ written }) => written);
  }

  /** Where the objects of its CSV rows have objects. */
  parents(): (readonly string[])[] {
    return [...this.#headers.values()].flatMap(({ paths }) => paths.map((keys) => keys.slice(0, -1)));
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
    return [...this.#headers.values()].flatMap((header) => this.#find(path, header) ?? []);
  }

  /** Reads `path` from a row. `wanted`: of a header that repeats the first filled cell, or all of them. */
  reader(path: string, wanted: 'first' | 'all'): Evaluate {
    const names = this.names(path);
    const fromJson = objectReader(names, names.map(parsePath));
    const byFile = new Map<number, ReadObject>();
    for (const [file, header] of this.#headers) {
      const column = this.#find(path, header);
      if (column !== undefined) byFile.set(file, this.#columnReader(column, wanted));
    }
    const nulls = this.#nulls;
    const table = this.table.name;
    const read = ({ object, ref }: Row): unknown => {
      if (object === undefined) return undefined;
      return this.#headers.has(ref.file) ? byFile.get(ref.file)?.(object, ref) : fromJson(object);
    };
    return ({ row, notes }) => {
      const value = read(row);
      const isEmpty = value === undefined || value === null || value === '';
      const isNull =
        !isEmpty && nulls !== undefined && typeof value === 'string' && nulls.has(value.trim().toLowerCase());
      notes.trace?.push({ table, row, column: path, value: isEmpty || isNull ? undefined : value });
      if (isNull) return undefined;
      if (isEmpty) return value === '' && nulls?.has('') !== true ? '' : undefined;
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
  ): ReadObject {
    const header = written[indexes[0] ?? -1] ?? '';
    if (within !== undefined)
      return (object) => {
        const text = valueOfKeys(object, keys);
        return typeof text === 'string' ? valueAt(parseStructure(text), within) : undefined;
      };
    return (object, ref) => {
      const value = valueOfKeys(object, keys);
      if (!Array.isArray(value)) return value;
      if (wanted === 'all') return RepeatedCells.from(value);
      const [taken, ...others] = value as string[];
      const left = others.find((cell) => cell !== taken);
      const name = `${ref.file} ${header}`;
      if (taken !== undefined && left !== undefined && !this.repeats.has(name))
        this.repeats.set(name, { ref, header, taken, left });
      return taken;
    };
  }
}

/** An own property. Names that every object inherits are looked up with care, all others directly. */
function keyReader(key: string): (object: object) => unknown {
  if (key in Object.prototype)
    return (object) => (Object.hasOwn(object, key) ? (object as Record<string, unknown>)[key] : undefined);
  return (object) => (object as Record<string, unknown>)[key];
}

/** The first of several paths that leads to a value. A key that contains dots is found too. */
export function objectReader(
  names: readonly string[],
  paths: readonly PathStep[][],
): (object: object) => unknown {
  const readers = paths.map((steps, at) => {
    const name = names[at] ?? '';
    const only = steps[0];
    if (steps.length === 1 && only !== undefined && only !== 'each' && 'key' in only) {
      return keyReader(only.key);
    }
    return (object: object) => {
      const value = valueAt(object, steps);
      return value === undefined && Object.hasOwn(object, name)
        ? (object as Record<string, unknown>)[name]
        : value;
    };
  });
  const [single] = readers;
  if (single !== undefined && readers.length === 1) return single;
  return (object) => {
    for (const read of readers) {
      const value = read(object);
      if (value !== undefined && value !== null) return value;
    }
    return undefined;
  };
}
