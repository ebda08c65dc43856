/** A person as a coloured disc with initials: the same person has the same colour on every page. */
import { html } from 'hono/html';
import type { Markup } from './page-shell.ts';

const HUES = 8;

export interface Person {
  /** What the colour is chosen by: an e-mail or an id. */
  readonly key: string;
  readonly name: string;
  readonly kind: 'contact' | 'agent';
}

export function avatar(person: Person, size: 'small' | 'usual' | 'large' = 'usual'): Markup {
  const classes = `avatar hue-${hueOf(person.key)}${size === 'usual' ? '' : ` ${size}`}${person.kind === 'agent' ? ' agent' : ''}`;
  return html`<span class="${classes}" aria-hidden="true">${initials(person.name)}</span>`;
}

/** Of the first and the last word; of a word in a script without spaces, its first letter. */
export function initials(name: string): string {
  const words = name
    .slice(0, 200)
    .split(/[\s@._-]+/u)
    .map((word) => /[\p{L}\p{N}]/u.exec(word)?.[0])
    .filter((letter) => letter !== undefined);
  const [first, last] = [words[0], words.at(-1)];
  if (first === undefined) return '?';
  return `${first}${words.length > 1 && last !== undefined ? last : ''}`.toUpperCase();
}

export function hueOf(key: string): number {
  let sum = 0;
  for (let index = 0; index < Math.min(key.length, 200); index++)
    sum = (sum * 31 + key.charCodeAt(index)) >>> 0;
  return sum % HUES;
}
