/** Tables that a proposal does not read, and rows of several kinds in one table. */
import { baseName, type Finding } from '../../findings/finding.ts';
import type { EventRule } from '../../mapping/language/layout.ts';
import { isOtherName, TICKET_WORDS, tableWords, wordsOf } from '../concept-words.ts';
import type { TableProfile } from '../table-profile.ts';
import { tableSort } from '../table-sort.ts';
import { nullText } from '../value-kind.ts';
import { fillRate } from './concepts.ts';
import { isWord } from './could-be.ts';
import type { ProposalDraft } from './proposal-draft.ts';
import type { Reads } from './rule-reads.ts';
import { rowsScope } from './scopes.ts';

/** Tables named in one question. */
const NAMED = 4;

export function unreadTables(draft: ProposalDraft, reads: Reads): Finding[] {
  const tables = draft.tables.filter(
    (table, index) =>
      index !== draft.ticket.index &&
      !reads.hasTable(index) &&
      table.rows > 1 &&
      tableSort(table) !== 'beside' &&
      !isOtherName(tableWords(table).join(' ')) &&
      !draft.tables.some(
        (other, at) =>
          other.file === table.file &&
          (at === draft.ticket.index || reads.hasTable(at)) &&
          isWithin(table, other, reads),
      ),
  );
  const named = tables.map(
    ({ file, rows, columns }) =>
      `${baseName(file)} (${rows} rows; ${listed(columns.map(({ name }) => name))})`,
  );
  return named.length === 0
    ? []
    : [
        {
          code: 'unsure-tables',
          message: `Nothing reads ${named.slice(0, NAMED).join(', ')}.`,
          setting: 'mapping.tables',
        },
      ];
}

/** A log of changed fields: the target's history has changes of the status alone. */
export function unreadChanges({ tables }: ProposalDraft, rules: readonly EventRule[]): Finding[] {
  return rules.flatMap(({ where }) => {
    const { column, in: names } = (where ?? {}) as { column?: string; in?: readonly unknown[] };
    const table = tables.find(({ columns }) =>
      columns.some(
        ({ name, values }) => name === column && values?.some(({ value }) => names?.includes(value)),
      ),
    );
    const others = (table?.columns.find(({ name }) => name === column)?.values ?? []).filter(
      ({ value }) => names?.includes(value) !== true,
    );
    return table === undefined || others.length === 0
      ? []
      : [
          {
            code: 'unsure-tables' as const,
            message: `Of ${baseName(table.file)} the changes of ${names?.join(', ')} alone are read, and those of ${listed(
              others.map(({ value, count: times }) => `${value} (${times})`),
            )} are not.`,
            setting: 'mapping.events',
          },
        ];
  });
}

/** An envelope of what is read, or a list in it that is. */
function isWithin({ collection }: TableProfile, { collection: other }: TableProfile, reads: Reads): boolean {
  const path = collection.path?.join('.');
  if (collection.kind !== undefined || collection.stream !== undefined) return false;
  return (
    path === undefined ||
    path === '' ||
    other.path?.join('.').startsWith(`${path}.`) === true ||
    reads.hasList(path)
  );
}

const MOST_LISTED = 8;
const listed = (names: readonly string[]) =>
  names.length > MOST_LISTED ? `${names.slice(0, MOST_LISTED).join(', ')}, …` : names.join(', ');

const count = (rows: readonly ReadonlyMap<string, string>[], name: string) =>
  rows.filter((row) => {
    const text = row.get(name) ?? '';
    return text !== '' && nullText(text) === undefined;
  }).length;

/** A word that decides which other columns are filled names kinds of records. */
export function mixedRows({ ticket: { table, key } }: ProposalDraft): Finding[] {
  const rows = table.firstRows;
  const words = rowsScope(table).columns.filter(
    (column) =>
      isWord(column) &&
      column !== key.column &&
      fillRate(column.profile) > 0.95 &&
      column.profile.distinct <= 4,
  );
  for (const word of words) {
    const kinds = [...Map.groupBy(rows, (row) => row.get(word.path) ?? '')];
    const own = kinds.map(
      ([, some]) =>
        table.columns.filter(
          ({ name, filled }) =>
            filled > 1 && count(some, name) >= 0.3 * some.length && count(rows, name) === count(some, name),
        ).length,
    );
    if (own.filter((columns) => columns >= 2).length < 2) continue;
    return [
      {
        code: 'unsure-tickets',
        message: `The rows of ${baseName(table.file)} are of several kinds by "${word.path}" (${kinds
          .map(([kind]) => kind)
          .slice(0, NAMED)
          .join(', ')}), with columns of their own, and all are read as rows of one kind.`,
        setting: 'mapping.tables',
      },
    ];
  }
  return [];
}

/** Names that point to the ticket a row belongs to, and not to one that it only mentions. */
const PART_OF = /\b(?:parent|belongs)\b/;
/** The ticket went on as another one. */
const MERGED = /\b(?:merged|duplicates?)\b/;
const MENTIONED = /\b(?:related|linked|follow ?up|previous|next|similar)\b/;

/** Rows that name another row of the table as their ticket: messages among tickets, or tickets that were merged. */
export function rowsOfOthers({ ticket: { table, key } }: ProposalDraft): Finding[] {
  if (key.role !== 'root') return [];
  const own = key.column.path;
  const keys = new Set(table.firstRows.map((row) => row.get(own) ?? ''));
  for (const { name, called } of table.columns) {
    const words = wordsOf(called ?? name);
    const isMerged = MERGED.test(words.join(' '));
    const isNamed = isMerged || PART_OF.test(words.join(' ')) || words.some((word) => TICKET_WORDS.has(word));
    if (name === own || !isNamed || MENTIONED.test(words.join(' '))) continue;
    const naming = table.firstRows.filter((row) => {
      const text = row.get(name) ?? '';
      return text !== '' && nullText(text) === undefined;
    });
    const others = naming.filter((row) => row.get(name) !== row.get(own) && keys.has(row.get(name) ?? ''));
    if (others.length === 0 || others.length < MOST_OF * naming.length) continue;
    // a ticket that has a parent has all that tickets have
    const rest = table.firstRows.filter((row) => !naming.includes(row));
    const isLess = table.columns.some(
      (column) =>
        rest.length > 0 &&
        count(rest, column.name) >= 0.9 * rest.length &&
        count(others, column.name) <= 0.1 * others.length,
    );
    if (!isMerged && !isLess) continue;
    return [
      {
        code: 'unsure-tickets',
        message: `Rows of ${baseName(table.file)} name another row of it in "${name}" (${others.length} of the first ${table.firstRows.length}; ${others[0]?.get(own)} names ${others[0]?.get(name)}), and each is read as a ticket of its own.`,
        setting: 'mapping.tables',
      },
    ];
  }
  return [];
}

/** Of the rows that name one, so many name a row that is there: the others may stand in a part that was not looked at. */
const MOST_OF = 0.5;
