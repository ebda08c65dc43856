/**
 * Records of one ticket in several files: a list and its details, an export and the next one. The fuller one stands, field by
 * field; what it lacks is read from the others, and lists are united (`mapping/compile/column-access.ts`). Records that
 * contradict each other are no parts of one ticket: ids of two systems may be the same.
 */
import type { MergedRecords } from '../../domain/join-plan.ts';
import type { Row, SourceItem } from '../../domain/source.ts';
import type { SourceFile } from '../../domain/source-file.ts';
import type { PlanInput } from './plan-inputs.ts';
import type { RowValues } from './row-keys.ts';

/** Of the values that both have more than this share have to be the same. */
const ALIKE = 0.5;
/** Shorter ones, `open` or `high`, are the same in many tickets. */
const TELLING = 8;

type Values = ReadonlyMap<string, string>;

/** The filled values of a record, but for lists; keys in small letters. */
export function valuesOf({ cells, object }: RowValues, file: Pick<SourceFile, 'outline'>): Values {
  const values = new Map<string, string>();
  const add = (name: string, value: unknown) => {
    const text = typeof value === 'string' ? value.trim() : value === null ? '' : String(value ?? '');
    if (text !== '') values.set(name.trim().toLowerCase(), text);
  };
  const walk = (prefix: string, inner: object) => {
    for (const [key, value] of Object.entries(inner)) {
      if (typeof value === 'object' && value !== null) {
        if (!Array.isArray(value)) walk(`${prefix}${key}.`, value);
      } else add(`${prefix}${key}`, value);
    }
  };
  if (object !== undefined) walk('', object);
  cells?.forEach((cell, at) => {
    add(file.outline.header?.[at] ?? '', cell);
  });
  return values;
}

export function areOneTicket(id: string, one: Values, other: Values): boolean {
  const common = [...one].filter(([name, value]) => other.has(name) && value !== id);
  const telling = common.filter(([, { length }]) => length >= TELLING);
  const compared = telling.length > 0 ? telling : common;
  const same = compared.filter(([name, value]) => other.get(name) === value);
  return compared.length === 0 || same.length > ALIKE * compared.length;
}

/** Puts tickets together, and counts what differs. */
export class Merging {
  readonly #inputs: readonly PlanInput[];
  readonly #differing = new Map<string, number>();
  #tickets = 0;
  #ticket = '';

  constructor(inputs: readonly PlanInput[]) {
    this.#inputs = inputs;
  }

  get merged(): MergedRecords | undefined {
    return this.#tickets === 0
      ? undefined
      : { tickets: this.#tickets, ticket: this.#ticket, differing: this.#differing };
  }

  /** The ticket with the fullest of its records as its row. */
  whole(item: SourceItem): SourceItem {
    if (item.kind !== 'ticket' || item.row.also === undefined) return item;
    const { also, ...own } = item.row;
    const mine = this.#values(own);
    const parts = also.filter((row) => areOneTicket(item.externalId, mine, this.#values(row)));
    if (parts.length === 0) return { ...item, row: own };
    const [row = own, ...others] = [own, ...parts].toSorted((a, b) => this.#weight(b) - this.#weight(a));
    this.#note(item.externalId, row, others);
    return { ...item, row: { ...row, also: others } };
  }

  #values(row: Row): Values {
    const file = this.#inputs.find((input) => input.file.id === row.ref.file)?.file;
    return file === undefined ? new Map() : valuesOf(row, file);
  }

  #weight(row: Row): number {
    return this.#values(row).size * 1_000_000 + Math.min(row.ref.length, 999_999);
  }

  #note(id: string, row: Row, others: readonly Row[]): void {
    this.#tickets++;
    this.#ticket ||= id;
    const mine = this.#values(row);
    const names = others.flatMap((other) =>
      [...this.#values(other)].flatMap(([name, value]) =>
        mine.has(name) && mine.get(name) !== value ? [name] : [],
      ),
    );
    for (const name of new Set(names)) this.#differing.set(name, (this.#differing.get(name) ?? 0) + 1);
  }
}
