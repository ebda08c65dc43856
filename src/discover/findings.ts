/** Findings of a whole mapping: unread texts and lists, incomplete streams. */

import { countOf } from '../domain/printable.ts';
import type { Problem } from '../domain/problem.ts';
import type { JsonObject } from '../domain/source.ts';
import { type ExportFiles, type JoinedExport, type SourceFile, valueAt } from '../domain/source-file.ts';
import { problemOf } from '../domain/text/problem-words.ts';
import { mentions, vocabulary } from '../domain/text/vocabulary.ts';
import type { Mapper } from '../mapping/compile/mapper.ts';
import type { Detection } from '../mapping/detect/detect.ts';
import { isTextName, LEAST_TEXT } from './names.ts';
import { baseName } from './staged-tables.ts';

export interface ReviewedSource {
  readonly files: Pick<ExportFiles, 'files' | 'problems'>;
  readonly detection: Pick<Detection, 'layout' | 'plan'>;
  readonly mapper: Pick<Mapper, 'unread'>;
  readonly joined: Pick<JoinedExport, 'unreadRows'>;
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
}

/** Tickets without messages although a text is unread: no correct import does that. */
export function unreadTexts(
  source: ReviewedSource,
  { tickets, lacksMessages, read }: ReadTickets,
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
  const lists = unreadLists(source).filter(
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

/** Folders that were not entered count as texts. */
function unreadLists({ files, joined }: ReviewedSource) {
  const folders = files.problems.filter(({ code }) => code === 'ignored-folder');
  return [
    ...joined.unreadRows().map(({ file, list, rows, ...of }) => {
      return {
        name: `${list === '' ? '' : `${list} in `}${baseName(file)} (${countOf(rows, 'row')})`,
        ...of,
      };
    }),
    ...folders.map(({ file = '' }) => {
      return { name: `the folder ${baseName(file)}, which was not entered`, text: 1, joins: false };
    }),
  ];
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
