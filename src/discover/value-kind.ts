/** What one value is, told from how it is written. Pure; a column's type is made of the kinds of its values. */
import { mailbox, parseStructure } from '../mapping/compile/text-forms.ts';
import { readTime, YEAR_LAST } from '../time/written-time.ts';

const VALUE_KINDS = [
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
const BOOLEAN = /^(?:true|false|yes|no|s[iíì]|sim|n[ãa]o|ja|nein|oui|non|vrai|faux)$/i;
const EMAIL =
  /^(?:(?:"[^"<>]{0,200}"|[^<>"@]{0,200})\s*<\s*)?[^\s@<>"']{1,64}@[^\s@<>"']{1,200}\.[^\s@<>"'.]{2,24}(?:\s*>)?$/;
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
  if (text.length <= 300 && text.includes('@') && (EMAIL.test(text) || isNamedAddress(text))) return 'email';
  if (text.length <= 64 && /\d/.test(text) && !/^\d+$/.test(text)) {
    const time = readTime(text);
    if (time !== undefined && time.kind !== 'instant')
      return YEAR_LAST.test(text) || /\d[:.h]\d{2}/.test(clockPart(text)) ? 'time' : 'date';
  }
  if (first === 91 || first === 123) {
    const structure = structureOf(text);
    if (structure !== undefined) return structure;
  }
  if (URL_START.test(text)) return 'url';
  return text.includes('<') && HTML.test(text.slice(0, LONGEST_MARKUP)) ? 'html' : 'text';
}

const MOST_NAMES = 6;

