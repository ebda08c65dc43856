/** Small conversions of one value: the words of `as`, `cell` and `pick`. */
import type { CellType, TextForm } from '../language/expression.ts';
import { parseList, parseStructure } from './lists.ts';
import { textOf } from './values.ts';

const TRUE = new Set(['true', 't', 'yes', 'y', '1']);
const FALSE = new Set(['false', 'f', 'no', 'n', '0']);

function booleanOf(text: string): boolean | undefined {
  const word = text.trim().toLowerCase();
  return TRUE.has(word) ? true : FALSE.has(word) ? false : undefined;
}

/** A text of a CSV cell as the type that a field needs; what does not fit stays text, for checking to name. */
export function readCell(text: string, type: CellType): unknown {
  switch (type) {
    case 'boolean':
      return booleanOf(text) ?? text;
    case 'integer':
      return /^\s*-?\d{1,15}\s*$/.test(text) ? Number(text) : text;
    case 'number': {
      const number = Number(text);
      return text.trim() !== '' && Number.isFinite(number) ? number : text;
    }
    case 'list':
      return parseList(text);
    case 'json':
      return /^\s*[[{]/.test(text) ? (parseStructure(text.trim()) ?? text) : text;
  }
}

/** `Ann Lee <ann@example.com>` taken apart; a bare address has no name. */
export function mailbox(text: string): { email: string | undefined; name: string | undefined } {
  const angle = /^\s*(.*?)\s*<\s*([^<>\s]+)\s*>\s*$/s.exec(text);
  if (angle !== null) {
    const name = (angle[1] ?? '').replace(/^(["'])(.*)\1$/s, '$2').trim();
    return { email: angle[2], name: name === '' ? undefined : name };
  }
  const bare = text.trim();
  return bare.includes('@') && !/\s/.test(bare)
    ? { email: bare, name: undefined }
    : { email: undefined, name: bare || undefined };
}

export function toForm(value: unknown, form: TextForm): unknown {
  if (Array.isArray(value))
    return value.map((element) => toForm(element, form)).filter((v) => v !== undefined);
  if (value === undefined || value === null) return undefined;
  switch (form) {
    case 'text':
      return textOf(value);
    case 'lower':
      return textOf(value).toLowerCase();
    case 'upper':
      return textOf(value).toUpperCase();
    case 'email':
      return mailbox(textOf(value)).email;
    case 'name':
      return mailbox(textOf(value)).name;
    case 'integer':
      return typeof value === 'number' ? Math.trunc(value) : readCell(textOf(value), 'integer');
    case 'boolean':
      return typeof value === 'boolean' ? value : (booleanOf(textOf(value)) ?? value);
  }
}

/** Only these keys of an object, or of the objects of a list. Anything else stays as it is. */
export function pickKeys(value: unknown, keys: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((element) => pickKeys(element, keys));
  if (value === null || typeof value !== 'object') return value;
  const picked: Record<string, unknown> = {};
  for (const key of keys) {
    if (!Object.hasOwn(value, key)) continue;
    const found = (value as Record<string, unknown>)[key];
    if (found !== null) picked[key] = found;
  }
  return picked;
}
