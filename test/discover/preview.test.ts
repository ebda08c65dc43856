import { expect, it } from 'vitest';
import { changesIn } from '../../src/discover/settings-text.ts';
import { temporaryFolder } from '../support/cli.ts';
import { generate } from './exports.ts';
import { editing, exportsOf, previewed, sameAgain, settle } from './preview.ts';

// Other rounds: generated.long.test.ts.
previewed(exportsOf([1]));

it.each(exportsOf([0]))(
  '%s, names in %s, seed %i: settings are the same table again',
  async (shape, language, seed) => {
    using folder = temporaryFolder();
    generate(folder.path, shape, language, seed);
    await using edited = await editing(folder.path);
    edited.editor.change("ticket.status='open'");
    await settle(edited.editor);
    const text = await edited.text();
    await sameAgain(folder.path, text);
    // what the table cannot show stays as it is written
    const mine = `${text.replace(/^( {2}ticket:)/m, '  exclude:\n    - when: { column: x, is: spam } # mine\n      reason: spam\n$1')}`;
    await using again = await editing(folder.path, mine);
    again.editor.change("ticket.status='closed'");
    const now = await again.text();
    expect(changesIn(now)).toEqual([...changesIn(mine), "ticket.status='closed'"]);
    const without = (of: string) => of.replace(/^# Your choices(?:.*\n# {2}.*)*\n/m, '');
    expect(without(now)).toBe(without(mine).replace(/(status:.*const: )open/s, '$1closed'));
  },
);
