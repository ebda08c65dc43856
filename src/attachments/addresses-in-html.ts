/**
 * Addresses in an html body, each with the place where it stands, so that it can be replaced and nothing else of the body
 * changes. The tokens are those of the parser that shows bodies. Pure.
 */
import { Tokenizer } from 'htmlparser2';
import { escapedHtml } from '../domain/printable.ts';

/** An address in a text. */
export interface FoundAddress {
  /** Its place, as it is written. */
  readonly start: number;
  readonly end: number;
  /** As it is meant: without escapes of the place. */
  readonly written: string;
  /** `shown`: the body shows it by itself. `link`: somebody may follow it. */
  readonly kind: 'shown' | 'link';
  /** Another address as it is written in this place. */
  escape(address: string): string;
}

const SHOWN: ReadonlySet<string> = new Set(['src', 'background', 'poster', 'data']);
/** What these load is no file of a conversation. */
const NOT_SHOWN: ReadonlySet<string> = new Set(['script', 'iframe', 'frame']);

export function addressesInHtml(html: string, shift = 0): FoundAddress[] {
  const found: FoundAddress[] = [];
  let tag = '';
  let name = '';
  let value: { start: number; end: number } | undefined;
  const slice = (start: number, end: number) => html.slice(start, end);
  const attribute = (isQuoted: boolean) => {
    if (value === undefined) return;
    const { start, end } = value;
    const raw = slice(start, end);
    const escaped = (address: string) => (isQuoted ? escapedHtml(address) : `"${escapedHtml(address)}"`);
    const add = (from: number, to: number, kind: FoundAddress['kind']) =>
      found.push({
        start: shift + from,
        end: shift + to,
        written: unescaped(slice(from, to)),
        kind,
        escape: escaped,
      });
    if (name === 'srcset' || name === 'imagesrcset')
      // A list stands in quotes, or is one address.
      for (const [from, to] of candidatesOf(raw)) add(start + from, start + to, 'shown');
    else if (name === 'style') for (const one of addressesInCss(raw, shift + start, escaped)) found.push(one);
    else if (SHOWN.has(name) || (tag === 'image' && /(?:^|:)href$/.test(name))) {
      if (!NOT_SHOWN.has(tag)) add(start, end, 'shown');
    } else if (name === 'href' && (tag === 'a' || tag === 'area')) add(start, end, 'link');
  };
  const tokens = new Tokenizer(
    { decodeEntities: false },
    {
      onopentagname: (start, end) => {
        tag = slice(start, end).toLowerCase();
      },
      onattribname: (start, end) => {
        name = slice(start, end).toLowerCase();
        value = undefined;
      },
      onattribdata: (start, end) => {
        value = { start: value?.start ?? start, end };
      },
      onattribend: (quote) => attribute(quote > 1),
      ontext: (start, end) => {
        if (tag === 'style')
          for (const one of addressesInCss(slice(start, end), shift + start, (text) => text)) found.push(one);
      },
      onclosetag: () => {
        tag = '';
      },
      onopentagend: () => {},
      onselfclosingtag: () => {},
      onattribentity: () => {},
      ontextentity: () => {},
      oncdata: () => {},
      oncomment: () => {},
      ondeclaration: () => {},
      onprocessinginstruction: () => {},
      onend: () => {},
    },
  );
  tokens.write(html);
  tokens.end();
  return found;
}

/** Where the addresses of a `srcset` begin and end: each runs to white space, and what describes it to the next comma. */
function* candidatesOf(list: string): Generator<readonly [from: number, to: number]> {
  for (let at = 0; at < list.length; ) {
    while (/[\s,]/.test(list[at] ?? '')) at++;
    const from = at;
    while (/\S/.test(list[at] ?? '')) at++;
    let to = at;
    while (to > from && list[to - 1] === ',') to--;
    if (to > from) yield [from, to];
    const comma = to === at ? list.indexOf(',', at) : at;
    at = comma < 0 ? list.length : comma;
  }
}

/** Bounded, as it is tried at every `url(`. */
const CSS_URL =
  /url\(\s{0,50}(?:"((?:[^"\\]|\\[\s\S]){0,2000})"|'((?:[^'\\]|\\[\s\S]){0,2000})'|(&quot;|&#0?39;|&#x27;|&apos;)(.{0,2000}?)\3|((?:[^\s"'()\\]|\\[\da-f]{6}\s?|\\[\da-f]{1,5}(?![\da-f])\s?|\\[^\da-f\n]){0,2000}))\s{0,50}\)/gi;

function addressesInCss(css: string, shift: number, escaped: FoundAddress['escape']): FoundAddress[] {
  return [...css.matchAll(CSS_URL)].flatMap((match): FoundAddress[] => {
    const address = match[1] ?? match[2] ?? match[4] ?? match[5] ?? '';
    const start = shift + match.index + match[0].indexOf(address, 4);
    if (address === '') return [];
    return [
      {
        start,
        end: start + address.length,
        written: cssUnescaped(unescaped(address)),
        kind: 'shown',
        escape: (text) => escaped(cssEscaped(text)),
      },
    ];
  });
}

/** `\68 ttp` is `http`, `\(` is `(`, and a line that is broken goes on. */
const cssUnescaped = (text: string) =>
  text.replace(/\\(?:([\da-f]{1,6})\s?|\r?\n|([\s\S]))/gi, (_, hex?: string, char?: string) => {
    const code = Number.parseInt(hex ?? '', 16);
    return code > 0 && code <= 0x10_ff_ff ? String.fromCodePoint(code) : (char ?? '');
  });

const cssEscaped = (text: string) =>
  text.replace(/["'()\s\\]/g, (char) => `%${char.charCodeAt(0).toString(16).padStart(2, '0')}`);

const NAMED: ReadonlyMap<string, string> = new Map(
  Object.entries({
    amp: '&',
    quot: '"',
    apos: "'",
    lt: '<',
    gt: '>',
    nbsp: ' ',
  }),
);

/** The references that stand in addresses. */
export function unescaped(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w{2,4}));/gi, (whole, decimal, hex, named) => {
    const code =
      decimal !== undefined ? Number(decimal) : hex !== undefined ? Number.parseInt(hex, 16) : undefined;
    if (code !== undefined) return code > 0 && code <= 0x10_ff_ff ? String.fromCodePoint(code) : whole;
    return NAMED.get(String(named).toLowerCase()) ?? whole;
  });
}
