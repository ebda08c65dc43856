/** Records of several kinds in one file or stream, told apart by a field that names the kind: `{type: ticket, data: {…}}`. */
import type { JsonObject } from '../domain/source.ts';
import { type Collection, narrowed } from '../mapping/detect/collections.ts';

/** A table among records of several kinds. */
export interface KindOfRecord {
  readonly column: string;
  readonly value: string;
  /** Where in the record its own fields stand. */
  readonly unwrap: string | undefined;
}

const LEAST_SAMPLES = 4;
const MOST_KINDS = 12;
/** So many of their fields two kinds may have in common: a comment that is a note has all those of one that is a reply. */
const ALIKE = 0.6;
const WORD = /^[\p{L}][\p{L}\p{N} ._:/-]{0,39}$/u;

/** One collection for each kind; the collection itself where all its records are of one. */
export function byKind(collection: Collection): readonly (Collection & { readonly kind?: KindOfRecord })[] {
  const { samples, format, stream } = collection;
  const [first] = samples;
  if (format === 'csv' || stream !== undefined || first === undefined || samples.length < LEAST_SAMPLES)
    return [collection];
  for (const column of Object.keys(first)) {
    const values = new Set(samples.map((sample) => sample[column]));
    if (values.size < 2 || values.size > MOST_KINDS) continue;
    const words = [...values].filter((value) => typeof value === 'string' && WORD.test(value)) as string[];
    if (words.length < values.size) continue;
    const unwrap = wrapper(samples);
    const kinds = words.map((value) => ({
      ...narrowed(collection, unwrap, { column, in: [value] }),
      kind: { column, value, unwrap },
    }));
    if (areDifferent(kinds.map(({ columns }) => columns.filter((name) => name !== column)))) return kinds;
  }
  return [collection];
}

/** The one field that holds an object in every record, beside no other. */
function wrapper(samples: readonly JsonObject[]): string | undefined {
  const objects = (sample: JsonObject) =>
    Object.entries(sample).flatMap(([key, value]) =>
      typeof value === 'object' && value !== null && !Array.isArray(value) ? [key] : [],
    );
  const [name, ...others] = new Set(samples.flatMap(objects));
  const isEverywhere = samples.every((sample) => objects(sample).length === 1);
  return others.length === 0 && isEverywhere && samples.every((sample) => Object.keys(sample).length <= 4)
    ? name
    : undefined;
}

function areDifferent(kinds: readonly (readonly string[])[]): boolean {
  return kinds.every((one, at) =>
    kinds.slice(at + 1).every((other) => {
      const common = one.filter((column) => other.includes(column)).length;
      return common <= ALIKE * Math.min(one.length, other.length);
    }),
  );
}
