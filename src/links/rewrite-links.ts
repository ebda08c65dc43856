import { decodeHTMLStrict } from 'entities';
import {
  addressesInBody,
  bareLinks,
  codeIn,
  type FoundAddress,
  htmlParts,
  replaceAddresses,
} from '../attachments/addresses-in-body.ts';
import type { ContentType, MessagePayload } from '../domain/payload.ts';
import { addressWithId, escapedHtml } from '../domain/printable.ts';
import type { RewrittenLink } from '../domain/ticket.ts';

export interface LinkRules {
  idIn(address: string): string | undefined;
  readonly target: string;
  ticketOf(externalId: string): string | undefined;
}

export function rewriteLinks(
  messages: readonly MessagePayload[],
  { idIn, target, ticketOf }: LinkRules,
): { readonly messages: readonly MessagePayload[]; readonly links: readonly RewrittenLink[] } {
  const links: RewrittenLink[] = [];
  const rewritten = messages.map((message, index) => {
    const replaced = linksIn(message.content, message.contentType).flatMap((found) => {
      const oldId = idIn(found.written);
      const newId = oldId === undefined ? undefined : ticketOf(oldId);
      if (oldId === undefined || newId === undefined) return [];
      const address = addressWithId(target, newId);
      links.push({ message: index, written: found.written, oldId, newId, newAddress: address });
      return { found, address };
    });
    return replaced.length === 0
      ? message
      : { ...message, content: replaceAddresses(message.content, replaced) };
  });
  return { messages: links.length === 0 ? messages : rewritten, links };
}

/** The first of overlapping links. */
function linksIn(content: string, type: ContentType | undefined): FoundAddress[] {
  const { text, code } = type === 'html' ? htmlParts(content) : { text: '', code: codeIn(content) };
  const inText = bareLinks(text).map((link) => ({
    ...link,
    written: decodeHTMLStrict(link.written),
    escape: escapedHtml,
  }));
  const found: FoundAddress[] = [];
  for (const link of [...addressesInBody(content, type), ...inText]) {
    const isTaken = [...code, ...found].some(({ start, end }) => link.start < end && start < link.end);
    if (link.kind === 'link' && !isTaken) found.push(link);
  }
  return found.sort((one, other) => one.start - other.start);
}
