/** The file of problems: every sentence that the program says is there, with all that it names. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { allProblemWords, problemOf, wordsIn } from '../../src/domain/text/problem-words.ts';

const src = resolve(import.meta.dirname, '../../src');

describe('the file of problems', () => {
  it('has the sentence of every problem that the program finds', () => {
    const texts = readdirSync(src, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => readFileSync(join(src, name), 'utf8'));
    const kinds = texts.flatMap((text) =>
      [
        ...text.matchAll(
          /(?:problemOf|mappingProblem|told|people)\((?:context, scope, )?'([a-z-]+(?::[a-z]+)?)'|\breport\(\S+, '([a-z-]+(?::[a-z]+)?)'|kind: '([a-z-]+:[a-z]+)'/g,
        ),
      ].map(([, kind, reported, advised]) => kind ?? reported ?? advised ?? ''),
    );
    const said = (kind: string) => {
      const [code = '', sentence] = kind.split(':');
      const says = allProblemWords()[code]?.says;
      return sentence === undefined ? typeof says === 'string' : typeof says === 'object' && sentence in says;
    };
    expect(kinds.length).toBeGreaterThan(30);
    expect(kinds.filter((kind) => !said(kind))).toEqual([]);
  });

  it('of stops has the sentence of every reason to stop, and none unused', () => {
    const texts = readdirSync(src, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => readFileSync(join(src, name), 'utf8'));
    const names = texts.flatMap((text) =>
      [...text.matchAll(/\bstop\(\s*'([a-z\d-]+)'/g)].map(([, name = '']) => name),
    );
    const known = Object.keys(wordsIn(join(src, 'domain/text/stops.yaml')));
    expect([...new Set(names)].sort()).toEqual(known.sort());
  });

  it.each(['domain/text/problems', 'domain/text/stops', 'plan/losses'])(
    '%s is in the built program as its YAML file says',
    (name) => {
      const built = readFileSync(join(src, `../dist/${name}.json`), 'utf8');
      expect(JSON.parse(built)).toEqual(wordsIn(join(src, `${name}.yaml`)));
    },
  );

  it('counts in words, and takes a text of the export as it is', () => {
    const equal = (count: number) => problemOf('equal-rows:tickets', {}, { count }).message;
    expect(equal(1)).toMatch(/^1 row repeats another row/);
    expect(equal(1200)).toMatch(/^1,200 rows repeat another row/);
    expect(problemOf('several-addresses', { address: '{others}', others: 'b@x', more: 1 }).message).toBe(
      'A cell holds several addresses: {others} is imported, b@x is not.',
    );
  });
});
