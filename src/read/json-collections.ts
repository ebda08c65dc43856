/** Places where records stand in the documents (or the lines) of a file, with samples that show all of their kinds. */
import { isJsonObject, valueAt } from '../domain/select-record.ts';
import type { JsonObject } from '../domain/source.ts';
import type { JsonCollection } from '../domain/source-file.ts';

const LEVELS = 3;
const SAMPLE = 100;

/** `documents`: roots as found in the file, objects or arrays. Outermost first, then in the order found. */
export function collectionsIn(documents: readonly unknown[]): JsonCollection[] {
  const found = new Map<string, { path: readonly string[] | undefined; objects: JsonObject[] }>();
  const add = (path: readonly string[] | undefined, objects: JsonObject[]) => {
    const key = JSON.stringify(path ?? null);
    const known = found.get(key);
    if (known === undefined) found.set(key, { path, objects: [...objects] });
    else if (known.objects.length < 20 * SAMPLE) known.objects.push(...objects);
  };
  const enter = (object: JsonObject, path: readonly string[]) => {
    for (const [key, value] of Object.entries(object)) {
      const at = [...path, key];
      if (Array.isArray(value)) {
        const objects = value.slice(0, SAMPLE).filter(isJsonObject);
        if (objects.length > 0) add(at, objects);
      } else if (isJsonObject(value) && at.length < LEVELS) {
        enter(value, at);
      }
    }
  };
  for (const document of documents) {
    if (Array.isArray(document)) add([], document.filter(isJsonObject));
    else if (isJsonObject(document)) add(undefined, [document]);
  }
  for (const document of documents) if (isJsonObject(document)) enter(document, []);
  return [...found.values()]
    .map(({ path, objects }) => ({ path, sample: tellingSample(objects) }))
    .sort((a, b) => (a.path?.length ?? -1) - (b.path?.length ?? -1));
}

/** Where the kind of a record is written in streams that mix several. */
const KIND_PATHS: readonly (readonly string[])[] = [
  ['type'],
  ['stream'],
  ['table'],
  ['object'],
  ['record', 'stream'],
  ['_type'],
];

/**
 * At most 100 objects in their order, of every kind and every set of keys some: taken in turns from groups by kind, and
 * in these from groups by keys, so that a stream that is rare among many others is seen.
 */
export function tellingSample(objects: readonly JsonObject[]): JsonObject[] {
  if (objects.length <= SAMPLE) return [...objects];
  const kinds = new Map<string, Map<string, number[]>>();
  objects.forEach((object, index) => {
    const kind = JSON.stringify(KIND_PATHS.map((path) => shortText(valueAt(object, path))));
    const byKeys = kinds.get(kind) ?? new Map<string, number[]>();
    kinds.set(kind, byKeys);
    const keys = keySet(object, LEVELS);
    const group = byKeys.get(keys) ?? [];
    byKeys.set(keys, group);
    group.push(index);
  });
  const queues = [...kinds.values()].map((byKeys) => inTurns([...byKeys.values()]));
  return inTurns(queues)
    .slice(0, SAMPLE)
    .sort((a, b) => a - b)
    .map((index) => objects[index])
    .filter((object) => object !== undefined);
}

/** The first of every group, then the second of every group, and so on. */
function inTurns(groups: readonly (readonly number[])[]): number[] {
  const taken: number[] = [];
  const longest = Math.max(0, ...groups.map((group) => group.length));
  for (let turn = 0; turn < longest; turn++) {
    for (const group of groups) {
      const index = group[turn];
      if (index !== undefined) taken.push(index);
    }
  }
  return taken;
}

function shortText(value: unknown): string | undefined {
  return typeof value === 'string' && value.length <= 100 ? value : undefined;
}

function keySet(object: JsonObject, levels: number): string {
  const keys = Object.entries(object).map(([key, value]) =>
    levels > 1 && isJsonObject(value) ? `${key}{${keySet(value, levels - 1)}}` : key,
  );
  return keys.sort().join(',');
}
