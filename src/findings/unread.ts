/** What the mapping leaves out: texts that nothing reads, fields that came out empty beside a column that could fill them. */
import type { UnreadColumn } from '../domain/survey.ts';
import { baseName, type Finding, many, type Places } from './finding.ts';

/** A file or a list in a file that no table of the mapping takes. */
export interface UnreadList {
  readonly file: string;
  /** Path in the file, or the name of the stream; undefined for the whole file. */
  readonly list: string | undefined;
  /** It is a kind of records beside others in one stream. */
  readonly isKind?: boolean;
  /** It is a folder beside the files, and may hold anything. */
  readonly isFolder?: boolean;
  /** Characters of sentences in its first records. */
  readonly text: number;
  /** Of the whole file. */
  readonly bytes: number;
  /** As far as is known without reading it. */
  readonly rows: { readonly count: number; readonly exact: boolean };
  /** The column that holds ids of tickets, as its first rows have it; null for none, undefined where nobody looked. */
  readonly joins: string | null | undefined;
}

/** Characters on average; shorter ones are labels. */
const LEAST_AVERAGE = 30;
/** Filled in fewer rows than this share of the tickets, a column is a remark here and there, unless it weighs as much of all text. */
const FEW = 0.05;
/** What customers were asked afterwards is no part of the conversation; the loss report has its column all the same. */
const SURVEY =
  /survey|satisf|csat|\bnps\b|rating|feedback|fdbk|encuesta|opini|umfrage|bewertung|r(?:ü|u|ue)ckmeldung|pesquisa|enqu[eê]te|\bavis\b|riscontro/i;
/** Characters of a list that no column joins with the tickets. */
const LEAST_LIST = 500;
const NAMED = 3;

interface ReadTickets {
  readonly tickets: number;
  readonly lacksMessages: boolean;
  /** Characters of all messages. */
  readonly read: number;
}

export function unreadTexts(
  columns: readonly UnreadColumn[],
  lists: readonly UnreadList[],
  { tickets, lacksMessages, read }: ReadTickets,
): Finding[] {
  const texts = columns
    .filter(
      ({ column, filled, text }) =>
        !SURVEY.test(column) &&
        filled >= 2 &&
        text >= LEAST_AVERAGE * filled &&
        (filled >= FEW * tickets || text >= FEW * read),
    )
    .sort((a, b) => b.text - a.text);
  // groups, types and the like have a sentence here and there
  const withText = lists
    .filter(
      ({ text, joins }) =>
        text > 0 && (lacksMessages || typeof joins === 'string' || text >= Math.max(LEAST_LIST, FEW * read)),
    )
    .sort((a, b) => b.bytes - a.bytes);
  const named = [
    ...texts
      .slice(0, NAMED)
      .map(
        ({ column, file, filled, text }) =>
          `"${column}" of ${baseName(file)} (${text.toLocaleString('en-US')} characters in ${many(filled, 'row')})`,
      ),
    ...withText.slice(0, NAMED).map(describe),
  ];
  if (named.length === 0) return lacksMessages && tickets > 0 ? briefTexts(columns) : [];
  return lacksMessages && tickets > 0
    ? [
        {
          code: 'no-conversation',
          message: `The tickets come without messages, while nothing reads ${named.join(', ')}.`,
          setting: 'mapping.messages',
        },
      ]
    : [
        {
          code: 'unread-text',
          message: `Nothing reads ${named.join(', ')}, so this text is not imported.`,
          setting: 'mapping.messages',
        },
      ];
}

/** Where there is no conversation at all, whatever somebody wrote may be one: a few rows, a few words each. */
function briefTexts(columns: readonly UnreadColumn[]): Finding[] {
  const texts = columns.filter(({ column, text }) => text > 0 && !SURVEY.test(column));
  return texts.length === 0
    ? []
    : [
        {
          code: 'unread-text',
          message: `The tickets come without messages, and nothing reads ${texts
            .slice(0, NAMED)
            .map(({ column, file }) => `"${column}" of ${baseName(file)}`)
            .join(', ')}.`,
          setting: 'mapping.messages',
        },
      ];
}

/** Kinds of records beside those that the mapping takes, without a text that people wrote. */
export function unreadRecords(lists: readonly UnreadList[]): Finding[] {
  const kinds = lists.filter(({ isKind, text }) => isKind === true && text === 0);
  return kinds.length === 0
    ? []
    : [
        {
          code: 'unread-records',
          message: `No table of the mapping takes the records of ${many(kinds.length, 'kind')}: ${kinds
            .slice(0, NAMED)
            .map(describe)
            .join(', ')}.`,
          setting: 'mapping.tables',
        },
      ];
}

function describe({ file, list, bytes, rows, joins, isFolder }: UnreadList): string {
  if (isFolder === true) return `the folder ${baseName(file)}, which was not entered`;
  const name = list === undefined ? baseName(file) : `${list} in ${baseName(file)}`;
  const count = `${rows.exact ? '' : 'more than '}${many(rows.count, 'row')}`;
  const facts = [
    count,
    `${list === undefined ? '' : 'in '}${bytes.toLocaleString('en-US')} bytes`,
    ...(joins === undefined
      ? []
      : [joins === null ? 'no column has ids of tickets' : `"${joins}" has ids of tickets`]),
  ];
  return `${name} (${facts.join(', ')})`;
}

/** Columns by which rows of one key are told to be versions of each other. */
const VERSION =
  /^_?(?:_?fivetran_active|active|is_current|is_latest|current_flag|row_version|version(?:_?(?:no|number|id))?|revision|rev|valid_?(?:from|to)|dbt_valid_(?:from|to))$/i;

/** Several rows make a ticket, and nothing reads the column that says which of them counts. */
export function versionedRows(
  columns: readonly UnreadColumn[],
  { tickets, rowsOfMany }: { readonly tickets: number; readonly rowsOfMany: number },
  { key }: Places,
): Finding[] {
  const column = columns.find(({ column: name, filled }) => VERSION.test(name) && filled >= rowsOfMany);
  return column === undefined || rowsOfMany < 2 || rowsOfMany < 0.3 * tickets
    ? []
    : [
        {
          code: 'row-versions',
          message: `Several rows make one ticket, and nothing reads "${column.column}" of ${baseName(column.file)}, which may say that they are versions of one row and no messages.`,
          setting: key.replace(/\.key$/, '.latest'),
        },
      ];
}
