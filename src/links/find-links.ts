/** Where the body of a message has the address of another ticket of the source. Code is left alone. Pure. */
import { decodeHTMLStrict } from 'entities';
import { addressesInBody, bareLinks, CODE } from '../attachments/addresses-in-body.ts';
import type { FoundAddress } from '../attachments/addresses-in-html.ts';
import type { ContentType } from '../domain/payload.ts';
import { escapedHtml } from '../domain/printable.ts';
import { markedHtml, type Range } from './marked-html.ts';

interface FoundLink extends Range {
  /** As it is meant. */
  readonly written: string;
  /** External id of the ticket that it names. */
  readonly id: string;
  /** The text in its place when the ticket is at this address. */
  become(address: string): string;
}

/** `idIn`: the id of the ticket at an address of the source. */
export function findLinks(
  content: string,
  type: ContentType | undefined,
  idIn: (address: string) => string | undefined,
): FoundLink[] {
  const { code, links } = type === 'html' ? inHtml(content) : { code: codeIn(content), links: [] };
  const found: FoundLink[] = [];
  for (const { kind, start, end, written, escape: become } of [...addressesInBody(content, type), ...links]) {
    const isTaken = [...code, ...found].some((other) => start < other.end && other.start < end);
    const id = kind === 'link' && !isTaken ? idIn(written) : undefined;
    if (id !== undefined) found.push({ start, end, written, id, become });
  }
  return found.sort((one, other) => one.start - other.start);
}

function codeIn(content: string): Range[] {
  return [...content.matchAll(CODE)].map(({ index, 0: all }) => ({ start: index, end: index + all.length }));
}

/** The code of a page, and addresses in its text. */
function inHtml(content: string): {
  readonly code: readonly Range[];
  readonly links: readonly FoundAddress[];
} {
  const { text, code } = markedHtml(content);
  const links = bareLinks(text).map((link) => ({
    ...link,
    written: decodeHTMLStrict(link.written),
    escape: escapedHtml,
  }));
  return { code, links };
}
