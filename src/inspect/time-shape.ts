/** How times of a column are written: as a pattern that a person recognises, and whether they say their zone. */
import { readTime } from '../layouts/time-text.ts';

export interface TimeShape {
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

/** Undefined for what is no time. Numbers (epoch) are no pattern: see `epochShape`. */
export function timeShape(raw: string): TimeShape | undefined {
  const text = raw.trim();
  const time = readTime(text);
  if (time === undefined || time.kind === 'instant') return undefined;
  const clock = CLOCK.exec(text);
  const head = clock === null ? text : text.slice(0, clock.index);
  const tail = clock?.groups === undefined ? '' : clockPattern(clock.groups);
  return { pattern: datePattern(head) + tail, zoned: clock?.groups?.['zone'] !== undefined };
}

/** Seconds or milliseconds since 1970 between 1995 and 2040; other numbers are taken for numbers. */
export function epochShape(text: string): TimeShape | undefined {
  const number = Number(text);
  const isWhole = /^\d{9,13}(?:\.\d+)?$/.test(text);
  if (!isWhole) return undefined;
  if (number >= 788_918_400 && number <= 2_208_988_800) return { pattern: 'seconds since 1970', zoned: true };
  if (number >= 788_918_400_000 && number <= 2_208_988_800_000)
    return { pattern: 'milliseconds since 1970', zoned: true };
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
