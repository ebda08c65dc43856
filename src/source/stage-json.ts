import type { JsonObject } from '../domain/source.ts';
import { isJsonObject, type JsonCollection } from '../domain/source-file.ts';
import { stop } from '../domain/text/stops.ts';
import { jsonRow, parseRecord, type SplitValue, splitDocuments, valuesOf } from './json.ts';
import { LINES, pathName, type Stage } from './stage.ts';
import type { FileToStage, Stager } from './stage-csv.ts';
import { stagedFile } from './staged-file.ts';

export function jsonStager(source: FileToStage): Stager {
  const { stage, file } = source;
  const isLines = file.format === 'jsonl';
  const split = isLines ? lineSplitter(source) : documentSplitter(source);
  const lists = new Map<string, readonly string[]>();
  let isEmpty = true;
  const all = { count: 0, length: 0 };
  const bad = { count: 0, length: 0 };
  let unreadable: string | undefined;
  return {
    take: (part, isLast) => {
      const values = split(part, isLast);
      for (const value of values) {
        const { path, text, line, column } = value;
        source.look(line, text);
        const name = pathName(path);
        const row = jsonRow(text);
        // A document that is an object is a record only if a table says so.
        const isRecord = isLines || path !== undefined;
        const found = isRecord ? defectOf(row.text, value, isLines) : undefined;
        const defect = value.error === undefined ? found : { error: value.error, raw: 0 };
        isEmpty = false;
        for (const sum of defect === undefined ? [all] : [all, bad]) {
          sum.count++;
          sum.length += text.length;
        }
        if (defect !== undefined) unreadable ??= isLines ? `Line ${line}: ${defect.error}` : defect.error;
        stage.add(name, { file: file.id, line, column, error: null, ...row, ...defect });
        if (path !== undefined) lists.set(name, path);
      }
      return values.length;
    },
    file: (bytes) => {
      // A broken document says where; for lines their number may say too little.
      const share = isLines && bad.count > 0 ? bad.length / all.length : 0;
      if (share > 0.01 && share * all.count > 2 * bad.count)
        source.lines.add('unreadable-share', { share: Math.round(100 * share) });
      const collections = () => collectionsOf(stage, file.id, lists);
      const isKnown = isEmpty || collections().length > 0;
      const why = isKnown ? undefined : (unreadable ?? 'It has no fields.');
      return stagedFile(stage, { ...file, bytes }, { collections, unreadable: why });
    },
  };
}

/** By column in a line, by line and column in a document. */
function defectOf(
  text: string,
  { line, column }: SplitValue,
  isLine: boolean,
): { readonly error: string; readonly raw: number | null } | undefined {
  const parsed = parseRecord(text);
  if ('object' in parsed) return undefined;
  const { what, index } = parsed;
  if (index === undefined) return { error: `${what}.`, raw: null };
  const before = text.slice(0, index).split('\n');
  const at = (before.length > 1 ? 0 : column) + (before.at(-1)?.length ?? 0) + 1;
  const where = isLine ? `column ${at}` : `line ${line + before.length - 1}, column ${at}`;
  return { error: `This is not valid JSON at ${where}: ${what}.`, raw: index };
}

type Splitter = (part: string, isLast: boolean) => SplitValue[];

function documentSplitter({ file, maxDocument, maxLength }: FileToStage): Splitter {
  const parts: string[] = [];
  let length = 0;
  return (part, isLast) => {
    parts.push(part);
    length += part.length;
    if (length > maxDocument) throw stop('large-document', { file: file.name, most: maxDocument / 2 ** 20 });
    return isLast ? splitDocuments(parts.join(''), maxLength) : [];
  };
}

