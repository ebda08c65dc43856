/** The same export in another shape: each dialect rewrites files as some program or person does, and loses nothing. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import iconv from 'iconv-lite';
import { expect } from 'vitest';
import type { MappingSettings } from '../../../src/mapping/compile/compile-layout.ts';
import { builtinLayouts } from '../../../src/mapping/detect/builtin-layouts.ts';
import type { Layout } from '../../../src/mapping/language/layout.ts';
import { tempFolder } from '../../source/temp-export.ts';
import { csvRow } from '../../support/csv-text.ts';
import { generateExport } from '../../support/generate-export.ts';
import { mapExport, payloads } from './map-export.ts';

type Json = Record<string, unknown>;

/** Rows of a CSV, or records of JSON with what is around their list. */
type Sheet = { readonly name: string; readonly encoding?: string; readonly lineEnd?: string } & (
  | {
      readonly header: readonly string[];
      readonly rows: readonly (readonly string[])[];
      readonly delimiter: string;
      readonly quoted?: boolean;
    }
  | {
      readonly records: readonly Json[];
      readonly around: 'lines' | ((records: readonly Json[]) => unknown);
      readonly indent?: number;
    }
);

export interface Shape {
  readonly sheets: readonly Sheet[];
  readonly settings: Partial<MappingSettings>;
}

const layouts = resolve(import.meta.dirname, '../../../fixtures/layouts');
export const GENERATED = 'generated';
export const EXPORTS: readonly string[] = [...readdirSync(layouts), GENERATED];

const shapes = new Map<string, Promise<Shape>>();

/** Read once. */
export function shapeOf(name: string): Promise<Shape> {
  const known = shapes.get(name) ?? readShape(name);
  shapes.set(name, known);
  return known;
}

async function readShape(name: string): Promise<Shape> {
  const folder = name === GENERATED ? tempFolder() : join(layouts, name);
  if (name === GENERATED) await generateExport({ dir: folder, tickets: 8, messages: 3, format: 'csv' });
  const read = (file: string) => readFileSync(join(folder, file), 'utf8');
  const files = readdirSync(folder).filter((file) => !/^(expected|settings)\.json$/.test(file));
  const settings = name === GENERATED ? {} : (JSON.parse(read('settings.json')) as Shape['settings']);
  return { sheets: files.map((file) => sheetOf(file, read(file))), settings };
}

function sheetOf(name: string, text: string): Sheet {
  if (/\.[ct]sv$/.test(name)) {
    const delimiter = name.endsWith('.tsv') ? '\t' : (/[,;]/.exec(text)?.[0] ?? ',');
    const [header = [], ...rows] = parse(text, { delimiter }) as string[][];
    return { name, header, rows, delimiter };
  }
  if (name.endsWith('.jsonl'))
    return {
      name,
      around: 'lines',
      records: text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Json),
    };
  return { name, ...opened(JSON.parse(text)) };
}

/** The list of records in a document, wherever it is, and how the document is made of it again. */
function opened(document: unknown): {
  records: readonly Json[];
  around: (records: readonly Json[]) => unknown;
} {
  if (Array.isArray(document)) return { records: document, around: (records) => records };
  for (const [key, value] of Object.entries(document as Json)) {
    if (
      Array.isArray(value) &&
      /^(_results|data|results|records|issues|admins|agents|requesters|tickets|conversations)$/.test(key)
    )
      return { records: value, around: (records) => ({ ...(document as Json), [key]: records }) };
    if (key !== '_embedded') continue;
    const inner = opened(value);
    return { ...inner, around: (records) => ({ ...(document as Json), [key]: inner.around(records) }) };
  }
  return { records: [document as Json], around: (records) => (records.length === 1 ? records[0] : records) };
}

/** File name → bytes. */
export function written({ sheets }: Shape): Record<string, Buffer> {
  return Object.fromEntries(sheets.map((sheet) => [sheet.name, bytesOf(sheet)]));
}

function bytesOf(sheet: Sheet): Buffer {
  const { encoding = 'utf-8', lineEnd = '\n' } = sheet;
  const text = 'header' in sheet ? csvText(sheet) : jsonText(sheet);
  return iconv.encode(text.replaceAll('\n', lineEnd), encoding.replace('-bom', ''), {
    addBOM: encoding.endsWith('-bom'),
  });
}

function csvText({ header, rows, delimiter, quoted }: Extract<Sheet, { header: unknown }>): string {
  const cell = (text: string) => `"${text.replaceAll('"', '""')}"`;
  const line = (cells: readonly string[]) =>
    quoted === true || delimiter !== ','
      ? `${cells.map((each) => (quoted === true || /["\n\r;|\t,]/.test(each) ? cell(each) : each)).join(delimiter)}\n`
      : csvRow(cells);
  return [header, ...rows].map(line).join('');
}

