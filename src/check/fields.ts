/** From a mapped record to an unchecked payload: known fields only, no nulls, valid text. */
import { isJsonObject } from '../domain/source-file.ts';
import type { Reporter } from './findings.ts';

/** An unchecked payload. */
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

/** An ID of white space is left out, so that the rules report it as missing. */
export function dropBlank(candidate: Candidate, keys: readonly string[]): void {
  for (const key of keys) {
    const value = candidate[key];
    if (typeof value === 'string' && value.trim() === '') delete candidate[key];
  }
}

/**
 * Text that every service accepts: half surrogate pairs and NUL become U+FFFD, with a warning.
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

/** Deepest nesting of a value that is passed through. */
const DEEPEST = 32;

/**
 * A value that is passed through, with sorted keys, so that another order is no change, and valid text. Undefined if it is nested too deeply.
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
