/** The beginning of a body in one line, as lists show it below the subject. Pure and linear: bodies are hostile and long. */
import type { ContentType } from '../../domain/payload.ts';

/** Characters of the excerpt. */
const LONGEST = 180;
/** Characters of a body that are looked at: mails begin with kilobytes of style. */
const LOOKED_AT = 20_000;

const ENTITIES: Readonly<Record<string, string>> = {
  nbsp: ' ',
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  hellip: '…',
  ndash: '–',
  mdash: '—',
  rsquo: '’',
  lsquo: '‘',
};

export function excerptOf(content: string, contentType: ContentType = 'text'): string {
  const start = content.slice(0, LOOKED_AT);
  const text =
    contentType === 'html'
      ? withoutEntities(withoutTags(start))
      : contentType === 'markdown'
        ? withoutSyntax(start)
        : start;
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

/** Text between the tags; what stands in `style`, `script`, `head` and comments is none. */
function withoutTags(html: string): string {
  // Of other letters the lower case may have another length, and places would not agree.
  const lower = html.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
  let text = '';
  let at = 0;
  for (;;) {
    const open = html.indexOf('<', at);
    if (open === -1) return text + html.slice(at);
    const isMarkup = /[a-z/!?]/.test(lower.charAt(open + 1));
    text += `${html.slice(at, open)}${isMarkup ? ' ' : '<'}`;
    const end = isMarkup ? endOfMarkup(lower, open) : open + 1;
    if (end === -1) return text;
    at = end;
  }
}

/** Where the tag at `open` and what belongs to it ends; -1 where it does not. */
function endOfMarkup(lower: string, open: number): number {
  if (lower.startsWith('<!--', open)) return after(lower, '-->', open);
  for (const name of ['style', 'script', 'head', 'title']) {
    if (lower.startsWith(`<${name}`, open) && !/[a-z]/.test(lower.charAt(open + name.length + 1)))
      return after(lower, `</${name}>`, open);
  }
  return after(lower, '>', open);
}

function after(text: string, mark: string, from: number): number {
  const found = text.indexOf(mark, from);
  return found === -1 ? -1 : found + mark.length;
}

function withoutEntities(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,8}));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return ENTITIES[name] ?? whole;
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '';
  });
}

/** Emphasis, headings, lists and code fences aside; of links and pictures their words. */
function withoutSyntax(markdown: string): string {
  return markdown
    .slice(0, 4_000)
    .replace(/!?\[([^\][]{0,300})\]\([^()\s]{0,500}\)/g, '$1')
    .replace(/^ {0,3}(?:#{1,6} |> ?|[-*+] |\d{1,9}[.)] |```\w*|---+$)/gm, '')
    .replace(/[*_`~]{1,3}(?=\S)|(?<=\S)[*_`~]{1,3}/g, '');
}
