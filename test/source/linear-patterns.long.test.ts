import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAst } from 'rolldown/parseAst';
import { afterAll, expect, it } from 'vitest';
import { parse } from 'yaml';
import { superlinear } from './regex-time.ts';

/** Expressions over texts that are bounded before they get there. */
const BOUNDED = new Map([
  ['discover/staged-tables.ts', 'a text of at most 64 characters: readTime takes no other'],
  ['domain/written-time.ts', 'a text of at most 64 characters'],
  ['export/state.ts', 'the name of a folder'],
  ['discover/names.ts', 'the name of a column'],
  ['domain/text/vocabulary.ts', 'a name or a word of at most 300 characters'],
  ['export/step.ts', 'a header, which undici limits'],
  ['jira-csv.yaml', 'a comment, of which Jira keeps at most 32,767 characters'],
  ['zendesk-tables.yaml', 'a comment, of which Zendesk keeps at most 65,535 characters'],
]);

const SOURCE = join(import.meta.dirname, '../../src');

interface Found {
  readonly where: string;
  readonly regex: RegExp;
}

function literals(): Found[] {
  const files = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  );
  return files.flatMap((file) => {
    if (BOUNDED.has(file)) return [];
    const text = readFileSync(join(SOURCE, file), 'utf8');
    const found: Found[] = [];
    JSON.stringify(parseAst(text, { lang: 'ts' }), (_, node) => {
      if (node?.type === 'Literal' && node.regex !== undefined) {
        const { pattern, flags } = node.regex as { pattern: string; flags: string };
        const line = text.slice(0, node.start).split('\n').length;
        found.push({ where: `src/${file}:${line}`, regex: new RegExp(pattern, flags.replace('y', 'g')) });
      }
      return node;
    });
    return found;
  });
}

function ofLayouts(): Found[] {
  const folder = join(SOURCE, 'mapping/platforms');
  return readdirSync(folder)
    .filter((name) => name.endsWith('.yaml') && !BOUNDED.has(name))
    .flatMap((name) => {
      const found: Found[] = [];
      JSON.stringify(parse(readFileSync(join(folder, name), 'utf8')), (key, value) => {
        if (typeof value === 'string' && (key === 'match' || key === 'matches'))
          found.push({ where: `${name} ${key}`, regex: new RegExp(value, 'us') });
        else if (typeof value === 'string' && key === 'split' && /^\/.+\/$/s.test(value))
          found.push({ where: `${name} ${key}`, regex: new RegExp(value.slice(1, -1), 'gu') });
        return value;
      });
      return found;
    });
}

/** What modules build at run time is caught while they load. */
const built: Found[] = [];
const Native = globalThis.RegExp;
globalThis.RegExp = new Proxy(Native, {
  construct(target, [source, flags]: [string, string | undefined]) {
    const regex = new target(source, flags);
    const caller = new Error('where').stack?.split('\n')[2] ?? '';
    if (caller.includes('/src/') && ![...BOUNDED.keys()].some((file) => caller.includes(file)))
      built.push({ where: caller.trim(), regex: new target(source, regex.flags.replace('y', 'g')) });
    return regex;
  },
});
const { compileTimes } = await import('../../src/mapping/language/read-times.ts');
globalThis.RegExp = Native;
afterAll(() => {
  globalThis.RegExp = Native;
});

const ALL = [...literals(), ...ofLayouts(), ...built];

it('expressions are found in the code, in the layouts and at run time', () => {
  expect(compileTimes).toBeDefined();
  expect(ALL.length).toBeGreaterThan(350);
  expect(ofLayouts().length).toBeGreaterThan(3);
});

it('a text twice as long takes no expression more than three times as long', () => {
  const slow = ALL.flatMap(({ where, regex }) => {
    const attack = superlinear(regex);
    return attack === undefined ? [] : [`${where} ${regex} ${JSON.stringify(attack)}`];
  });
  expect(slow).toEqual([]);
});

it.each([/\s+$/, /\{code(?::[^}]*)?\}/g, /^(a+)+b/, /^#[^\s#]+(?:[\s,;]+#[^\s#]+)*$/])(
  'the measurement tells that %s is slow',
  (regex) => {
    expect(superlinear(regex)).toBeDefined();
  },
);
