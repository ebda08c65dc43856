/** Rows found by key from a mapping: the place from the database, the row from the file or from the last ones used. */
import { AppError } from '../../domain/errors.ts';
import type { Row } from '../../domain/source.ts';
import type { KeySpec } from '../../domain/stage-plan.ts';
import { inputAt, toRow } from './child-rows.ts';
import { joinKey } from './key-reader.ts';
import type { RowPlace } from './keyed-rows.ts';
import { type PlanInput, specName } from './plan-inputs.ts';
import { RowCache } from './row-cache.ts';
import { lookupName, type StageStores } from './stage-stores.ts';

export class Lookups {
  readonly #inputs: readonly PlanInput[];
  readonly #stores: StageStores;
  readonly #cache = new RowCache();

  constructor(inputs: readonly PlanInput[], stores: StageStores) {
    this.#inputs = inputs;
    this.#stores = stores;
  }

  find(table: string, columns: KeySpec, values: readonly string[]): Row | undefined {
    const key = joinKey(values.map((value) => value.trim()));
    if (key === '') return undefined;
    const name = lookupName(table, specName(columns));
    const cached = this.#cache.get(`${name} ${key}`);
    if (cached !== undefined) return cached.row;
    const rows = this.#stores.lookups.get(name);
    if (rows === undefined) {
      throw new AppError('internal', `The plan has no lookup in ${table} by ${columns.join(', ')}.`);
    }
    const place = rows.first(key);
    const row = place === undefined ? undefined : this.#read(table, place);
    this.#cache.set(`${name} ${key}`, row);
    return row;
  }

  #read(table: string, [index, offset, length, line]: RowPlace): Row | undefined {
    const { file, selector } = inputAt(this.#inputs, index);
    const [record] = file.fetchSync([{ file: file.id, offset, length, line }], selector);
    return record === undefined || record.error !== undefined ? undefined : toRow(table, record);
  }
}
