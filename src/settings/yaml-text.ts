/** YAML with the place of every value. Syntax errors are complaints, never thrown. */
import { type Document, isMap, isScalar, isSeq, type Pair, parseDocument, visit, type YAMLError } from 'yaml';
import { type MarkedLine, markedAt } from '../domain/frame.ts';
import { BOUNDS } from '../domain/limits.ts';
import type { Complaint } from './sentences.ts';

interface Span {
  readonly from: number;
  readonly to: number;
}

export interface YamlText {
  readonly value: unknown;
  readonly complaints: readonly Complaint[];
  complain(path: readonly PropertyKey[], part: 'key' | 'value', message: string): Complaint;
}

/** Later ones are mostly echoes. */
const MOST_ERRORS = 5;

export function readYaml(written: string, file: string): YamlText {
  const text = written.replaceAll(/(?<![^\n])\ufeff/g, '');
  const complainAt = ({ from, to }: Span, message: string): Complaint => {
    const marked = markedAt(text, from, to - from);
    return { place: `${file}:${marked.line}:${marked.column}`, message, marked: withoutSecrets(marked) };
  };
  if (text.length > BOUNDS.settings.most) {
    const tooLong = { place: file, message: 'This is far too long for a settings file. Is it the export?' };
    return { value: undefined, complaints: [tooLong], complain: () => tooLong };
  }
  try {
    return parsedYaml(text, complainAt);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const tooDeep = { place: file, message: IN_WORDS.RESOURCE_EXHAUSTION ?? '' };
    return { value: undefined, complaints: [tooDeep], complain: () => tooDeep };
  }
}

const DEEPEST = 100;

function parsedYaml(text: string, complainAt: (span: Span, message: string) => Complaint): YamlText {
  // The parser's own check takes seconds for 20,000 agents.
  const options = { prettyErrors: false, stringKeys: true, logLevel: 'error', uniqueKeys: false } as const;
  const document = parseDocument(text, options);
  const complaints = [...syntaxErrors(document, text), ...unclear(document)]
    .slice(0, MOST_ERRORS)
    .map(([span, message]) => complainAt(span, message));
  return {
    value: complaints.length === 0 ? (document.toJS() ?? undefined) : undefined,
    complaints,
    complain: (path, part, message) => complainAt(spanAt(document, path, part), message),
  };
}

const SECRETS_IN_LINE = [
  /(?<=:\/\/)[^/\s@]*(?=@)/g,
  /(?<=:\/\/[^\s?"']{0,200}\?)[^\s"'}\],]+/g,
  /(?<=(?:token\w{0,20}|secret|password|passwd|credentials?|authorization|cookie|api[_-]?key)["']?\s{0,9}[:=]\s{0,9})\S.*$/gi,
  /(?<=\b(?:bearer|basic)\s{1,9})\S+/gi,
];

function withoutSecrets(marked: MarkedLine): MarkedLine {
  const hide = (secret: string) => '*'.repeat(secret.length);
  const text = SECRETS_IN_LINE.reduce((shown, pattern) => shown.replace(pattern, hide), marked.text);
  return { ...marked, text };
}

type SyntaxFault = readonly [span: Span, message: string];

const IN_WORDS: Partial<Readonly<Record<YAMLError['code'], string>>> = {
  TAB_AS_INDENT: 'A tab indents this line: use spaces.',
  BAD_INDENT: 'The indentation does not fit the lines above: keys of one section begin in the same column.',
  MULTIPLE_DOCS: 'A second document begins here (---): the settings are one document.',
  NON_STRING_KEY: 'A key must be a text: put it in quotes.',
  BAD_SCALAR_START: 'A value cannot begin with this character: put the value in quotes.',
  BLOCK_AS_IMPLICIT_KEY: 'There is a second colon in this line: put the value in quotes.',
  TAG_RESOLVE_FAILED: 'Tags (!name) are not understood here: write the plain value.',
  RESOURCE_EXHAUSTION: 'This is nested much too deeply.',
};

/** The first of each line. */
function syntaxErrors(document: Document, text: string): SyntaxFault[] {
  const byLine = Map.groupBy(
    [...document.errors, ...document.warnings].slice(0, 100),
    ({ pos }) => markedAt(text, pos[0], 1).line,
  );
  return [...byLine.values()].flatMap(([error]) => {
    if (error === undefined) return [];
    const [from, to] = error.pos;
    return [[{ from, to }, IN_WORDS[error.code] ?? `This is not YAML: ${error.message}.`] as const];
  });
}

function unclear(document: Document): SyntaxFault[] {
  const found: SyntaxFault[] = [];
  visit(document, {
    Collection: (_, node, above) => {
      if (above.length <= 2 * DEEPEST) return undefined;
      found.push([rangeOf(node), IN_WORDS.RESOURCE_EXHAUSTION ?? '']);
      return visit.BREAK;
    },
  });
  if (found.length > 0) return found;
  visit(document, {
    Map: (_, { items }) => {
      const seen = new Set<unknown>();
      for (const { key } of items) {
        const name = isScalar(key) ? key.value : key;
        if (seen.has(name))
          found.push([rangeOf(key), 'This key occurs twice in the same section: keep one of them.']);
        seen.add(name);
      }
    },
    Alias: (_, alias) => {
      found.push([rangeOf(alias), 'Aliases (*name) are not understood here: write the value out.']);
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
  let span = rangeOf(node);
  if (isMap(node) || isSeq(node)) span = { from: span.from, to: span.from + 1 };
  for (const [index, step] of path.entries()) {
    const pair: Pair | undefined = isMap(node)
      ? node.items.find(({ key }) => isScalar(key) && String(key.value) === String(step))
      : undefined;
    node = pair?.value ?? (isSeq(node) ? node.items[Number(step)] : undefined);
    if (pair !== undefined) span = rangeOf(pair.key);
    if (node === undefined || node === null) break;
    const isLeaf = (isScalar(node) && node.value !== null) || pair === undefined;
    const isKeyWanted = part === 'key' && index === path.length - 1;
    if (isLeaf && !isKeyWanted) span = rangeOf(node);
  }
  return span;
}
