/** Texts with a rule: addresses of services, delimiters, time zones, names of a list. */
import { SOURCE_NAME } from '../domain/identity.ts';
import { didYouMean, nearest } from '../domain/nearest.ts';
import { bad, good, type Parsed, type Parser, quoted } from './parsed.ts';

export function nonEmpty(text: string): Parsed<string> {
  return text.trim() === '' ? bad('must not be empty') : good(text);
}

/** One of a list of words. */
export function oneOf<T extends string>(words: readonly T[]): Parser<T> {
  const list = words.map((word) => `"${word}"`).join(', ');
  return (text) => {
    const found = words.find((word) => word === text);
    if (found !== undefined) return good(found);
    return bad(`must be one of ${list}, and is ${quoted(text)}.${didYouMean(text, words)}`);
  };
}

export function parseBoolean(text: string): Parsed<boolean> {
  if (text === 'true' || text === '1') return good(true);
  if (text === 'false' || text === '0') return good(false);
  return bad(`must be true or false, and is ${quoted(text)}`);
}

/**
 * The address of a service: http or https, no user or password (they would end in logs), no query or fragment. Comes back
 * without a slash at its end. The text is never repeated in a complaint: it may hold a password.
 */
export function parseServiceUrl(text: string): Parsed<string> {
  const url = URL.parse(text.trim());
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    return bad('must be an address such as https://helpdesk.example.com');
  if (url.username !== '' || url.password !== '')
    return bad('must not hold a user name or password: give a token in HELPDESK_TOKEN instead');
  if (url.search !== '' || url.hash !== '') return bad('must not have a query (?) or a fragment (#)');
  return good(`${url.origin}${url.pathname.replace(/\/+$/, '')}`);
}

/** A name that may stand in tags (domain/identity.ts). */
export function parseSourceName(text: string): Parsed<string> {
  const name = text.trim();
  if (SOURCE_NAME.test(name)) return good(name);
  return bad(
    `must be at most 40 lower case letters, digits, "-", "_" and ".", and begin and end with a letter or digit; it is ${quoted(text)}`,
  );
}

/** Whether requests to this address cannot leave the machine. */
export function isLoopback(url: string): boolean {
  const host = URL.parse(url)?.hostname ?? '';
  return (
    host === 'localhost' ||
    host.endsWith('.localhost') ||
    host === '[::1]' ||
    /^127\.\d+\.\d+\.\d+$/.test(host)
  );
}

/** The path under which a service serves its API: `/api/core/v1`, or empty for the root. */
export function parsePath(text: string): Parsed<string> {
  const path = text.trim().replace(/\/+$/, '');
  if (path !== '' && !/^\/[\w.~/-]*$/.test(path))
    return bad(`must begin with a slash, and is ${quoted(text)}`);
  return good(path);
}

const DELIMITERS: ReadonlyMap<string, string> = new Map([
  ['comma', ','],
  ['semicolon', ';'],
  ['tab', '\t'],
  ['pipe', '|'],
  ['\\t', '\t'],
]);

/** One character, or its name. */
export function parseDelimiter(text: string): Parsed<string> {
  const delimiter = DELIMITERS.get(text.toLowerCase()) ?? text;
  if (delimiter.length === 1 && !/["\r\n\w]/.test(delimiter)) return good(delimiter);
  return bad(`must be one character, or comma, semicolon, tab or pipe, and is ${quoted(text)}`);
}

/** An IANA time zone or a fixed offset: `Europe/Berlin`, `UTC`, `+02:00`. */
export function parseTimeZone(text: string): Parsed<string> {
  if (/^([A-Za-z]|[+-]\d{2}:\d{2}$)/.test(text)) {
    try {
      new Intl.DateTimeFormat('en', { timeZone: text });
      return good(text);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
    }
  }
  const zones = Intl.supportedValuesOf('timeZone');
  const named = zones.find((zone) => zone.toLowerCase().endsWith(`/${text.toLowerCase()}`));
  const meant = named ?? nearest(text, zones);
  const hint = meant === undefined ? '' : ` Did you mean "${meant}"?`;
  return bad(`must be a time zone such as Europe/Berlin or UTC, and is ${quoted(text)}.${hint}`);
}

/** `{id}` is where a ticket's external id goes. */
export function parseSourceTag(text: string): Parsed<string> {
  if (text === '' || text.includes('{id}')) return good(text);
  return bad(`must have {id} where the external id goes, such as source:{id}, and is ${quoted(text)}`);
}

/** External ids with commas between. `@file` stands for a file with one a line. */
export function parseIdList(text: string): Parsed<readonly string[]> {
  const ids = text
    .split(',')
    .map((id) => id.trim())
    .filter((id) => id !== '');
  return ids.length === 0 ? bad('names no ticket: give external ids with commas between') : good(ids);
}
