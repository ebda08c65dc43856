/** The kind of one value, from its spelling. */
import { mailbox } from '../mapping/compile/values.ts';
import { readTime } from '../time/written-time.ts';

export type ValueKind =
  | 'integer'
  | 'number'
  | 'boolean'
  | 'time'
  | 'date'
  | 'email'
  | 'url'
  | 'html'
  | 'list'
  | 'object'
  | 'text';

const INTEGER = /^-?(?:0|[1-9]\d{0,18})$/;
const NUMBER = /^-?(?:\d{1,3}(?:,\d{3})+|\d+)?\.?\d+$/;
const BOOLEAN = /^(?:true|false|yes|no|s[iíì]|sim|n[ãa]o|ja|nein|oui|non)$/i;
const EMAIL = /^[^\s@<>"']{1,64}@[^\s@<>"']{1,200}\.[^\s@<>"'.]{2,24}$/;
const HTML =
  /<\/?(?:p|div|br|span|a|b|i|em|strong|table|tr|td|ul|ol|li|h[1-6]|html|body|blockquote|img|pre)\b[^<>]*>/i;
const CLOCK = /\d[:h]\d{2}/;
/** Texts that mean an empty cell. */
const NOTHING = /^(?:null|\(null\)|\\n|n\/a|#n\/a|none|nil|undefined|nan|-|--|\?)$/i;

export function isNothing(text: string): boolean {
  return NOTHING.test(text.trim());
}

/** Undefined for an absent value. */
export function kindOf(value: unknown): ValueKind | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  if (typeof value === 'boolean') return 'boolean';
  if (Array.isArray(value)) return 'list';
  if (typeof value === 'object') return 'object';
  const text = String(value).trim();
  return text === '' ? undefined : kindOfText(text);
}

function kindOfText(text: string): ValueKind {
  if (INTEGER.test(text)) return 'integer';
  if (text.length <= 40 && NUMBER.test(text) && !/^0\d/.test(text)) return 'number';
  if (text.length <= 5 && BOOLEAN.test(text)) return 'boolean';
  if (text.length <= 200 && text.includes('@')) {
    const { email, name } = mailbox(text);
    if (EMAIL.test(email ?? '') && (name ?? '').split(/\s+/).length <= 6) return 'email';
  }
  if (text.length <= 64 && /\d/.test(text) && !/^\d+$/.test(text)) {
    const time = readTime(text);
    if (time !== undefined && time.kind !== 'instant') return CLOCK.test(text) ? 'time' : 'date';
  }
  if (/^\[.*\]$/s.test(text)) return 'list';
  if (/^\{.*\}$/s.test(text)) return 'object';
  if (/^https?:\/\/\S+$/i.test(text)) return 'url';
  return HTML.test(text.slice(0, 4000)) ? 'html' : 'text';
}

/** A number of seconds, milli- or microseconds since 1970 between 1995 and 2040. */
export function isEpoch(text: string): boolean {
  if (!/^\d{9,16}(?:\.\d+)?$/.test(text)) return false;
  const number = Number(text);
  return [1, 1e3, 1e6].some((unit) => number >= 788_918_400 * unit && number <= 2_208_988_800 * unit);
}

/** How a time is written, in the letters of a mapping: `yyyy-MM-dd HH:mm`; `##` where day and month are open. */
export function timePattern(raw: string): { readonly pattern: string; readonly zoned: boolean } {
  const text = raw.trim();
  if (isEpoch(text)) return { pattern: 'since 1970', zoned: true };
  const zone = /\s*(?:Z|[A-Z]{3,4}|(?:UTC|GMT)?[+-]\d{2}:?(?:\d{2})?)$/.exec(text);
  const clock =
    /([T\s,]+(?:(?:at|um|à|a las|às)\s+)?)\d{1,2}([:.h])\d{2}([:.]\d{2})?([.,]\d+)?(\s*[AaPp]\.?[Mm]\.?)?/.exec(
      text,
    );
  const zoned = clock !== null && zone !== null && !/^\s*[AP]M$/i.test(zone[0]);
  const head = clock === null ? text : text.slice(0, clock.index);
  const date = head
    .replace(/\d{4}([-/.])\d{1,2}\1\d{1,2}/, 'yyyy$1MM$1dd')
    .replace(/\b\d{1,2}([-/.])\d{1,2}\1(\d{2,4})\b/, (_, sign: string, year: string) =>
      sign === '.' ? `dd.MM.${'y'.repeat(year.length)}` : `##${sign}##${sign}${'y'.repeat(year.length)}`,
    )
    .replace(/\b\d{4}\b/, 'yyyy')
    .replace(/\b\d{1,2}\b/, 'd')
    .replace(/(?<![yMd#])(?!yyyy)\p{L}{3,}/u, 'MMM');
  if (clock === null) return { pattern: date, zoned: false };
  const [, gap = '', , seconds, fraction, half] = clock;
  const time = `${half === undefined ? 'HH' : 'hh'}:mm${seconds === undefined ? '' : ':ss'}${fraction === undefined ? '' : '.S'}${half === undefined ? '' : ' a'}`;
  return { pattern: `${date}${gap.trim() === 'T' ? "'T'" : ' '}${time}${zoned ? 'XXX' : ''}`, zoned };
}
