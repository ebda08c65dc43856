/** What becomes of cells is known after the check alone. That their sum is whole is asserted after each import of each test. */
import { expect, it } from 'vitest';
import { importDesk } from '../support/engine.ts';

const SAID = 'A sentence of the message long enough to be the same text twice';
const BEGIN = 'ticket id,subject,requester email,created at,status,description';
const row = (id: number, created = '2024-05-01T10:00:00Z') =>
  `${id},Question,c${id}@example.com,${created},open,${SAID}`;

it.each<[string, string, string[], [string, number][]]>([
  ['a value of its own', `${BEGIN},region\n${row(1)},North\n`, ['region'], []],
  ['a text that a message has', `${BEGIN},copy\n${row(1)},${SAID}\n`, [], []],
  ['a secret', `${BEGIN},api key\n${row(1)},k-123\n${row(2)},k-456\n`, [], [['columns', 2]]],
  [
    'a value of a rejected ticket',
    `${BEGIN},region\n${row(1)},\n${row(2, '')},North\n`,
    [],
    [['rejected', 1]],
  ],
  [
    'a file that a rejected ticket names is lost with it, and no other',
    `${BEGIN},has attachment\n${row(1)},yes\n${row(2, '')},yes\n`,
    [],
    [
      ['rejected', 1],
      ['files', 1],
    ],
  ],
])('%s: kept is what the note has, and lost what an imported ticket lacks', async (_, text, kept, lost) => {
  const { facts } = await (await importDesk({ 'tickets.csv': text })).run({ mode: 'dry-run' });
  expect([facts.kept.columns, facts.lost.map(({ code, count }) => [code, count])]).toEqual([kept, lost]);
});
