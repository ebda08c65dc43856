/** The different values of a column with their counts, as long as they are few; memory is bounded. */

export interface ValueCount {
  readonly value: string;
  readonly count: number;
}

/** More different values than this are no set of values. */
const MOST_VALUES = 250;
/** A value of a set is a word or a few; longer ones are texts. In UTF-16 units. */
const LONGEST_VALUE = 120;

export class DistinctValues {
  #counts: Map<string, number> | undefined = new Map();

  add(value: string): void {
    const counts = this.#counts;
    if (counts === undefined) return;
    const known = counts.get(value);
    if (known !== undefined) counts.set(value, known + 1);
    else if (counts.size >= MOST_VALUES || value.length > LONGEST_VALUE) this.#counts = undefined;
    else counts.set(value, 1);
  }

  /** Most frequent first, then in the order of their text; undefined when there are too many. */
  list(): ValueCount[] | undefined {
    if (this.#counts === undefined) return undefined;
    return [...this.#counts]
      .map(([value, count]) => ({ value, count }))
      .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : a.value > b.value ? 1 : 0));
  }
}
