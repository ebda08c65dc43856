/**
 * Text as the full-text indexes take it, and as a search must be put to find it: both sides go through here. Pure.
 *
 * The tokenizer cuts words at spaces and marks. That fails in two places, and each is helped by what it is given:
 * scripts that are written without spaces get one around each letter, so any part of a Japanese word is found as a
 * sequence of letters; and marks (`???`, `→`, an emoji) are written as words of their own into a second column.
 *
 * Of a search every word must be found, each at the beginning of a word of the text (`refu` finds "Refund"); a word with
 * marks in it (`ann@example.com`) must be found as that sequence. Marks count where there is nothing else (`???`). All of
 * it is quoted, so FTS5's own operators have no power.
 */

/** Letters of scripts whose words do not stand apart. Hangul's do, but what is looked for often stands inside them. */
const UNSPACED =
  /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]/gu;
const MARKS = /[\p{P}\p{S}]+/gu;

/** Marks behind this many characters are not indexed: each of them becomes a word of its own. */
const MARKS_WITHIN = 2_000;

/** For the column `words`. Width variants (`ＡＢＣ`, half-width kana) become the usual letters. */
export function searchableWords(text: string): string {
  // NUL ends a text for SQLite.
  return text.normalize('NFKC').replaceAll('\u0000', ' ').replace(UNSPACED, ' $& ');
}

/** For the column `marks`: a word for each mark (`u3f` for `?`), and `x` between those that do not stand together. */
export function searchableMarks(text: string): string {
  const runs = text.slice(0, MARKS_WITHIN).match(MARKS) ?? [];
  return runs.map((run) => [...run].map(markWord).join(' ')).join(' x ');
}

function markWord(mark: string): string {
  return `u${(mark.codePointAt(0) ?? 0).toString(16)}`;
}

/** More words than this narrow a search no further; a long subject pasted into the search stays quick. */
const MOST_TERMS = 16;

export interface SearchTerm {
  readonly term: string;
  /** What FTS5 is asked for it. */
  readonly expression: string;
  /** Marks are looked for in subjects and contacts alone. */
  readonly isWord: boolean;
}

/** One FTS5 expression per word, over the columns `words` and `marks`; all must match. Undefined: nothing was asked. */
export function searchExpressions(text: string): readonly string[] | undefined {
  return searchTerms(text)?.map(({ expression }) => expression);
}

export function searchTerms(text: string): readonly SearchTerm[] | undefined {
  const trimmed = text.trim();
  if (trimmed === '') return undefined;
  const terms = [...new Set(trimmed.split(/\s+/u))];
  const words = terms.filter((term) => /[\p{L}\p{N}\p{Co}]/u.test(term)).slice(0, MOST_TERMS);
  if (words.length > 0)
    return words.map((term) => ({
      term,
      expression: `words : ${quoted(searchableWords(term))} *`,
      isWord: true,
    }));
  // A phrase without a word in it, as of control characters, matches nothing.
  return terms.slice(0, MOST_TERMS).map((term) => ({
    term,
    expression: `marks : ${quoted(searchableMarks(term))}`,
    isWord: false,
  }));
}

/** A phrase as FTS5 takes it. */
export function quoted(phrase: string): string {
  return `"${phrase.replaceAll('"', '""')}"`;
}
