/** Which object of a record is the row of a table: `where` and `unwrap` of a selector, as pure functions. */
import type { JsonObject } from './source.ts';
import type { RecordSelector } from './source-file.ts';

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value at a path of own keys and, in arrays, of indexes; undefined where it leads nowhere. Never follows a prototype. */
export function valueAt(value: unknown, path: readonly string[]): unknown {
  let at = value;
  for (const key of path) {
    if (Array.isArray(at) && /^\d+$/.test(key)) at = at[Number(key)];
    else if (isJsonObject(at) && Object.hasOwn(at, key)) at = at[key];
    else return undefined;
  }
  return at;
}

/** The row's object; undefined when `where` leaves the record out; a sentence when `unwrap` leads to no object. */
export function selectObject(
  record: JsonObject,
  selector: RecordSelector | undefined,
): JsonObject | string | undefined {
  if (selector === undefined) return record;
  const { where, unwrap } = selector;
  if (where !== undefined) {
    const value = valueAt(record, where.path);
    if (value === undefined || value === null || !where.oneOf.includes(String(value))) return undefined;
  }
  if (unwrap === undefined || unwrap.length === 0) return record;
  const inner = valueAt(record, unwrap);
  return isJsonObject(inner) ? inner : `The record has no object at ${unwrap.join('.')}.`;
}
