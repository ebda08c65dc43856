/** Finds addresses of other tickets of the source in a message, outside of code. */
import { decodeHTMLStrict } from 'entities';
import { addressesInBody, bareLinks, CODE } from '../attachments/addresses-in-body.ts';
import type { FoundAddress } from '../attachments/addresses-in-html.ts';
import type { ContentType } from '../domain/payload.ts';
import { escapedHtml } from '../domain/printable.ts';
import { markedHtml, type Range } from './marked-html.ts';

interface FoundLink extends Range {
  /** Decoded. */
  readonly written: string;
  /** External ID of its ticket. */
  readonly id: string;
  /** The replacement for this new address. */
  become(address: string): string;
}

/** `idIn`: the ID of the ticket at an address. */
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