function lineSplitter({ file, maxLength }: FileToStage): Splitter {
  /** A long line may come in thousands of parts, so they are joined once. */
  let begun: string[] = [];
  let length = 0;
  let line = 0;
  const check = (length: number, at: number) => {
    if (length <= maxLength) return;
    const most = `${Math.round(maxLength / 2 ** 20)} MiB`;
    throw stop('long-line', { file: file.name, at: String(at), most });
  };
  return (part, isLast) => {
    const end = isLast ? part.length : part.lastIndexOf('\n');
    const lines = end < 0 ? [] : [...begun, part.slice(0, end)].join('').split('\n');
    if (end >= 0) [begun, length] = [[], 0];
    begun.push(part.slice(end + 1));
    length += part.length - end - 1;
    const found = lines.flatMap((each): SplitValue[] => {
      check(each.length, ++line);
      const text = each.replace(/\r$/, '');
      const place = { path: undefined, line, column: 0 };
      if (text.trim() === '') return [];
      return valuesOf(text)?.map((value) => ({ ...place, ...value })) ?? [{ ...place, text }];
    });
    check(length, line + 1);
    return found;
  };
}

const SAMPLE = 100;
const LEVELS = 3;
/** A few larger records are looked at too. */
const SAMPLE_CHARACTERS = 16 * 1024 * 1024;

/** Records of a file at a path, some of every kind, so that a rare stream among many is seen. */
const SAMPLED = `SELECT text FROM row JOIN (
    SELECT id, row_number() OVER (PARTITION BY kind ORDER BY id) AS turn FROM (
      SELECT id, json_array(text ->> 'type', text ->> 'stream', text ->> 'table', text ->> 'object', text ->> '_type',
        text ->> '$.record.stream') AS kind
      FROM row WHERE id BETWEEN $first AND $last AND file = $file AND path = $path AND json_valid(text))
    ORDER BY turn, id LIMIT ${SAMPLE}) USING (id) ORDER BY turn, id`;

function sampleOf(stage: Stage, file: number, path: string): unknown[] {
  stage.flush();
  const stretch = stage.stretch(file, path);
  const texts = stage.database.prepare<[object], string>(SAMPLED).pluck();
  const sample: unknown[] = [];
  let characters = 0;
  for (const text of stretch === undefined ? [] : texts.iterate(stretch)) {
    const parsed = parseRecord(`{"value":${text}}`);
    if ('object' in parsed) sample.push(parsed.object['value']);
    characters += text.length;
    if (characters > SAMPLE_CHARACTERS) break;
  }
  return sample;
}

/** Outermost first. */
function collectionsOf(
  stage: Stage,
  file: number,
  lists: ReadonlyMap<string, readonly string[]>,
): JsonCollection[] {
  const found = new Map<string, { path: readonly string[] | undefined; sample: JsonObject[] }>();
  const add = (path: readonly string[] | undefined, objects: readonly JsonObject[]) => {
    const name = pathName(path);
    const known = found.get(name) ?? { path, sample: [] };
    found.set(name, known);
    known.sample.push(...objects.slice(0, SAMPLE - known.sample.length));
  };
  const enter = (object: JsonObject, path: readonly string[]) => {
    for (const [key, value] of Object.entries(object)) {
      const at = [...path, key];
      if (Array.isArray(value)) {
        const objects = value.slice(0, SAMPLE).filter(isJsonObject);
        if (objects.length > 0 && !lists.has(pathName(at))) add(at, objects);
      } else if (isJsonObject(value) && at.length < LEVELS) enter(value, at);
    }
  };
  for (const value of sampleOf(stage, file, LINES)) {
    if (Array.isArray(value)) add([], value.filter(isJsonObject));
    else if (isJsonObject(value)) {
      add(undefined, [value]);
      enter(value, []);
    }
  }
  for (const [name, path] of lists) add(path, sampleOf(stage, file, name).filter(isJsonObject));
  return [...found.values()]
    .filter(({ sample }) => sample.length > 0)
    .sort((a, b) => (a.path?.length ?? -1) - (b.path?.length ?? -1));
}
