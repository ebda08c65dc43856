/** Records that are members of an object: their text begins with the key, `"1041": { … }`. */
import { KEY_COLUMN } from '../../domain/join-plan.ts';
import type { JsonObject } from '../../domain/source.ts';

/** Where the value begins in the text of a member; 0 in that of a record without a key. */
export function valueStart(text: string): number {
  return /^"(?:[^"\\]|\\.)*"\s*:\s*/s.exec(text)?.[0].length ?? 0;
}

/** Whoever goes through the columns of the record does not come upon its key, which is none of them. */
export function noteKey(object: JsonObject, key: string): void {
  Object.defineProperty(object, KEY_COLUMN, { value: key, enumerable: false, configurable: true });
}
