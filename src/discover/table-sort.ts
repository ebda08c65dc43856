/** What a table holds, told by its last telling word, `ticket_comments` are comments, and else by its columns. */
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

/** A row a person: an address that no other row has, and nothing that anybody wrote. */
function holdsPeople({ columns, rows }: TableProfile): boolean {
  const isOwn = columns.some(
    ({ type, distinct, filled }) =>
      type === 'email' && filled >= 0.8 * rows && distinct >= 0.98 * filled && distinct > 1,
  );
  return (
    isOwn &&
    columns.every(
      ({ name, type, averageLength, longest }) =>
        listOfPath(name) === undefined &&
        (type === 'email' || type === 'url' || (averageLength <= LONGEST && longest <= 4 * LONGEST)) &&
        !wordsOf(name)
          .map(singular)
          .some((word) => word === 'subject' || TICKET_WORDS.has(word)),
    )
  );
}
