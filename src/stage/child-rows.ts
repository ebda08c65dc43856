/** The rows of tickets, read again from their files: for a window of tickets at once, so that neighbours share a read. */
import { AppError } from '../domain/errors.ts';
import type { RecordRef, Row } from '../domain/source.ts';
import type { RowPlace } from './keyed-rows.ts';
import type { PlanInput } from './plan-inputs.ts';

/** The place of a row, and the list that gets it when it is read. */
interface Wanted {
  readonly ref: RecordRef;
  readonly into: Row[];
  readonly index: number;
}

export class RowWindow {
  readonly #inputs: readonly PlanInput[];
  readonly #wanted = new Map<number, Wanted[]>();
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
  want(places: readonly RowPlace[]): Row[] {
    const rows: Row[] = new Array<Row>(places.length);
    const refs = places.map((place) => ({ input: place.input, ref: this.#refOf(place) }));
    if (refs.length > 1) {
      refs.sort((a, b) => a.ref.file - b.ref.file || a.ref.offset - b.ref.offset);
    }
    refs.forEach(({ input, ref }, index) => {
      const wanted = this.#wanted.get(input);
      const entry = { ref, into: rows, index };
      if (wanted === undefined) this.#wanted.set(input, [entry]);
      else wanted.push(entry);
      this.#bytes += ref.length;
    });
    this.#rows += places.length;
    return rows;
  }

  async read(): Promise<void> {
    for (const [index, wanted] of this.#wanted) {
      const input = inputAt(this.#inputs, index);
      wanted.sort((a, b) => a.ref.offset - b.ref.offset);
      const records = await input.file.fetch(
        wanted.map(({ ref }) => ref),
        input.selector,
      );
      wanted.forEach(({ into, index: at }, position) => {
        const record = records[position];
        if (record === undefined || record.error !== undefined) {
          throw new AppError('source', `${input.file.name} changed while it was being read.`, {
            hint: 'Wait until nothing writes to it any more, and run again.',
          });
        }
        into[at] = toRow(input.table.name, record);
      });
    }
    this.#wanted.clear();
    this.#rows = 0;
    this.#bytes = 0;
  }

  #refOf({ input, offset, length, line }: RowPlace): RecordRef {
    return { file: inputAt(this.#inputs, input).file.id, offset, length, line };
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
