/** The rows of tickets, read again from their files: for a window of tickets at once, so that neighbours share a read. */
import { AppError, changedSource } from '../../domain/errors.ts';
import type { RecordRef, Row } from '../../domain/source.ts';
import type { RowPlace } from './keyed-rows.ts';
import type { PlanInput } from './plan-inputs.ts';

/** Rows of one input: their places, and in which list and at which index each is wanted. */
interface Wanted {
  readonly refs: RecordRef[];
  readonly into: Row[][];
  readonly at: number[];
}

export class RowWindow {
  readonly #inputs: readonly PlanInput[];
  readonly #wanted = new Map<number, Wanted>();
  #rows = 0;
  #bytes = 0;

  constructor(inputs: readonly PlanInput[]) {
    this.#inputs = inputs;
  }

  get rows(): number {
    return this.#rows;
  }

  /** Bytes of the rows wanted so far. */
  get bytes(): number {
    return this.#bytes;
  }

  /** A list in file order, filled by `read`. */
  want(places: RowPlace[]): Row[] {
    const rows: Row[] = new Array<Row>(places.length);
    if (places.length > 1 && !this.#isInFileOrder(places)) {
      places.sort((a, b) => this.#fileOf(a) - this.#fileOf(b) || a[1] - b[1]);
    }
    for (let index = 0; index < places.length; index++) {
      const place = places[index];
      if (place === undefined) continue;
      const [input, offset, length, line] = place;
      const wanted = this.#wantedOf(input);
      wanted.refs.push({ file: this.#fileOf(place), offset, length, line });
      wanted.into.push(rows);
      wanted.at.push(index);
      this.#bytes += length;
    }
    this.#rows += places.length;
    return rows;
  }

  async read(): Promise<void> {
    for (const [index, { refs, into, at }] of this.#wanted) {
      const { file, selector, table } = inputAt(this.#inputs, index);
      const records = await file.fetch(refs, selector);
      for (let position = 0; position < records.length; position++) {
        const record = records[position];
        const rows = into[position];
        if (record === undefined || record.error !== undefined || rows === undefined) {
          throw changedSource([file.name]);
        }
        rows[at[position] ?? 0] = toRow(table.name, record);
      }
    }
    this.#wanted.clear();
    this.#rows = 0;
    this.#bytes = 0;
  }

  /** Places come by input, then by offset; that is file order unless inputs name files in another order. */
  #isInFileOrder(places: readonly RowPlace[]): boolean {
    const first = places[0]?.[0];
    return places.every(([input]) => input === first);
  }

  #wantedOf(input: number): Wanted {
    const known = this.#wanted.get(input);
    if (known !== undefined) return known;
    const wanted: Wanted = { refs: [], into: [], at: [] };
    this.#wanted.set(input, wanted);
    return wanted;
  }

  #fileOf([input]: RowPlace): number {
    return inputAt(this.#inputs, input).file.id;
  }
}

export function inputAt(inputs: readonly PlanInput[], index: number): PlanInput {
  const input = inputs[index];
  if (input === undefined) throw new AppError('internal', `The plan has no input ${index}.`);
  return input;
}

/** Exactly one of cells and object is there. */
export function toRow(table: string, record: Omit<Row, 'table'>): Row {
  const { ref, cells, object } = record;
  if (cells !== undefined) return { table, ref, cells };
  return object === undefined ? { table, ref } : { table, ref, object };
}
