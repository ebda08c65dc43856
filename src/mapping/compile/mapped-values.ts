/** What maps to what, as shared objects: a ticket has many such values and an export has few different ones. */
import type { MappedValue } from '../../domain/mapped.ts';

/** Distinct values that are kept; beyond, each occurrence is an object of its own. */
const MOST = 4000;
const LONGEST = 200;

export class MappedValues {
  readonly #known: Record<MappedValue['kind'], Map<string, Map<string, MappedValue>>> = {
    status: new Map(),
    priority: new Map(),
    actor: new Map(),
    contentType: new Map(),
  };
  #size = 0;

  of(kind: MappedValue['kind'], from: string, to: string): MappedValue {
    const byTarget = this.#known[kind];
    const bySource = byTarget.get(to);
    const known = bySource?.get(from);
    if (known !== undefined) return known;
    const value: MappedValue = { kind, from: from.slice(0, LONGEST), to: to.slice(0, LONGEST) };
    if (this.#size < MOST) {
      this.#size++;
      if (bySource === undefined) byTarget.set(to, new Map([[from, value]]));
      else bySource.set(from, value);
    }
    return value;
  }
}
