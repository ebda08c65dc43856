/** A YAML text with the place of everything in it. Syntax errors come as complaints, in words; nothing is thrown for them. */
import {
  Document,
  isAlias,
  isMap,
  isPair,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  parseDocument,
  visit,
  type YAMLError,
} from 'yaml';
import { type MarkedLine, markedAt } from '../domain/frame.ts';
import { BOUNDS } from '../domain/limits.ts';
import { printable, shorten } from '../domain/printable.ts';
import type { Complaint } from './complaint.ts';

/** From an offset of the text to another. */
interface Span {
  readonly from: number;
  readonly to: number;
}

export interface YamlText {
  /** The data; undefined when the text is not YAML, or empty. */
  readonly value: unknown;
  readonly complaints: readonly Complaint[];
  /** Where the value (or the key) at a path stands; the nearest one above it where it is absent. */
  spanOf(path: readonly PropertyKey[], part: 'key' | 'value'): Span;
  /** `file:line:column`. */
  placeOf(span: Span): string;
  complain(span: Span, message: string): Complaint;
  /** Keys and values that begin with the word: where `init` left a decision open. */
  findWord(word: string): { readonly span: Span; readonly path: readonly PropertyKey[] }[];
}

/** The parser is not made for more. In UTF-16 units. */
const LONGEST = BOUNDS.settings.most;
/** Syntax errors shown: what follows the first few is mostly their echo. */
const MOST_ERRORS = 5;

export function readYaml(text: string, file: string): YamlText {
  const tooLong = text.length > LONGEST;
  const document = tooLong
    ? new Document()
    : parseDocument(text, { prettyErrors: false, stringKeys: true, logLevel: 'error', uniqueKeys: false });
  const placeOf = (span: Span) => {
    const marked = markedAt(text, span.from, 1);
    return `${file}:${marked.line}:${marked.column}`;
  };
  const complain = (span: Span, message: string): Complaint => ({
    place: placeOf(span),
    message,
    marked: withoutPassword(markedAt(text, span.from, span.to - span.from)),
  });
  const complaints = tooLong
    ? [{ place: file, message: 'This is far too long for a settings file. Is it the export?' }]
    : [...syntaxErrors(document, text), ...repeatedKeys(document), ...brokenAliases(document)].map(
        ({ span, message }) => complain(span, message),
      );
  let value: unknown;
  if (complaints.length === 0) {
    try {
      value = document.toJS({ maxAliasCount: 100 }) ?? undefined;
    } catch (error) {
      if (!(error instanceof ReferenceError)) throw error;
      const message = 'The settings use aliases (*name) that unfold into far too much: write the values out.';
      complaints.push({ place: file, message });
    }
  }
  return {
    value,
    complaints,
    spanOf: (path, part) => spanAt(document, path, part),
    placeOf,
    complain,
    findWord: (word) => wordsIn(document, new RegExp(`^${word}\\b`)),
  };
}

