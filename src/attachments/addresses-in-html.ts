/**
 * Addresses in an html body (`src`, and `href` of links), each with its place, so that it can be replaced and nothing else of
 * the body changes. The tokens are those of the parser that shows bodies. Pure.
 */
import { decodeHTMLAttribute } from 'entities';
import { Tokenizer } from 'htmlparser2';
import { escapedHtml } from '../domain/printable.ts';

/** An address in a text. */
export interface FoundAddress {
  /** Its place, as it is written. */
  readonly start: number;
  readonly end: number;
  /** As it is meant: without escapes of the place. */
  readonly written: string;
  /** `shown`: the body shows it by itself. `link`: a person may follow it. */
  readonly kind: 'shown' | 'link';
  /** Another address as it is written in this place. */
  escape(address: string): string;
}

/** What these load is no file of a conversation. */
const NOT_SHOWN: ReadonlySet<string> = new Set(['script', 'iframe', 'frame']);

export function addressesInHtml(html: string): FoundAddress[] {
  const found: FoundAddress[] = [];
  let tag = '';
  let name = '';
  let value: { start: number; end: number } | undefined;
  const nameIn = (start: number, end: number) => html.slice(start, end).toLowerCase();
  const kindOf = (): FoundAddress['kind'] | undefined => {
    if (name === 'src') return NOT_SHOWN.has(tag) ? undefined : 'shown';
    return name === 'href' && (tag === 'a' || tag === 'area') ? 'link' : undefined;
  };
  const nothing = () => undefined;
  const tokens = new Tokenizer(
    { decodeEntities: false },
    {
      onopentagname: (start, end) => {
        tag = nameIn(start, end);
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
        const become = (address: string) => (isQuoted ? escapedHtml(address) : `"${escapedHtml(address)}"`);
        found.push({ ...value, written, kind, escape: become });
      },
      onattribentity: nothing,
      oncdata: nothing,
      onclosetag: nothing,
      oncomment: nothing,
      ondeclaration: nothing,
      onend: nothing,
      onopentagend: nothing,
      onprocessinginstruction: nothing,
      onselfclosingtag: nothing,
      ontext: nothing,
      ontextentity: nothing,
    },
  );
  tokens.write(html);
  tokens.end();
  return found;
}
