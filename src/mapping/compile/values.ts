import { plainHeader } from '../../domain/source.ts';
import { isJsonObject, textOf } from '../../domain/source-file.ts';
import { yesOrNo } from '../../domain/text/vocabulary.ts';
import { isNoValue, wholeNumber } from '../../source/keys.ts';
import type { CellType, TextForm } from '../language/expression.ts';

/** Undefined for an absent value and an unknown word. */
export function truthOf(value: unknown): boolean | undefined {
  return ['string', 'number', 'boolean'].includes(typeof value) ? yesOrNo(String(value)) : undefined;
}

/** A text that does not fit stays text, for checking to name. */
export function readCell(text: string, type: CellType): unknown {
  if (type === 'boolean') return truthOf(text) ?? text;
  if (type === 'list') return parseList(text);
  if (type === 'number') return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text;
  return /^\s*[[{]/.test(text) ? (parseStructure(text.trim()) ?? text) : text;
}

/** `Ann Lee <ann@example.com>`; a bare address has no name. */
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

/** Several complete mailboxes in one cell are several people. */
export function mailboxes(text: string): string[] {
  const words = text.trim().split(/\s+/);
  const apart = splitText(text, words.every((word) => /.@./.test(word)) ? /[;,|\s]+/ : /[;,|\n]|\s\/\s/);
  return apart.length > 1 && apart.every((part) => mailbox(part).email !== undefined) ? apart : [text.trim()];
}

const LONGEST_MAILBOX = 120;
const ADDRESS_INSIDE = /[^\s<>()[\],;:"'|@]{1,64}@[^\s<>()[\],;:"'|@]{1,100}\.\p{L}{2,24}/gu;

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ...([
    ['&lt;', '<'],
    ['&gt;', '>'],
    ['&quot;', '"'],
    ['&nbsp;', ' '],
    ['&amp;', '&'],
  ] as const),
  ...([
    ['&#39;', "'"],
    ['&#x27;', "'"],
    ['&apos;', "'"],
  ] as const),
]);

const FORMS: Readonly<Record<Exclude<TextForm, 'lines'>, (text: string, value: unknown) => unknown>> = {
  text: (text) => text,
  email: (text) => {
    const emails = mailboxes(text).map((part) => mailbox(part).email);
    return emails.length === 1 ? emails[0] : emails.join('; ');
  },
  name: (text) => mailbox(mailboxes(text)[0] ?? text).name,
  'line-breaks': (text) => text.replace(/\\r\\n|\\[nr]/g, '\n').replaceAll('\\t', '\t'),
  unescaped: (text) =>
    text.replace(
      /&(?:lt|gt|quot|nbsp|amp|#39|#x27|apos);/gi,
      (entity) => ENTITIES.get(entity.toLowerCase()) ?? entity,
    ),
  integer: (text, value) =>
    typeof value === 'number' ? Math.trunc(value) : /^\s*-?\d{1,15}\s*$/.test(text) ? Number(text) : text,
  boolean: (text, value) => truthOf(text) ?? value,
};

export function toForm(value: unknown, form: TextForm): unknown {
  if (form === 'lines') return isEmpty(value) ? undefined : [value].flat().map(textOf).join('\n');
  if (Array.isArray(value))
    return value.map((element) => toForm(element, form)).filter((made) => made !== undefined);
  return value === undefined || value === null ? undefined : FORMS[form](textOf(value), value);
}

export function pickKeys(value: unknown, keys: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((element) => pickKeys(element, keys));
  if (!isJsonObject(value)) return value;
  const own = new Map(Object.keys(value).map((key) => [plainHeader(key), key]));
  const there = keys.flatMap((key) => {
    const written = Object.hasOwn(value, key) ? key : own.get(plainHeader(key));
    return written === undefined || isEmpty(value[written]) ? [] : [[key, value[written]] as const];
  });
  return there.length === 0 ? undefined : Object.fromEntries(there);
}

export function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  if (typeof value === 'string') return value.trim() === '';
  return Array.isArray(value) && value.length === 0;
}

export function isAbsent(value: unknown): boolean {
  return isEmpty(value) || (typeof value === 'string' && isNoValue(value));
}

/** Trimmed, without case, and whole numbers without `.0`. */
export function comparable(value: unknown): string {
  return wholeNumber(textOf(value).trim()).toLowerCase();
}

/** A JSON list, else split at `;`, `|` or line ends, whichever comes first; never at commas. */
export function parseList(text: string): unknown[] {
  const trimmed = text.trim();
  if (trimmed === '') return [];
  const parsed = /^[[{]/.test(trimmed) ? parseStructure(trimmed) : undefined;
  if (parsed !== undefined) return Array.isArray(parsed) ? parsed : [parsed];
  const python = pythonList(trimmed);
  if (python !== undefined) return python;
  const inBraces = /^\{([^{}:]*)\}$/.exec(trimmed)?.[1];
  if (inBraces !== undefined)
    return splitText(inBraces.replaceAll(/["]|(?<=^|,\s*)'|'(?=\s*(?:,|$))/g, ''), ',');
  return splitText(trimmed, [';', '|', '\n'].find((candidate) => trimmed.includes(candidate)) ?? ';');
}

function pythonList(text: string): string[] | undefined {
  if (!/^\[.*\]$/s.test(text)) return undefined;
  const inner = text.slice(1, -1);
  const item = /'((?:[^'\\]|\\.)*)('?)|"((?:[^"\\]|\\.)*)("?)|([^\s,;|'"[\]]+)/gs;
  if (inner.replaceAll(item, '').replaceAll(/[\s,]/g, '') !== '') return undefined;
  const items = [...inner.matchAll(item)];
  if (items.some(([, , end, , last]) => end === '' || last === '')) return undefined;
  return items.flatMap(([, single, , double, , bare]) => {
    const quoted = (single ?? double)?.replaceAll(ESCAPED, unescaped);
    return quoted ?? (bare === undefined || isNoValue(bare) ? [] : bare);
  });
}

const ESCAPED = /\\(?:x([\da-f]{2})|u([\da-f]{4})|(.))/gis;
const LINES: ReadonlyMap<string, string> = new Map([
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
]);

function unescaped(_: string, short?: string, long?: string, letter = ''): string {
  const code = short ?? long;
  return code === undefined ? (LINES.get(letter) ?? letter) : String.fromCharCode(Number.parseInt(code, 16));
}

/** `[{'from': 'Ann', 'isNote': False}]` */
function pythonObjects(text: string): unknown {
  // A missing end makes no JSON; an expression that asks for it would look for it from each quote.
  const token = /'((?:[^'\\]|\\.)*)('?)|"((?:[^"\\]|\\.)*)("?)|\b(?:True|False|None|nan)\b/gs;
  const json = text.replace(token, (word, single?: string, end?: string, double?: string, last?: string) => {
    const quoted = single ?? double;
    if (end === '' || last === '') return '?';
    if (quoted !== undefined) return JSON.stringify(quoted.replaceAll(ESCAPED, unescaped));
    return word === 'True' || word === 'False' ? word.toLowerCase() : 'null';
  });
  return parseStructure(json);
}

export function unpacked(value: unknown): unknown {
  const held = typeof value === 'string' && /^\s*\[.*\]\s*$/s.test(value) ? pythonOrJson(value) : undefined;
  return Array.isArray(held) ? held : value;
}

/** Words in brackets without quotes may be text. */
function pythonOrJson(text: string): unknown {
  const held = parseStructure(text);
  if (held !== undefined || !/['"]/.test(text)) return held;
  return text.includes('{') ? pythonObjects(text) : pythonList(text.trim());
}

export function splitText(text: string, separator: string | RegExp): string[] {
  return text
    .split(separator)
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

export function parseStructure(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