/** Where secrets stand in a line: user and password of an address, its query, and what follows the name of a secret. */
const SECRETS_IN_LINE = [
  /(?<=:\/\/)[^/\s@]*(?=@)/g,
  /(?<=:\/\/[^\s?"']{0,200}\?)[^\s"'}\],]+/g,
  /(?<=(?:token\w{0,20}|secret|password|passwd|credentials?|authorization|cookie|api[_-]?key)["']?\s{0,9}[:=]\s{0,9})\S.*$/gi,
  /(?<=\b(?:bearer|basic)\s{1,9})\S+/gi,
];

/** They are not shown: the place is enough. */
function withoutPassword(marked: MarkedLine): MarkedLine {
  const hide = (secret: string) => '*'.repeat(secret.length);
  return {
    ...marked,
    text: SECRETS_IN_LINE.reduce((text, pattern) => text.replace(pattern, hide), marked.text),
  };
}

interface Found {
  readonly span: Span;
  readonly message: string;
}

function syntaxErrors(document: Document, text: string): Found[] {
  const seen = new Set<number>();
  const found: Found[] = [];
  for (const error of [...document.errors, ...document.warnings]) {
    const line = markedAt(text, error.pos[0], 1).line;
    if (seen.has(line) || found.length >= MOST_ERRORS) continue;
    seen.add(line);
    found.push({ span: { from: error.pos[0], to: error.pos[1] }, message: inWords(error) });
  }
  return found;
}

function inWords(error: YAMLError): string {
  switch (error.code) {
    case 'TAB_AS_INDENT':
      return 'A tab indents this line: YAML wants spaces.';
    case 'BAD_INDENT':
      return 'The indentation does not fit the lines above: keys of one section begin in the same column.';
    case 'MULTIPLE_DOCS':
      return 'A second document begins here (---): the settings are one document.';
    case 'NON_STRING_KEY':
      return 'A key must be a text: put it in quotes.';
    case 'BAD_SCALAR_START':
      return 'A value cannot begin with this character: put the value in quotes.';
    case 'BLOCK_AS_IMPLICIT_KEY':
      return 'There is a second colon in this line: put the value in quotes.';
    case 'TAG_RESOLVE_FAILED':
      return 'Tags (!name) are not understood here: write the plain value.';
    case 'RESOURCE_EXHAUSTION':
      return 'This is nested much too deeply.';
    default:
      return `This is not YAML: ${error.message}.`;
  }
}

/** The parser compares each key with all before it, which takes seconds for a list of 20,000 agents. */
function repeatedKeys(document: Document): Found[] {
  const found: Found[] = [];
  visit(document, {
    Map: (_, { items }) => {
      const seen = new Set<unknown>();
      for (const { key } of items) {
        const name = isScalar(key) ? key.value : key;
        if (seen.has(name) && found.length < MOST_ERRORS)
          found.push({
            span: rangeOf(key),
            message: 'This key occurs twice in the same section: keep one of them.',
          });
        seen.add(name);
      }
    },
  });
  return found;
}

function brokenAliases(document: Document): Found[] {
  const found: Found[] = [];
  visit(document, {
    Alias: (_, alias, above) => {
      const meant = alias.resolve(document);
      const name = shorten(printable(alias.source), 40);
      if (meant === undefined)
        found.push({ span: rangeOf(alias), message: `There is no anchor &${name} before this alias.` });
      else if (above.includes(meant))
        found.push({
          span: rangeOf(alias),
          message: `The alias *${name} is used inside the value it repeats: write the value out.`,
        });
    },
  });
  return found;
}

function rangeOf(node: unknown): Span {
  const range = typeof node === 'object' && node !== null && 'range' in node ? node.range : undefined;
  if (!Array.isArray(range)) return { from: 0, to: 1 };
  return { from: Number(range[0]), to: Math.max(Number(range[0]) + 1, Number(range[1])) };
}

function spanAt(document: Document, path: readonly PropertyKey[], part: 'key' | 'value'): Span {
  let node: unknown = document.contents;
  let span: Span =
    isMap(node) || isSeq(node) ? { from: rangeOf(node).from, to: rangeOf(node).from + 1 } : rangeOf(node);
  for (const [index, step] of path.entries()) {
    const last = index === path.length - 1;
    const holder = isAlias(node) ? node.resolve(document) : node;
    const pair: Pair | undefined = isMap(holder)
      ? holder.items.find((item) => isScalar(item.key) && String(item.key.value) === String(step))
      : undefined;
    const next: unknown = pair?.value ?? (isSeq(holder) ? holder.items[Number(step)] : undefined);
    if (pair !== undefined) span = rangeOf(pair.key);
    const value = isScalar(next) && next.value === null ? undefined : next;
    if (value !== undefined && !(last && part === 'key')) {
      const whole = rangeOf(value);
      // A section is marked by its key: it spans many lines itself.
      if (isScalar(value) || isAlias(value) || pair === undefined) span = whole;
    }
    if (next === undefined || next === null) break;
    node = next;
  }
  return span;
}

function wordsIn(document: Document, word: RegExp): { span: Span; path: PropertyKey[] }[] {
  const found: { span: Span; path: PropertyKey[] }[] = [];
  visit(document, {
    Scalar: (_, scalar, ancestors) => {
      if (typeof scalar.value === 'string' && word.test(scalar.value))
        found.push({ span: rangeOf(scalar), path: pathOf(scalar, ancestors) });
    },
  });
  return found;
}

function pathOf(scalar: Node, ancestors: readonly unknown[]): PropertyKey[] {
  const path: PropertyKey[] = [];
  for (const [index, ancestor] of ancestors.entries()) {
    if (isPair(ancestor)) path.push(isScalar(ancestor.key) ? String(ancestor.key.value) : '');
    if (isSeq(ancestor)) path.push(ancestor.items.indexOf(ancestors[index + 1] ?? scalar));
  }
  return path;
}
