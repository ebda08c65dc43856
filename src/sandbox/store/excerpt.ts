/** The beginning of a body in one line, as lists show it below the subject. Pure and linear: bodies are hostile and long. */

import type { ContentType } from '../../domain/payload.ts';
import { htmlText } from '../../view/conversation/html-text.ts';

/** Characters of the excerpt. */
const LONGEST = 180;
/** Characters of a body that are looked at: mails begin with kilobytes of style. */
const LOOKED_AT = 20_000;

/** Characters of a body that are searched. */
const SEARCHED = 200_000;

/** The text of a message as a search sees it: of html without its elements. */
export function messageText(content: string, contentType: unknown): string {
  const start = content.slice(0, SEARCHED);
  return contentType === 'html' ? htmlText(start, ' ') : start;
}

/** Where the first of the words stands in a text, with what is around it in one line; undefined where none does. */
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

/** Characters before the word that was found. */
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
  // A pair of surrogates that is cut in two is left out.
  return `${line
    .slice(0, LONGEST)
    .replace(/[\uD800-\uDBFF]$/, '')
    .toWellFormed()}…`;
}

/** Emphasis, headings, lists and code fences aside; of links and pictures their words. */
function withoutSyntax(markdown: string): string {
  return markdown
    .slice(0, 4_000)
    .replace(/!?\[([^\][]{0,300})\]\([^()\s]{0,500}\)/g, '$1')
    .replace(/^ {0,3}(?:#{1,6} |> ?|[-*+] |\d{1,9}[.)] |```\w*|---+$)/gm, '')
    .replace(/[*_`~]{1,3}(?=\S)|(?<=\S)[*_`~]{1,3}/g, '');
}
