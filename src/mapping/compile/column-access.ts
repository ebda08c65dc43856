/**
 * Reading a column of a table's rows, compiled per file: cell indexes for CSV, key paths for JSON.
 *
 * In a CSV a path is, in this order: a header of that name; headers `path.key`, read as one object; or a header that is
 * the beginning of the path and holds JSON (or Python) text. Empty cells are absent. Headers that repeat give the first
 * filled cell; another one behind it that says something else is noted (`repeats`).
 */

import type { JoinTable } from '../../domain/join-plan.ts';
import type { RecordRef, Row } from '../../domain/source.ts';
import type { SourceFile } from '../../domain/source-file.ts';
import type { Layout } from '../language/layout.ts';
import { type Header, headerCells, type PathStep, parsePath, plainHeader, valueAt } from './column-path.ts';
import type { Evaluate, Scope } from './scope.ts';
import { comparable, parseStructure } from './text-forms.ts';

export type ReadCells = (cells: readonly string[], ref: RecordRef) => unknown;

/** What stands under a header that a CSV repeats, where a list is made of it: a cell each, unlike a list in one value. */
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

/** Knows the headers of a table's files, other names of columns, and which columns rules use. */
export class TableColumns {
  readonly table: JoinTable;
  /** Header indexes used by rules, per file; for the list of unused columns. */
  readonly usedCells = new Map<number, Set<number>>();
  /** Cells under a header that repeats of which the first that is filled is read: all of them for each but the first, per file. */
  readonly alternatives = new Map<number, Map<number, readonly number[]>>();
  /** JSON paths used by rules. */
  readonly usedPaths: PathStep[][] = [];
  /** The first row of each file and header. */
  readonly repeats = new Map<string, Repeat>();
  /** Cells that are read wherever their header repeats. */
  readonly #all = new Set<string>();
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
    const byId = new Map(files.map((file) => [file.id, file]));
    for (const input of table.inputs) {
      const file = byId.get(input.file);
      const header = file?.outline.header;
      if (header === undefined) continue;
      this.#headers.set(input.file, { written: header, plain: header.map(plainHeader) });
    }
  }

  /** Whether some file of the table has this column; true where that cannot be known (JSON). */
  knows(path: string): boolean {
    if (path === '') return true;
    if (this.#headers.size < this.table.inputs.length) return true;
    return [...this.#headers.keys()].some((file) =>
      this.names(path).some((name) => this.#cellReader(name, file, false) !== undefined),
    );
  }

  /** Headers of all its CSV files, as written. */
  headers(): string[] {
    return [...this.#headers.values()].flatMap(({ written }) => written);
  }

  /** Reads `path` from a row; marks it as used. `keys`: of an object only these are wanted (headers `path.key`). */
  reader(path: string, keys?: readonly string[]): Evaluate {
    const names = this.names(path);
    const keyPaths = names.map(parsePath);
    for (const steps of keyPaths) {
      if (keys === undefined) this.usedPaths.push(steps);
      else for (const key of keys) this.usedPaths.push([...steps, { key }]);
    }
    const nulls = this.#nulls;
    const byFile: (ReadCells | undefined)[] = [];
    for (const file of this.#headers.keys()) {
      for (const name of names) {
        const read = this.#cellReader(name, file, true, keys);
        if (read !== undefined) {
          byFile[file] = read;
          break;
        }
      }
    }
    const readObject = objectReader(names, keyPaths);
    const table = this.table.name;
    const read = ({ cells, object, ref }: Row): unknown =>
      cells !== undefined
        ? byFile[ref.file]?.(cells, ref)
        : object !== undefined
          ? readObject(object)
          : undefined;
    return (scope) => {
      const { row } = scope;
      const value = read(row);
      const isEmpty = value === undefined || value === null || value === '';
      const isNull =
        !isEmpty && nulls !== undefined && typeof value === 'string' && nulls.has(value.trim().toLowerCase());
      if (scope.notes.trace !== undefined)
        scope.notes.trace.push({ table, row, column: path, value: isEmpty || isNull ? undefined : value });
      if (isNull) return undefined;
      if (isEmpty) return value === '' && row.object && nulls?.has('') !== true ? '' : undefined;
      return value;
    };
  }

  /** A column's own name, and behind it the other ones. */
  names(path: string): string[] {
    return [path, ...(this.#aliases.get(plainHeader(path)) ?? [])];
  }

  /** The header of a file of the table; undefined for JSON. */
  header(file: number): Header | undefined {
    return this.#headers.get(file);
  }

  /** Whether a CSV of the table repeats this header. */
  isRepeated(header: string): boolean {
    const names = this.names(header).map(plainHeader);
    const count = (plain: readonly string[]) => plain.filter((name) => names.includes(name)).length;
    return [...this.#headers.values()].some(({ plain }) => count(plain) > 1);
  }

  /** All filled cells under a header that the CSV repeats. */
  repeated(header: string): (scope: Scope) => unknown[] {
    const names = this.names(header).map(plainHeader);
    this.usedPaths.push(parsePath(header));
    const byFile: number[][] = [];
    for (const [file, { plain }] of this.#headers) {
      const indexes = plain.flatMap((name, index) => (names.includes(name) ? [index] : []));
      for (const index of indexes) {
        this.#use(file, index);
        this.#all.add(`${file}:${index}`);
        this.alternatives.get(file)?.delete(index);
      }
      byFile[file] = indexes;
    }
    return ({ row, notes }) => {
      const found: unknown[] = [];
      const { cells } = row;
      if (cells === undefined) return found;
      for (const index of byFile[row.ref.file] ?? []) {
        const cell = cells[index];
        if (cell === undefined || cell === '') continue;
        found.push(cell);
        notes.trace?.push({ table: row.table, row, column: header, value: cell });
      }
      return found;
    };
  }

  #use(file: number, index: number): void {
    const used = this.usedCells.get(file) ?? new Set();
    used.add(index);
    this.usedCells.set(file, used);
  }

  #firstFilled({ written }: Header, indexes: readonly number[]): ReadCells {
    const [only = -1, ...more] = indexes;
    if (more.length === 0) return (cells) => cells[only];
    return (cells, ref) => {
      const filled = indexes.filter((index) => cells[index]);
      const [taken, left] = [
        cells[filled[0] ?? -1],
        filled.find((index) => cells[index] !== cells[filled[0] ?? -1]),
      ];
      if (taken !== undefined && left !== undefined) {
        const header = written[left] ?? '';
        const name = `${ref.file} ${header}`;
        if (!this.repeats.has(name)) this.repeats.set(name, { ref, header, taken, left: cells[left] ?? '' });
      }
      return taken;
    };
  }

  #cellReader(path: string, file: number, use: boolean, keys?: readonly string[]): ReadCells | undefined {
    const header = this.#headers.get(file);
    if (header === undefined) return undefined;
    const found = headerCells(header, path, keys);
    if (found === undefined) return undefined;
    const mark = (index: number) => {
      if (use) this.#use(file, index);
    };
    if (found.kind === 'same') {
      const { indexes } = found;
      for (const [at, index] of indexes.entries()) {
        mark(index);
        if (use && at > 0 && !this.#all.has(`${file}:${index}`)) {
          const others = this.alternatives.get(file) ?? new Map<number, readonly number[]>();
          this.alternatives.set(file, others.set(index, indexes));
        }
      }
      return this.#firstFilled(header, indexes);
    }
    if (found.kind === 'parts') {
      for (const { index } of found.parts) mark(index);
      const readers = [...Map.groupBy(found.parts, ({ key }) => key)].map(
        ([key, parts]) =>
          [
            key,
            this.#firstFilled(
              header,
              parts.map(({ index }) => index),
            ),
          ] as const,
      );
      return (cells, ref) => {
        let object: Record<string, unknown> | undefined;
        for (const [key, read] of readers) {
          const cell = read(cells, ref);
          if (cell === undefined || cell === '') continue;
          object ??= Object.create(null) as Record<string, unknown>;
          object[key] = cell;
        }
        return object;
      };
    }
    const { index } = found;
    const steps = parsePath(found.rest);
    mark(index);
    return (cells) => {
      const text = cells[index];
      return text ? valueAt(parseStructure(text), steps) : undefined;
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
