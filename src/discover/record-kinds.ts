/** Records of several kinds in one file or stream, told apart by a field that names the kind: `{type: ticket, data: {…}}`. */
import type { JsonObject } from '../domain/source.ts';
import { isJsonObject } from '../domain/source-file.ts';
import { type Collection, narrowed } from '../mapping/detect/collections.ts';
import { isInternalName, wordsOf } from './concept-words.ts';

/** A table among records of several kinds, or one whose records stand in an object each. */
export interface KindOfRecord {
  /** Undefined where all records are of the kind. */
  readonly column: string | undefined;
  /** What stands in the column; undefined: an object. */
  readonly values?: readonly string[];
  readonly name: string;
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
    const kinds = words.map((value) => {
      const { columns } = narrowed(collection, unwrap, { column, in: [value] });
      return { words: [value], columns: columns.filter((name) => name !== column) };
    });
    const different = alikeTogether(kinds, unwrap);
    if (different.length > 1)
      return different.map(({ words }) => ({
        ...narrowed(collection, unwrap, { column, in: words }),
        kind: { column, values: words, name: words.join(' '), unwrap },
      }));
  }
  return byWrapper(collection) ?? [collection];
}

/** Beside the object there may be a cursor, a time, an operation. */
const MOST_BESIDE = 2;
/** So many fields more than stand beside it an object has that is the record. */
const MORE_INSIDE = 3;

/** `{ticket: {…}}` and `{message: {…}}`: the field that holds the object tells the kind. */
function byWrapper(collection: Collection): (Collection & { readonly kind: KindOfRecord })[] | undefined {
  const names = collection.samples.map((sample) => {
    const fields = Object.entries(sample);
    const [only, ...others] = fields.filter(([, value]) => isJsonObject(value));
    if (only === undefined || others.length > 0 || fields.some(([, value]) => Array.isArray(value)))
      return undefined;
    const beside = fields.length - 1;
    const isInside = Object.keys(only[1] as JsonObject).length >= beside + MORE_INSIDE;
    return beside === 0 || (beside <= MOST_BESIDE && isInside) ? only[0] : undefined;
  });
  const kinds = new Set(names);
  if (kinds.has(undefined) || kinds.size > MOST_KINDS) return undefined;
  const tables = ([...kinds] as string[]).map((name) => ({
    ...narrowed(collection, name, kinds.size === 1 ? undefined : { column: name }),
    kind: { column: kinds.size === 1 ? undefined : name, name, unwrap: name },
  }));
  // few samples of one kind may be records with an object in them
  return tables.every(({ columns }) => columns.length > 1) ? tables : undefined;
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

interface Kind {
  readonly words: readonly string[];
  readonly columns: readonly string[];
}

/**
 * Kinds of nearly the same fields, `reply` and `note`, are one table, in which the word is a column like others. Where it
 * stands outside of the record, `internal_note` is a table of its own.
 */
function alikeTogether(kinds: readonly Kind[], unwrap: string | undefined): Kind[] {
  const together: Kind[] = [];
  for (const kind of kinds) {
    const alike = together.filter(
      (other) => areAlike(kind, other) && (unwrap === undefined || areInternal(kind) === areInternal(other)),
    );
    for (const other of alike) together.splice(together.indexOf(other), 1);
    const all = [...alike, kind];
    together.push({
      words: all.flatMap(({ words }) => words),
      columns: [...new Set(all.flatMap(({ columns }) => columns))],
    });
  }
  return together;
}

function areInternal({ words }: Kind): boolean {
  return isInternalName(words.flatMap(wordsOf));
}

function areAlike({ columns: one }: Kind, { columns: other }: Kind): boolean {
  const common = one.filter((column) => other.includes(column)).length;
  return common > ALIKE * Math.min(one.length, other.length);
}
