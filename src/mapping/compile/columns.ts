/** Reads columns: a path in a row's object, resolved once per CSV, whose headers ignore case. */

import {
  cellPaths,
  isNoText,
  type JsonObject,
  plainHeader,
  type RecordRef,
  type Row,
} from '../../domain/source.ts';
import {
  isJsonObject,
  type JoinTable,
  type SourceFile,
  valueAt as valueOfKeys,
} from '../../domain/source-file.ts';
import { isNoValue } from '../../source/keys.ts';
import type { Layout } from '../language/layout.ts';
import { alternatives, type Path, parsePath, valueAt } from './paths.ts';
import { comparable, parseStructure, unpacked } from './values.ts';

type Names = Pick<Layout, 'aliases'>;

/** `value`: a person, key, time, number or list; there more words mean empty. */
export type ReadAs = 'text' | 'value';

/** By plain name; each collection of an export asks each layout. */
const aliasesOf = new WeakMap<object, ReadonlyMap<string, readonly string[]>>();

export function namesOf({ aliases }: Names, column: string): string[] {
  if (aliases === undefined) return [column];
  const others =
    aliasesOf.get(aliases) ??
    new Map(Object.entries(aliases).map(([name, other]) => [plainHeader(name), other]));
  aliasesOf.set(aliases, others);
  return [column, ...(others.get(plainHeader(column)) ?? [])];
}

/**
 * True if a text means empty: the layout's words, and common ones for values. The empty text is one, except for values passed
 * on unchanged.
 */
export function compileNulls(
  { nulls = [], times }: Pick<Layout, 'nulls' | 'times'>,
  isText: boolean,
): (value: unknown) => boolean {
  const own = new Set(nulls.map(comparable));
  const passes = times?.pass === true;
  const isWord = isText ? isNoText : isNoValue;
  return (value) => {
    if (typeof value !== 'string') return false;
    const isBlank = value === '' || value.trim() === '';
    if (isBlank) return !passes;
    return isWord(value) || (own.size > 0 && own.has(comparable(value)));
  };
}

export interface HeaderColumn {
  readonly header: Header;
  readonly keys: readonly string[];
  readonly indexes: readonly number[];
  readonly isObject?: boolean;
  readonly within?: Path;
}

export class Header {
  readonly written: readonly string[];
  readonly #plain: readonly string[];
  readonly paths: readonly (readonly string[])[];

  constructor(written: readonly string[]) {
    this.written = written;
    this.#plain = written.map(plainHeader);
    this.paths = cellPaths(written);
  }

  /** A header of that name, else headers below it (`path.key`), else one that is its beginning and holds JSON. */
  find(path: string): HeaderColumn | undefined {
    const name = plainHeader(path);
    const same = this.#at((header) => header === name);
    if (same !== undefined) return same;
    const below = this.#at((header) => header.startsWith(`${name}.`));
    if (below !== undefined)
      return { ...below, keys: below.keys.slice(0, path.split('.').length), isObject: true };
    for (const { index: cut } of [...path.matchAll(/[.[]/g)].toReversed()) {
      const beginning = plainHeader(path.slice(0, cut));
      const within = cut === 0 ? undefined : this.#at((header) => header === beginning);
      if (within !== undefined) return { ...within, within: parsePath(path.slice(cut).replace(/^\./, '')) };
    }
    return undefined;
  }

  #at(fits: (plain: string) => boolean): HeaderColumn | undefined {
    const indexes = this.#plain.flatMap((plain, index) => (fits(plain) ? [index] : []));
    const keys = this.paths[indexes[0] ?? -1] ?? [];
    return keys.length === 0 ? undefined : { header: this, keys, indexes };
  }
}

/** A cell that an expression looked at, for `inspect --ticket` and the places of problems. */
export interface Touch {
  readonly table: string;
  readonly row: Row;
  readonly column: string;
  readonly value: unknown;
  readonly item?: unknown;
  readonly lists?: readonly Path[];
}

interface RowToRead {
  readonly row: Row;
  readonly notes: { readonly trace: Touch[] | undefined };
}

/** Several values under one header; the first was taken. */
interface Repeat {
  readonly ref: RecordRef;
  readonly header: string;
  readonly taken: string;
  readonly left: string;
}

export class TableColumns {
  readonly table: JoinTable;
  readonly repeats = new Map<string, Repeat>();
  readonly headers: ReadonlyMap<number, Header>;
  readonly #layout: Names;
  readonly #isNull: Readonly<Record<ReadAs, (value: unknown) => boolean>>;

  constructor(
    table: JoinTable,
    files: readonly SourceFile[],
    layout: Names & Pick<Layout, 'nulls' | 'times'>,
  ) {
    this.table = table;
    this.#layout = layout;
    this.#isNull = { text: compileNulls(layout, true), value: compileNulls(layout, false) };
    this.headers = new Map(
      table.inputs.flatMap(({ file }) => {
        const header = files.find(({ id }) => id === file)?.header;
        return header === undefined ? [] : [[file, new Header(header)] as const];
      }),
    );
  }

  /** True if unknown (JSON). */
  has(path: string): boolean {
    return path === '' || this.headers.size < this.table.inputs.length || this.inHeaders(path).length > 0;
  }

  names(path: string): string[] {
    return namesOf(this.#layout, path);
  }

  /** As rows have them. */
  written(path: string): string[] {
    return [...this.names(path), ...this.inHeaders(path).flatMap(({ keys: [key = ''] }) => key)];
  }

  inHeaders(path: string): HeaderColumn[] {
    return [...this.headers.values()].flatMap((header) => this.#find(path, header) ?? []);
  }

  /** Indexes of cells, or keys, that the column may be read from in rows of this file. */
  cells(path: string, file: number): (number | string)[] {
    const header = this.headers.get(file);
    if (header !== undefined) return [...(this.#find(path, header)?.indexes ?? [])];
    return this.names(path).flatMap((name) => {
      const [step] = parsePath(name);
      return typeof step === 'object' && 'key' in step && step.key !== name ? [step.key, name] : [name];
    });
  }

  /** `wanted`: the first filled cell of a repeated header, or all. */
  reader(path: string, wanted: 'first' | 'all', as: ReadAs): (of: RowToRead) => unknown {
    const isNull = this.#isNull[as];
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
      const value = isNull(found) ? undefined : (found ?? undefined);
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
    { header: { written }, keys, indexes, within, isObject }: HeaderColumn,
    wanted: 'first' | 'all',
  ): (object: JsonObject, ref: RecordRef) => unknown {
    const header = written[indexes[0] ?? -1] ?? '';
    return (object, ref) => {
      const value = valueOfKeys(object, keys);
      if (isObject === true) return withLists(value);
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

function withLists(value: unknown): unknown {
  if (!isJsonObject(value)) return unpacked(value);
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withLists(inner)]));
}

/** A path also finds a key that contains dots. */
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

export function columnNames(layout: Names, column: string): string[] {
  return alternatives(column).flatMap((name) => namesOf(layout, name));
}

/** Every name that a layout lists as no loss. */
export function ignoredNames(layout: Layout): string[] {
  const { ignore = [], technical = {}, same = {} } = layout;
  const listed = [
    ...Object.entries(technical),
    ...Object.entries(same).map(([t, all]) => [t, Object.keys(all)] as const),
  ];
  const named = listed.flatMap(([table, names]) => names.map((name) => `${table}.${name}`));
  return [...ignore, ...named].flatMap((name) => columnNames(layout, name));
}
