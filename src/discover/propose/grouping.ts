/**
 * What a column is, told by its variation within the rows of one ticket: what is constant there is a field of the ticket,
 * what varies is a field of the message.
 */
import type { TableProfile } from '../table-profile.ts';
import { nullText } from '../value-kind.ts';
import type { ScopeColumn } from './concepts.ts';
import { pathsOf } from './dates-and-clocks.ts';

/** Groups of several rows in which a column has several values, of those in which it has any: from so large a share on it varies. */
const VARIES = 0.25;

/** What a mail program writes before the subject of an answer. */
const ANSWERED = /^(?:(?:re|aw|antw|sv|vs|odp|res|rif|fwd?|wg|tr|rv|enc|i)\s?:\s?)+/i;

export class Grouping {
  readonly #varied = new Map<string, number>();
  readonly #filled = new Map<string, number>();
  #groups = 0;

  constructor(table: TableProfile, key: string) {
    const groups = Map.groupBy(table.firstRows, (row) => row.get(key) ?? '');
    groups.delete('');
    for (const rows of groups.values()) {
      if (rows.length < 2) continue;
      this.#groups++;
      for (const { name } of table.columns) {
        const [first = '', ...others] = rows.map((row) => valueIn(row, name));
        if (first !== '' || others.some((value) => value !== '')) add(this.#filled, name);
        // what stands in the first row alone is said once for all
        const isSaidOnce = first !== '' && others.every((value) => value === '');
        if (!isSaidOnce && others.some((value) => value !== first)) add(this.#varied, name);
      }
    }
  }

  /** Whether there are rows to compare. */
  get tells(): boolean {
    return this.#groups >= 2;
  }

  varies({ path }: Pick<ScopeColumn, 'path'>): boolean {
    return pathsOf(path).some(
      (each) => (this.#varied.get(each) ?? 0) >= VARIES * Math.max(1, this.#filled.get(each) ?? 0),
    );
  }

  /** In every group the same. */
  isConstant({ path }: Pick<ScopeColumn, 'path'>): boolean {
    return !pathsOf(path).some((each) => this.#varied.has(each));
  }
}

function valueIn(row: ReadonlyMap<string, string>, name: string): string {
  const text = row.get(name) ?? '';
  return nullText(text) === undefined ? text.replace(ANSWERED, '') : '';
}

function add(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}
