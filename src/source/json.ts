/**
 * JSON as records: a line of JSONL, or an element of a list of objects. `{"tickets": [{…}], "users": [{…}]}` has records at
 * `tickets` and `users`; lists inside elements belong to them.
 */
import {
  type JSONPath,
  type Node,
  type ParseError,
  type ParseErrorCode,
  parseTree,
  printParseErrorCode,
  visit,
} from 'jsonc-parser';
import { BOUNDS } from '../domain/limits.ts';
import { type JsonObject, plainHeader, REASON } from '../domain/source.ts';
import { isJsonObject } from '../domain/source-file.ts';
import type { Span } from './csv-line.ts';

const MAX_DEPTH = BOUNDS.depth.most;
const TOO_DEEP = 'is nested more than 1,000 levels deep';
const STRICT = { disallowComments: true, allowEmptyContent: false, allowTrailingComma: false };

interface JsonDefect {
  readonly what: string;
  readonly index?: number;
}

/** IDs beyond 2^53 become strings, as numbers would lose digits. */
export function parseRecord(text: string): { readonly object: JsonObject } | JsonDefect {
  let value: unknown;
  try {
    value = hasLongNumber(text) ? JSON.parse(text, keepDigits) : JSON.parse(text);
  } catch (error) {
    return error instanceof SyntaxError ? syntaxDefect(text) : { what: `This ${TOO_DEEP}` };
  }
  if (!isJsonObject(value)) return { what: `This is ${nameOf(value)}, not an object in braces` };
  if (text.length > 2 * MAX_DEPTH && isDeeperThan(value, MAX_DEPTH)) return { what: `This ${TOO_DEEP}` };
  return { object: value };
}

/** 16 digits in a row cross one of the places looked at. */
function hasLongNumber(text: string): boolean {
  for (let at = 15; at < text.length; at += 16) {
    const sign = text.charCodeAt(at);
    if (sign >= 48 && sign <= 57 && /\d{16}/.test(text.slice(at - 15, at + 16))) return true;
  }
  return false;
}

function keepDigits(_key: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
  const source = context?.source;
  return source !== undefined && /^-?\d+$/.test(source) ? source : value;
}

function nameOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'a list' : typeof value === 'boolean' ? 'true or false' : `a ${typeof value}`;
}

function isDeeperThan(value: unknown, limit: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return limit === 0 || Object.values(value).some((part) => isDeeperThan(part, limit - 1));
}

export function jsonRow(text: string): {
  readonly text: string;
  readonly raw: null;
  readonly reason: string | null;
} {
  const parsed = text.includes(`"${REASON}"`) ? parseRecord(text) : undefined;
  if (parsed === undefined || !('object' in parsed) || !Object.hasOwn(parsed.object, REASON))
    return { text, raw: null, reason: null };
  const { [REASON]: reason, ...rest } = parsed.object;
  return { text: JSON.stringify(rest), raw: null, reason: typeof reason === 'string' ? reason : null };
}

const DEFECTS = new Map([
  ['InvalidSymbol', 'a value is expected'],
  ['InvalidNumberFormat', 'a number is not well-formed'],
  ['PropertyNameExpected', 'a key in double quotes is expected'],
  ['ValueExpected', 'a value is expected'],
  ['ColonExpected', 'a colon is missing after a key'],
  ['CommaExpected', 'a comma is missing'],
  ['CloseBraceExpected', 'a comma or } is missing'],
  ['CloseBracketExpected', 'a comma or ] is missing'],
  ['EndOfFileExpected', 'there is data after its end'],
  ['InvalidCommentToken', 'JSON has no comments'],
  ['UnexpectedEndOfString', 'a string is not closed'],
  ['InvalidUnicode', 'a string has an unknown escape in it'],
  ['InvalidEscapeCharacter', 'a string has an unknown escape in it'],
  ['InvalidCharacter', 'a string has a control character in it'],
]);
const ENDS = 'it ends in the middle';

function whatIs(code: ParseErrorCode | undefined): string {
  return (code && DEFECTS.get(printParseErrorCode(code))) ?? 'it cannot be parsed';
}

