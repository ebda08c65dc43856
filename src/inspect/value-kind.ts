/** What one value is, told from how it is written. Pure; a column's type is made of the kinds of its values. */
import { parseStructure } from '../layouts/lists.ts';
import { readTime } from '../layouts/time-text.ts';

export const VALUE_KINDS = [
  'integer',
  'number',
  'boolean',
  'time',
  'date',
  'email',
  'url',
  'html',
  'list',
  'object',
  'text',
] as const;
export type ValueKind = (typeof VALUE_KINDS)[number];

const INTEGER = /^-?(?:0|[1-9]\d{0,18})$/;
const NUMBER = /^-?(?:\d{1,3}(?:,\d{3})+|\d+)?(?:\.\d+)?(?:[eE][+-]?\d{1,3})?$/;
const BOOLEAN = /^(?:true|false|yes|no|s[ií]|sim|n[ãa]o|ja|nein|oui|non|vrai|faux)$/i;
const EMAIL = /^(?:[^<>"@]{0,200}<\s*)?[^\s@<>"']{1,64}@[^\s@<>"']{1,200}\.[^\s@<>"'.]{2,24}(?:\s*>)?$/;
const URL_START = /^https?:\/\/\S+$/i;
const HTML =
  /<(?:\/?(?:p|div|br|span|a|b|i|u|em|strong|table|tr|td|ul|ol|li|h[1-6]|html|body|blockquote|img|pre|code|font)(?:\s[^<>]*)?\/?)>/i;
/** Beyond this a structure is not parsed, only recognised by its brackets. */
const LONGEST_STRUCTURE = 20_000;
/** Markup is looked for in so many characters of a text. */
const LONGEST_MARKUP = 4000;

/** Of a text that is not blank. */
export function kindOfText(raw: string): ValueKind {
  const text = raw.trim();
  const first = text.charCodeAt(0);
  const startsNumeric = (first >= 48 && first <= 57) || first === 45 || first === 46;
  if (startsNumeric && text.length <= 40) {
    if (INTEGER.test(text)) return 'integer';
    if (/\d/.test(text) && NUMBER.test(text) && !/^0\d/.test(text)) return 'number';
  }
  if (text.length <= 5 && BOOLEAN.test(text)) return 'boolean';
  if (text.length <= 300 && text.includes('@') && EMAIL.test(text)) return 'email';
  if (text.length <= 64 && /\d/.test(text) && !/^\d+$/.test(text)) {
    const time = readTime(text);
    if (time !== undefined && time.kind !== 'instant')
      return /\d[:.h]\d{2}/.test(clockPart(text)) ? 'time' : 'date';
  }
  if (first === 91 || first === 123) {
    const structure = structureOf(text);
    if (structure !== undefined) return structure;
  }
  if (URL_START.test(text)) return 'url';
  return text.includes('<') && HTML.test(text.slice(0, LONGEST_MARKUP)) ? 'html' : 'text';
}

/** Of a value of a JSON record; undefined for an absent one. */
export function kindOfValue(value: unknown): ValueKind | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  if (typeof value === 'boolean') return 'boolean';
  if (Array.isArray(value)) return 'list';
  if (typeof value === 'object') return 'object';
  const text = String(value);
  return text.trim() === '' ? undefined : kindOfText(text);
}

/** What stands behind the date: with dots as its separator a date looks like a clock. */
function clockPart(text: string): string {
  const gap = /[T\s,]/.exec(text.slice(6));
  return gap === null ? '' : text.slice(6 + gap.index);
}

function structureOf(text: string): 'list' | 'object' | undefined {
  const list = text.startsWith('[');
  if (!text.endsWith(list ? ']' : '}')) return undefined;
  if (text.length > LONGEST_STRUCTURE) return list ? 'list' : 'object';
  const parsed = parseStructure(text);
  if (Array.isArray(parsed)) return 'list';
  return typeof parsed === 'object' && parsed !== null ? 'object' : undefined;
}
