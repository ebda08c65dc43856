/** The value, or one sentence that says what is allowed. */
import { z } from 'zod';
import { AppError } from '../domain/errors.ts';
import { readSmallFile, whyUnread } from '../domain/files.ts';
import { SOURCE_NAME } from '../domain/identity.ts';
import { BOUNDS, type Rate } from '../domain/limits.ts';
import { printable } from '../domain/printable.ts';
import { createZoneReader, isZone, nearestZone, parseTime } from '../domain/written-time.ts';

export type Parsed<T> = { readonly value: T } | { readonly problem: string };

export type Parser<T> = (text: string) => Parsed<T>;

export const good = <T>(value: T): Parsed<T> => ({ value });
export const bad = (problem: string): { readonly problem: string } => ({ problem });

function by<T>(parse: Parser<T>) {
  return (written: string | number, context: z.core.$RefinementCtx): T => {
    const parsed = parse(String(written));
    if ('value' in parsed) return parsed.value;
    const { problem } = parsed;
    context.addIssue(/[.?!]$/.test(problem) ? problem : `${problem}.`);
    return z.NEVER;
  };
}

export const text = <T>(parse: Parser<T>) => z.string().transform(by(parse));

export const amount = <T>(parse: Parser<T>) => z.union([z.number(), z.string()]).transform(by(parse));

export const texts = <T>(parse: Parser<T>) =>
  z.union([text(parse).transform((one): readonly T[] => [one]), z.array(text(parse))]);

export function quoted(text: string): string {
  return `"${text.length > 60 ? `${text.slice(0, 59)}…` : text}"`;
}

export function nonEmpty(text: string): Parsed<string> {
  return text.trim() === '' ? bad('must not be empty') : good(text);
}

/** Without user, password, query, fragment and last slash. A complaint never repeats the text, which may hold a password. */
export function parseServiceUrl(text: string): Parsed<string> {
  const url = URL.parse(text.trim());
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    return bad('must be an address such as https://helpdesk.example.com');
  if (url.username !== '' || url.password !== '')
    return bad('must not hold a user name or password: credentials go into variables of their own');
  if (url.search !== '' || url.hash !== '') return bad('must not have a query (?) or a fragment (#)');
  return good(`${url.origin}${url.pathname.replace(/(?<!\/)\/+$/, '')}`);
}

export function parseSourceName(text: string): Parsed<string> {
  const name = text.trim();
  if (SOURCE_NAME.test(name)) return good(name);
  return bad(
    `must be at most 40 lowercase letters, digits, "-", "_" and ".", and begin and end with a letter or digit; it is ${quoted(text)}`,
  );
}

/** Requests to it cannot leave the machine. */
export function isLoopback(url: string): boolean {
  const host = URL.parse(url)?.hostname ?? '';
  return (
    host === 'localhost' ||
    host.endsWith('.localhost') ||
    host === '[::1]' ||
    /^127\.\d+\.\d+\.\d+$/.test(host)
  );
}

const DELIMITERS: ReadonlyMap<string, string> = new Map([
  ['comma', ','],
  ['semicolon', ';'],
  ['tab', '\t'],
  ['pipe', '|'],
  ['\\t', '\t'],
]);

