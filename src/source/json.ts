/**
 * JSON as records. A line of JSONL is a record; of a document the elements of its lists of objects are, as it streams in:
 * `{"tickets": [{…}, {…}], "users": [{…}]}` has records at `tickets` and at `users`. What a list holds in its elements is part
 * of them.
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
import { type JsonObject, REASON } from '../domain/source.ts';
import { isJsonObject } from '../domain/source-file.ts';

/** Far beyond any export, far below what a stack of calls bears. */
const MAX_DEPTH = BOUNDS.depth.most;

const TOO_DEEP = 'is nested more than 1,000 levels deep';
const ENDS = 'it ends in the middle';
const STRICT = { disallowComments: true, allowEmptyContent: false, allowTrailingComma: false };

export interface JsonDefect {
  /** A clause without a full stop. */
  readonly what: string;
  /** Index of the character at fault, where there is one. */
  readonly index?: number;
}

/** One record. Ids beyond 2^53 become strings, lest they lose digits; `_reason` of rejects is left out. */
export function parseRecord(text: string): { readonly object: JsonObject } | JsonDefect {
  if (isDeeperThan(text, MAX_DEPTH)) return { what: `This ${TOO_DEEP}` };
  let value: unknown;
  try {
    value = /\d{16}/.test(text) ? JSON.parse(text, keepDigits) : JSON.parse(text);
  } catch {
    return syntaxDefect(text);
  }
  if (!isJsonObject(value)) return { what: `This is ${nameOf(value)}, not an object in braces` };
  if (Object.hasOwn(value, REASON)) delete value[REASON];
  return { object: value };
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

const DEFECTS = new Map(
  Object.entries({
    InvalidSymbol: 'a value is expected',
    InvalidNumberFormat: 'a number is not well-formed',
    PropertyNameExpected: 'a key in double quotes is expected',
    ValueExpected: 'a value is expected',
    ColonExpected: 'a colon is missing after a key',
    CommaExpected: 'a comma is missing',
    CloseBraceExpected: 'a comma or } is missing',
    CloseBracketExpected: 'a comma or ] is missing',
    EndOfFileExpected: 'there is data after its end',
    InvalidCommentToken: 'JSON has no comments',
    UnexpectedEndOfString: 'a string is not closed',
    InvalidUnicode: 'a string has an unknown escape in it',
    InvalidEscapeCharacter: 'a string has an unknown escape in it',
    InvalidCharacter: 'a string has a control character in it',
  }),
);

function defectOf(code: ParseErrorCode | undefined): string {
  return (code && DEFECTS.get(printParseErrorCode(code))) ?? 'it cannot be parsed';
}

/** What is wrong with a text that JSON.parse refuses: its first error. */
export function syntaxDefect(text: string): JsonDefect {
  const errors: ParseError[] = [];
  parseTree(text, errors, STRICT);
  const [first] = errors.toSorted((a, b) => a.offset - b.offset);
  if (first === undefined) return { what: 'it cannot be parsed', index: 0 };
  const isAtEnd =
    text.slice(first.offset).trim() === '' || first.offset + first.length >= text.trimEnd().length;
  const name = printParseErrorCode(first.error);
  const isCut = isAtEnd && (first.offset >= text.trimEnd().length || name === 'UnexpectedEndOfString');
  return isCut ? { what: ENDS, index: text.length } : { what: defectOf(first.error), index: first.offset };
}

/** Fewer brackets than this cannot be nested too deep, and counting them is cheap. */
function isDeeperThan(text: string, limit: number): boolean {
  if (text.length <= limit) return false;
  let open = 0;
  for (const bracket of ['{', '['])
    for (let at = text.indexOf(bracket); at >= 0 && open <= limit; at = text.indexOf(bracket, at + 1)) open++;
  if (open <= limit) return false;
  let depth = 0;
  const structure = /["{}[\]]/g;
  for (let found = structure.exec(text); found !== null; found = structure.exec(text)) {
    if (found[0] === '"') structure.lastIndex = stringEnd(text, found.index);
    else if (found[0] === '{' || found[0] === '[') {
      if (++depth > limit) return true;
    } else depth--;
    if (structure.lastIndex === 0) return false;
  }
  return false;
}

/** Index behind the string that opens at `open`; 0 where the text ends before that. */
function stringEnd(text: string, open: number): number {
  for (let at = text.indexOf('"', open + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let slashes = at;
    while (text[slashes - 1] === '\\') slashes--;
    if ((at - slashes) % 2 === 0) return at + 1;
  }
  return 0;
}

/**
 * The value at a path in the text of a record; where the path leads further than the record, the bracket of the last object
 * or list on it. Undefined for a text that is not JSON.
 */
export function valueSpan(
  text: string,
  path: readonly (string | number)[],
): { readonly start: number; readonly end: number } | undefined {
  if (isDeeperThan(text, MAX_DEPTH)) return undefined;
  const root = parseTree(text);
  if (root === undefined) return undefined;
  let node = root;
  for (const step of path) {
    const next = node.type === 'array' ? node.children?.[Number(step)] : memberOf(node, String(step));
    if (next === undefined) {
      const isContainer = node.type === 'object' || node.type === 'array';
      return { start: node.offset, end: node.offset + (isContainer ? 1 : node.length) };
    }
    node = next;
  }
  return { start: node.offset, end: node.offset + node.length };
}

/** Of a key that comes twice the last one counts, as for JSON.parse. */
function memberOf({ type, children = [] }: Node, key: string): Node | undefined {
  if (type !== 'object') return undefined;
  return children.findLast(({ children: [name] = [] }) => name?.value === key)?.children?.[1];
}

/** One element of a list, or a whole document that is an object. */
export interface SplitValue {
  /** Keys that lead to the list; undefined for a document. */
  readonly path: readonly string[] | undefined;
  readonly text: string;
  readonly line: number;
  /** Characters before it on its line. */
  readonly column: number;
  /** Only white space comes before it on its line. */
  readonly isIndented?: boolean;
  /** Why nothing more can be read; the text begins at the defect then. */
  readonly error?: string;
}

/** Levels of objects that are entered in search of lists. */
const LEVELS = 3;
/** A longer document is not handed out as a whole: its lists are. */
const WHOLE_DOCUMENT = 16 * 1024 * 1024;

interface Place {
  readonly start: number;
  readonly line: number;
  readonly column: number;
}

/** The elements of the lists of objects in documents that follow each other, and each document that is an object. */
export function splitDocuments(text: string, maxLength: number): SplitValue[] {
  const found: SplitValue[] = [];
  let from: Place | undefined = { start: 0, line: 1, column: 0 };
  if (isDeeperThan(text, MAX_DEPTH)) return [brokenAt(text, undefined, from, `it ${TOO_DEEP}`)];
  while (from !== undefined && /\S/.test(text.slice(from.start)))
    from = splitDocument(text, from, maxLength, found);
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
  const isEntered = (place: Place, path: JSONPath): boolean => {
    root ??= place;
    if (text[place.start] === '{') return path.length < LEVELS;
    if (path.length > 0 && !/^\[\s*\{/.test(text.slice(place.start, place.start + 1024))) return false;
    list = path.map(String);
    return true;
  };
  const begin = (offset: number, _: number, line: number, character: number, path: () => JSONPath) => {
    if (defect !== undefined) return false;
    if (list === undefined) return isEntered(placeOf(offset, line, character), path());
    element = placeOf(offset, line, character);
    return false;
  };
  const complete = (offset: number, length: number) => {
    // the text ends before the bracket that closes it
    if (length === 0) return;
    end = from.start + offset + length;
    if (element === undefined || list === undefined || defect !== undefined) return;
    found.push(elementOf(text, list, element, end, maxLength));
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
  const start = root?.start ?? text.length - text.slice(from.start).trimStart().length;
  const isMore = defect !== undefined && printParseErrorCode(defect.code) === 'EndOfFileExpected';
  if (root === undefined)
    found.push(
      brokenAt(text, undefined, defect?.place ?? { ...from, start }, 'a list or an object is expected'),
    );
  else if (element !== undefined || (defect !== undefined && !isMore))
    found.push(brokenAt(text, lastPath, defect?.place ?? lastPlace(text), defectOf(defect?.code)));
  else {
    const isWhole = text[start] === '{' && end - start <= WHOLE_DOCUMENT;
    if (isWhole) found.push({ path: undefined, text: text.slice(start, end), ...lineOf(root) });
    const next = defect?.place;
    if (next !== undefined && /[[{]/.test(text[next.start] ?? '')) return next;
    if (next !== undefined) found.push(brokenAt(text, lastPath, next, defectOf(defect?.code)));
  }
  return undefined;
}

const lineOf = ({ line, column }: Place) => ({ line, column });

function elementOf(
  text: string,
  path: readonly string[],
  place: Place,
  end: number,
  maxLength: number,
): SplitValue {
  const { start, column } = place;
  const value = text.slice(start, end);
  if (value.length > maxLength)
    return {
      path,
      text: value.slice(0, 1024),
      ...lineOf(place),
      error: 'The record is too long to be read.',
    };
  const isIndented = column > 0 && text.slice(start - column, start).trim() === '';
  return { path, text: value, ...lineOf(place), isIndented };
}

/** The end of a text, for what ends in the middle. */
function lastPlace(text: string): Place {
  const lines = text.split('\n');
  return { start: text.length, line: lines.length, column: lines.at(-1)?.length ?? 0 };
}

function brokenAt(text: string, path: SplitValue['path'], at: Place, what: string): SplitValue {
  const isAtEnd = text.slice(at.start).trim() === '';
  const place = isAtEnd ? lastPlace(text) : at;
  const where = `line ${place.line}, column ${place.column + 1}`;
  return {
    path,
    text: text.slice(place.start, place.start + 1024),
    ...lineOf(place),
    error: `This is not valid JSON at ${where}: ${isAtEnd ? ENDS : what}; nothing after it was read.`,
  };
}

/** Sentence for a person about a record that cannot be parsed; the record begins at `line`, behind `column` characters. */
export function defectSentence(
  { what, index }: JsonDefect,
  text: string,
  { line, column, isLine }: { readonly line: number; readonly column: number; readonly isLine: boolean },
): string {
  if (index === undefined) return `${what}.`;
  const lines = text.slice(0, index).split('\n');
  const at = (lines.length > 1 ? 0 : column) + (lines.at(-1)?.length ?? 0) + 1;
  const where = isLine ? `column ${at}` : `line ${line + lines.length - 1}, column ${at}`;
  return `This is not valid JSON at ${where}: ${what}.`;
}
