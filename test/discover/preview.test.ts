import { writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { changesIn } from '../../src/discover/settings-text.ts';
import { temporaryFolder } from '../support/cli.ts';
import { generate } from './exports.ts';
import { editing, exportsOf, previewed, sameAgain, settle } from './preview.ts';

// All of them: generated.long.test.ts.
previewed(exportsOf([1]).filter((_, at) => (at % 4) % 3 === 0));

it.each(exportsOf([0]).filter((_, at) => at % 5 === 0))(
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

it("times of the tickets that are shown are in the export's zone", async () => {
  using folder = temporaryFolder();
  const ticket = { id: 1, subject: 'Lamp', email: 'kim@a.example', created: '2025-03-01T09:00:00Z' };
  const lines = [1, 2].map((id) => JSON.stringify({ ...ticket, id, message: 'The lamp does not work' }));
  writeFileSync(folder.join('t.jsonl'), lines.join('\n'));
  await using edited = await editing(folder.path);
  edited.editor.change('source.timezone=Europe/Berlin');
  const { surveyed } = await edited.editor.view();
  expect(surveyed.conversations[0]?.createdAt).toBe('2025-03-01 10:00');
});
