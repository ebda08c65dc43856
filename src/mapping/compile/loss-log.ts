/** Collects, over all tickets of a pass, what of the source does not arrive. Bounded memory. */
import type { LossReport } from '../../domain/survey.ts';

/** Past this many distinct entries of a kind, new ones are counted together. */
const MOST_VALUES = 1000;
const LONGEST_VALUE = 200;

type Kind = 'unmapped' | 'agent' | 'author' | 'notHeld';

export class LossLog {
  /** Of each kind, the entries with their counts. */
  readonly #counts = new Map<Kind, Map<string, { readonly parts: readonly string[]; count: number }>>();
  /** While something is mapped without its being counted. */
  isPaused = false;

  unmapped(field: string, value: string, action: string): void {
    this.#add('unmapped', value, field, action);
  }

  agentWithoutId(agent: string, fallback: string | undefined): void {
    this.#add('agent', agent, fallback ?? '');
  }

  unknownAuthor(author: string): void {
    this.#add('author', author);
  }

  notHeld(what: string): void {
    this.#add('notHeld', what);
  }

  clear(): void {
    this.#counts.clear();
  }

  report(unusedColumns: LossReport['unusedColumns']): LossReport {
    return {
      unusedColumns,
      unmappedValues: this.#entries('unmapped').map(
        ({ parts: [value = '', field = '', action = ''], count }) => {
          return { field, value, count, action };
        },
      ),
      agentsWithoutId: this.#entries('agent').map(({ parts: [agent = '', fallback], count }) => {
        return { agent, count, fallback: fallback || undefined };
      }),
      unknownAuthors: this.#entries('author').map(({ parts: [author = ''], count }) => ({ author, count })),
      notHeld: this.#entries('notHeld').map(({ parts: [what = ''], count }) => ({ what, count })),
    };
  }

  #add(kind: Kind, value: string, ...more: readonly string[]): void {
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

  /** Most frequent first, ties as they came. */
  #entries(kind: Kind) {
    return [...(this.#counts.get(kind)?.values() ?? [])].sort((a, b) => b.count - a.count);
  }
}
