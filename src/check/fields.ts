/** From a record as mapped to a candidate for a payload: known fields only, absent instead of null, text that is text. */
import { isJsonObject } from '../domain/source-file.ts';
import type { Reporter } from './findings.ts';

/** A payload whose values are still to be judged by its definition. */
export type Candidate = Record<string, unknown>;

/** Copies the fields that the API has, in the order of `keys`. `prefix` leads to a nested object (`attachments[0].`). */
export function pickFields(
  source: Readonly<Record<string, unknown>>,
  keys: readonly string[],
  report: Reporter,
  prefix = '',
): Candidate {
  const picked: Candidate = {};
  for (const key of keys) {
    const value = source[key];
    if (value === undefined || value === null) continue;
    picked[key] = typeof value === 'string' ? plainText(value, prefix + key, report) : value;
  }
  return picked;
}

/** An id of white space is no id: leaving it out lets the rules say what is missing. */
export function dropBlank(candidate: Candidate, keys: readonly string[]): void {
  for (const key of keys) {
    const value = candidate[key];
    if (typeof value === 'string' && value.trim() === '') delete candidate[key];
  }
}

/**
 * Text that every service can take. Halves of surrogate pairs are no Unicode, and NUL is refused by most databases
 * although JSON can say it; both become U+FFFD, with a warning.
 */
export function plainText(text: string, path: string, report: Reporter): string {
  if (text.isWellFormed() && !text.includes('\0')) return text;
  report.warning(
    path,
    'invalid-unicode',
    'The text has characters that are not valid (half a surrogate pair, or NUL); they are replaced by "\ufffd".',
  );
  return text.toWellFormed().replaceAll('\0', '\ufffd');
}

/** How deep a value that is passed through may be nested. */
const DEEPEST = 32;

/**
 * A value that is passed through, in its one canonical form: keys sorted, so that an export which lists them in another
 * order counts as unchanged, and text that is text. Undefined when it is nested too deeply to be a value of a helpdesk.
 */
export function canonical(value: unknown, path: string, report: Reporter): unknown {
  let isTooDeep = false;
  const visit = (part: unknown, depth: number): unknown => {
    if (typeof part === 'string') return plainText(part, path, report);
    if (typeof part !== 'object' || part === null) return part;
    if (depth >= DEEPEST) isTooDeep = true;
    if (isTooDeep) return undefined;
    if (!isJsonObject(part)) return (part as unknown[]).map((element) => visit(element, depth + 1));
    const sorted = Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1));
    // fromEntries defines properties: a key `__proto__` stays a key
    return Object.fromEntries(sorted.map(([key, inner]) => [key.toWellFormed(), visit(inner, depth + 1)]));
  };
  const made = visit(value, 0);
  return isTooDeep ? undefined : made;
}
