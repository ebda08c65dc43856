/**
 * What a person or a program types into a search, as full-text expressions. Pure.
 *
 * Every word must be found, each at the beginning of a word of the text (`refu` finds "Refund"); a word with marks in
 * it (`ann@example.com`) must be found as that sequence. All of it is quoted, so FTS5's own operators have no power.
 */

/** More words than this narrow a search no further; a long subject pasted into the search stays quick. */
const MOST_TERMS = 16;

export type SearchPlan =
  | { by: 'nothing' }
  /** One FTS5 expression per word; all must match, in the subject or in the contact. */
  | { by: 'words'; expressions: readonly string[] }
  /** Nothing to index in it (`???`): a LIKE pattern, with `\` as its escape. */
  | { by: 'pattern'; pattern: string };

export function searchPlan(text: string): SearchPlan {
  const trimmed = text.trim();
  if (trimmed === '') return { by: 'nothing' };
  const words = trimmed.split(/\s+/u).filter((word) => /[\p{L}\p{N}\p{Co}]/u.test(word));
  if (words.length === 0) return { by: 'pattern', pattern: likePattern(trimmed) };
  const expressions = [...new Set(words)]
    .slice(0, MOST_TERMS)
    // NUL ends the text for FTS5.
    .map((word) => `"${word.replaceAll('\u0000', ' ').replaceAll('"', '""')}"*`);
  return { by: 'words', expressions };
}

/** Finds the text anywhere, taken to the letter. */
export function likePattern(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`;
}
