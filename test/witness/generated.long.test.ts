/** Where the words of generated exports are, with settings that init wrote, also after any changes of its table. */
import { writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { CASES, generate, numbers } from '../discover/exports.ts';
import { changeAnything, editing, settle } from '../discover/preview.ts';
import { temporaryFolder } from '../support/cli.ts';
import { missing } from './support.ts';
import { witness } from './witness.ts';

const LANGUAGES: ReadonlySet<string> = new Set(['en', 'de', 'none']);
const cases = CASES.filter(([, language]) => LANGUAGES.has(language)).flatMap((each) => [
  ['as proposed', ...each] as const,
  ['changed at random', ...each] as const,
]);

it.each(cases)(
  '%s, %s in %s, seed %i: each word is found, or named as lost or by a stop',
  async (mode, shape, language, seed) => {
    using folder = temporaryFolder();
    using own = temporaryFolder();
    generate(folder.path, shape, language, seed, true);
    await using edited = await editing(folder.path);
    if (mode === 'as proposed') await settle(edited.editor);
    else await changeAnything(edited.editor, numbers(seed));
    const config = own.join('helpdesk-import.yaml');
    const text = await edited.text();
    writeFileSync(config, text);
    const { cells } = await witness([folder.path], config);
    expect(missing(cells), text).toEqual([]);
  },
  60_000,
);