export function parseDelimiter(text: string): Parsed<string> {
  const delimiter = DELIMITERS.get(text.toLowerCase()) ?? text;
  if (delimiter === '\t' || (delimiter.length === 1 && !/["\w\p{Cc}]/u.test(delimiter)))
    return good(delimiter);
  return bad(`must be one character, or comma, semicolon, tab or pipe, not ${quoted(text)}`);
}

export function parseTimeZone(text: string): Parsed<string> {
  if (isZone(text)) return good(text);
  const meant = nearestZone(text);
  const hint = meant === undefined ? '' : ` Did you mean "${meant}"?`;
  return bad(`must be a time zone such as Europe/Berlin or UTC, not ${quoted(text)}.${hint}`);
}

export function parseTicketUrl(text: string): Parsed<string> {
  const url = URL.parse(text.replaceAll('{id}', '1'));
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:';
  if (isWeb && text.includes('{id}')) return good(text);
  return bad(
    `must be a web address with {id} in it, such as https://helpdesk.example.com/tickets/{id}, not ${quoted(text)}`,
  );
}

export function parseSubject(text: string): Parsed<string> {
  if (text.includes('{subject}')) return good(text);
  return bad(`must have {subject} where the subject goes, such as {subject} [#{id}], not ${quoted(text)}`);
}

export function parseAddress(text: string): Parsed<string> {
  return /^[^\s@,;<>()"\\]{1,64}@[^\s@,;<>()"\\]+\.[^\s@.,;<>()"\\]{2,}$/.test(text.trim())
    ? good(text.trim())
    : bad(`must be one e-mail address, not ${quoted(text)}`);
}

/** `@file` names a file with one ID a line. */
export function parseIdList(text: string): Parsed<readonly string[]> {
  const ids = text
    .split(',')
    .map((id) => id.trim())
    .filter((id) => id !== '');
  return ids.length === 0 ? bad('names no ticket: give comma-separated external ids') : good(ids);
}

export async function expandIdList(
  entries: readonly string[],
  pathOf: (name: string) => string,
): Promise<readonly string[]> {
  return [
    ...new Set(entries.flatMap((entry) => (entry.startsWith('@') ? idsIn(entry.slice(1), pathOf) : [entry]))),
  ];
}

function idsIn(name: string, pathOf: (name: string) => string): string[] {
  let text: string;
  try {
    text = readSmallFile(pathOf(name), BOUNDS.ids.most);
  } catch (error) {
    throw new AppError('usage', `The list of tickets ${printable(name)} ${whyUnread(error)}.`, {
      hint: '--only takes comma-separated external ids, or @file for a file with one id per line.',
      cause: error,
    });
  }
  const lines = text.replace(/^\ufeff/, '').split(/\r?\n/);
  const ids = lines.map((line) => line.trim()).filter((line) => line !== '');
  if (ids.length === 0) throw new AppError('usage', `The list of tickets ${printable(name)} is empty.`);
  return ids;
}

export type MaxErrors =
  | { readonly kind: 'count'; readonly count: number }
  | { readonly kind: 'percent'; readonly percent: number };

const DIGITS = /^\d{1,15}$/;
const DECIMAL = /^\d{1,12}(\.\d{1,6})?$/;

export function wholeNumber(least: number, most = Number.MAX_SAFE_INTEGER): Parser<number> {
  const range =
    most === Number.MAX_SAFE_INTEGER
      ? `a whole number of at least ${least}`
      : `a whole number from ${least} to ${most}`;
  return (text) => {
    const number = DIGITS.test(text) ? Number(text) : Number.NaN;
    return number >= least && number <= most ? good(number) : bad(`must be ${range}, not ${quoted(text)}`);
  };
}

export function parseRate(text: string): Parsed<Rate> {
  const match = /^(\d{1,9})\s*\/\s*(\d{1,6}(?:\.\d{1,3})?)$/.exec(text);
  const requests = Number(match?.[1] ?? 0);
  const seconds = Number(match?.[2] ?? 0);
  if (requests >= 1 && seconds > 0) return good({ requests, seconds });
  return bad(
    `must be requests/seconds, such as 1000/60 for a thousand requests in any minute, not ${quoted(text)}`,
  );
}

export function parseMaxErrors(text: string): Parsed<MaxErrors> {
  const percent = /^(\d{1,3}(?:\.\d{1,4})?)\s*%$/.exec(text)?.[1];
  if (percent !== undefined && Number(percent) <= 100)
    return good({ kind: 'percent' as const, percent: Number(percent) });
  if (DIGITS.test(text)) return good({ kind: 'count' as const, count: Number(text) });
  return bad(`must be a number of tickets, such as 50, or a share from 0% to 100%, not ${quoted(text)}`);
}

const UNITS: ReadonlyMap<string, number> = new Map(
  Object.entries({ '': 1, ms: 0.001, s: 1, m: 60, min: 60, h: 3600 }),
);

export function durationInSeconds(least: number, most: number): Parser<number> {
  return (text) => {
    const match = /^([\d.]+)\s*(ms|s|m|min|h)?$/.exec(text);
    const amount = match?.[1] ?? '';
    const seconds = DECIMAL.test(amount) ? Number(amount) * (UNITS.get(match?.[2] ?? '') ?? 1) : Number.NaN;
    if (seconds >= least && seconds <= most) return good(seconds);
    return bad(`must be seconds from ${least} to ${most}, such as 30 or 10m, not ${quoted(text)}`);
  };
}

// `--since` and `--until` take a moment with its zone, or a whole day, month or year.

const PERIOD = /^(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?$/;
const MOMENT = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}/;

/** Milliseconds since the epoch, `end` exclusive; both equal for a moment. */
interface Period {
  readonly begin: number;
  readonly end: number;
}

/**
 * `2024`, `2024-03`, `2024-03-31`, `2024-03-31T10:00:00Z`. Without a zone days begin at midnight UTC, and a time without a zone
 * is refused.
 */
export function parsePeriod(text: string, zone: string | undefined): Parsed<Period> {
  const [whole, year, month, day] = PERIOD.exec(text) ?? [];
  const time = parseTime(whole === undefined ? text : `${year}-${month ?? '01'}-${day ?? '01'}`);
  if (whole !== undefined && time.kind === 'date') {
    const last = new Date(time.ms);
    if (day !== undefined) last.setUTCDate(last.getUTCDate() + 1);
    else if (month !== undefined) last.setUTCMonth(last.getUTCMonth() + 1);
    else last.setUTCFullYear(last.getUTCFullYear() + 1);
    return good({ begin: instantIn(zone ?? 'UTC', time.ms), end: instantIn(zone ?? 'UTC', last.getTime()) });
  }
  if (whole === undefined && MOMENT.test(text)) {
    if (time.kind === 'instant') return moment(time.ms);
    if (time.kind === 'local' && zone !== undefined) return moment(instantIn(zone, time.ms));
    if (time.kind === 'local')
      return bad(
        `has no time zone: add Z or an offset such as +02:00, or set source.timezone; it is ${quoted(text)}`,
      );
  }
  return bad(`must be a time that exists, such as 2024-03-31 or 2024-03-31T10:00:00Z, not ${quoted(text)}`);
}

function moment(at: number): Parsed<Period> {
  return good({ begin: at, end: at });
}

/** A day may begin an hour late if DST skipped midnight. */
function instantIn(zone: string, localMs: number): number {
  const read = createZoneReader(zone);
  for (let local = localMs; ; local += 15 * 60_000) {
    const instant = read(local);
    if (instant !== undefined) return instant;
  }
}
