/** Whether a name says that a column holds the ids of tickets. */
import {
  ID_WORDS,
  NEUTRAL_WORDS,
  PEOPLE_WORDS,
  PERSON_WORDS,
  pathParts,
  TICKET_WORDS,
  wordsOf,
} from './concept-words.ts';

/** Names that point to another ticket or thing. */
const ELSEWHERE: ReadonlySet<string> = new Set(
  'parent merged followup related previous linked original problem child target other brand form channel product order session tweet doc sku zip postal phone serial external'.split(
    ' ',
  ),
);

/** How surely the name says that the column identifies the row's own ticket: 0 to 1. */
export function idName(path: string, tableWords: readonly string[]): number {
  const parts = pathParts(path);
  const words = wordsOf(parts.at(-1) ?? path);
  const ids = words.filter((word) => ID_WORDS.has(word));
  const rest = words.filter((word) => !ID_WORDS.has(word) && word !== 'unique' && word !== 'display');
  const ofTicket = rest.filter((word) => TICKET_WORDS.has(word) || tableWords.includes(word));
  const others = rest.filter((word) => !ofTicket.includes(word) && !NEUTRAL_WORDS.has(word));
  if (ids.length === 0) return ofTicket.length > 0 && others.length === 0 ? 0.3 : 0;
  const depth = 0.85 ** (parts.length - 1);
  // `requester.id` is a person's
  if (
    parts.slice(0, -1).some((part) => wordsOf(part).some((word) => PEOPLE_WORDS.has(word) || isPerson(word)))
  )
    return 0;
  if (rest.some((word) => ELSEWHERE.has(word))) return words.includes('session') ? 0.35 * depth : 0;
  if (others.some((word) => PEOPLE_WORDS.has(word) || isPerson(word))) return 0;
  if (others.length > 0) return 0.2 * depth;
  // a key that a warehouse made is not the one that people know
  if (ofTicket.length > 0) return ids.every((word) => SURROGATES.has(word)) ? 0.9 * depth : depth;
  return depth * (ids.includes('id') || ids.includes('uuid') ? 0.9 : 0.8);
}

const SURROGATES: ReadonlySet<string> = new Set(['sk', 'pk', 'fk', 'oid']);

function isPerson(word: string): boolean {
  return Object.values(PERSON_WORDS).some((meaning) => Object.hasOwn(meaning, word));
}