function jsonText({ records, around, indent }: Extract<Sheet, { records: unknown }>): string {
  if (around === 'lines') return records.map((record) => `${JSON.stringify(record)}\n`).join('');
  return JSON.stringify(around(records), undefined, indent);
}

// Dialects.

type Dialect = (shape: Shape) => Shape;

const sheets =
  (change: (sheet: Sheet) => Sheet | Sheet[]): Dialect =>
  (shape) => ({ ...shape, sheets: shape.sheets.flatMap(change) });
const csv = (change: (sheet: Extract<Sheet, { header: unknown }>) => Sheet): Dialect =>
  sheets((sheet) => ('header' in sheet ? change(sheet) : sheet));
const json = (change: (sheet: Extract<Sheet, { records: unknown }>) => Sheet): Dialect =>
  sheets((sheet) => ('records' in sheet ? change(sheet) : sheet));

/** Every value that is no object or list, with its key. `undefined` takes it out. */
function leaves(value: unknown, change: (leaf: unknown, key: string) => unknown, key = ''): unknown {
  if (Array.isArray(value)) return value.map((item) => leaves(item, change, key));
  if (typeof value !== 'object' || value === null) return change(value, key);
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) => {
      const changed = leaves(inner, change, name);
      return changed === undefined ? [] : [[name, changed]];
    }),
  );
}
const values = (change: (leaf: unknown, key: string) => unknown): Dialect =>
  sheets((sheet) =>
    'header' in sheet
      ? {
          ...sheet,
          rows: sheet.rows.map((row) =>
            row.map((cell, at) => String(change(cell, sheet.header[at] ?? '') ?? '')),
          ),
        }
      : { ...sheet, records: sheet.records.map((record) => leaves(record, change) as Json) },
  );

const absent = (word: unknown): Dialect => values((leaf) => (leaf === null || leaf === '' ? word : leaf));
/** In texts of people these words stay. */
const absentValue = (word: string): Dialect =>
  values((leaf, key) =>
    (leaf === null || leaf === '') &&
    !/body|content|text|description|comment|message|html|reply|note|resolution|respuesta/i.test(key)
      ? word
      : leaf,
  );
const truth = (yes: unknown, no: unknown): Dialect =>
  values((leaf) => (/^true$/i.test(String(leaf)) ? yes : /^false$/i.test(String(leaf)) ? no : leaf));
const isId = (key: string) => /^id$|_id$|[a-z]Id$/.test(key);
const ids = (change: (id: string) => unknown): Dialect =>
  values((leaf, key) => (isId(key) && /^[1-9]\d{0,8}$/.test(String(leaf)) ? change(String(leaf)) : leaf));

function renamed(value: unknown, change: (key: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => renamed(item, change));
  if (typeof value !== 'object' || value === null || 'version' in value) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [change(key), renamed(inner, change)]),
  );
}
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => reversed(item));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, inner]) => [key, reversed(inner)]),
  );
}
/** Objects within a record become keys with dots. */
function dotted(record: Json, before = ''): Json {
  return Object.fromEntries(
    Object.entries(record).flatMap(([key, value]): [string, unknown][] =>
      typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length > 0
        ? Object.entries(dotted(value as Json, `${before}${key}.`))
        : [[before + key, value]],
    ),
  );
}
const isEnvelope = (sheet: Sheet) =>
  'records' in sheet && sheet.records.some(({ type }) => type === 'RECORD');
const half = <T>(all: readonly T[]) => Math.ceil(all.length / 2);
const NOISE = { zz_noise: 'x', zz_more: 7 };

/** A CSV that a dialect made of JSON is not turned back: cells that hold lists would become texts. */
const isMade = ({ name }: Sheet) => /\.jsonl?\.csv$/.test(name);

function asCsv(sheet: Sheet, delimiter: string): Sheet {
  if ('header' in sheet || isEnvelope(sheet)) return sheet;
  const flat = sheet.records.map((record) => dotted(record));
  const header = [...new Set(flat.flatMap(Object.keys))];
  const cell = (value: unknown) =>
    value === undefined || value === null
      ? ''
      : typeof value === 'object'
        ? JSON.stringify(value)
        : String(value);
  return {
    name: `${sheet.name}.csv`,
    header,
    delimiter,
    rows: flat.map((record) => header.map((key) => cell(record[key]))),
  };
}
function asJson(
  sheet: Sheet,
  around: 'lines' | ((records: readonly Json[]) => unknown),
  empty: 'missing' | null | '',
): Sheet {
  if (!('header' in sheet) || new Set(sheet.header).size < sheet.header.length || isMade(sheet)) return sheet;
  const record = (row: readonly string[]): Json =>
    Object.fromEntries(
      sheet.header.flatMap((key, at): [string, unknown][] => {
        if (row[at] !== '') return [[key, row[at]]];
        return empty === 'missing' ? [] : [[key, empty]];
      }),
    );
  return { name: `${sheet.name}.json`, around, records: sheet.rows.map(record) };
}

