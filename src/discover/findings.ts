/** Findings of a whole mapping: unread texts and lists, incomplete streams. */

import { countOf } from '../domain/printable.ts';
import type { Problem } from '../domain/problem.ts';
import type { JoinedExport } from '../domain/source-file.ts';
import { problemOf } from '../domain/text/problem-words.ts';
import { mentions, vocabulary } from '../domain/text/vocabulary.ts';
import type { Mapper } from '../mapping/compile/mapper.ts';
import type { Detection } from '../mapping/detect/detect.ts';
import type { StagedExport } from '../source/open-export.ts';
import { isTextName, LEAST_TEXT } from './names.ts';
import { baseName } from './staged-tables.ts';

export interface ReviewedSource {
  readonly files: Pick<StagedExport, 'files' | 'problems' | 'stage'>;
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

/** By stream: its records, how many its connector counted, and the last word on it. */
const STREAMS = `SELECT stream, total(type = 'RECORD') AS has, total(counted) AS counted, status, max(iif(status IS NULL, NULL, id))
  FROM (SELECT id, text ->> 'type' AS type, text ->> '$.trace.stream_status.status' AS status,
      text ->> '$.state.sourceStats.recordCount' AS counted,
      coalesce(text ->> '$.record.stream', text ->> '$.trace.stream_status.stream_descriptor.name',
        text ->> '$.state.stream.stream_descriptor.name') AS stream
    FROM row WHERE file = ? AND json_valid(text))
  WHERE stream IS NOT NULL AND type IN ('RECORD', 'TRACE', 'STATE') GROUP BY stream`;

/** A status other than COMPLETE, or fewer records than counted. */
export function incompleteStreams({ files, stage }: ReviewedSource['files']): Problem[] {
  const streams = stage.database.prepare<
    [number],
    { stream: string; has: number; counted: number; status: string | null }
  >(STREAMS);
  return files.flatMap(({ id, name, format, collections = [] }) => {
    const lines = collections.find(({ path }) => path === undefined)?.sample ?? [];
    const isEnvelope = lines.some(({ type }) => ['RECORD', 'TRACE', 'STATE'].includes(String(type)));
    const all = format === 'jsonl' && isEnvelope ? streams.all(id) : [];
    return all.flatMap(({ stream, has, counted, status }) => {
      const isBroken = status === 'INCOMPLETE';
      if (!isBroken && counted <= has) return [];
      const kind = `incomplete-thread:${isBroken ? 'broken' : 'stream'}`;
      const place = { severity: isBroken ? 'error' : 'warning', count: 1, field: 'source.files' } as const;
      return [problemOf(kind, { name: baseName(name), stream, counted, has }, place)];
    });
  });
}
