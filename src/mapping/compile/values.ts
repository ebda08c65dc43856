/** Values of any source as text, and what counts as empty. */

/** Absent: `undefined`, `null`, blank text, an empty list. */
export function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  if (typeof value === 'string') return value.trim() === '';
  return Array.isArray(value) && value.length === 0;
}

/** A scalar as text (`true`, `12`), untrimmed; lists and objects as JSON; absent values as the empty text. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === undefined || value === null) return '';
  if (typeof value === 'object') return JSON.stringify(value) ?? '';
  return String(value);
}

/** How keys and words of two sources are compared: trimmed text without case. */
export function comparable(value: unknown): string {
  return textOf(value).trim().toLowerCase();
}
