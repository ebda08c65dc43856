/** Exports of the main shapes in five languages: right after a few changes, never silently wrong without, and open to every change. */
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import type { Editor } from '../../src/commands/init/editor.ts';
import { SPECS, specOf } from '../../src/discover/fields.ts';
import { AppError } from '../../src/domain/errors.ts';
import { openPaths } from '../../src/domain/source-file.ts';
import { temporaryFolder } from '../support/cli.ts';
import { type CASES, type Generated, generate, numbers, type Truth } from './exports.ts';
import { mappedOf } from './mapped.ts';
import { editing } from './preview.ts';
import { plainChanges } from './support.ts';
import { MAKERS, type Shown, wrongParts } from './wrong-parts.ts';

interface Table extends Shown {
  readonly fields: readonly {
    readonly key: string;
    readonly label: string;
    readonly from: string;
    readonly mark?: string;
    readonly words?: Readonly<Record<string, string | null>>;
  }[];
}

/** The changes of a person who knows the export, then the lines that are right and only marked. */
async function changeAsMeant(
  { editor, table }: Awaited<ReturnType<typeof editing>>,
  { columns, meaning }: Generated,
): Promise<number> {
  const changed = new Set<string>();
  const plainly = (name: string) => name.replace(/^.*(?:csv|jsonl?): ?/, '').replace(/^'(.*)'$/, '$1');
  const change = (text: string) => editor.typed.includes(text) || editor.change(text);
  for (const [key, column] of Object.entries(columns)) {
    const field = ((await table()) as unknown as Table).fields.find((each) => each.key === key);
    if (field !== undefined && plainly(field.from) === plainly(column)) continue;
    change(`${key}=${column}`);
    changed.add(key);
  }
  for (let before = -1; before < editor.typed.length; ) {
    before = editor.typed.length;
    const now = (await table()) as unknown as Table;
    const more = now.fields.flatMap(({ key, words = {} }) =>
      Object.entries(words).flatMap(([word, of]) => {
        const meant = meaning(key, word);
        return meant === '' || of === meant ? [] : [`${key}:${word}=${meant}`];
      }),
    );
    const keys = more.map((each) => each.split(/[:=]/)[0] ?? '');
    for (const key of keys) changed.add(key);
    const rest = plainChanges(now).filter(
      (each) => !more.some((of) => of.split('=')[0] === each.split('=')[0]),
    );
    const kept = rest.map((each) => {
      const key = each.split('=')[0] ?? '';
      return columns[key] === undefined ? each : `${key}=${columns[key]}`;
    });
    for (const each of [...more, ...kept]) change(each);
  }
  return changed.size;
}

const lineOf = ({ id, subject, status, email, messages }: Truth): string =>
  [
    id,
    subject,
    status,
    email,
    ...messages.map(({ role, internal, text }) => `${role} ${internal ? 'internal' : 'public'} ${text}`),
  ].join(' | ');

type Case = (typeof CASES)[number];

/** `own`: a third of the names and words are the export's own. */
export function areRight(cases: readonly Case[], own: boolean): void {
  const results: number[] = [];

  it.each(cases)(
    '%s in %s, seed %i: mistakes are marked, and a few changes of who knows the export make it right',
    async (shape, language, seed) => {
      using folder = temporaryFolder();
      const made = generate(folder.path, shape, language, seed, own);
      await using edited = await editing(folder.path, undefined, {});
      const table = (await edited.table()) as unknown as Table;
      const marked = table.fields.filter(({ mark }) => mark !== undefined).map(({ key }) => key);
      for (const part of wrongParts(table, made.truth.map(lineOf)))
        expect(
          MAKERS[part]?.filter((key) => marked.includes(key)),
          `${part} is wrong`,
        ).not.toEqual([]);
      const ofMapping = marked.filter((key) => specOf(key).of !== 'setting');
      if (!own && language !== 'none') expect(ofMapping.length, ofMapping.join()).toBeLessThanOrEqual(2);
      const changes = await changeAsMeant(edited, made);
      const set = edited.editor.typed;
      const settings = parse(await edited.text());
      expect(openPaths(settings)).toEqual([]);
      expect(await mappedOf(edited.opened, settings), set.join('\n')).toEqual(made.truth);
      // without names every column has to be named
      if (language === 'none') return;
      results.push(changes);
      expect(changes, set.join('\n')).toBeLessThanOrEqual(6);
    },
  );

  it(`${own ? 'four changes' : 'one change'} of a field on average are enough`, () => {
    const sum = results.reduce((all, changes) => all + changes, 0);
    expect(sum / results.length).toBeLessThanOrEqual(own ? 4 : 1);
  });
}

/** Each change of the table that its types allow. */
function allChanges(editor: Editor, words: ReadonlyMap<string, readonly string[]>): string[] {
  const columns = editor.tables.flatMap(({ file, columns: all }) =>
    all.map(({ name }) => `${file.replace(/^.*\//, '')}:${name}`),
  );
  return Object.keys(SPECS).flatMap((key) => {
    const { isValue, meanings = [] } = specOf(key);
    const values = isValue ? (meanings.length > 0 ? meanings : ['x']) : [...columns, "'fixed'"];
    const fixed = isValue ? [] : meanings.map((meaning) => `'${meaning}'`);
    const sources = ['', ...values, ...fixed, 'first line', 'each row'].map((value) => `${key}=${value}`);
    const told = (words.get(key) ?? []).flatMap((word) =>
      ['', ...meanings].map((meaning) => `${key}:${word}=${meaning}`),
    );
    return [...sources, ...told];
  });
}

/** `share`: one of so many changes is tried. */
export function takeEveryChange(cases: readonly Case[], share: number): void {
  it.each(cases)(
    '%s in %s, seed %i: every change of the table is taken, or refused in a sentence, and writes settings that load',
    async (shape, language, seed) => {
      using folder = temporaryFolder();
      generate(folder.path, shape, language, seed, true);
      await using edited = await editing(folder.path);
      const { editor } = edited;
      const next = numbers(seed);
      const words = new Map(
        (await editor.view()).shown.map(({ key, words: all = new Map() }) => [key, [...all.keys()]]),
      );
      let taken = 0;
      for (const change of allChanges(editor, words)) {
        if (next(share) !== 0) continue;
        const before = editor.typed.length;
        try {
          editor.change(change);
          expect((await edited.text()).length, change).toBeGreaterThan(0);
          taken++;
        } catch (error) {
          if (!(error instanceof AppError)) throw error;
          expect(error.code, `${change}: ${error.message} ${error.lines}`).toMatch(
            /^(?:usage|source|configuration)$/,
          );
        }
        if (editor.typed.length > before) expect(editor.undo()).toBe(true);
      }
      expect(taken).toBeGreaterThan(0);
    },
  );
}
