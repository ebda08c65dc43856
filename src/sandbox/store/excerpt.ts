/** The beginning of a body in one line, for lists. Linear time: bodies are hostile and long. */

import type { ContentType } from '../../domain/payload.ts';
import { htmlText } from '../../view/conversation/html-text.ts';

/** Characters of the excerpt. */
const LONGEST = 180;
/** Characters of a body to read: mails begin with kilobytes of style. */
const LOOKED_AT = 20_000;

/** Characters of a body to search. */
const SEARCHED = 200_000;

/** The searchable text of a message: HTML without its elements. */
export function messageText(content: string, contentType: unknown): string {
  const start = content.slice(0, SEARCHED);
  return contentType === 'html' ? htmlText(start, ' ') : start;
}

/** The first of the words in a text with its surroundings in one line, if it occurs. */
export function passageOf(text: string, words: readonly string[]): string | undefined {
  const lower = text.toLowerCase();
  const places = words.map((word) => lower.indexOf(word.toLowerCase())).filter((at) => at >= 0);
  if (places.length === 0) return undefined;
  const from = Math.max(0, Math.min(...places) - AROUND);
  const line = text
    .slice(from, from + LONGEST)
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .toWellFormed();
  return `${from > 0 ? '…' : ''}${line}${from + LONGEST < text.length ? '…' : ''}`;
}

/** Characters before the found word. */
const AROUND = 30;

export function excerptOf(content: string, contentType: ContentType = 'text'): string {
  const start = content.slice(0, LOOKED_AT);
  const text =
    contentType === 'html' ? htmlText(start, ' ') : contentType === 'markdown' ? withoutSyntax(start) : start;
  const line = text
    .slice(0, LONGEST * 8)
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  if (line.length <= LONGEST) return line.toWellFormed();
  // Drops half of a surrogate pair.
  return `${line
    .slice(0, LONGEST)
    .replace(/[\uD800-\uDBFF]$/, '')
    .toWellFormed()}…`;
}

/** Without emphasis, headings, lists and code fences; the words of links and pictures. */
function withoutSyntax(markdown: string): string {
  return markdown
    .slice(0, 4_000)
    .replace(/!?\[([^\][]{0,300})\]\([^()\s]{0,500}\)/g, '$1')
    .replace(/^ {0,3}(?:#{1,6} |> ?|[-*+] |\d{1,9}[.)] |```\w*|---+$)/gm, '')
    .replace(/[*_`~]{1,3}(?=\S)|(?<=\S)[*_`~]{1,3}/g, '');
}
