/** Finds and replaces addresses in a message body; nothing else changes. HTML is read by the parser that shows bodies. Pure. */
import { decodeHTMLAttribute } from 'entities';
import { Tokenizer } from 'htmlparser2';
import { LinkifyIt } from 'linkify-it';
import type { ContentType } from '../domain/payload.ts';
import { escapedHtml } from '../domain/printable.ts';

interface Range {
  readonly start: number;
  readonly end: number;
}

export interface FoundAddress extends Range {
  readonly written: string;
  /** `shown`: by the body itself. `link`: a person may follow it. */
  readonly kind: 'shown' | 'link';
  escape(address: string): string;
}

/** Most bodies have no address, so this cheap test comes first. */
const MAY_HAVE = /https?:|cid:|src|url\(|\]\(|background|\]:|href/i;

export function addressesInBody(content: string, contentType: ContentType | undefined): FoundAddress[] {
  if (!MAY_HAVE.test(content)) return [];
  if (contentType === 'html') return htmlParts(content).addresses;
  if (contentType === 'markdown') return addressesInMarkdown(content);
  const pictures = content.includes('![')
    ? inlineAddresses(content).filter(({ kind }) => kind === 'shown')
    : [];
  return withBareLinks(pictures, content);
}

/** Later overlapping ones are left out. */
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

const NOT_SHOWN: ReadonlySet<string> = new Set(['script', 'iframe', 'frame']);
const CODE_TAGS = /^(?:code|pre|script|style|textarea|kbd|samp|title)$/;
const nothing = () => undefined;

/** `text`: as long as the body, with white space for tags. `code`: shown verbatim. */
function htmlParts(html: string): {
  readonly addresses: FoundAddress[];
  readonly text: string;
  readonly code: readonly Range[];
} {
  const addresses: FoundAddress[] = [];
  const code: Range[] = [];
  const open: string[] = [];
  let [tag, name, text, begun] = ['', '', '', 0];
  let value: Range | undefined;
  const nameIn = (start: number, end: number) => html.slice(start, end).toLowerCase();
  const kindOf = (): FoundAddress['kind'] | undefined => {
    if (name === 'src') return NOT_SHOWN.has(tag) ? undefined : 'shown';
    return name === 'href' && (tag === 'a' || tag === 'area') ? 'link' : undefined;
  };
  const tokens = new Tokenizer(
    { decodeEntities: false },
    {
      ontext: (start, end) => {
        text = text.padEnd(start) + html.slice(start, end);
      },
      onopentagname: (start, end) => {
        tag = nameIn(start, end);
        if (!CODE_TAGS.test(tag)) return;
        if (open.length === 0) begun = start;
        open.push(tag);
      },
      onclosetag: (start, end) => {
        const at = open.lastIndexOf(nameIn(start, end));
        if (at < 0) return;
        open.length = at;
        if (at === 0) code.push({ start: begun, end: start });
      },
      onattribname: (start, end) => {
        name = nameIn(start, end);
        value = undefined;
      },
      onattribdata: (start, end) => {
        value = { start: value?.start ?? start, end };
      },
      onattribend: (quote) => {
        const kind = kindOf();
        if (value === undefined || kind === undefined) return;
        const isQuoted = quote > 1;
        const written = decodeHTMLAttribute(html.slice(value.start, value.end));
        const quoted = (address: string) => (isQuoted ? escapedHtml(address) : `"${escapedHtml(address)}"`);
        addresses.push({ ...value, written, kind, escape: quoted });
      },
      onattribentity: nothing,
      oncdata: nothing,
      oncomment: nothing,
      ondeclaration: nothing,
      onend: nothing,
      onopentagend: nothing,
      onprocessinginstruction: nothing,
      onselfclosingtag: nothing,
      ontextentity: nothing,
    },
  );
  tokens.write(html);
  tokens.end();
  if (open.length > 0) code.push({ start: begun, end: html.length });
  return { addresses, text: text.padEnd(html.length), code };
}

// Every repetition has a bound, so that time is linear.

