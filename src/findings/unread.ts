/** What the mapping leaves out: texts that nothing reads, fields that came out empty beside a column that could fill them. */
import type { UnreadColumn } from '../domain/survey.ts';
import { baseName, type Finding, many } from './finding.ts';

/** A file or a list in a file that no table of the mapping takes. */
export interface UnreadList {
  readonly file: string;
  /** Path in the file, or the name of the stream; undefined for the whole file. */
  readonly list: string | undefined;
  /** Whether its first records hold sentences. */
  readonly hasText: boolean;
}

/** Characters on average; shorter ones are labels. */
const LEAST_AVERAGE = 30;
/** Filled in fewer rows than this share of the tickets, a column is a remark here and there. */
const FEW = 0.05;
/** What customers were asked afterwards is no part of the conversation; the loss report has its column all the same. */
const SURVEY =
  /survey|satisf|csat|\bnps\b|rating|feedback|fdbk|encuesta|opini|umfrage|bewertung|r(?:ü|u|ue)ckmeldung|pesquisa|enqu[eê]te|\bavis\b|riscontro/i;
const NAMED = 3;

export function unreadTexts(
  columns: readonly UnreadColumn[],
  lists: readonly UnreadList[],
  tickets: { readonly lacksMessages: boolean; readonly tickets: number },
): Finding[] {
  const texts = columns
    .filter(
      ({ column, filled, text }) =>
        !SURVEY.test(column) &&
        text >= LEAST_AVERAGE * filled &&
        filled >= Math.max(2, FEW * tickets.tickets),
    )
    .sort((a, b) => b.text - a.text);
  const withText = lists.filter(({ hasText }) => hasText);
  const named = [
    ...texts
      .slice(0, NAMED)
      .map(
        ({ column, file, filled, text }) =>
          `"${column}" of ${baseName(file)} (${text.toLocaleString('en-US')} characters in ${many(filled, 'row')})`,
      ),
    ...withText
      .slice(0, NAMED)
      .map(({ file, list }) => (list === undefined ? baseName(file) : `${list} in ${baseName(file)}`)),
  ];
  if (tickets.lacksMessages && tickets.tickets > 0 && named.length > 0)
    return [
      {
        code: 'no-conversation',
        message: `The tickets come without messages, while nothing reads ${named.join(', ')}.`,
        setting: 'mapping.messages',
      },
    ];
  return named.length === 0
    ? []
    : [
        {
          code: 'unread-text',
          message: `Nothing reads ${named.join(', ')}, so this text is not imported.`,
          setting: 'mapping.messages',
        },
      ];
}
