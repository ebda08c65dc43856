/**
 * One record of JSON: text → object, or a sentence. `__proto__` is a key like others (JSON.parse defines it and sets no
 * prototype), lone surrogates stay, and nothing that comes out is nested so deep that code working on it could overflow
 * its stack.
 */

import { BOUNDS } from '../../domain/limits.ts';
import { type JsonObject, REASON } from '../../domain/source.ts';
import { isJsonObject } from '../../domain/source-file.ts';

/** Far beyond any export, far below what a stack of calls bears. TOO_DEEP names it. */
const MAX_DEPTH = BOUNDS.depth.most;

export interface TextDefect {
  /** A clause without a full stop. */
  readonly what: string;
  /** Index of the character at fault, where there is one. */
  readonly index?: number;
}
export type ParsedText = { readonly object: JsonObject } | TextDefect;

export function parseJsonObject(text: string): ParsedText {
  // Before parsing, because the parser itself pays for each bracket.
  if (text.length > MAX_DEPTH && hasManyBrackets(text) && isDeeperThan(text, MAX_DEPTH)) return TOO_DEEP;
  let value: unknown;
  try {
    const isLong = hasLongRun(text) && LONG_INTEGER.test(text);
    value = isLong ? JSON.parse(text, keepDigits) : JSON.parse(text);
  } catch {
    const problem = syntaxProblem(text);
    return { what: problem?.what ?? 'it cannot be parsed', index: problem?.index ?? 0 };
  }
  if (!isJsonObject(value)) return { what: `This is ${nameOf(value)}, not an object in braces` };
  if (Object.hasOwn(value, REASON)) delete value[REASON];
  return { object: value };
}

const TOO_DEEP: TextDefect = {
  what: 'This is nested more than 1,000 levels deep',
};

/** Where a text begins in its file, for people. */
export interface TextStart {
  readonly line: number;
  /** Characters before it on its line; undefined where they are not at hand. */
  readonly before: number | undefined;
  /** A line is a record, so that its number need not be said again. */
  readonly lineIsRecord: boolean;
}

/** One sentence for a person. */
export function defectSentence({ what, index }: TextDefect, text: string, start: TextStart): string {
  if (index === undefined) return `${what}.`;
  const lines = text.slice(0, index).split('\n');
  const before = lines.length > 1 ? 0 : start.before;
  const column = before === undefined ? '' : `column ${before + (lines.at(-1)?.length ?? 0) + 1}`;
  const line = start.lineIsRecord && column !== '' ? '' : `line ${start.line + lines.length - 1}`;
  return `This is not valid JSON at ${[line, column].filter((part) => part !== '').join(', ')}: ${what}.`;
}

const INTEGER = /^-?\d+$/;
const LONG_INTEGER = /(?:^|[:[,\s])-?\d{16}/;
const LONG = 16;

/** Whether so many digits stand in a row: such a run has one at some multiple of its length, which settles most texts. */
function hasLongRun(text: string): boolean {
  for (let at = LONG - 1; at < text.length; at += LONG) {
    let start = at;
    while (isDigit(text.charCodeAt(start))) start--;
    let end = at + 1;
    while (start < at && isDigit(text.charCodeAt(end))) end++;
    if (end - start > LONG) return true;
  }
  return false;
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

/** Ids beyond 2^53 would lose digits as numbers, so they become strings. */
function keepDigits(_key: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
  const source = context?.source;
  return source !== undefined && INTEGER.test(source) ? source : value;
}

function nameOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'a list' : typeof value === 'boolean' ? 'true or false' : `a ${typeof value}`;
}

/** Fewer brackets than this cannot be nested too deep, and to count them is cheap. */
function hasManyBrackets(text: string): boolean {
  let count = 0;
  for (const bracket of ['{', '['])
    for (let at = text.indexOf(bracket); at >= 0; at = text.indexOf(bracket, at + 1))
      if (++count > MAX_DEPTH) return true;
  return false;
}

/** By the brackets outside of strings. */
function isDeeperThan(text: string, limit: number): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 34) {
      at = endOfString(text, at);
      if (at < 0) return false;
    } else if (code === 91 || code === 123) {
      if (++depth > limit) return true;
    } else if (code === 93 || code === 125) depth--;
  }
  return false;
}

