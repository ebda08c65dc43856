/** Small conversions of one value: the words of `as`, `cell`, `split` and `pick`. */
import { isJsonObject, textOf } from '../../domain/source-file.ts';
import type { CellType, TextForm } from '../language/expression.ts';

const TRUE = new Set(['true', 't', 'yes', 'y', '1']);
const FALSE = new Set(['false', 'f', 'no', 'n', '0']);

function booleanOf(text: string): boolean | undefined {
  const word = comparable(text);
  return TRUE.has(word) ? true : FALSE.has(word) ? false : undefined;
}

/** A text of a CSV cell as the type that a field needs; what does not fit stays text, for checking to name. */
export function readCell(text: string, type: CellType): unknown {
  if (type === 'boolean') return booleanOf(text) ?? text;
  if (type === 'list') return parseList(text);
  if (type === 'number') return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text;
  return /^\s*[[{]/.test(text) ? (parseStructure(text.trim()) ?? text) : text;
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

const FORMS: Readonly<Record<TextForm, (text: string, value: unknown) => unknown>> = {
  text: (text) => text,
  email: (text) => mailbox(text).email,
  name: (text) => mailbox(text).name,
  'line-breaks': (text) => text.replace(/\\r\\n|\\[nr]/g, '\n').replaceAll('\\t', '\t'),
  integer: (text, value) =>
    typeof value === 'number' ? Math.trunc(value) : /^\s*-?\d{1,15}\s*$/.test(text) ? Number(text) : text,
  boolean: (text, value) => (typeof value === 'boolean' ? value : (booleanOf(text) ?? value)),
};

export function toForm(value: unknown, form: TextForm): unknown {
  if (Array.isArray(value))
    return value.map((element) => toForm(element, form)).filter((made) => made !== undefined);
  return value === undefined || value === null ? undefined : FORMS[form](textOf(value), value);
}

/** Only these keys of an object, or of the objects of a list. Anything else stays as it is. */
export function pickKeys(value: unknown, keys: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((element) => pickKeys(element, keys));
  if (!isJsonObject(value)) return value;
  const there = keys.filter((key) => Object.hasOwn(value, key) && value[key] !== null);
  return Object.fromEntries(there.map((key) => [key, value[key]]));
}

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

/** The list in a text: a JSON list, else split at `;`, `|` or line ends, whichever comes first; never at commas. */
export function parseList(text: string): unknown[] {
  const trimmed = text.trim();
  if (trimmed === '') return [];
  const parsed = /^[[{]/.test(trimmed) ? parseStructure(trimmed) : undefined;
  if (parsed !== undefined) return Array.isArray(parsed) ? parsed : [parsed];
  // as a database writes an array
  const inBraces = /^\{([^{}:]*)\}$/.exec(trimmed)?.[1];
  if (inBraces !== undefined) return splitText(inBraces.replaceAll('"', ''), ',');
  return splitText(trimmed, [';', '|', '\n'].find((candidate) => trimmed.includes(candidate)) ?? ';');
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
