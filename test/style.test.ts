/** How this program writes (CONTRIBUTING.md): each habit, what to write instead, a falling ceiling. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '..');
type Place = 'comments' | 'texts' | 'names' | 'pages';
type Said = readonly [file: string, text: string];

const HABITS: readonly (readonly [
  pattern: RegExp,
  instead: string,
  most: Readonly<Record<Place, number>>,
])[] = [
  [
    /(^|[.:;] )(What|Whatever|Whether|Who|Where) [a-z](?!.*\?)/,
    'name the thing: "unsent tickets"',
    { comments: 5, texts: 25, names: 0, pages: 17 },
  ],
  [
    /\b(what is|what was|what has|one that|those that|the one of)\b/,
    'a noun',
    { comments: 54, texts: 10, names: 3, pages: 27 },
  ],
  [
    /\b(of|in|by|with|for|to|from|at) (which|whose|whom)\b/,
    'two sentences',
    { comments: 12, texts: 1, names: 0, pages: 7 },
  ],
  [/(^|[.:;] )Of [a-z]/, '"The ticket’s …", or a better name', { comments: 0, texts: 0, names: 0, pages: 1 }],
  [
    /\b([Tt]he|[Aa]|[Aa]nother) target\b(?!\.)/,
    'the helpdesk',
    { comments: 0, texts: 0, names: 0, pages: 0 },
  ],
  [
    /\bany more\b|\bstays? as it is\b|\bgo(es)? on with\b|\bso many\b|\bwhatever\b/i,
    'no longer, unchanged, continue, this many',
    { comments: 9, texts: 3, names: 1, pages: 1 },
  ],
  [
    /\b(is|are|was|were) there\b|\bnot known\b/,
    'exists, was imported, is missing; may',
    { comments: 6, texts: 6, names: 0, pages: 2 },
  ],
  [
    /, where\b|\bwhere (it|there|they|the|nothing|one|some)\b/,
    'if',
    { comments: 25, texts: 20, names: 0, pages: 7 },
  ],
  [
    /\b((is|are|was) told|tells of|whoever|somebody|homeless|fate|as yet|at all)\b/,
    'a plain verb',
    { comments: 2, texts: 0, names: 0, pages: 1 },
  ],
  [
    /(?<![\d,.])\b1 (tickets|messages|files|rows|values|agents|events|requests|problems|errors|warnings)\b|the other 0\b|\bin zendesk\b/,
    'the singular; nothing; Zendesk',
    { comments: 0, texts: 0, names: 0, pages: 0 },
  ],
];

function read(folder: string, ending: RegExp): Said[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => ending.test(name) && !name.endsWith('style.test.ts'))
    .map((name) => [`${folder}/${name}`, readFileSync(join(root, folder, name), 'utf8')]);
}

const COMMENT = /\/\*\*?([\s\S]*?)\*\/|(?<![:'"`\\])\/\/ ([^\n]*(?:\n\s*\/\/ [^\n]*)*)/g;

const commentsIn = (code: string) =>
  [...code.matchAll(COMMENT)].map(([, block, lines]) =>
    (block ?? lines ?? '').replaceAll(/\n\s*(\*|\/\/) ?/g, ' ').trim(),
  );
const textsIn = (code: string) =>
  [...code.replaceAll(COMMENT, '').matchAll(/'((?:[^'\\\n]|\\.)*)'|`((?:[^`\\]|\\.)*)`/g)]
    .map(([, quoted, template]) => quoted ?? template ?? '')
    .filter(
      (text) =>
        /[a-z] [a-z]/.test(text) && !/SELECT|INSERT|UPDATE |CREATE|FROM |^What to (do|read)$/.test(text),
    );
const namesIn = (code: string) =>
  [...code.matchAll(/\b(?:it|test|describe)(?:\.\w+)*(?:\([^']*?\))?\(\s*'((?:[^'\\\n]|\\.)*)'/g)].map(
    ([, name = '']) => name,
  );
const linesIn = (page: string) =>
  page
    .replaceAll(/```[\s\S]*?```|`[^`\n]*`/g, '')
    .replaceAll(/^ {4}.*$/gm, '')
    .split('\n');

const each = (files: readonly Said[], parts: (text: string) => readonly string[]): Said[] =>
  files.flatMap(([file, text]) => parts(text).map((part) => [file, part] as const));
const src = read('src', /\.ts$/);
const FOUND: Readonly<Record<Place, readonly Said[]>> = {
  comments: each(src, commentsIn),
  texts: [
    ...each(src, textsIn),
    ...each(read('src', /advice\.yaml$|review\.yaml$/), (text) => text.split('\n')),
  ],
  names: each(read('test', /\.ts$/), namesIn),
  pages: each(
    [
      ...read('docs', /\.md$/),
      ...['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md'].map(
        (name): Said => [name, readFileSync(join(root, name), 'utf8')],
      ),
    ],
    linesIn,
  ),
};

it.each(HABITS)('%s is written less and less: %s', (pattern, _, most) => {
  for (const [place, ceiling] of Object.entries(most) as [Place, number][]) {
    const hits = FOUND[place].filter(([, text]) => pattern.test(text));
    expect(
      hits.length,
      `${place}\n${hits.map(([file, text]) => `${file}: ${text}`).join('\n')}`,
    ).toBeLessThanOrEqual(ceiling);
  }
  expect(Object.values(FOUND).every((texts) => texts.length > 500)).toBe(true);
});

it('the words beside a number are chosen by countOf or by their sentence', () => {
  const byHand = src.filter(([, code]) => /=== 1 \? ['`]\w|\? '' : 's'/.test(code));
  expect(byHand.map(([file]) => file)).toEqual([]);
});
