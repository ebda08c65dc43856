import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { builtinLayout } from '../../src/mapping/detect/builtin-layouts.ts';
import { SOURCES, TESTS } from '../../src/mapping/language/expression.ts';
import { readMapping } from '../../src/mapping/language/read-layout.ts';

const page = readFileSync(resolve(import.meta.dirname, '../../docs/mapping.md'), 'utf8');
const examples = [...page.matchAll(/```yaml\n([\s\S]*?)```/g)].map((match) => match[1] ?? '');

describe('docs/mapping.md', () => {
  it.each(examples.map((text, index) => [index + 1, text] as const))(
    'example %i is a mapping that can be run',
    (_, text) => {
      expect(readMapping((parse(text) as { mapping: unknown }).mapping, builtinLayout)).toHaveProperty(
        'layout',
      );
    },
  );

  it('has an example for every kind of source and names every test', () => {
    expect(examples.length).toBeGreaterThan(5);
    expect(SOURCES.filter((name) => !page.includes(name))).toEqual([]);
    expect(TESTS.filter((name) => !page.includes(`\`${name}`))).toEqual([]);
  });
});