export const DIALECTS: Readonly<Record<string, Dialect>> = {
  // another format comes first: what follows is for the format that it makes
  'JSON as CSV': sheets((sheet) => asCsv(sheet, ',')),
  'CSV as a list of objects without empty values': sheets((sheet) =>
    asJson(sheet, (records) => records, 'missing'),
  ),
  'CSV as lines of JSON with null': sheets((sheet) => asJson(sheet, 'lines', null)),
  'CSV as a list of objects with empty texts': sheets((sheet) => asJson(sheet, (records) => records, '')),
  'CSV with semicolons': csv((sheet) => ({ ...sheet, delimiter: ';' })),
  'CSV with tabs': csv((sheet) => ({ ...sheet, delimiter: '\t' })),
  'CSV with every cell in quotes': csv((sheet) => ({ ...sheet, quoted: true })),
  'line ends of Windows': sheets((sheet) => ({ ...sheet, lineEnd: '\r\n' })),
  'UTF-8 with a mark': sheets((sheet) => ({ ...sheet, encoding: 'utf-8-bom' })),
  'UTF-16, little end first': sheets((sheet) => ({ ...sheet, encoding: 'utf-16le-bom' })),
  'UTF-16, big end first': sheets((sheet) => ({ ...sheet, encoding: 'utf-16be-bom' })),
  'columns in another order': sheets((sheet) =>
    'records' in sheet
      ? { ...sheet, records: sheet.records.map((record) => reversed(record) as Json) }
      : new Set(sheet.header).size < sheet.header.length
        ? sheet
        : { ...sheet, header: sheet.header.toReversed(), rows: sheet.rows.map((row) => row.toReversed()) },
  ),
  'columns that say nothing': sheets((sheet) =>
    'records' in sheet
      ? {
          ...sheet,
          records: sheet.records.map((record) => (isEnvelope(sheet) ? record : { ...NOISE, ...record })),
        }
      : {
          ...sheet,
          header: [...Object.keys(NOISE), ...sheet.header],
          rows: sheet.rows.map((row) => [...Object.values(NOISE).map(String), ...row]),
        },
  ),
  // what stands in the value of an event is the user's own
  'columns in capitals': csv((sheet) => ({
    ...sheet,
    header: sheet.header.map((name) => (/^(?:old|new)Value\./.test(name) ? name : name.toUpperCase())),
  })),
  // the keys of a rich text are no columns
  'keys in capitals': json((sheet) =>
    isEnvelope(sheet)
      ? sheet
      : {
          ...sheet,
          records: sheet.records.map((record) => renamed(record, (key) => key.toUpperCase()) as Json),
        },
  ),
  'two files of each': sheets((sheet) => {
    if (('header' in sheet ? sheet.rows : sheet.records).length < 2) return sheet;
    const [one, two] = ['1', '2'].map((part) => sheet.name.replace(/(\.\w+)$/, `-${part}$1`)) as [
      string,
      string,
    ];
    return 'header' in sheet
      ? [
          { ...sheet, name: one, rows: sheet.rows.slice(0, half(sheet.rows)) },
          { ...sheet, name: two, rows: sheet.rows.slice(half(sheet.rows)) },
        ]
      : [
          { ...sheet, name: one, records: sheet.records.slice(0, half(sheet.records)) },
          { ...sheet, name: two, records: sheet.records.slice(half(sheet.records)) },
        ];
  }),
  'JSON with a line for each record': json((sheet) => ({ ...sheet, around: 'lines' })),
  'JSON as a list': json((sheet) => (isEnvelope(sheet) ? sheet : { ...sheet, around: (records) => records })),
  'JSON on many lines': json((sheet) => (sheet.around === 'lines' ? sheet : { ...sheet, indent: 2 })),
  'objects as keys with dots': json((sheet) =>
    isEnvelope(sheet) ? sheet : { ...sheet, records: sheet.records.map((record) => dotted(record)) },
  ),
  'null for what is empty': absent(null),
  'missing for what is empty': absent(undefined),
  'an empty text for what is empty': absent(''),
  'NULL for what is empty': absent('NULL'),
  '\\N for what is empty': absent('\\N'),
  'nan for what is empty': absentValue('nan'),
  '- for what is empty': absentValue('-'),
  'ids as texts': ids(String),
  'ids as numbers': ids(Number),
  'ids with .0': ids((id) => `${id}.0`),
  't and f': truth('t', 'f'),
  '1 and 0': truth(1, 0),
  '1.0 and 0.0': truth('1.0', '0.0'),
  'Y and N': truth('Y', 'N'),
  'yes and no': truth('yes', 'no'),
  'WAHR and FALSCH': truth('WAHR', 'FALSCH'),
  'VRAI and FAUX': truth('VRAI', 'FAUX'),
  'True and False': truth('True', 'False'),
};

