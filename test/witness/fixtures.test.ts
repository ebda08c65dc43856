/** What arrives of each fixture, seen by a witness that shares no code with the program. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { fixtures } from '../support/cli.ts';
import { filesOf, wordsOf } from './raw.ts';
import { settingsOf, unexplained } from './support.ts';

const layouts = join(fixtures, 'layouts');

it.each(readdirSync(layouts))(
  '%s: each word is in the helpdesk, named as lost, or a code that a rule reads',
  async (name) => {
    const settings = settingsOf(JSON.parse(readFileSync(join(layouts, name, 'settings.json'), 'utf8')));
    expect(await unexplained(filesOf(join(layouts, name)), settings)).toEqual([]);
  },
);

it('the witness reads words as people do', () => {
  expect(wordsOf('<p>Caf&eacute;&nbsp;<img src="https://a.example/b.png"></p>')).toEqual([
    'café',
    'https',
    'a',
    'example',
    'b',
    'png',
  ]);
});
