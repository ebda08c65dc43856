/** Whether two bodies say the same: one may be HTML and the other Markdown or plain text, with or without a signature. */
import { comparableText } from '../../view/conversation/comparable-text.ts';

/** Characters that identify a text that was cut or is part of another. */
const LEAST = 25;
const ADDRESS = /\b(?:https?:\/\/|mailto:)[^\s<>()[\]"]+/gi;
/** `![picture](address)` and `[words](address)`: the words stay. */
const LINK = /!?\[([^\][]*)\]\(\s*(?:[^()\s]+\s*)?\)/g;

/** Letters and digits alone: without markup, addresses of links, emphasis, white space and punctuation. */
export function spokenText(content: string, htmlText: ((html: string) => string) | undefined): string {
  const linked = content.replace(LINK, (link, words: string) => (link.startsWith('!') ? ' ' : words));
  const text = comparableText((htmlText?.(linked) ?? linked).replace(ADDRESS, ' '));
  const spoken = text.replace(/[^\p{L}\p{N}]+/gu, '');
  return spoken === '' ? text : spoken;
}

/** The same, or one of them goes on after the other ends. */
export function isSameText(one: string, other: string): boolean {
  const length = Math.min(one.length, other.length);
  return one === other || (length >= LEAST && one.slice(0, length) === other.slice(0, length));
}

export function contains(whole: string, part: string): boolean {
  return part.length >= LEAST && whole.includes(part);
}
