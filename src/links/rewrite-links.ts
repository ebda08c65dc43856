/** The messages of a ticket with links to old tickets replaced by links to the new ones. Pure. */

import type { MessagePayload } from '../domain/payload.ts';
import { addressWithId } from '../domain/printable.ts';
import type { RewrittenLink } from '../domain/ticket.ts';
import { findLinks, type LinkForms } from './find-links.ts';

export interface LinkRules {
  readonly forms: LinkForms;
  /** Address of a ticket in the new helpdesk, with `{id}`. */
  readonly target: string;
  /** The id in the target of a ticket of the source, where it is there. */
  ticketOf(externalId: string): string | undefined;
}

export function rewriteLinks(
  externalId: string,
  messages: readonly MessagePayload[],
  { forms, target, ticketOf }: LinkRules,
): { readonly messages: readonly MessagePayload[]; readonly links: readonly RewrittenLink[] } {
  const links: RewrittenLink[] = [];
  const rewritten = messages.map((message, index) => {
    const { content, contentType } = message;
    let result = '';
    let at = 0;
    for (const { start, end, kind, written, id, become } of findLinks(content, contentType, forms)) {
      // A number in its own ticket leads nowhere else.
      const newId = kind === 'reference' && id === externalId ? undefined : ticketOf(id);
      if (newId === undefined) continue;
      const newAddress = addressWithId(target, newId);
      result += content.slice(at, start) + become(newAddress);
      at = end;
      links.push({ message: index, kind, written, oldId: id, newId, newAddress });
    }
    return at === 0 ? message : { ...message, content: result + content.slice(at) };
  });
  return { messages: links.length === 0 ? messages : rewritten, links };
}