const CODE = /(?:^|\n)(`{3,40}|~{3,40})[^\n]*\n[\s\S]*?(?:\n\1|$)|(`{1,20})[^`][\s\S]{0,1000}?\2/g;
/** `](address "title")`, in angle brackets or with balanced parentheses. */
const INLINE =
  /(!?)\[((?:[^[\]\\]|\\.|\[[^[\]]{0,300}\]){0,1000})\]\(\s{0,50}(?:<([^<>\n]*)>|((?:[^\s()\\]|\\.|\((?:[^\s()\\]|\\.)*\))+))/g;
const INNER = /!\[[^[\]]{0,300}\]\(\s{0,50}<?([^\s()<>]+)/g;
/** `![text][label]` or `![label]`. */
const PICTURE = /!\[([^[\]]{0,1000})\](?:\[([^[\]]{0,1000})\])?/g;
const DEFINITION = /^ {0,3}\[([^\]\n]+)\]:[ \t]*<?([^\s<>]+)>?/gm;

function addressesInMarkdown(content: string): FoundAddress[] {
  // As long as before, so that places hold.
  const text = content.replace(CODE, (code) => code.replace(/[^\n]/g, ' '));
  const found = [...htmlParts(text).addresses, ...inlineAddresses(text)];
  const shown = new Set<string>();
  for (const { 1: own = '', 2: label = '' } of text.matchAll(PICTURE))
    shown.add((label || own).toLowerCase());
  for (const { index, 0: whole, 1: label = '', 2: address = '' } of text.matchAll(DEFINITION))
    found.push(addressAt(index, whole, address, shown.has(label.toLowerCase()) ? 'shown' : 'link'));
  return withBareLinks(found, text);
}

function inlineAddresses(text: string): FoundAddress[] {
  return [...text.matchAll(INLINE)].flatMap(
    ({ index, 0: whole, 1: mark = '', 2: label = '', 3: bracketed, 4: bare }) => [
      addressAt(index, whole, bracketed ?? bare ?? '', mark === '!' ? 'shown' : 'link'),
      ...[...label.matchAll(INNER)].map((inner) =>
        addressAt(index + mark.length + 1 + inner.index, inner[0], inner[1] ?? '', 'shown'),
      ),
    ],
  );
}

/** The last time that it is in `whole`, which begins there. */
function addressAt(begin: number, whole: string, address: string, kind: FoundAddress['kind']): FoundAddress {
  const start = begin + whole.lastIndexOf(address);
  const written = address.replace(/\\([!-/:-@[-`{-~])/g, '$1');
  return { start, end: start + address.length, written, kind, escape: inParentheses };
}

function withBareLinks(found: readonly FoundAddress[], text: string): FoundAddress[] {
  const isTaken = (link: Range) => found.some(({ start, end }) => link.start < end && start < link.end);
  return [...found, ...bareLinks(text).filter((link) => !isTaken(link))];
}

const inParentheses = (address: string) =>
  address.replaceAll('(', '%28').replaceAll(')', '%29').replaceAll(' ', '%20');

const LINKS = new LinkifyIt({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false });
for (const scheme of ['ftp:', 'mailto:', '//']) LINKS.add(scheme, null);

const BEHIND = /(?:[*_~]|&(?:quot|gt|lt|apos|#39);?)$/;
const LONGEST_BEHIND = '&apos;'.length;

function withoutMarks(raw: string): string {
  let end = raw.length;
  // An address may be all marks, so only its end is looked at.
  const behind = () => BEHIND.exec(raw.slice(Math.max(0, end - LONGEST_BEHIND), end))?.[0].length ?? 0;
  for (let length = behind(); length > 0; length = behind()) end -= length;
  return raw.slice(0, end);
}

function bareLinks(text: string): FoundAddress[] {
  return (LINKS.match(text) ?? []).map(({ index, raw }) => {
    const written = withoutMarks(raw);
    return { start: index, end: index + written.length, written, kind: 'link', escape: (one) => one };
  });
}
