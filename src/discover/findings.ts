/** Findings of a whole mapping: unread texts and lists, incomplete streams. */

import type { Problem } from '../domain/problem.ts';
import type { JsonObject } from '../domain/source.ts';
import {
  type ExportFiles,
  isJsonObject,
  type JoinInput,
  type SourceFile,
  selectObject,
  valueAt,
} from '../domain/source-file.ts';
import { problemOf } from '../domain/text/problem-words.ts';
import { mentions, vocabulary } from '../domain/text/vocabulary.ts';
import type { Mapper } from '../mapping/compile/mapper.ts';
import { collectionsOf } from '../mapping/detect/collections.ts';
import type { Detection } from '../mapping/detect/detect.ts';
import { isTextName, LEAST_TEXT } from './names.ts';
import { baseName } from './staged-tables.ts';

export interface ReviewedSource {
  readonly files: Pick<ExportFiles, 'files' | 'problems'>;
  readonly detection: Pick<Detection, 'layout' | 'plan'>;
  readonly mapper: Pick<Mapper, 'unread'>;
}

const LEAST_AVERAGE = 30;
/** Filled in fewer tickets, a column is an occasional remark, unless it has much of all text. */
const FEW = 0.05;
const LEAST_LIST = 500;
const NAMED = 3;

interface ReadTickets {
  readonly tickets: number;
  readonly lacksMessages: boolean;
  readonly read: number;
  readonly isTicket: (id: string) => boolean;
}

/** Tickets without messages although a text is unread: no correct import does that. */
export function unreadTexts(
  source: ReviewedSource,
  { tickets, lacksMessages, read, isTicket }: ReadTickets,
): Problem[] {
  const columns = source.mapper.unread().filter(({ column }) => !mentions(vocabulary().survey, column));
  const long = columns
    .filter(
      ({ column, filled, text }) =>
        filled >= 2 &&
        text >= (lacksMessages && isTextName(column) ? LEAST_TEXT : LEAST_AVERAGE) * filled &&
        (filled >= FEW * tickets || text >= FEW * read),
    )
    .sort((a, b) => b.text - a.text);
  const brief = lacksMessages ? columns.filter(({ text }) => text > 0) : [];
  const texts = long.length > 0 ? long : brief;
  const lists = unreadLists(source, isTicket).filter(
    ({ text, joins }) => text > 0 && (lacksMessages || joins || text >= Math.max(LEAST_LIST, FEW * read)),
  );
  const shown = texts.slice(0, NAMED).map(({ column, file, filled, text }) => {
    return `"${column}" of ${baseName(file)} (${text.toLocaleString('en-US')} characters in ${filled} rows)`;
  });
  const named = [...shown, ...lists.slice(0, NAMED).map(({ name }) => name)].join(', ');
  if (named === '' || tickets === 0) return [];
  const isSilent = lacksMessages && (long.length > 0 || lists.length > 0);
  const place = { count: texts.length + lists.length, field: 'mapping.messages' };
  const kind = isSilent ? 'no-conversation' : lacksMessages ? 'unread-text:none' : 'unread-text:some';
  return [problemOf(kind, { names: named }, place)];
}

interface UnreadList {
  readonly name: string;
  readonly text: number;
  readonly joins: boolean;
}

function unreadLists({ files, detection }: ReviewedSource, isTicket: (id: string) => boolean): UnreadList[] {
  const inputs = Map.groupBy(
    detection.plan.tables.flatMap((table) => table.inputs),
    ({ file }) => file,
  );
  const lists = files.files.flatMap((file) => {
    const taken = inputs.get(file.id) ?? [];
    return [...leftKinds(file, taken), ...leftCollections(file, taken)].map(
      ({ name, samples }): UnreadList => {
        const cells = samples.flatMap(cellsIn);
        const rows = samples.length < 200 ? samples.length : 'at least 200';
        return {
          name: `${name === '' ? '' : `${name} in `}${baseName(file.name)} (${rows} rows)`,
          text: cells.reduce((sum, [, text]) => sum + (isSentence(text) ? text.length : 0), 0),
          joins: [...Map.groupBy(cells, ([column]) => column).values()].some((column) => {
            const values = [...new Set(column.map(([, text]) => text))];
            const found = values.filter(isTicket).length;
            return found >= 2 && found >= 0.5 * values.length;
          }),
        };
      },
    );
  });
  const folders = files.problems.filter(({ code }) => code === 'ignored-folder');
  return [
    ...lists,
    ...folders.map(({ file = '' }) => {
      return { name: `the folder ${baseName(file)}, which was not entered`, text: 1, joins: false };
    }),
  ];
}

