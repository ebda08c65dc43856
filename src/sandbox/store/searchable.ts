/**
 * Text as the full-text indexes take it, and as a search must be put to find it: both sides go through here. Pure.
 *
 * The tokenizer cuts words at spaces and marks. That fails in two places, and each is helped by what it is given:
 * scripts that are written without spaces get one around each letter, so any part of a Japanese word is found as a
 * sequence of letters; and marks (`???`, `→`, an emoji) are written as words of their own into a second column.
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
