/** Exports of the main shapes in five languages and without names: right after the changes of who knows them, never silently wrong without. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { openPaths } from '../../src/domain/source-file.ts';
import { temporaryFolder } from '../support/cli.ts';
import { CASES, type Generated, generate } from './exports.ts';
import { mapped } from './mapped.ts';
import { exportsOf, previewed } from './preview.ts';
import { init, plainChanges } from './support.ts';

interface Shown {
  readonly fields: readonly {
    readonly key: string;
    readonly from: string;
    readonly mark?: string;
    readonly words?: Readonly<Record<string, string | null>>;
  }[];
}

async function shown(folder: string, set: readonly string[]): Promise<Shown> {
  return JSON.parse((await init(folder, [folder], { json: true, set })).stdout);
}

/** The changes of a person who knows the export. */
async function changesOf(folder: string, { columns, meaning }: Generated): Promise<string[]> {
  const set: string[] = [];
  for (const [key, column] of Object.entries(columns)) {
    const { fields } = await shown(folder, set);
    const field = fields.find((each) => each.key === key);
    const plainly = (name: string) => name.replace(/^.*(?:csv|jsonl?): ?/, '').replace(/^'(.*)'$/, '$1');
    if (field === undefined || plainly(field.from) !== plainly(column)) set.push(`${key}=${column}`);
  }
  for (let done = false; !done; ) {
    const table = await shown(folder, set);
    const more = table.fields.flatMap(({ key, words = {} }) =>
      Object.entries(words).flatMap(([word, now]) => {
        const meant = meaning(key, word);
        return meant === '' || now === meant ? [] : [`${key}:${word}=${meant}`];
      }),
    );
    const rest = plainChanges(table as never).filter(
      (change) => !set.includes(change) && !more.some((each) => each.split('=')[0] === change.split('=')[0]),
    );
    const kept = rest.map((change) => {
      const key = change.split('=')[0] ?? '';
      return columns[key] === undefined ? change : `${key}=${columns[key]}`;
    });
    done = more.length + kept.length === 0;
    set.push(...more, ...kept);
  }
  return set;
}

const results: { name: string; changes: number }[] = [];

describe('an export of a main shape', () => {
  it.each(CASES)(
    '%s, names in %s, is right after the changes of who knows it',
    async (shape, language, seed) => {
      using folder = temporaryFolder();
      const generated = generate(folder.path, shape, language, seed);
      const { truth } = generated;
      const write = async (set: readonly string[], yes = true) => {
        using own = temporaryFolder();
        await init(own.path, [folder.path], { set, yes });
        return parse(readFileSync(own.join('helpdesk-import.yaml'), 'utf8')) as { mapping: unknown };
      };
      const untouched = await write([]);
      if (openPaths(untouched).length === 0) expect(await mapped([folder.path], untouched)).toEqual(truth);
      const set = await changesOf(folder.path, generated);
      const settings = await write(set);
      expect(openPaths(settings)).toEqual([]);
      expect(await mapped([folder.path], settings), set.join('\n')).toEqual(truth);
      const columns = set.filter(
        (change) => !/^[^=]*:/.test(change) && !/^(?:source|fallback|customers)/.test(change),
      );
      results.push({ name: `${shape} ${language}`, changes: columns.length });
      // without names every column has to be named
      if (language !== 'none') expect(columns.length, set.join('\n')).toBeLessThanOrEqual(6);
    },
  );

  it('those with names need one change of a column on average at most', () => {
    const named = results.filter(({ name }) => !name.endsWith('none'));
    expect(named.reduce((sum, { changes }) => sum + changes, 0) / named.length).toBeLessThanOrEqual(1);
  });
});

// Round 1 is in preview.test.ts.
previewed(exportsOf([0, 2, 3]));
