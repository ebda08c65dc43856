/** Replaces links to old tickets by links to new ones. */

import type { MessagePayload } from '../domain/payload.ts';
import { addressWithId } from '../domain/printable.ts';
import type { RewrittenLink } from '../domain/ticket.ts';
import { findLinks } from './find-links.ts';

export interface LinkRules {
  /** The external ID of the ticket at an old address. */
  idIn(address: string): string | undefined;
  /** Address of a ticket in the new helpdesk, with `{id}`. */
  readonly target: string;
  /** The target's ID of an imported ticket. */
  ticketOf(externalId: string): string | undefined;
}

export function rewriteLinks(
  messages: readonly MessagePayload[],
  { idIn, target, ticketOf }: LinkRules,
): { readonly messages: readonly MessagePayload[]; readonly links: readonly RewrittenLink[] } {
  const links: RewrittenLink[] = [];
  const rewritten = messages.map((message, index) => {
    const { content, contentType } = message;
    let result = '';
    let at = 0;
    for (const { start, end, written, id, become } of findLinks(content, contentType, idIn)) {
      const newId = ticketOf(id);
      if (newId === undefined) continue;
      const newAddress = addressWithId(target, newId);
      result += content.slice(at, start) + become(newAddress);
      at = end;
      links.push({ message: index, written, oldId: id, newId, newAddress });
    }
    return at === 0 ? message : { ...message, content: result + content.slice(at) };
  });
  return { messages: links.length === 0 ? messages : rewritten, links };
}
