import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { listed, sentences } from './sentences.ts';

const root = join(import.meta.dirname, '../..');

/** Words that a person reads twice, or that no native speaker of the trade would use here. */
const AVOIDED: readonly RegExp[] = [
  /\bwhoever\b/i,
  /\btold\b/i,
  /\bstands\b/i,
  /\b(?:is|are) none\b/i,
  /\bat all\b/i,
  /\bas you wished\b/i,
  /\btelling tickets\b/i,
  /\banew\b/i,
  /\bone a line\b/i,
  /\bnot all is well\b/i,
  /\bLook whether\b/,
];

const pages = ['README.md', 'SECURITY.md', ...under('docs', /\.(md|mjs|yml|1)$/)];

function under(folder: string, names: RegExp): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => names.test(name))
    .map((name) => join(folder, name));
}

const avoidedIn = (lines: readonly string[]) =>
  lines.filter((line) => AVOIDED.some((word) => word.test(line)));

it('a change of wording is seen in review: every sentence is in sentences.txt (npm run words)', () => {
  expect(sentences()).toEqual(listed());
});

it('what the program says is plain: no word of the list of avoided ones', () => {
  const found = sentences();
  expect(found.length).toBeGreaterThan(2500);
  expect(avoidedIn(found)).toEqual([]);
});

it.each(pages)('%s is plain: no word of the list of avoided ones', (page) => {
  expect(avoidedIn(readFileSync(join(root, page), 'utf8').split('\n'))).toEqual([]);
});

it.each(under('src/mapping/platforms', /\.yaml$/))('the notes of %s are plain', (layout) => {
  expect(avoidedIn(readFileSync(join(root, layout), 'utf8').split('\n'))).toEqual([]);
});

it.each(['The e-mail address is none.', 'Nothing was sent, as you wished.', 'telling tickets'])(
  '%j would be noticed',
  (sentence) => {
    expect(avoidedIn([sentence])).toEqual([sentence]);
  },
);
