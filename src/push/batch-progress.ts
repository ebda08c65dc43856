/**
 * Batches as the unit of progress: one is settled when all of its tickets have an outcome and no more can come. A ticket that
 * is left pending keeps its batch open, for the next run.
 */
export interface BatchResult {
  readonly batch: number;
  readonly tickets: number;
  readonly done: number;
  readonly failed: number;
  readonly inDoubt: number;
}

interface OpenBatch {
  tickets: number;
  done: number;
  failed: number;
  inDoubt: number;
  isComplete: boolean;
}

export class BatchProgress {
  readonly #size: number;
  readonly #onSettled: (result: BatchResult) => void;
  readonly #open = new Map<number, OpenBatch>();
  #current = 0;

  /** A batch of `size` tickets is complete before a ticket of the next one comes. */
  constructor(size: number, onSettled: (result: BatchResult) => void) {
    this.#size = size;
    this.#onSettled = onSettled;
  }

  /** The highest number seen. */
  get latest(): number {
    return this.#current;
  }

  /** A ticket of this batch was taken from the plan. Numbers never decrease. */
  took(number: number): void {
    if (number !== this.#current) this.completed();
    this.#current = number;
    const batch = this.#open.get(number) ?? { tickets: 0, done: 0, failed: 0, inDoubt: 0, isComplete: false };
    batch.tickets += 1;
    batch.isComplete = batch.tickets >= this.#size;
    this.#open.set(number, batch);
  }

  /** No more tickets of the current batch will come. */
  completed(): void {
    const batch = this.#open.get(this.#current);
    if (batch === undefined) return;
    batch.isComplete = true;
    this.#check(this.#current, batch);
  }

  settled(number: number, outcome: 'done' | 'failed' | 'inDoubt'): void {
    const batch = this.#open.get(number);
    if (batch === undefined) return;
    batch[outcome] += 1;
    this.#check(number, batch);
  }

  #check(number: number, batch: OpenBatch): void {
    const { tickets, done, failed, inDoubt } = batch;
    if (!batch.isComplete || done + failed + inDoubt < tickets) return;
    this.#open.delete(number);
    this.#onSettled({ batch: number, tickets, done, failed, inDoubt });
  }
}
