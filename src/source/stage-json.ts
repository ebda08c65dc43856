/** The records of JSONL and of JSON documents, from their text to the stage. */
import { AppError } from '../domain/errors.ts';
import type { JsonObject } from '../domain/source.ts';
import { isJsonObject, type JsonCollection } from '../domain/source-file.ts';
import { jsonRow, parseRecord, type SplitValue, splitDocuments } from './json.ts';
import { pathName } from './stage.ts';
import type { FileToStage, Stager } from './stage-csv.ts';
import { stagedFile } from './staged-file.ts';

export function jsonStager(source: FileToStage): Stager {
  const { stage, file } = source;
  const isLines = file.format === 'jsonl';
  const split = isLines ? lineSplitter(source) : documentSplitter(source);
  const documents = new Sample();
  const lists = new Map<string, { readonly path: readonly string[]; readonly sample: Sample }>();
  let isEmpty = true;
  let unreadable: string | undefined;
  return {
    take: (part, isLast) => {
      const values = split(part, isLast);
      for (const value of values) {
        const { path, text, line, column } = value;
        source.look(line, text);
        const name = pathName(path);
        const row = jsonRow(text);
        // A document that is an object is a record only where a table says so.
        const isRecord = isLines || path !== undefined;
        const found = isRecord ? defectOf(row.text, value, isLines) : undefined;
        const defect = value.error === undefined ? found : { error: value.error, raw: 0 };
        isEmpty = false;
        if (defect !== undefined) unreadable ??= isLines ? `Line ${line}: ${defect.error}` : defect.error;
        stage.add(name, { file: file.id, line, column, error: null, ...row, ...defect });
        if (value.error !== undefined) continue;
        if (path !== undefined && !lists.has(name)) lists.set(name, { path, sample: new Sample() });
        (lists.get(name)?.sample ?? documents).add(row.text);
      }
      return values.length;
    },
    file: (bytes) => {
      const collections = collectionsOf(documents.texts(), lists);
      const why = collections.length > 0 || isEmpty ? undefined : (unreadable ?? 'It has no fields.');
      return stagedFile(stage, { ...file, bytes }, { collections, unreadable: why });
    },
  };
}

/** Why a text is no record, in a sentence, and where: in a line by its column, in a document by line and column. */
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

/** A document is read as a whole. */
function documentSplitter({ file, maxDocument, maxLength }: FileToStage): Splitter {
  const parts: string[] = [];
  let length = 0;
  return (part, isLast) => {
    parts.push(part);
    length += part.length;
    if (length > maxDocument)
      throw new AppError(
        'source',
        `${file.name} is a JSON document of more than ${maxDocument / 2 ** 20} MiB.`,
        {
          hint: `Make it JSONL, which may be of any size: jq -c '.tickets[]' ${file.name} > tickets.jsonl (or '.[]' for a list), and name that file.`,
        },
      );
    return isLast ? splitDocuments(parts.join(''), maxLength) : [];
  };
}

/** The lines of JSONL, without blank ones. */
function lineSplitter({ file, maxLength }: FileToStage): Splitter {
  let text = '';
  let line = 0;
  return (part, isLast) => {
    const lines = (text + part).split('\n');
    text = isLast ? '' : (lines.pop() ?? '');
    const check = (each: string, at: number) => {
      if (each.length <= maxLength) return;
      const most = `${Math.round(maxLength / 2 ** 20)} MiB`;
      throw new AppError('source', `${file.name}:${at}: the line is longer than ${most}.`, {
        hint: 'Check the line ends of the file.',
      });
    };
    const found = lines.flatMap((each): SplitValue[] => {
      check(each, ++line);
      return each.trim() === '' ? [] : [{ path: undefined, text: each.replace(/\r$/, ''), line, column: 0 }];
    });
    check(text, line + 1);
    return found;
  };
}

const SAMPLE = 100;
const KINDS = 100;
/** Levels of objects that are entered in search of lists of records. */
const LEVELS = 3;
/** Larger records are looked at too, but not many of them. */
const SAMPLE_CHARACTERS = 16 * 1024 * 1024;
/** Where the kind of a record is named in streams that mix several. */
const KIND = /"(?:type|stream|table|object|_type)"\s*:\s*"([^"]{1,60})"/g;

/** Texts of records by their kind, so that a stream that is rare among many others is seen. */
class Sample {
  readonly #kinds = new Map<string, string[]>();
  #characters = 0;

  add(text: string): void {
    if (this.#characters > SAMPLE_CHARACTERS) return;
    const kind = [...text.slice(0, 4096).matchAll(KIND)].map(([, name]) => name).join(' ');
    const known = this.#kinds.get(kind) ?? [];
    if (known.length >= SAMPLE || (known.length === 0 && this.#kinds.size >= KINDS)) return;
    this.#characters += text.length;
    known.push(text);
    this.#kinds.set(kind, known);
  }

  /** At most 100, of every kind some: taken from the kinds in turns. */
  texts(): string[] {
    const lists = [...this.#kinds.values()];
    const inTurns = Array.from({ length: SAMPLE }, (_, at) => lists.flatMap((list) => list[at] ?? []));
    return inTurns.flat().slice(0, SAMPLE);
  }
}

/** The collections of a file: outermost first, then in the order found. `documents`: samples of lines, or of a document. */
function collectionsOf(
  documents: readonly string[],
  lists: ReadonlyMap<string, { readonly path: readonly string[]; readonly sample: Sample }>,
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
  const parsed = parseRecord(`{"value":${text}}`);
  return 'object' in parsed ? parsed.object['value'] : undefined;
}
