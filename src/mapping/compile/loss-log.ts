/** Collects, over all tickets of a pass, what of the source does not arrive. Bounded memory. */
import type { LossReport } from '../../domain/survey.ts';

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
        return { agent: agent.join('') || fallback, count, fallback: fallback === '' ? undefined : fallback };
      }),
      unknownAuthors: this.#authors.entries().map(([author, count]) => ({ author, count })),
      notHeld: this.#notHeld.entries().map(([what, count]) => ({ what, count })),
    };
  }
}

/** Past this many distinct values, new ones are counted together. */
const MOST_VALUES = 1000;

class ValueCounts {
  readonly #counts = new Map<string, number>();
  /** Occurrences of values that no longer fit. */
  #others = 0;

  add(value: string): void {
    const key = value.length > 200 ? `${value.slice(0, 199)}…` : value;
    const count = this.#counts.get(key);
    if (count !== undefined || this.#counts.size < MOST_VALUES) this.#counts.set(key, (count ?? 0) + 1);
    else this.#others++;
  }

  /** Most frequent first, ties as they came; what did not fit stands last. */
  entries(): [string, number][] {
    const sorted = [...this.#counts].sort((a, b) => b[1] - a[1]);
    return this.#others > 0 ? [...sorted, ['(other values)', this.#others]] : sorted;
  }

  clear(): void {
    this.#counts.clear();
    this.#others = 0;
  }
}