/** Dialects that stop with their cause, in the layouts that are named. */
const STOPS: Readonly<Record<string, Readonly<Record<string, RegExp>>>> = {
  'JSON as CSV': {
    'freshdesk-v1': /no known layout/,
    'helpscout-v1': /no known layout/,
    hubspot: /has no column "associations\.tickets/,
  },
};

async function planOf(shape: Shape): Promise<string> {
  const { detection, tickets } = await mapExport(written(shape), builtinLayouts(), shape.settings);
  const all = tickets.map(payloads).sort((a, b) => (a.id < b.id ? -1 : 1));
  const withoutPlaces = (key: string, value: unknown) => (key === 'line' ? undefined : value);
  return JSON.stringify([detection.layout.name, ...all], withoutPlaces, 1);
}

const plans = new Map<string, string>();

/** Throws unless the export plans the same in the dialects, or stops with the cause. */
export async function expectPlanOf(name: string, dialects: readonly string[]): Promise<void> {
  const shape = await shapeOf(name);
  const right = plans.get(name) ?? (await planOf(shape));
  plans.set(name, right);
  const reshaped = dialects.reduce((made, dialect) => DIALECTS[dialect]?.(made) ?? made, shape);
  const stop = dialects.map((dialect) => STOPS[dialect]?.[name]).find((found) => found !== undefined);
  if (stop !== undefined) await expect(planOf(reshaped)).rejects.toThrow(stop);
  else expect(await planOf(reshaped), `${name} in ${dialects.join(', ')}`).toBe(right);
}

/** Known: a document of Jira whose own keys are written in capitals is no document. */
const OPEN: Readonly<Record<string, readonly string[]>> = {
  jira: ['JSON as CSV', 'columns in capitals'],
};
const isOpen = (name: string, chosen: readonly string[]) =>
  OPEN[name]?.every((dialect) => chosen.includes(dialect)) === true;

export async function expectSamePlan(parameters: {
  readonly numRuns: number;
  readonly seed?: number;
}): Promise<void> {
  const dialects = fc.subarray(Object.keys(DIALECTS), { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...EXPORTS), dialects, async (name, chosen) => {
      fc.pre(!isOpen(name, chosen));
      await expectPlanOf(name, chosen);
    }),
    parameters,
  );
}

export type Words = readonly (string | number | boolean)[];

/** The export with one word in every cell of a column, wherever it stands; where no file has it, each row and object gets it. */
export function withWord(shape: Shape, column: string, word: unknown, { aliases = {} }: Layout): Shape {
  const names = new Set([column, ...(aliases[column] ?? [])].map((name) => name.toLowerCase()));
  const isColumn = (name: string) => names.has(name.toLowerCase());
  let isThere = false;
  const put = (value: unknown, path = ''): unknown => {
    if (Array.isArray(value)) return value.map((item) => put(item));
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value).map(([key, inner]) => {
      const own = path === '' ? key : `${path}.${key}`;
      const isOwn = isColumn(own) || isColumn(key);
      isThere ||= isOwn;
      return [key, isOwn ? word : put(inner, own)];
    });
    return Object.fromEntries(entries);
  };
  const changed = sheets((sheet) => {
    if (!('header' in sheet))
      return { ...sheet, records: sheet.records.map((record) => put(record) as Json) };
    isThere ||= column === '.' || sheet.header.some(isColumn);
    const cellOf = (cell: string, at: number) =>
      column === '.'
        ? cell.replace(LABEL, () => `(${String(word)})`)
        : isColumn(sheet.header[at] ?? '')
          ? String(word)
          : cell;
    return { ...sheet, rows: sheet.rows.map((row) => row.map(cellOf)) };
  })(shape);
  return isThere ? changed : sheets((sheet) => withColumn(sheet, column, word))(shape);
}

function withColumn(sheet: Sheet, column: string, word: unknown): Sheet {
  const add = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(add);
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value).map(([key, inner]) => [key, add(inner)]);
    return { ...Object.fromEntries(entries), [column]: word };
  };
  return 'header' in sheet
    ? { ...sheet, header: [...sheet.header, column], rows: sheet.rows.map((row) => [...row, String(word)]) }
    : { ...sheet, records: sheet.records.map((record) => add(record) as Json) };
}

/** The kind of an entry in a ServiceNow journal. */
const LABEL = /\((?:Additional comments|Work notes)\)/g;
