/** Counts what of the source does not arrive, over all tickets of a pass. Bounded memory. */
import type { LossReport } from '../../domain/survey.ts';

/** Past this many distinct entries of a kind, new ones are counted together. */
const MOST_VALUES = 1000;
const LONGEST_VALUE = 200;

/** `unmapped`: a value, its field and what became of it. `agent`: with the fallback that replaces it. */
type Kind = 'unmapped' | 'agent' | 'author' | 'notHeld';

export class LossLog {
  /** Of each kind, the entries with their counts. */
  readonly #counts = new Map<Kind, Map<string, { readonly parts: readonly string[]; count: number }>>();
  /** While something is mapped without its being counted. */
  isPaused = false;

  add(kind: Kind, value: string, ...more: readonly string[]): void {
    if (this.isPaused) return;
    const counts = this.#counts.get(kind) ?? new Map();
    this.#counts.set(kind, counts);
    const short = value.length > LONGEST_VALUE ? `${value.slice(0, LONGEST_VALUE - 1)}…` : value;
    const key = JSON.stringify([short, ...more]);
    const isFull = counts.size >= MOST_VALUES && !counts.has(key);
    const [name, parts] = isFull ? ['', ['(other values)']] : [key, [short, ...more]];
    const entry = counts.get(name) ?? { parts, count: 0 };
    counts.set(name, entry);
    entry.count++;
  }

  clear(): void {
    this.#counts.clear();
  }

  report(unusedColumns: LossReport['unusedColumns']): LossReport {
    return {
      unusedColumns,
      unmappedValues: this.#entries('unmapped', ([value, field = '', action = ''], count) => {
        return { field, value, count, action };
      }),
      agentsWithoutId: this.#entries('agent', ([agent, fallback], count) => {
        return { agent, count, fallback: fallback || undefined };
      }),
      unknownAuthors: this.#entries('author', ([author], count) => ({ author, count })),
      notHeld: this.#entries('notHeld', ([what], count) => ({ what, count })),
    };
  }

  /** Most frequent first, ties as they came. */
  #entries<T>(kind: Kind, make: (parts: readonly [string, ...string[]], count: number) => T): T[] {
    return [...(this.#counts.get(kind)?.values() ?? [])]
      .sort((a, b) => b.count - a.count)
      .map(({ parts: [value = '', ...more], count }) => make([value, ...more], count));
  }
}
