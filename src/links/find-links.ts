/**
 * Where the body of a message names another ticket of the source: by its address, or by a reference such as `#1041`. Pure.
 *
 * An address says so itself. A number behind a `#` may as well be an order, a colour or a price, so it is one only behind a word that
 * tickets are named with ("ticket #1041", "see #1041", "merged into #1041"), or in a list that began so. Code is left alone, and so are
 * references in quoted mails and in links.
 */
import { addressesInBody, bareLinks, CODE, INLINE } from '../attachments/addresses-in-body.ts';
import { type FoundAddress, unescaped } from '../attachments/addresses-in-html.ts';
import { markedHtml, type Range } from '../attachments/marked-html.ts';
import type { ContentType } from '../domain/payload.ts';
import { escapedHtml, escapedPattern } from '../domain/printable.ts';

export interface FoundLink {
  readonly start: number;
  readonly end: number;
  readonly kind: 'address' | 'reference';
  /** As it is meant. */
  readonly written: string;
  /** External id of the ticket that it names. */
  readonly id: string;
  /** What stands in its place when the ticket is at this address. */
  become(address: string): string;
}

export interface LinkForms {
  /** The id of the ticket at an address of the source. */
  idIn(address: string): string | undefined;
  /** How tickets are named in texts, `{id}` for the id; absent: only addresses count. */
  readonly reference?: string | undefined;
}

export function findLinks(content: string, type: ContentType | undefined, forms: LinkForms): FoundLink[] {
  const { text, code, quiet } = marked(content, type);
  const isIn = (ranges: readonly Range[], { start, end }: Range) =>
    ranges.some((range) => start < range.end && range.start < end);
  const addresses = [...addressesInBody(content, type), ...(type === 'html' ? linksInText(text) : [])].filter(
    (found) => found.kind === 'link' && !isIn(code, found),
  );
  const found: FoundLink[] = [];
  for (const { start, end, written, escape: become } of addresses) {
    const id = forms.idIn(written);
    if (id !== undefined && !found.some((other) => start < other.end && other.start < end))
      found.push({ start, end, kind: 'address', written, id, become });
  }
  const taken = [...code, ...quiet, ...addresses];
  for (const { start, end, id } of references(text, forms.reference)) {
    if (isIn(taken, { start, end })) continue;
    const written = content.slice(start, end);
    found.push({ start, end, kind: 'reference', written, id, become: (to) => linked(written, to, type) });
  }
  return found.sort((one, other) => one.start - other.start);
}

/** The number stays to be read, and leads there. */
function linked(written: string, address: string, type: ContentType | undefined): string {
  if (type === 'html') return `<a href="${escapedHtml(address)}">${written}</a>`;
  if (type === 'markdown') return `[${written}](${address.replaceAll('(', '%28').replaceAll(')', '%29')})`;
  return `${written} (${address})`;
}

/** The body as text of the same length, what is code in it, and where references are not looked for. */
function marked(
  content: string,
  type: ContentType | undefined,
): { text: string; code: Range[]; quiet: Range[] } {
  if (type === 'html') return markedHtml(content);
  const ranges = (pattern: RegExp) =>
    [...content.matchAll(pattern)].map(({ index, 0: all }) => ({ start: index, end: index + all.length }));
  const quoted = ranges(/^[ \t]{0,3}>.*$/gm);
  return {
    text: content,
    code: ranges(CODE),
    quiet: type === 'markdown' ? [...quoted, ...ranges(INLINE)] : quoted,
  };
}

function linksInText(text: string): FoundAddress[] {
  return bareLinks(text).map((link) => ({
    ...link,
    written: unescaped(link.written),
    escape: escapedHtml,
  }));
}

interface Reference extends Range {
  readonly id: string;
}

