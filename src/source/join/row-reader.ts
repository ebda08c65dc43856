/** Rows read again from their files, by the places that were noted of them. */
import { AppError, changedSource } from '../../domain/errors.ts';
import type { KeySpec } from '../../domain/join-plan.ts';
import type { RecordRef, Row } from '../../domain/source.ts';
import { inputAt, type PlanInput } from './plan-inputs.ts';
import { listName, type RowIndex, type RowPlace } from './row-index.ts';
import { joinKey, specName } from './row-keys.ts';

/** Exactly one of cells and object is there. */
export function rowOf(table: string, { ref, cells, object }: Omit<Row, 'table'>): Row {
  if (cells !== undefined) return { table, ref, cells };
  return object === undefined ? { table, ref } : { table, ref, object };
}

function refOf({ file }: PlanInput, [, offset, length, line]: RowPlace): RecordRef {
  return { file: file.id, offset, length, line };
}

interface Wanted {
  readonly place: RowPlace;
  readonly into: Row[];
  readonly at: number;
}

/** The rows of some tickets, read at once, so that neighbours share a read. */
export class RowWindow {
  readonly #inputs: readonly PlanInput[];
  #wanted: Wanted[] = [];
  #bytes = 0;

  constructor(inputs: readonly PlanInput[]) {
    this.#inputs = inputs;
  }

  get rows(): number {
    return this.#wanted.length;
  }

  /** Bytes of the rows wanted so far. */
  get bytes(): number {
    return this.#bytes;
  }

  /** A list in file order, filled by `read`. */
  want(places: RowPlace[]): Row[] {
    const fileOf = ([input]: RowPlace) => inputAt(this.#inputs, input).file.id;
    // Places come by input, then by offset; that is file order unless inputs name files in another order.
    if (places.some(([input]) => input !== places[0]?.[0]))
      places.sort((a, b) => fileOf(a) - fileOf(b) || a[1] - b[1]);
    const into = new Array<Row>(places.length);
    for (const [at, place] of places.entries()) {
      this.#wanted.push({ place, into, at });
      this.#bytes += place[2];
    }
    return into;
  }

  async read(): Promise<void> {
    const wanted = this.#wanted;
    this.#wanted = [];
    this.#bytes = 0;
    for (const [index, ofInput] of Map.groupBy(wanted, ({ place }) => place[0])) {
      const input = inputAt(this.#inputs, index);
      const { file, selector, table } = input;
      const records = await file.fetch(
        ofInput.map(({ place }) => refOf(input, place)),
        selector,
      );
      for (const [position, { into, at }] of ofInput.entries()) {
        const record = records[position];
        if (record === undefined || record.error !== undefined) throw changedSource([file.name]);
        into[at] = rowOf(table.name, record);
      }
    }
  }
}

/** Of rows found by key, the ones used last are kept: so many, and so many bytes of their records. */
const KEPT_ROWS = 10_000;
const KEPT_BYTES = 8 * 1024 * 1024;

/** Rows found by key from a mapping. */
export class Lookups {
  readonly #inputs: readonly PlanInput[];
  readonly #index: RowIndex;
  /** Least recently used first; undefined where it is known that there is none. */
  readonly #kept = new Map<string, Row | undefined>();
  #bytes = 0;

  constructor(inputs: readonly PlanInput[], index: RowIndex) {
    this.#inputs = inputs;
    this.#index = index;
  }

  find(table: string, columns: KeySpec, values: readonly string[]): Row | undefined {
    const key = joinKey(values.map((value) => value.trim()));
    if (key === '') return undefined;
    const list = listName(table, specName(columns));
    const name = `${list} ${key}`;
    const isKept = this.#kept.has(name);
    if (
      !isKept &&
      !this.#inputs.some((input) => input.table.name === table && input.lookups.has(specName(columns)))
    )
      throw new AppError('internal', `The plan has no lookup in ${table} by ${columns.join(', ')}.`);
    const row = isKept ? this.#kept.get(name) : this.#read(table, this.#index.first(list, key));
    this.#kept.delete(name);
    this.#kept.set(name, row);
    if (!isKept) this.#makeRoom(row);
    return row;
  }

  #read(table: string, place: RowPlace | undefined): Row | undefined {
    if (place === undefined) return undefined;
    const input = inputAt(this.#inputs, place[0]);
    const [record] = input.file.fetchSync([refOf(input, place)], input.selector);
    return record === undefined || record.error !== undefined ? undefined : rowOf(table, record);
  }

  #makeRoom(added: Row | undefined): void {
    this.#bytes += added?.ref.length ?? 0;
    for (const [name, row] of this.#kept) {
      if (this.#kept.size <= 1 || (this.#kept.size <= KEPT_ROWS && this.#bytes <= KEPT_BYTES)) return;
      this.#kept.delete(name);
      this.#bytes -= row?.ref.length ?? 0;
    }
  }
}
