/** What a table holds, told by its last telling word, `ticket_comments` are comments, and else by its columns. */

import type { ColumnProfile } from './column-profile.ts';
import {
  BESIDE_WORDS,
  MESSAGE_WORDS,
  PEOPLE_WORDS,
  singular,
  TICKET_WORDS,
  tableWords,
  wordsOf,
} from './concept-words.ts';
import { listOfPath, type TableProfile } from './table-profile.ts';

export type TableSort = 'ticket' | 'message' | 'people' | 'beside' | undefined;

export function tableSort(table: TableProfile): TableSort {
  const words = tableWords(table);
  for (const word of words.toReversed()) {
    if (BESIDE_WORDS.has(word)) return 'beside';
    if (MESSAGE_WORDS.has(word)) return 'message';
    if (TICKET_WORDS.has(word)) return 'ticket';
    if (PEOPLE_WORDS.has(word)) return 'people';
  }
  return holdsPeople(table) ? 'people' : undefined;
}

const LONGEST = 40;

/** A row a person: one address, that no other row has, and nothing that anybody wrote. */
function holdsPeople({ columns, rows }: TableProfile): boolean {
  const [email, second] = columns.filter(({ type }) => type === 'email');
  const isOwn =
    email !== undefined &&
    email.filled >= 0.8 * rows &&
    email.distinct >= 0.98 * email.filled &&
    email.distinct > 1;
  return isOwn && second === undefined && columns.every(isAboutPerson);
}

function isAboutPerson({ name, type, averageLength, longest, examples }: ColumnProfile): boolean {
  const isWritten =
    averageLength > LONGEST ||
    longest > 4 * LONGEST ||
    examples.some((text) => text.includes(' ') && /\d/.test(text));
  const words = wordsOf(name).map(singular);
  return (
    listOfPath(name) === undefined &&
    (type !== 'text' || !isWritten) &&
    !words.some((word) => word === 'subject' || TICKET_WORDS.has(word))
  );
}
