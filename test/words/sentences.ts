import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { parseAst } from 'rolldown/parseAst';

// Every sentence of the sources that somebody may read, one a line, so that a change of wording is seen in review.
// `npm run words` writes the list; `sentences.test.ts` compares it.

const ROOT = join(import.meta.dirname, '../../src');
export const LIST = join(import.meta.dirname, 'sentences.txt');

/** Files whose texts are vocabulary, queries or scripts, and no sentences. */
const NOT_PROSE = [
  /^discover\/(concept-words|value-kind)/,
  /^discover\/propose\/(choose-tables|concepts)\.ts$/,
  /^discover\/propose\/propose-people\.ts$/,
  /^present\/html\/page-style\.ts$/,
  /^links\/find-links\.ts$/,
  /^time\/written-time\.ts$/,
  /^commands\/completion\/completion-(bash|zsh|fish)\.ts$/,
  /^(sandbox\/store|source\/join|sqlite)\/(?!database|sandbox)/,
];

const SQL =
  /\b(WHERE|SELECT|FROM|LIMIT|ORDER BY|UPDATE \w+|INSERT|VALUES|SAVEPOINT|ROLLBACK|RELEASE|ON CONFLICT|UNION ALL|BEGIN IMMEDIATE|WITHOUT ROWID|max-age|DROP|ALTER|IS NULL|json_valid|json_type)\b|^\s*\w+ = (\w+|\{\})$|\w+\.\w+ (=|<=|>=|<>|%|IN) /;
const POLICY =
  /^[\w-]+-src |^(base-uri|form-action|frame-ancestors|trusted-types|require-trusted-types-for|allow-same-origin) /;
const WORDS_OF_LANGUAGES = / \| .* \| | [a-z]+:\.\d| [a-z]+=[a-z]+ [a-z]+=/;

interface Node {
  readonly type: string;
  readonly [key: string]: unknown;
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';

/** The text of a literal, a template or several of them added up; what is computed is `{}`. */
function textOf(node: Node): string | undefined {
  if (node.type === 'Literal' && typeof node.value === 'string') return node.value;
  if (node.type === 'TemplateLiteral')
    return (node.quasis as { value: { cooked: string } }[]).map(({ value }) => value.cooked).join('{}');
  if (node.type === 'BinaryExpression' && node.operator === '+') {
    const [left, right] = [textOf(node.left as Node), textOf(node.right as Node)];
    if (left !== undefined || right !== undefined) return `${left ?? '{}'}${right ?? '{}'}`;
  }
  return undefined;
}

function textsIn(code: string): string[] {
  const found: string[] = [];
  const walk = (value: unknown, taken: boolean): void => {
    if (Array.isArray(value)) {
      for (const one of value) walk(one, taken);
      return;
    }
    if (!isNode(value)) return;
    if (value.type.startsWith('TS') && value.type.includes('Type')) return;
    if (/^(Import|ExportAll)/.test(value.type)) return;
    const text = textOf(value);
    if (text !== undefined && !taken) found.push(text);
    const within = text !== undefined && value.type === 'BinaryExpression';
    for (const [key, child] of Object.entries(value))
      if (key !== 'type') walk(child, within && !isComputed(child));
  };
  walk(parseAst(code, { lang: 'ts' }), false);
  return found;
}

const isComputed = (child: unknown) => isNode(child) && textOf(child) === undefined;

/** What of markup is read: its text, and the attributes that are shown or spoken. */
function withoutMarkup(text: string): string[] {
  if (!/<\/?[a-z][^<>]*>/i.test(text)) return text.split('\n');
  const spoken = [...text.matchAll(/\b(?:aria-label|title|placeholder)="([^"]*)"/g)].map(
    ([, said]) => said ?? '',
  );
  return [
    ...spoken,
    ...text.replace(/<\/?(?:code|b|i|em|a|bdi|span|time)\b[^<>]*>/gi, '').split(/<[^<>]*>|\n/),
  ];
}

const isProse = (line: string) =>
  /\p{L}{2,}[^\p{L}]* +[^\p{L}]*\p{L}{2,}/u.test(line.replaceAll('{}', '…')) &&
  !SQL.test(line) &&
  !POLICY.test(line) &&
  !WORDS_OF_LANGUAGES.test(line);

const roomOf = (file: string) => {
  const parts = file.split('/');
  const room = /^(target|present|commands)$/.test(parts[0] ?? '') ? parts.slice(0, 2) : parts.slice(0, 1);
  return room.join('/').replace(/\.ts$/, '');
};

export function sentences(): string[] {
  const files = readdirSync(ROOT, { recursive: true, encoding: 'utf8' }).map((name) =>
    name.replaceAll(sep, '/'),
  );
  const lines = files
    .filter((name) => name.endsWith('.ts') && !NOT_PROSE.some((pattern) => pattern.test(name)))
    .flatMap((name) =>
      textsIn(readFileSync(join(ROOT, name), 'utf8'))
        .flatMap(withoutMarkup)
        .map((line) => line.replaceAll(/\s+/g, ' ').trim())
        .filter(isProse)
        .map((line) => `${roomOf(name)}: ${line}`),
    );
  return [...new Set(lines)].sort();
}

export const listed = () => readFileSync(LIST, 'utf8').split('\n').filter(Boolean);

if (process.argv[1] === import.meta.filename) writeFileSync(LIST, `${sentences().join('\n')}\n`);
