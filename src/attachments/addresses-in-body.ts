/** The addresses in the body of a message, of whichever kind it is, and the body with other ones in their places. Pure. */
import { LinkifyIt } from 'linkify-it';
import type { ContentType } from '../domain/payload.ts';
import { addressesInHtml, type FoundAddress } from './addresses-in-html.ts';

/** Most bodies have none: looked at before they are taken apart. */
const MAY_HAVE = /https?:|cid:|src|url\(|\]\(|background|\]:|href/i;

export function addressesInBody(content: string, contentType: ContentType | undefined): FoundAddress[] {
  if (!MAY_HAVE.test(content)) return [];
  if (contentType === 'html') return addressesInHtml(content);
  if (contentType === 'markdown') return addressesInMarkdown(content);
  return bareLinks(content);
}

/** In the order of their places, later ones that overlap left out. */
export function replaceAddresses(
  content: string,
  replaced: readonly { readonly found: FoundAddress; readonly address: string }[],
): string {
  let result = '';
  let at = 0;
  for (const { found, address } of replaced.toSorted((a, b) => a.found.start - b.found.start)) {
    if (found.start < at) continue;
    result += content.slice(at, found.start) + found.escape(address);
    at = found.end;
  }
  return result + content.slice(at);
}

// Every repetition that could be tried from many places has a bound, so that the time grows with the text alone.
/** Code is shown as it is written. */
export const CODE = /(?:^|\n)(`{3,40}|~{3,40})[^\n]*\n[\s\S]*?(?:\n\1|$)|(`{1,20})[^`][\s\S]{0,1000}?\2/g;
/** `](address "title")`, the address in angle brackets or with balanced parentheses. */
const INLINE =
  /(!?)\[((?:[^[\]\\]|\\.|\[[^[\]]{0,300}\]){0,1000})\]\(\s{0,50}(?:<([^<>\n]*)>|((?:[^\s()\\]|\\.|\((?:[^\s()\\]|\\.)*\))+))/g;
/** A picture whose address a definition gives: `![text][label]` or `![label]`. */
const PICTURE = /!\[([^[\]]{0,1000})\](?:\[([^[\]]{0,1000})\])?/g;
const DEFINITION = /^ {0,3}\[([^\]\n]+)\]:[ \t]*<?([^\s<>]+)>?/gm;

function addressesInMarkdown(content: string): FoundAddress[] {
  // As long as before, so that places hold.
  const text = content.replace(CODE, (code) => code.replace(/[^\n]/g, ' '));
  const found = addressesInHtml(text);
  const add = (match: RegExpMatchArray, address: string, kind: FoundAddress['kind']) => {
    const start = (match.index ?? 0) + match[0].lastIndexOf(address);
    found.push({
      start,
      end: start + address.length,
      written: address.replace(/\\([!-/:-@[-`{-~])/g, '$1'),
      kind,
      escape: inParentheses,
    });
  };
  for (const match of text.matchAll(INLINE)) {
    add(match, match[3] ?? match[4] ?? '', match[1] === '!' ? 'shown' : 'link');
    // Pictures within the text of a link.
    for (const inner of (match[2] ?? '').matchAll(/!\[[^[\]]{0,300}\]\(\s{0,50}<?([^\s()<>]+)/g)) {
      const start =
        match.index + (match[1] ?? '').length + 1 + inner.index + inner[0].lastIndexOf(inner[1] ?? '');
      found.push({
        start,
        end: start + (inner[1] ?? '').length,
        written: inner[1] ?? '',
        kind: 'shown',
        escape: inParentheses,
      });
    }
  }
  const shown = new Set<string>();
  for (const { 1: own = '', 2: label = '' } of text.matchAll(PICTURE))
    shown.add((label || own).toLowerCase());
  for (const match of text.matchAll(DEFINITION))
    add(match, match[2] ?? '', shown.has((match[1] ?? '').toLowerCase()) ? 'shown' : 'link');
  const taken = [...found];
  for (const link of bareLinks(text))
    if (!taken.some(({ start, end }) => link.start < end && start < link.end)) found.push(link);
  return found;
}

const inParentheses = (address: string) =>
  address.replaceAll('(', '%28').replaceAll(')', '%29').replaceAll(' ', '%20');

const LINKS = new LinkifyIt({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false });
for (const scheme of ['ftp:', 'mailto:', '//']) LINKS.add(scheme, null);

/** Behind an address in running text: a mark of emphasis, or an escaped quote or bracket. */
const BEHIND = /(?:[*_~]|&(?:quot|gt|lt|apos|#39);?)$/;
const LONGEST_BEHIND = '&apos;'.length;

function withoutMarks(raw: string): string {
  let end = raw.length;
  // a look at the end alone, as an address may be all marks
  const behind = () => BEHIND.exec(raw.slice(Math.max(0, end - LONGEST_BEHIND), end))?.[0].length ?? 0;
  for (let length = behind(); length > 0; length = behind()) end -= length;
  return raw.slice(0, end);
}

export function bareLinks(text: string): FoundAddress[] {
  return (LINKS.match(text) ?? []).map(({ index, raw }) => {
    const written = withoutMarks(raw);
    return { start: index, end: index + written.length, written, kind: 'link', escape: (one) => one };
  });
}
