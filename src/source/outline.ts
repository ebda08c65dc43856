/** What a look at a JSON file shows: where its records are, with samples of all kinds of them. */
import type { JsonObject } from '../domain/source.ts';
import { isJsonObject, type JsonCollection } from '../domain/source-file.ts';
import { parseRecord } from './json.ts';

const SAMPLE = 100;
const KINDS = 100;
/** Levels of objects that are entered in search of lists of records. */
const LEVELS = 3;
/** Larger records are looked at too, but not many of them. */
const SAMPLE_CHARACTERS = 16 * 1024 * 1024;

/** Where the kind of a record is named in streams that mix several. */
const KIND = /"(?:type|stream|table|object|_type)"\s*:\s*"([^"]{1,60})"/g;

/** Texts of records by their kind, so that a stream that is rare among many others is seen. */
export class Sample {
  readonly #kinds = new Map<string, string[]>();
  #characters = 0;

  add(text: string): void {
    if (this.#characters > SAMPLE_CHARACTERS) return;
    const kind = [...text.slice(0, 4096).matchAll(KIND)].map(([, name]) => name).join(' ');
    const known = this.#kinds.get(kind);
    if (known === undefined && this.#kinds.size >= KINDS) return;
    if (known !== undefined && known.length >= SAMPLE) return;
    this.#characters += text.length;
    if (known === undefined) this.#kinds.set(kind, [text]);
    else known.push(text);
  }

  /** At most 100, of every kind some: taken from the kinds in turns. */
  texts(): string[] {
    const lists = [...this.#kinds.values()];
    const longest = Math.max(0, ...lists.map(({ length }) => length));
    const inTurns = Array.from({ length: longest }, (_, at) => lists.flatMap((list) => list[at] ?? []));
    return inTurns.flat().slice(0, SAMPLE);
  }
}

/** The collections of a file: outermost first, then in the order found. `documents`: samples of lines, or of a document. */
export function collectionsOf(
  documents: readonly string[],
  lists: ReadonlyMap<string, { readonly path: readonly string[]; readonly sample: Sample }>,
): JsonCollection[] {
  const found = new Map<string, { path: readonly string[] | undefined; sample: JsonObject[] }>();
  const add = (path: readonly string[] | undefined, objects: readonly JsonObject[]) => {
    const key = JSON.stringify(path ?? null);
    const known = found.get(key) ?? { path, sample: [] };
    found.set(key, known);
    known.sample.push(...objects.slice(0, SAMPLE - known.sample.length));
  };
  const enter = (object: JsonObject, path: readonly string[]) => {
    for (const [key, value] of Object.entries(object)) {
      const at = [...path, key];
      if (Array.isArray(value)) {
        const objects = value.slice(0, SAMPLE).filter(isJsonObject);
        if (objects.length > 0 && !lists.has(JSON.stringify(at))) add(at, objects);
      } else if (isJsonObject(value) && at.length < LEVELS) enter(value, at);
    }
  };
  for (const text of documents) {
    const value = parsedValue(text);
    if (Array.isArray(value)) add([], value.filter(isJsonObject));
    else if (isJsonObject(value)) {
      add(undefined, [value]);
      enter(value, []);
    }
  }
  for (const { path, sample } of lists.values())
    add(path, sample.texts().map(parsedValue).filter(isJsonObject));
  return [...found.values()]
    .filter(({ sample }) => sample.length > 0)
    .sort((a, b) => (a.path?.length ?? -1) - (b.path?.length ?? -1));
}

/** An object, or a list of a line that has one. */
function parsedValue(text: string): unknown {
  if (!text.trimStart().startsWith('[')) {
    const parsed = parseRecord(text);
    return 'object' in parsed ? parsed.object : undefined;
  }
  const parsed = parseRecord(`{"elements":${text}}`);
  return 'object' in parsed ? parsed.object['elements'] : undefined;
}
