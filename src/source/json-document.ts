/**
 * The records of JSON documents: the elements of their lists of objects. `{"tickets": [{…}, {…}], "users": [{…}]}` has records at
 * `tickets` and at `users`. What a list holds in its elements is part of them.
 */
import { type JSONPath, type ParseErrorCode, printParseErrorCode, visit } from 'jsonc-parser';
import { ENDS, STRICT, TOO_DEEP, whatIs } from './json.ts';

/** One element of a list, or a whole document or line. */
export interface SplitValue {
  /** Keys that lead to the list; undefined for a document or a line. */
  readonly path: readonly string[] | undefined;
  readonly text: string;
  readonly line: number;
  /** Characters before it on its line. */
  readonly column: number;
  /** Why nothing more can be read; the text begins at the defect then. */
  readonly error?: string;
}

/** Levels of objects that are entered in search of lists. */
const LEVELS = 3;
/** A longer document is not handed out as a whole: its lists are. */
const WHOLE_DOCUMENT = 16 * 1024 * 1024;
const EXCERPT = 1024;

interface Place {
  readonly start: number;
  readonly line: number;
  readonly column: number;
}

/** The elements of the lists of objects in documents that follow each other, and each document that is an object. */
export function splitDocuments(text: string, maxLength: number): SplitValue[] {
  const found: SplitValue[] = [];
  let from: Place | undefined = { start: 0, line: 1, column: 0 };
  try {
    while (from !== undefined && /\S/.test(text.slice(from.start)))
      from = splitDocument(text, from, maxLength, found);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    found.push(brokenAt(text, undefined, from ?? lastPlace(text), `it ${TOO_DEEP}`));
  }
  return found;
}

/** Where the next document begins; undefined behind the last one, or where nothing more can be read. */
function splitDocument(text: string, from: Place, maxLength: number, found: SplitValue[]): Place | undefined {
  /** The list whose elements are read, and the last one that had any: a defect is one of its table. */
  let list: readonly string[] | undefined;
  let lastPath: readonly string[] | undefined;
  let root: Place | undefined;
  let element: Place | undefined;
  let end = from.start;
  let defect: { readonly place: Place; readonly code: ParseErrorCode } | undefined;
  const placeOf = (offset: number, line: number, character: number): Place => ({
    start: from.start + offset,
    line: from.line + line,
    column: line === 0 ? from.column + character : character,
  });
  const begin = (offset: number, _: number, line: number, character: number, path: () => JSONPath) => {
    const place = placeOf(offset, line, character);
    if (defect !== undefined) return false;
    if (list !== undefined) {
      element = place;
      return false;
    }
    root ??= place;
    const keys = path();
    if (text[place.start] === '{') return keys.length < LEVELS;
    if (keys.length > 0 && !/^\[\s*\{/.test(text.slice(place.start, place.start + EXCERPT))) return false;
    list = keys.map(String);
    return true;
  };
  const complete = (offset: number, length: number) => {
    // the text ends before the bracket that closes it
    if (length === 0) return;
    end = from.start + offset + length;
    if (element === undefined || list === undefined || defect !== undefined) return;
    found.push(elementOf(text.slice(element.start, end), list, element, maxLength));
    lastPath = list;
    element = undefined;
  };
  visit(
    text.slice(from.start),
    {
      onObjectBegin: begin,
      onArrayBegin: begin,
      onObjectEnd: complete,
      onArrayEnd: (offset, length) => {
        if (element === undefined) list = undefined;
        complete(offset, length);
      },
      onLiteralValue: (_, offset, length, line, character) => {
        if (list !== undefined) element = placeOf(offset, line, character);
        complete(offset, length);
      },
      onError: (code, offset, _, line, character) => {
        defect ??= { place: placeOf(offset, line, character), code };
      },
    },
    STRICT,
  );
  const isMore = defect !== undefined && printParseErrorCode(defect.code) === 'EndOfFileExpected';
  if (root === undefined) {
    const start = text.length - text.slice(from.start).trimStart().length;
    const place = defect?.place ?? { ...from, start };
    found.push(brokenAt(text, undefined, place, 'a list or an object is expected'));
  } else if (element !== undefined || (defect !== undefined && !isMore))
    found.push(brokenAt(text, lastPath, defect?.place ?? lastPlace(text), whatIs(defect?.code)));
  else {
    const { start, line, column } = root;
    if (text[start] === '{' && end - start <= WHOLE_DOCUMENT)
      found.push({ path: undefined, text: text.slice(start, end), line, column });
    const next = defect?.place;
    if (next !== undefined && /[[{]/.test(text[next.start] ?? '')) return next;
    if (next !== undefined) found.push(brokenAt(text, lastPath, next, whatIs(defect?.code)));
  }
  return undefined;
}

function elementOf(
  text: string,
  path: readonly string[],
  { line, column }: Place,
  maxLength: number,
): SplitValue {
  if (text.length <= maxLength) return { path, text, line, column };
  return { path, text: text.slice(0, EXCERPT), line, column, error: 'The record is too long to be read.' };
}

/** The end of a text, for what ends in the middle. */
function lastPlace(text: string): Place {
  const lines = text.split('\n');
  return { start: text.length, line: lines.length, column: lines.at(-1)?.length ?? 0 };
}

function brokenAt(text: string, path: SplitValue['path'], at: Place, what: string): SplitValue {
  const isAtEnd = text.slice(at.start).trim() === '';
  const { start, line, column } = isAtEnd ? lastPlace(text) : at;
  const error = `This is not valid JSON at line ${line}, column ${column + 1}: ${isAtEnd ? ENDS : what}; nothing after it was read.`;
  return { path, text: text.slice(start, start + EXCERPT), line, column, error };
}