/** `Maria Lopez (maria@example.com)`: an address with a name, which is no sentence. */
function isNamedAddress(text: string): boolean {
  const { email, name } = mailbox(text);
  const words = name?.split(/\s+/) ?? [];
  return (
    email?.includes('@') === true &&
    words.length <= MOST_NAMES &&
    words.every((word) => /^[\p{Lu}\p{Lo}"'(@]/u.test(word))
  );
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

// How times of a column are written: as a pattern that a person recognises, and whether they say their zone.

interface TimePattern {
  /**
   * Letters as in the mapping language's patterns: `yyyy-MM-dd HH:mm:ss`. Two numbers whose order is not known stand as
   * `##`, until the whole column has told it.
   */
  readonly pattern: string;
  /** Whether the text says its zone; a date or clock without one needs the zone of the export. */
  readonly zoned: boolean;
}

const CLOCK =
  /(?<gap>\s*[T,]\s*|\s+(?:(?:at|um|à|a las|alle|às|om)\s+)?)(?<hour>\d{1,2})(?<colon>[:.h])\d{2}(?<seconds>[:.]\d{2})?(?<fraction>[.,]\d{1,9})?(?<half>\s*[AaPp]\.?\s?[Mm]\.?)?(?<word>\s*Uhr)?(?<zone>\s*(?:Z|[A-Z]{3,4}|(?:UTC|GMT)?\s?[+-]\d{2}(?::?\d{2})?))?$/;

/** Undefined for what is no time. Numbers (epoch) are no pattern: see `epochPattern`. */
export function timePattern(raw: string): TimePattern | undefined {
  const text = raw.trim();
  const time = readTime(text);
  if (time === undefined || time.kind === 'instant') return undefined;
  const yearLast = YEAR_LAST.exec(text);
  if (yearLast !== null)
    return {
      pattern: `EEE MMM d HH:mm:ss ${yearLast[6] === undefined ? '' : 'XXX '}yyyy`,
      zoned: yearLast[6] !== undefined,
    };
  const clock = CLOCK.exec(text);
  const head = clock === null ? text : text.slice(0, clock.index);
  const tail = clock?.groups === undefined ? '' : clockPattern(clock.groups);
  return { pattern: datePattern(head) + tail, zoned: clock?.groups?.['zone'] !== undefined };
}

/** Seconds, milli- or microseconds since 1970 between 1995 and 2040, or days of a spreadsheet with a clock in them; other numbers are taken for numbers. */
export function epochPattern(text: string): TimePattern | undefined {
  const number = Number(text.replace(',', '.'));
  if (/^\d{5}[.,]\d{4,12}$/.test(text) && number >= 25_569 && number <= 60_000)
    return { pattern: 'days since 1899-12-30', zoned: false };
  const isWhole = /^\d{9,16}(?:\.\d+)?$/.test(text);
  if (!isWhole) return undefined;
  if (number >= 788_918_400 && number <= 2_208_988_800) return { pattern: 'seconds since 1970', zoned: true };
  if (number >= 788_918_400_000 && number <= 2_208_988_800_000)
    return { pattern: 'milliseconds since 1970', zoned: true };
  if (number >= 788_918_400_000_000 && number <= 2_208_988_800_000_000)
    return { pattern: 'microseconds since 1970', zoned: true };
  return undefined;
}

function clockPattern(parts: Readonly<Record<string, string | undefined>>): string {
  const { gap = ' ', hour = '', colon = ':', seconds, fraction, half, word = '', zone } = parts;
  const letters = half === undefined ? 'H' : 'h';
  const space = (text: string) => (/^\s/.test(text) ? ' ' : '');
  return [
    gap.trim() === 'T' ? "'T'" : gap.replace(/\p{L}+(?:\s\p{L}+)*/gu, "'$&'").replace(/\s+/g, ' '),
    letters.repeat(hour.length === 1 ? 1 : 2),
    colon === 'h' ? "'h'" : colon,
    'mm',
    seconds === undefined ? '' : `${seconds[0]}ss`,
    fraction === undefined ? '' : `${fraction[0]}S`,
    half === undefined ? '' : `${space(half)}a`,
    word === '' ? '' : " 'Uhr'",
    zone === undefined ? '' : `${space(zone)}XXX`,
  ].join('');
}

function datePattern(head: string): string {
  const yearFirst = /^\d{4}([-/])\d{1,2}\1\d{1,2}$/.exec(head);
  if (yearFirst !== null) return `yyyy${yearFirst[1]}MM${yearFirst[1]}dd`;
  const numeric = /^\d{1,2}([/.-])\d{1,2}\1(\d{4}|\d{2})$/.exec(head);
  if (numeric !== null) {
    const [, sign = '/', year = ''] = numeric;
    const two = sign === '.' ? `dd${sign}MM` : `##${sign}##`;
    return `${two}${sign}${year.length === 4 ? 'yyyy' : 'yy'}`;
  }
  if (/^\d{8}$/.test(head)) return 'yyyyMMdd';
  const words = head.match(/\p{L}+/gu) ?? [];
  const month = words.findLast((word) => !/^(?:de|del|di|st|nd|rd|th|er)$/i.test(word));
  let numbers = 0;
  return head.replace(/\d+|\p{L}+/gu, (part) => {
    if (/^\d{4}$/.test(part)) return 'yyyy';
    if (/^\d/.test(part)) return numbers++ === 0 ? 'd' : 'yy';
    if (part === month) return part.length <= 3 ? 'MMM' : 'MMMM';
    return /^(?:st|nd|rd|th|er)$/i.test(part) ? part : words[0] === part ? 'EEE' : `'${part}'`;
  });
}

/** The pattern with the order of day and month that the column has proven; both where it is open. */
export function orderedPattern(pattern: string, dayFirst: boolean | undefined): string {
  const at = pattern.indexOf('##');
  if (at < 0) return pattern;
  const sign = pattern[at + 2] ?? '/';
  const open = `##${sign}##`;
  if (dayFirst === undefined)
    return `${pattern.replace(open, `dd${sign}MM`)} or ${pattern.replace(open, `MM${sign}dd`)}`;
  return pattern.replace(open, dayFirst ? `dd${sign}MM` : `MM${sign}dd`);
}

// Texts that stand where nothing is known, as databases and scripts write them.

const NULL_TEXTS: ReadonlySet<string> = new Set([
  '?',
  'null',
  '(null)',
  '\\n',
  'none',
  'nil',
  'nan',
  'n/a',
  '#n/a',
  'undefined',
  '(none)',
  '(empty)',
  'empty',
  'not set',
  'unset',
  'keine',
  'keine angabe',
  'k.a.',
  'leer',
  'ninguno',
  'ninguna',
  'sin datos',
  'aucun',
  'aucune',
  'vide',
  'nenhum',
  'nessuno',
  'geen',
]);
/** A dash, a dot, a star: signs without a letter or a digit. */
const SIGNS = /^[\p{Pd}\p{Po}\p{Sm}∅]{1,3}$/u;
/** Never anything but a database's way to write that nothing is there. */
const CERTAIN: ReadonlySet<string> = new Set(['?', 'null', '(null)', '\\n', 'nan', '#n/a']);

/** The text as it stands, trimmed, when it means that nothing is there. */
export function nullText(text: string): string | undefined {
  if (text.length > 12) return undefined;
  const trimmed = text.trim();
  return NULL_TEXTS.has(trimmed.toLowerCase()) || SIGNS.test(trimmed) ? trimmed : undefined;
}

/** `None` may be an answer, `NULL` never is. */
export function isCertainNull(text: string): boolean {
  return CERTAIN.has(text.trim().toLowerCase());
}