/** Index of the quote that closes the string which begins at `open`; -1 where there is none. */
function endOfString(text: string, open: number): number {
  for (let at = text.indexOf('"', open + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let slashes = at;
    while (text.charCodeAt(slashes - 1) === 92) slashes--;
    if ((at - slashes) % 2 === 0) return at;
  }
  return -1;
}

/**
 * What is wrong with a text that is not JSON, and where. Only asked once parsing has failed: the parser's own message
 * quotes the data and often names no place. RFC 8259, without recursion.
 */
interface SyntaxProblem {
  /** Index of the first character that cannot stand there; the length of the text where it ends too early. */
  readonly index: number;
  /** A clause: `a comma or } is missing`. */
  readonly what: string;
  /** A value is complete, and more stands behind it. */
  readonly isBehind?: true;
}

const SPACE = /[ \t\n\r]*/y;
const SCALAR = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

/** What may stand next. `first…`: or the bracket that closes an empty structure. */
type Expected = 'value' | 'firstValue' | 'key' | 'firstKey' | 'separator';

/** Undefined when the text is one JSON value. */
export function syntaxProblem(text: string): SyntaxProblem | undefined {
  const closers: ('}' | ']')[] = [];
  let expected: Expected = 'value';
  let at = skip(SPACE, text, 0);
  const problem = (what: string, index = at): SyntaxProblem => ({
    index,
    what: index >= text.length ? 'it ends in the middle' : what,
  });
  for (; ; at = skip(SPACE, text, at)) {
    const character = text[at];
    const closer = closers.at(-1);
    if (expected === 'separator') {
      if (closer === undefined)
        return at >= text.length ? undefined : { ...problem('there is data after its end'), isBehind: true };
      if (character !== closer && character !== ',') return problem(`a comma or ${closer} is missing`);
      at++;
      if (character === closer) closers.pop();
      else expected = closer === '}' ? 'key' : 'value';
      continue;
    }
    if ((expected === 'firstKey' || expected === 'firstValue') && character === closer) {
      at++;
      closers.pop();
      expected = 'separator';
      continue;
    }
    if (expected === 'key' || expected === 'firstKey') {
      if (character !== '"') return problem('a key in double quotes is expected');
      const end = stringEnd(text, at);
      if (end < 0) return problem(STRING_PROBLEM, -end - 1);
      at = skip(SPACE, text, end);
      if (text[at] !== ':') return problem('a colon is missing after a key');
      at++;
      expected = 'value';
      continue;
    }
    if (character === '{' || character === '[') {
      at++;
      closers.push(character === '{' ? '}' : ']');
      expected = character === '{' ? 'firstKey' : 'firstValue';
      continue;
    }
    const end = character === '"' ? stringEnd(text, at) : skip(SCALAR, text, at);
    if (end < 0) return problem(STRING_PROBLEM, -end - 1);
    if (end === at) return problem('a value is expected');
    at = end;
    expected = 'separator';
  }
}

const STRING_PROBLEM = 'a string has a control character or an unknown escape in it';

function skip(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

/** Index behind the closing quote; -(index + 1) of the character that cannot stand in a string. */
function stringEnd(text: string, open: number): number {
  for (let at = open + 1; ; at++) {
    const code = text.charCodeAt(at);
    if (code === 34) return at + 1;
    if (code === 92) {
      const end = skip(ESCAPE, text, at);
      if (end === at) return -at - 1;
      at = end - 1;
    } else if (!(code >= 32)) {
      // A control character, or NaN behind the end of the text.
      return -at - 1;
    }
  }
}
