/** Texts for a document, not yet escaped. */

/** Characters that no document may hold, and those that mean something to a terminal: line feed and tab may stay. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this is about
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\ufffe\uffff]/g;

export function documentText(text: string): string {
  return text.toWellFormed().replace(/\r\n?/g, '\n').replace(CONTROL, '\ufffd');
}

/** The same of all texts of a value, however deep they are. */
export function documentTexts<T>(value: T): T {
  if (typeof value === 'string') return documentText(value) as T;
  if (Array.isArray(value)) return value.map(documentTexts) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, documentTexts(part)])) as T;
}