function syntaxDefect(text: string): JsonDefect {
  const errors: ParseError[] = [];
  try {
    parseTree(text, errors, STRICT);
  } catch {
    return { what: `This ${TOO_DEEP}` };
  }
  const [first] = errors.toSorted((a, b) => a.offset - b.offset);
  if (first === undefined) return { what: 'it cannot be parsed', index: 0 };
  const end = text.trimEnd().length;
  const isOpen = printParseErrorCode(first.error) === 'UnexpectedEndOfString';
  const isCut = first.offset >= end || (isOpen && first.offset + first.length >= end);
  return isCut ? { what: ENDS, index: text.length } : { what: whatIs(first.error), index: first.offset };
}

/** The value at a path; if the path leads further than the record, the last bracket on it. Undefined for a text that is not JSON. */
export function valueSpan(text: string, path: readonly (string | number)[]): Span | undefined {
  let node = 'object' in parseRecord(text) ? parseTree(text) : undefined;
  for (const step of path) {
    if (node === undefined) return undefined;
    const next = node.type === 'array' ? node.children?.[Number(step)] : memberOf(node, String(step));
    if (next === undefined) {
      const isContainer = node.type === 'object' || node.type === 'array';
      return { start: node.offset, end: node.offset + (isContainer ? 1 : node.length) };
    }
    node = next;
  }
  return node && { start: node.offset, end: node.offset + node.length };
}

/** The last of equal keys counts, as for JSON.parse. */
function memberOf({ type, children = [] }: Node, key: string): Node | undefined {
  if (type !== 'object') return undefined;
  const named = (same: (name: string) => boolean) =>
    children.findLast(({ children: [name] = [] }) => same(String(name?.value)))?.children?.[1];
  return named((name) => name === key) ?? named((name) => plainHeader(name) === plainHeader(key));
}

/** Undefined for a line with one value. */
export function valuesOf(text: string): { readonly text: string; readonly column: number }[] | undefined {
  if (!/[}\]][\s,]*[{[]/.test(text)) return undefined;
  const found: { text: string; column: number }[] = [];
  let depth = 0;
  let start = 0;
  let isString = false;
  for (let at = 0; at < text.length; at++) {
    const sign = text[at];
    if (isString) {
      if (sign === '\\') at++;
      else if (sign === '"') isString = false;
    } else if (sign === '"') isString = true;
    else if (sign === '{' || sign === '[') {
      if (depth++ === 0) {
        if (/[^\s,]/.test(text.slice(start, at))) return undefined;
        start = at;
      }
    } else if ((sign === '}' || sign === ']') && --depth === 0) {
      found.push({ text: text.slice(start, at + 1), column: start });
      start = at + 1;
    }
  }
  if (/[^\s,]/.test(text.slice(start))) found.push({ text: text.slice(start), column: start });
  return found.length > 1 ? found : undefined;
}

export interface SplitValue {
  readonly path: readonly string[] | undefined;
  readonly text: string;
  readonly line: number;
  readonly column: number;
  /** The text begins at the defect then. */
  readonly error?: string;
}

const LEVELS = 3;
/** Only the lists of a longer document are read. */
const WHOLE_DOCUMENT = 16 * 1024 * 1024;
const EXCERPT = 1024;

interface Place {
  readonly start: number;
  readonly line: number;
  readonly column: number;
}

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

/** Undefined at the end. */
function splitDocument(text: string, from: Place, maxLength: number, found: SplitValue[]): Place | undefined {
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
    // The text ends before the closing bracket.
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

function lastPlace(text: string): Place {
  const lines = text.split('\n');
  return { start: text.length, line: lines.length, column: lines.at(-1)?.length ?? 0 };
}

function shareOf(left: number, whole: number): string {
  const share = Math.round((100 * left) / whole);
  return share === 0 ? '' : ` (${share}% of the file)`;
}

function brokenAt(text: string, path: SplitValue['path'], at: Place, what: string): SplitValue {
  const left = text.slice(at.start).trim().length;
  const isAtEnd = left === 0;
  const { start, line, column } = isAtEnd ? lastPlace(text) : at;
  const error = `This is not valid JSON at line ${line}, column ${column + 1}: ${isAtEnd ? ENDS : what}; nothing after it was read${shareOf(left, text.length)}.`;
  return { path, text: text.slice(start, start + EXCERPT), line, column, error };
}
