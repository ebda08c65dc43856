/** Small conversions of one value: the words of `as`, `cell` and `pick`. */
import { textOf } from '../../domain/source-file.ts';
import type { CellType, TextForm } from '../language/expression.ts';

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
  const bare = text.trim();
  const from = bare.endsWith('>') ? bare.lastIndexOf('<') : -1;
  const email = from < 0 ? '' : bare.slice(from + 1, -1).trim();
  if (/^[^<>\s]+$/.test(email)) {
    const before = bare.slice(0, from).trim();
    const name = before.replace(/^(["'])(.*)\1$/s, '$2').trim();
    return { email, name: name === '' ? undefined : name };
  }
  if (bare.includes('@') && !/\s/.test(bare)) return { email: bare, name: undefined };
  const inside = bare.length > LONGEST_MAILBOX ? null : bare.match(ADDRESS_INSIDE);
  if (inside?.length !== 1) return { email: undefined, name: bare || undefined };
  const [address] = inside;
  const name = bare
    .replace(address, ' ')
    .replace(/[([<]\s{0,9}(?:@[^\s()[\]<>]{0,100})?\s{0,9}[)\]>]/g, ' ')
    .replace(/^[\s,;|:–-]+|[\s,;|:–-]+$/g, '');
  return { email: address, name: name === '' ? undefined : name };
}

const LONGEST_MAILBOX = 120;
/** `Maria Lopez (maria@example.com)`, `maria@example.com; Maria Lopez` */
const ADDRESS_INSIDE = /[^\s<>()[\],;:"'|@]{1,64}@[^\s<>()[\],;:"'|@]{1,100}\.\p{L}{2,24}/gu;

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
    case 'line-breaks':
      return textOf(value)
        .replace(/\\r\\n|\\[nr]/g, '\n')
        .replaceAll('\\t', '\t');
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

// Values of any source as text, and what counts as empty.

/** Absent: `undefined`, `null`, blank text, an empty list. */
export function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  if (typeof value === 'string') return value.trim() === '';
  return Array.isArray(value) && value.length === 0;
}

/** How keys and words of two sources are compared: trimmed text without case. */
export function comparable(value: unknown): string {
  return textOf(value).trim().toLowerCase();
}

// Lists in one cell: JSON, or texts with a separator between.

/** The list in a text: a JSON list, else split at `;`, `|` or line ends, whichever comes first; never at commas. */
export function parseList(text: string): unknown[] {
  const trimmed = text.trim();
  if (trimmed === '') return [];
  if (/^[[{]/.test(trimmed)) {
    const parsed = parseStructure(trimmed);
    if (Array.isArray(parsed)) return parsed;
    if (parsed !== undefined) return [parsed];
  }
  // as a database writes an array
  const inBraces = /^\{([^{}:]*)\}$/.exec(trimmed)?.[1];
  if (inBraces !== undefined) return splitText(inBraces.replaceAll('"', ''), ',');
  const separator = [';', '|', '\n'].find((candidate) => trimmed.includes(candidate)) ?? ';';
  return splitText(trimmed, separator);
}

/** Trimmed parts, without empty ones. */
export function splitText(text: string, separator: string | RegExp): string[] {
  return text
    .split(separator)
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/** The value of a text that is JSON. */
export function parseStructure(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