function references(text: string, template: string | undefined): Reference[] {
  const [prefix = '', suffix = ''] = template?.split('{id}') ?? [];
  if (template === undefined || (prefix !== '' && !text.includes(prefix))) return [];
  const isNumber = prefix.endsWith('#');
  const id = isNumber ? '\\d{1,15}' : prefix === '' ? '[A-Z][A-Z0-9_]{1,30}-\\d{1,15}' : '[\\w-]{1,64}';
  const pattern = new RegExp(`${escapedPattern(prefix)}(${id})${escapedPattern(suffix)}`, 'g');
  const found: Reference[] = [];
  for (const match of text.matchAll(pattern)) {
    const start = match.index;
    const end = start + match[0].length;
    const before = text[start - 1] ?? ' ';
    if (!MAY_PRECEDE.test(before) || !MAY_FOLLOW.test(text.slice(end, end + 2))) continue;
    // Where a tag stood is white space.
    const lead = text.slice(Math.max(0, start - LEAD), start).replace(/[ \t\u00a0]+/g, ' ');
    const last = found.at(-1);
    const isListed = last !== undefined && BETWEEN.test(text.slice(last.end, start));
    if (!isNumber || isListed || NAMES_TICKETS.test(lead)) found.push({ start, end, id: match[1] ?? '' });
  }
  return found;
}

const MAY_PRECEDE = /[\s([{"'\u201c\u201e\u2018\u00ab*_>,;:\u2013\u2014/-]/;
/** No word, no decimal places, no percent, no money, no path. */
const MAY_FOLLOW = /^(?![\w#%\u20ac$\u00a3&/\\@=+])(?![-.,:]\d)(?!-\w)/;
/** Between two references of one list. */
const BETWEEN =
  /^[\])]?(?:\s{0,3}[,;/&+]\s{0,3}|\s{1,3}(?:and|or|und|oder|et|ou|y|e|o)\s{1,3}|,\s{1,3}(?:and|or)\s{1,3})[[(]?$/i;
/** So much of what stands before is looked at. */
const LEAD = 300;
const NOUN =
  'tickets?|ticket-?(?:nr|number|nummer|id)|requests?|cases?|conversations?|inquiry|inquiries|enquiry|incidents?|anfragen?|vorg[aä]nge?|vorgang|vorfall|demandes?|requ[eê]te|casos?|solicitud(?:es)?|consultas?|chamados?|solicita[cç][aã]o|richiest[ae]|segnalazione|verzoek|melding';
const WORD =
  'about|see(?: also)?|cf|re|regarding|concerning|reference|duplicates?(?: of)?|duplicated? (?:by|in)|(?:duplicate|copy|continuation|part) of|follow(?:s|ing)?[- ]?up(?: (?:to|of|on|for|from))?|(?:related|linked|relates|belongs|refers|referring|refer|reply|response|similar) to|(?:with )?(?:regard|respect|reference) to|same as|(?:mentioned|described|discussed|reported|explained|answered|solved|resolved|fixed|handled|as) in|as per|continue[sd]? (?:in|from|at|on)|(?:merged?|moved|split) (?:into|in|with|to|from)|siehe(?: auch)?|bez[uü]glich|betrifft|betreff|(?:bezug|verweis) auf|(?:r[uü]ckfrage|nachfrage|erg[aä]nzung|geh[oö]rt) zu|wie in|voir(?: aussi)?|concernant|[aà] propos de|suite [aà]|v[eé]ase|relacionado con|acerca de|zie(?: ook)?|vedi|veja';
/** Then perhaps "no.", a colon, an opening bracket. */
const NAMES_TICKETS = new RegExp(
  `(?:^|[^\\p{L}\\d#'\\u2019])(?:(?:${NOUN})(?:[ \\t]{1,3}(?:no|nr|num|number|id|nummer|num[eé]ro|n[uú]mero))?|${WORD})[.:]?[ \\t\\u00a0]{0,3}[(\\[{"'\\u201c\\u201e*_]{0,3}$`,
  'iu',
);
