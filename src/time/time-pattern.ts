/** Times written in a pattern that a layout states: `dd/MM/yyyy HH:mm`, `d MMM yy h:mm a`, `epoch`. */
import { fullYear, hourOf, millisecondsOf, monthNumber, type TimeParts } from './calendar.ts';

/** Longest first, so that `MMMM` is not read as two `MM`. */
const TOKENS: readonly (readonly [string, string])[] = [
  ['yyyy', String.raw`(?<year>\d{4})`],
  ['yy', String.raw`(?<year>\d{2})`],
  ['MMMM', String.raw`(?<month>\p{L}+\.?)`],
  ['MMM', String.raw`(?<month>\p{L}+\.?)`],
  ['MM', String.raw`(?<month>\d{2})`],
  ['M', String.raw`(?<month>\d{1,2})`],
  ['dd', String.raw`(?<day>\d{2})`],
  ['d', String.raw`(?<day>\d{1,2})`],
  ['HH', String.raw`(?<hour>\d{2})`],
  ['H', String.raw`(?<hour>\d{1,2})`],
  ['hh', String.raw`(?<hour>\d{2})`],
  ['h', String.raw`(?<hour>\d{1,2})`],
  ['mm', String.raw`(?<minute>\d{2})`],
  ['ss', String.raw`(?<second>\d{2})`],
  ['S', String.raw`(?<fraction>\d+)`],
  ['a', String.raw`(?<half>[AaPp]\.?[Mm]\.?)`],
  ['XXX', String.raw`(?<offset>Z|[+-]\d{2}:?\d{2}|[+-]\d{2})`],
  ['X', String.raw`(?<offset>Z|[+-]\d{2}:?\d{2}|[+-]\d{2})`],
  ['EEEE', String.raw`\p{L}+\.?`],
  ['EEE', String.raw`\p{L}+\.?`],
];

/**
 * Compiles a pattern of letters as in Unicode's date patterns; text in 'single quotes' and other signs stand for
 * themselves. Returns undefined for a letter that means nothing, or for a pattern without year, month and day.
 */
export function compileTimePattern(pattern: string): ((text: string) => TimeParts | undefined) | undefined {
  let source = '';
  let rest = pattern;
  while (rest !== '') {
    const quoted = /^'([^']*)'/.exec(rest);
    if (quoted) {
      source += literal(quoted[1] === '' ? "'" : (quoted[1] ?? ''));
      rest = rest.slice(quoted[0].length);
      continue;
    }
    const token = TOKENS.find(([letters]) => rest.startsWith(letters));
    if (token !== undefined) {
      source += token[1];
      rest = rest.slice(token[0].length);
      if (token[0] === 'S') rest = rest.replace(/^S+/, '');
      continue;
    }
    const char = rest[0] ?? '';
    if (/\p{L}/u.test(char)) return undefined;
    source += /\s/.test(char) ? String.raw`\s+` : literal(char);
    rest = rest.slice(1);
  }
  for (const part of ['year', 'month', 'day']) if (!source.includes(`?<${part}>`)) return undefined;
  let regex: RegExp;
  try {
    regex = new RegExp(`^${source}$`, 'u');
  } catch {
    return undefined; // the same part twice
  }
  return (text) => {
    const found = regex.exec(text.trim())?.groups;
    if (found === undefined) return undefined;
    const month = /^\d/.test(found['month'] ?? '')
      ? Number(found['month'])
      : monthNumber(found['month'] ?? '');
    if (month === undefined) return undefined;
    return {
      year: fullYear(found['year'] ?? ''),
      month,
      day: Number(found['day']),
      hour: hourOf(Number(found['hour'] ?? 0), found['half']),
      minute: Number(found['minute'] ?? 0),
      second: Number(found['second'] ?? 0),
      millisecond: millisecondsOf(found['fraction']),
      offset: found['offset'],
    };
  };
}

function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
