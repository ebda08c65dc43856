/** From a record as mapped to a candidate for a payload: known fields only, absent instead of null, text that is text. */
import { type Findings, type RecordPlace, shown } from './findings.ts';

/** A payload whose values are still to be judged by its definition. */
export type Candidate = Record<string, unknown>;

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The record itself, or an empty one after telling that it is none. */
export function recordOf(
  value: unknown,
  place: RecordPlace,
  findings: Findings,
): Readonly<Record<string, unknown>> {
  if (isRecord(value)) return value;
  const what = place.list === undefined ? 'A ticket' : place.list === 'messages' ? 'A message' : 'An event';
  findings.error(place, '', 'invalid-type', `${what} must be an object, not ${shown(value)}.`);
  return {};
}

/** Copies the fields that the API has, in the order of `keys`. `prefix` leads to a nested object (`attachments[0].`). */
export function pickFields(
  source: Readonly<Record<string, unknown>>,
  keys: readonly string[],
  place: RecordPlace,
  findings: Findings,
  prefix = '',
): Candidate {
  const picked: Candidate = {};
  for (const key of keys) {
    const value = source[key];
    if (value === undefined || value === null) continue;
    picked[key] = typeof value === 'string' ? plainText(value, place, prefix + key, findings) : value;
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
export function plainText(text: string, place: RecordPlace, path: string, findings: Findings): string {
  if (text.isWellFormed() && !text.includes('\0')) return text;
  findings.warning(
    place,
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
export function canonical(value: unknown, place: RecordPlace, path: string, findings: Findings): unknown {
  const visit = (part: unknown, depth: number): unknown => {
    if (typeof part === 'string') return plainText(part, place, path, findings);
    if (typeof part !== 'object' || part === null) return part;
    if (depth >= DEEPEST) throw new TooDeep();
    if (Array.isArray(part)) return part.map((element) => visit(element, depth + 1));
    // fromEntries defines properties: a key `__proto__` stays a key.
    return Object.fromEntries(
      Object.entries(part)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([key, inner]) => [key.toWellFormed(), visit(inner, depth + 1)]),
    );
  };
  try {
    return visit(value, 0);
  } catch (error) {
    if (error instanceof TooDeep) return undefined;
    throw error;
  }
}

class TooDeep extends Error {}
