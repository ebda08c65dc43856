/** What a mapping leaves out: texts that nothing reads, and fields that came out empty beside a column with their name. */
import type { UnreadColumn } from '../domain/survey.ts';
import type { Filled, Finding } from './finding.ts';
import { hasName } from './names.ts';
import { baseName, type ReviewedSource, unreadLists } from './unread-lists.ts';

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

/** Tickets without messages beside text that nothing reads are the one thing that no import gets right. */
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
  ];
  if (named.length === 0 || tickets === 0) return [];
  const isSilent = lacksMessages && (long.length > 0 || lists.length > 0);
  return [
    {
      code: isSilent ? 'no-conversation' : 'unread-text',
      severity: isSilent ? 'error' : 'warning',
      count: texts.length + lists.length,
      message: lacksMessages
        ? `The tickets come without messages, and nothing reads ${named.join(', ')}.`
        : `Nothing reads ${named.join(', ')}, so this text is not imported.`,
      setting: 'mapping.messages',
    },
  ];
}

type Field = 'subject' | 'status' | 'priority' | 'tags' | 'requester' | 'assignee' | 'visibility';

export interface UnreadField {
  readonly field: Field;
  /** The column that has the name of the field. */
  readonly column: string;
  readonly message: string;
}

const NAMES: Readonly<Record<Field, readonly (readonly ['ticket' | 'message', string])[]>> = {
  subject: [['ticket', 'subject']],
  status: [['ticket', 'status']],
  priority: [['ticket', 'priority']],
  tags: [['ticket', 'tags']],
  requester: [
    ['ticket', 'requesterEmail'],
    ['ticket', 'requesterName'],
    ['ticket', 'requesterId'],
  ],
  assignee: [
    ['ticket', 'assigneeEmail'],
    ['ticket', 'assigneeName'],
    ['ticket', 'assigneeId'],
  ],
  visibility: [
    ['message', 'internal'],
    ['message', 'public'],
    ['message', 'visibility'],
  ],
};

export function unreadFields(columns: readonly UnreadColumn[], filled: Filled): UnreadField[] {
  const { tickets, messages } = filled;
  return (Object.keys(NAMES) as Field[]).flatMap((field) => {
    const isEmpty =
      field === 'visibility' ? messages > 0 && filled.visibility === 0 : filled[field] < 0.05 * tickets;
    if (tickets === 0 || !isEmpty) return [];
    const found = NAMES[field]
      .flatMap(([scope, name]) =>
        columns.filter(
          ({ column, filled: rows }) => rows >= Math.max(1, 0.2 * tickets) && hasName(scope, name, column),
        ),
      )
      .at(0);
    if (found === undefined) return [];
    const what = field === 'visibility' ? 'Every message is public' : `Nearly all tickets have no ${field}`;
    return [
      {
        field,
        column: found.column,
        message: `${what}, and nothing reads the column "${found.column}" of ${baseName(found.file)} (filled in ${found.filled} rows).`,
      },
    ];
  });
}