interface Left {
  readonly name: string;
  readonly samples: readonly JsonObject[];
}

function leftCollections({ outline }: SourceFile, taken: readonly JoinInput[]): Left[] {
  const isWhole = taken.some(({ selector }) => selector === undefined || selector.path === undefined);
  const paths = taken.map(({ selector }) => selector?.path?.join('.'));
  const left = collectionsOf(outline).filter(({ selector, path = [], samples, format }) => {
    if (taken.length === 0) return format === 'csv' || samples.length > 0;
    if (isWhole && selector?.where === undefined) return false;
    return path.length > 0 && !paths.includes(path.join('.'));
  });
  const { header = [], sampleRows = [] } = outline;
  const rows = sampleRows.map((cells) =>
    Object.fromEntries(cells.map((cell, at) => [header[at] ?? '', cell])),
  );
  return left.map(({ path = [], stream, samples, format }) => {
    return { name: stream ?? path.join('.'), samples: format === 'csv' ? rows : samples };
  });
}

/** As the samples show them. */
function leftKinds({ outline }: SourceFile, taken: readonly JoinInput[]): Left[] {
  const { where, path } = taken[0]?.selector ?? {};
  if (where === undefined || !taken.every(({ selector }) => selector?.where !== undefined)) return [];
  const samples = outline.collections?.find((each) => each.path?.join('.') === path?.join('.'))?.sample ?? [];
  const left = samples.filter((sample) =>
    taken.every(({ selector }) => selectObject(sample, selector) === undefined),
  );
  const kinds = Map.groupBy(left, (sample) => {
    const value = valueAt(sample, where.path);
    return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  });
  kinds.delete('');
  return [...kinds].map(([name, some]) => ({ name, samples: some }));
}

function cellsIn(record: JsonObject): (readonly [column: string, text: string])[] {
  return Object.entries(record).flatMap(([name, value]) => {
    if (isJsonObject(value)) return cellsIn(value);
    const isCell = (typeof value === 'string' && value !== '') || typeof value === 'number';
    return isCell ? [[name, String(value)] as const] : [];
  });
}

function isSentence(text: string): boolean {
  return text.length >= 30 && /\S\s\S+\s\S+\s\S/.test(text);
}

interface Stream {
  records: number;
  counted: number | undefined;
  status: string | undefined;
}

/** A status other than COMPLETE, or fewer records than counted. */
export async function incompleteStreams(files: readonly SourceFile[]): Promise<Problem[]> {
  const findings: Problem[] = [];
  for (const file of files)
    for (const [name, { records, counted = 0, status }] of await streamsIn(file)) {
      const isBroken = status === 'INCOMPLETE';
      if (!isBroken && counted <= records) continue;
      const data = { name: baseName(file.name), stream: name, counted, has: records };
      findings.push(
        problemOf(`incomplete-thread:${isBroken ? 'broken' : 'stream'}`, data, {
          severity: isBroken ? 'error' : 'warning',
          count: 1,
          field: 'source.files',
        }),
      );
    }
  return findings;
}

async function streamsIn(file: SourceFile): Promise<ReadonlyMap<string, Stream>> {
  const streams = new Map<string, Stream>();
  const lines = file.outline.collections?.find(({ path }) => path === undefined)?.sample ?? [];
  const isEnvelope = lines.some(({ type }) => ['RECORD', 'TRACE', 'STATE'].includes(String(type)));
  if (file.format !== 'jsonl' || !isEnvelope) return streams;
  const of = (object: JsonObject, ...path: string[]): Stream => {
    const key = String(valueAt(object, path));
    const known = streams.get(key) ?? { records: 0, counted: undefined, status: undefined };
    streams.set(key, known);
    return known;
  };
  for await (const records of file.records(undefined, new AbortController().signal))
    for (const { object = {} } of records) {
      const { type } = object;
      const status = valueAt(object, ['trace', 'stream_status', 'status']);
      const count = valueAt(object, ['state', 'sourceStats', 'recordCount']);
      if (type === 'RECORD') of(object, 'record', 'stream').records++;
      if (type === 'TRACE' && typeof status === 'string')
        of(object, 'trace', 'stream_status', 'stream_descriptor', 'name').status = status;
      if (type === 'STATE' && typeof count === 'number') {
        const stream = of(object, 'state', 'stream', 'stream_descriptor', 'name');
        stream.counted = (stream.counted ?? 0) + count;
      }
    }
  streams.delete('undefined');
  return streams;
}
