/** Plain text with its web addresses as links. Pure; linear in the text. */
import { html } from 'hono/html';
import type { Markup } from './page-shell.ts';

const ADDRESS = /https?:\/\/[^\s<>"'`]+/gi;
/** More links than this in one message are left as text. */
const MOST_LINKS = 500;

export function linkedText(text: string): (string | Markup)[] {
  const parts: (string | Markup)[] = [];
  let at = 0;
  for (const match of text.matchAll(ADDRESS)) {
    const address = withoutSentence(match[0]);
    if (!URL.canParse(address)) continue;
    if (parts.length >= MOST_LINKS * 2) break;
    parts.push(
      text.slice(at, match.index),
      html`<a href="${address}" target="_blank" rel="noopener noreferrer nofollow">${address}</a>`,
    );
    at = match.index + address.length;
  }
  parts.push(text.slice(at));
  return parts;
}

/** Marks at the end belong to the sentence, and so does a bracket that the address does not open. */
function withoutSentence(address: string): string {
  const marks = `.,;:!?*_~${address.includes('(') ? '' : ')'}${address.includes('[') ? '' : ']'}`;
  let end = address.length;
  while (end > 0 && marks.includes(address.charAt(end - 1))) end--;
  return address.slice(0, end);
}
