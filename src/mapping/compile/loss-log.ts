/** Collects, over all tickets of a pass, what of the source does not arrive. Bounded memory. */
import type { LossReport } from '../../domain/loss.ts';
import { ValueCounts } from './value-counts.ts';

const SEPARATOR = '\u0000';

export class LossLog {
  readonly #unmapped = new ValueCounts();
  readonly #agents = new ValueCounts();
  readonly #authors = new ValueCounts();
  readonly #notHeld = new ValueCounts();
  #paused = false;

  /** Runs something that maps without its being counted. */
  pause<T>(work: () => T): T {
    this.#paused = true;
    try {
      return work();
    } finally {
      this.#paused = false;
    }
  }

  unmapped(field: string, value: string, action: string): void {
    if (!this.#paused) this.#unmapped.add([field, action, value].join(SEPARATOR));
  }

  agentWithoutId(agent: string, fallback: string | undefined): void {
    if (!this.#paused) this.#agents.add([fallback ?? '', agent].join(SEPARATOR));
  }

  unknownAuthor(author: string): void {
    if (!this.#paused) this.#authors.add(author);
  }

  notHeld(what: string): void {
    if (!this.#paused) this.#notHeld.add(what);
  }

  clear(): void {
    for (const counts of [this.#unmapped, this.#agents, this.#authors, this.#notHeld]) counts.clear();
  }

  report(unusedColumns: LossReport['unusedColumns']): LossReport {
    return {
      unusedColumns,
      unmappedValues: this.#unmapped.entries().map(([key, count]) => {
        const [field = '', action = '', ...value] = key.split(SEPARATOR);
        return { field, value: value.join(''), count, action };
      }),
      agentsWithoutId: this.#agents.entries().map(([key, count]) => {
        const [fallback = '', ...agent] = key.split(SEPARATOR);
        return { agent: agent.join('') || fallback, count, ...(fallback === '' ? {} : { fallback }) };
      }),
      unknownAuthors: this.#authors.entries().map(([author, count]) => ({ author, count })),
      notHeld: this.#notHeld.entries().map(([what, count]) => ({ what, count })),
    };
  }
}
