/**
 * JSON as records. A line of JSONL is a record; of a document the elements of its lists of objects are, as it streams in:
 * `{"tickets": [{…}, {…}], "users": [{…}]}` has records at `tickets` and at `users`. What a list holds in its elements is part
 * of them.
 */
import { type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import { BOUNDS } from '../domain/limits.ts';
import { type JsonObject, REASON } from '../domain/source.ts';
import { isJsonObject } from '../domain/source-file.ts';

/** Far beyond any export, far below what a stack of calls bears. */
const MAX_DEPTH = BOUNDS.depth.most;

export interface JsonDefect {
  /** A clause without a full stop. */
  readonly what: string;
  /** Index of the character at fault, where there is one. */
  readonly index?: number;
}

/** One record. Ids beyond 2^53 become strings, lest they lose digits; `_reason` of rejects is left out. */
export function parseRecord(text: string): { readonly object: JsonObject } | JsonDefect {
  if (isDeeperThan(text, MAX_DEPTH)) return { what: 'This is nested more than 1,000 levels deep' };
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

/** What is wrong with a text that JSON.parse refuses: its first error. */
export function syntaxDefect(text: string): JsonDefect {
  const errors: ParseError[] = [];
  parseTree(text, errors, { disallowComments: true, allowEmptyContent: false, allowTrailingComma: false });
  const [first] = errors.toSorted((a, b) => a.offset - b.offset);
  if (first === undefined) return { what: 'it cannot be parsed', index: 0 };
  const isAtEnd =
    text.slice(first.offset).trim() === '' || first.offset + first.length >= text.trimEnd().length;
  const name = printParseErrorCode(first.error);
  const isCut = isAtEnd && (first.offset >= text.trimEnd().length || name === 'UnexpectedEndOfString');
  return isCut
    ? { what: 'it ends in the middle', index: text.length }
    : { what: DEFECTS.get(name) ?? 'it cannot be parsed', index: first.offset };
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

class Incomplete extends Error {}
class Broken extends Error {
  readonly index: number;
  constructor(index: number, what: string) {
    super(what);
    this.index = index;
  }
}

/** Splits a document as it streams in; documents may follow each other. */
export class JsonSplitter {
  readonly #maxLength: number;
  #text = '';
  #at = 0;
  #isLast = false;
  #line = 1;
  /** Characters that were dropped from the line on which `#text` begins. */
  #column = 0;
  readonly #stack: (
    | { readonly kind: 'object' | 'list'; readonly path: readonly string[]; count: number }
    | 'end'
  )[] = [];
  #document: { text: string; line: number; column: number; isObject: boolean } | undefined;
  #isBroken = false;
  /** A value that is not complete is looked at again when there is twice as much of it. */
  #wanted = 0;

  constructor(maxLength: number) {
    this.#maxLength = maxLength;
  }

  /** The values that are complete with this part of the text. */
  take(part: string, isLast: boolean): SplitValue[] {
    if (this.#isBroken) return [];
    this.#text += part;
    this.#isLast = isLast;
    if (this.#text.length < this.#wanted && !isLast) return [];
    const found: SplitValue[] = [];
    try {
      while (this.#step(found));
    } catch (error) {
      if (error instanceof Incomplete && !isLast && this.#text.length - this.#at <= this.#maxLength) {
        this.#drop();
        this.#wanted = 2 * this.#text.length;
        return found;
      }
      this.#isBroken = true;
      found.push(this.#defect(error));
    }
    this.#drop();
    return found;
  }

  #defect(error: unknown): SplitValue {
    if (!(error instanceof Incomplete || error instanceof Broken)) throw error;
    const index = error instanceof Broken ? error.index : this.#isLast ? this.#text.length : this.#at;
    const what =
      error instanceof Broken && index < this.#text.length
        ? error.message
        : this.#isLast
          ? 'it ends in the middle'
          : 'a record is too long to be read';
    const { line, column } = this.#place(index);
    return {
      path: this.#lastPath,
      text: this.#text.slice(index, index + 1024),
      line,
      column,
      error: `This is not valid JSON at line ${line}, column ${column + 1}: ${what}; nothing after it was read.`,
    };
  }

  /** One key or one element. False at the end of what is there. */
  #step(found: SplitValue[]): boolean {
    let at = this.#space(this.#at);
    const top = this.#stack.at(-1);
    if (top === undefined) {
      if (at >= this.#text.length) {
        if (!this.#isLast) throw new Incomplete();
        this.#at = at;
        return false;
      }
      const opener = this.#text[at];
      if (opener !== '{' && opener !== '[')
        throw new Broken(
          at,
          this.#document === undefined ? 'a list or an object is expected' : 'there is data after its end',
        );
      this.#at = at;
      this.#document = { ...this.#place(at), text: '', isObject: opener === '{' };
      this.#stack.push({ kind: opener === '{' ? 'object' : 'list', path: [], count: 0 });
      this.#move(at + 1);
      return true;
    }
    if (top === 'end') return false;
    const closer = top.kind === 'object' ? '}' : ']';
    if (this.#char(at) === closer && top.count === 0) return this.#close(at, found);
    if (top.count > 0) {
      const next = this.#char(at);
      if (next === closer) return this.#close(at, found);
      if (next !== ',') throw new Broken(at, `a comma or ${closer} is missing`);
      at = this.#space(at + 1);
    }
    if (top.kind === 'list') {
      const { line, column } = this.#place(at);
      if (this.#char(at) === closer) throw new Broken(at, 'a value is expected');
      const end = this.#valueEnd(at);
      const isIndented = column > 0 && this.#text.slice(Math.max(0, at - column), at).trim() === '';
      const text = this.#text.slice(at, end);
      found.push(
        text.length > this.#maxLength
          ? {
              path: top.path,
              text: text.slice(0, 1024),
              line,
              column,
              error: 'The record is too long to be read.',
            }
          : { path: top.path, text, line, column, isIndented },
      );
      this.#lastPath = top.path;
      top.count++;
      this.#move(end);
      return true;
    }
    if (this.#char(at) !== '"') throw new Broken(at, 'a key in double quotes is expected');
    const keyEnd = stringEnd(this.#text, at);
    if (keyEnd === 0) throw new Incomplete();
    const colon = this.#space(keyEnd);
    if (this.#char(colon) !== ':') throw new Broken(colon, 'a colon is missing after a key');
    const value = this.#space(colon + 1);
    const opener = this.#char(value);
    const path = [...top.path, keyOf(this.#text.slice(at, keyEnd))];
    if (opener === '{' && path.length < LEVELS) {
      top.count++;
      this.#stack.push({ kind: 'object', path, count: 0 });
      this.#move(value + 1);
    } else if (opener === '[' && this.#char(this.#space(value + 1)) === '{') {
      top.count++;
      this.#stack.push({ kind: 'list', path, count: 0 });
      this.#move(value + 1);
    } else {
      const end = this.#valueEnd(value);
      top.count++;
      this.#move(end);
    }
    return true;
  }

  #close(at: number, found: SplitValue[]): boolean {
    this.#stack.pop();
    this.#move(at + 1);
    const document = this.#document;
    if (this.#stack.length === 0 && document?.isObject === true && document.text.length <= WHOLE_DOCUMENT) {
      const { text, line, column } = document;
      found.push({ path: undefined, text, line, column });
    }
    return true;
  }

  /** Goes on behind `to`; what is passed belongs to the document. */
  #move(to: number): void {
    if (this.#document !== undefined && this.#document.text.length <= WHOLE_DOCUMENT)
      this.#document.text += this.#text.slice(this.#at, to);
    this.#at = to;
  }

  #drop(): void {
    const { line, column } = this.#place(this.#at);
    this.#line = line;
    this.#column = column;
    this.#text = this.#text.slice(this.#at);
    this.#at = 0;
    this.#placed = { index: 0, line, column };
  }

  /** Of the last list that had an element: a defect is one of its table. */
  #lastPath: readonly string[] | undefined;

  #placed = { index: 0, line: 1, column: 0 };

  /** Line and characters before it, of an index that is asked for in rising order. */
  #place(index: number): { line: number; column: number } {
    const from =
      this.#placed.index <= index ? this.#placed : { index: 0, line: this.#line, column: this.#column };
    let { line, column } = from;
    let start = from.index;
    for (
      let at = this.#text.indexOf('\n', start);
      at >= 0 && at < index;
      at = this.#text.indexOf('\n', start)
    ) {
      line++;
      column = 0;
      start = at + 1;
    }
    column += index - start;
    this.#placed = { index, line, column };
    return { line, column };
  }

  #char(at: number): string {
    const character = this.#text[at];
    if (character === undefined) throw new Incomplete();
    return character;
  }

  #space(at: number): number {
    const space = /[ \t\n\r]*/y;
    space.lastIndex = at;
    space.test(this.#text);
    return space.lastIndex;
  }

  /** Index behind the value that begins at `at`: by its brackets and quotes alone. */
  #valueEnd(at: number): number {
    const text = this.#text;
    const opener = this.#char(at);
    if (opener === '"') {
      const end = stringEnd(text, at);
      if (end === 0) throw new Incomplete();
      return end;
    }
    if (opener !== '{' && opener !== '[') {
      const scalar = /[^\s,\]}"[{]*/y;
      scalar.lastIndex = at;
      scalar.test(text);
      if (scalar.lastIndex === text.length && !this.#isLast) throw new Incomplete();
      if (scalar.lastIndex === at) throw new Broken(at, 'a value is expected');
      return scalar.lastIndex;
    }
    let depth = 0;
    const structure = /["{}[\]]/g;
    structure.lastIndex = at;
    for (let found = structure.exec(text); found !== null; found = structure.exec(text)) {
      if (found[0] === '"') {
        const end = stringEnd(text, found.index);
        if (end === 0) throw new Incomplete();
        structure.lastIndex = end;
      } else if (found[0] === '{' || found[0] === '[') {
        depth++;
      } else if (--depth === 0) return structure.lastIndex;
    }
    throw new Incomplete();
  }
}

function keyOf(quoted: string): string {
  try {
    return String(JSON.parse(quoted));
  } catch {
    return quoted.slice(1, -1);
  }
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
