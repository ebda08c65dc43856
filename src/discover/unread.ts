/** What a mapping leaves out: texts and lists that nothing reads, and fields that came out empty though a column has their name. */
import type { JoinedExport, JoinInput } from '../domain/join-plan.ts';
import type { JsonObject } from '../domain/source.ts';
import {
  type ExportFiles,
  isJsonObject,
  type SourceFile,
  selectObject,
  valueAt,
} from '../domain/source-file.ts';
import type { UnreadColumn } from '../domain/survey.ts';
import type { Mapper } from '../mapping/compile/mapper.ts';
import { collectionsOf } from '../mapping/detect/collections.ts';
import type { Detection } from '../mapping/detect/detect.ts';
import type { Filled, Finding } from './finding.ts';
import { hasName } from './names.ts';
import { baseName } from './staged-tables.ts';

export interface ReviewedSource {
  readonly files: Pick<ExportFiles, 'files' | 'problems'>;
  readonly detection: Pick<Detection, 'layout' | 'plan'>;
  readonly joined: Pick<JoinedExport, 'unmatchedRows' | 'rowCounts'>;
  readonly mapper: Pick<Mapper, 'unread'>;
}

/** Characters on average; shorter ones are labels. */
const LEAST_AVERAGE = 30;
/** A column filled in fewer tickets than this share is a remark here and there, unless it weighs as much of all text. */
const FEW = 0.05;
/** What customers were asked afterwards is no part of the conversation. */
const SURVEY =
  /survey|satisf|csat|\bnps\b|rating|feedback|encuesta|umfrage|bewertung|pesquisa|enqu[eê]te|\bavis\b/i;
/** Characters of a list that no column joins with the tickets. */
const LEAST_LIST = 500;
const NAMED = 3;

interface ReadTickets {
  readonly tickets: number;
  readonly lacksMessages: boolean;
  /** Characters of all messages. */
  readonly read: number;
  readonly isTicket: (id: string) => boolean;
}

/** Tickets without messages though nothing reads a text are the one thing that no import gets right. */
export function unreadTexts(
  source: ReviewedSource,
  { tickets, lacksMessages, read, isTicket }: ReadTickets,
): Finding[] {
  const columns = source.mapper.unread().filter(({ column }) => !SURVEY.test(column));
  const long = columns
    .filter(
      ({ filled, text }) =>
        filled >= 2 && text >= LEAST_AVERAGE * filled && (filled >= FEW * tickets || text >= FEW * read),
    )
    .sort((a, b) => b.text - a.text);
  const brief = lacksMessages ? columns.filter(({ text }) => text > 0) : [];
  const texts = long.length > 0 ? long : brief;
  const lists = unreadLists(source, isTicket).filter(
    ({ text, joins }) => text > 0 && (lacksMessages || joins || text >= Math.max(LEAST_LIST, FEW * read)),
  );
  const named = [
    ...texts
      .slice(0, NAMED)
      .map(
        ({ column, file, filled, text }) =>
          `"${column}" of ${baseName(file)} (${text.toLocaleString('en-US')} characters in ${filled} rows)`,
      ),
    ...lists.slice(0, NAMED).map(({ name }) => name),
  ].join(', ');
  if (named === '' || tickets === 0) return [];
  const isSilent = lacksMessages && (long.length > 0 || lists.length > 0);
  return [
    {
      code: isSilent ? 'no-conversation' : 'unread-text',
      severity: isSilent ? 'error' : 'warning',
      count: texts.length + lists.length,
      message: lacksMessages
        ? `The tickets come without messages, and nothing reads ${named}.`
        : `Nothing reads ${named}, so this text is not imported.`,
      setting: 'mapping.messages',
    },
  ];
}

// Files, lists and kinds of records that no table of a mapping takes.

interface UnreadList {
  /** In words, for a sentence. */
  readonly name: string;
  /** Characters of sentences in its first records. */
  readonly text: number;
  /** Whether a column of it has IDs of tickets. */
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
        return {
          name: `${name === '' ? '' : `${name} in `}${baseName(file.name)} (${samples.length < 200 ? samples.length : 'at least 200'} rows)`,
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
    ...folders.map(({ file = '' }) => ({
      name: `the folder ${baseName(file)}, which was not entered`,
      text: 1,
      joins: false,
    })),
  ];
}

interface Left {
  readonly name: string;
  readonly samples: readonly JsonObject[];
}

function leftCollections({ outline }: SourceFile, taken: readonly JoinInput[]): Left[] {
  const isWhole = taken.some(({ selector }) => selector === undefined || selector.path === undefined);
  const paths = taken.map(({ selector }) => selector?.path?.join('.'));
  return collectionsOf(outline)
    .filter(({ selector, path = [], samples, format }) => {
      if (taken.length === 0) return format === 'csv' || samples.length > 0;
      if (isWhole && selector?.where === undefined) return false;
      return path.length > 0 && !paths.includes(path.join('.'));
    })
    .map(({ path = [], stream, samples, format }) => ({
      name: stream ?? path.join('.'),
      samples:
        format === 'csv'
          ? (outline.sampleRows ?? []).map((cells) =>
              Object.fromEntries(cells.map((cell, at) => [outline.header?.[at] ?? '', cell])),
            )
          : samples,
    }));
}

/** Kinds of records in a stream that no table takes, as the samples show them. */
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

/** Of a record and of the objects in it. */
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

// Fields that came out empty.

type Field = Exclude<keyof Filled, 'tickets' | 'messages'>;

export interface UnreadField {
  readonly field: Field;
  /** The column that has the name of the field. */
  readonly column: string;
  readonly message: string;
}

const person = (who: string) => [`${who}Email`, `${who}Name`, `${who}Id`];
const NAMES: Readonly<Record<Field, readonly string[]>> = {
  subject: ['subject'],
  status: ['status'],
  priority: ['priority'],
  tags: ['tags'],
  requester: person('requester'),
  assignee: person('assignee'),
  visibility: ['internal', 'public', 'visibility'],
};

export function unreadFields(columns: readonly UnreadColumn[], filled: Filled): UnreadField[] {
  const { tickets, messages } = filled;
  const candidates = columns.filter((column) => column.filled >= Math.max(1, 0.2 * tickets));
  return (Object.keys(NAMES) as Field[]).flatMap((field) => {
    const isOfMessages = field === 'visibility';
    const isEmpty = isOfMessages ? messages > 0 && filled[field] === 0 : filled[field] < FEW * tickets;
    if (tickets === 0 || !isEmpty) return [];
    const [found] = NAMES[field].flatMap((name) =>
      candidates.filter(({ column }) => hasName(isOfMessages ? 'message' : 'ticket', name, column)),
    );
    if (found === undefined) return [];
    const { column, file } = found;
    const what = isOfMessages ? 'Every message is public' : `Nearly all tickets have no ${field}`;
    const message = `${what}, and nothing reads the column "${column}" of ${baseName(file)} (filled in ${found.filled} rows).`;
    return [{ field, column, message }];
  });
}
