/** One record of JSON: its value, where a part of it is in its text, and what is wrong with it. */
import {
  type Node,
  type ParseError,
  type ParseErrorCode,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser';
import { BOUNDS } from '../domain/limits.ts';
import { type JsonObject, REASON } from '../domain/source.ts';
import { isJsonObject } from '../domain/source-file.ts';
import type { Span } from './csv-line.ts';

const MAX_DEPTH = BOUNDS.depth.most;
export const TOO_DEEP = 'is nested more than 1,000 levels deep';
export const STRICT = { disallowComments: true, allowEmptyContent: false, allowTrailingComma: false };

export interface JsonDefect {
  /** A clause without a full stop. */
  readonly what: string;
  /** Index of the character at fault, where there is one. */
  readonly index?: number;
}

/** One record. Ids beyond 2^53 become strings, lest they lose digits. */
export function parseRecord(text: string): { readonly object: JsonObject } | JsonDefect {
  let value: unknown;
  try {
    value = /\d{16}/.test(text) ? JSON.parse(text, keepDigits) : JSON.parse(text);
  } catch (error) {
    return error instanceof SyntaxError ? syntaxDefect(text) : { what: `This ${TOO_DEEP}` };
  }
  if (!isJsonObject(value)) return { what: `This is ${nameOf(value)}, not an object in braces` };
  if (text.length > 2 * MAX_DEPTH && isDeeperThan(value, MAX_DEPTH)) return { what: `This ${TOO_DEEP}` };
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

function isDeeperThan(value: unknown, limit: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return limit === 0 || Object.values(value).some((part) => isDeeperThan(part, limit - 1));
}

/** A record without the `_reason` of rejects. */
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
export const ENDS = 'it ends in the middle';

export function whatIs(code: ParseErrorCode | undefined): string {
  return (code && DEFECTS.get(printParseErrorCode(code))) ?? 'it cannot be parsed';
}

/** What is wrong with a text that JSON.parse refuses: its first error. */
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

/**
 * The value at a path in the text of a record; where the path leads further than the record, the bracket of the last object
 * or list on it. Undefined for a text that is not JSON.
 */
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

/** Of a key that comes twice the last one counts, as for JSON.parse. */
function memberOf({ type, children = [] }: Node, key: string): Node | undefined {
  if (type !== 'object') return undefined;
  return children.findLast(({ children: [name] = [] }) => name?.value === key)?.children?.[1];
}
