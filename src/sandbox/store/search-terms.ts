/**
 * What a person or a program types into a search, as full-text expressions. Pure.
 *
 * Every word must be found, each at the beginning of a word of the text (`refu` finds "Refund"); a word with marks in
 * it (`ann@example.com`) must be found as that sequence. Marks count where there is nothing else (`???`). All of it is
 * quoted, so FTS5's own operators have no power.
 */
import { searchableMarks, searchableWords } from './searchable.ts';

/** More words than this narrow a search no further; a long subject pasted into the search stays quick. */
const MOST_TERMS = 16;

/** One FTS5 expression per word, over the columns `words` and `marks`; all must match. Undefined: nothing was asked. */
export function searchExpressions(text: string): readonly string[] | undefined {
  const trimmed = text.trim();
  if (trimmed === '') return undefined;
  const terms = [...new Set(trimmed.split(/\s+/u))];
  const words = terms.filter((term) => /[\p{L}\p{N}\p{Co}]/u.test(term)).slice(0, MOST_TERMS);
  if (words.length > 0) return words.map((word) => `words : ${quoted(searchableWords(word))} *`);
  // A phrase without a word in it, as of control characters, matches nothing.
  return terms.slice(0, MOST_TERMS).map((term) => `marks : ${quoted(searchableMarks(term))}`);
}

function quoted(phrase: string): string {
  return `"${phrase.replaceAll('"', '""')}"`;
}
