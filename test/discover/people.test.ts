/** People of own exports: one customer is one contact, in the settings that `init` writes. */
import { writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { command as runOf } from '../../src/commands/run.ts';
import { inProcess } from '../cli/in-process.ts';
import { folderOfTest } from '../support/folder-of-test.ts';
import { init, SCREEN } from './support.ts';

const HEAD = 'Case,When,Said by,Who,Mail of the customer,Topic,What was said';
const said = (ticket: string, who: string, mail: string, text: string) =>
  `${ticket},2025-03-01T09:${text.length}:00Z,${who === 'Nora Kim' ? 'Us' : 'Client'},${who},${mail},Lamp,${text}`;

it.each<[string, string[], object]>([
  [
    'takes the address that the customer has in each row, also of the answers',
    [
      said('C-1', 'Dan Lang', 'dan@mail.example', 'My lamp arrived broken and I want another.'),
      said('C-1', 'Nora Kim', 'dan@mail.example', 'A new one is on its way to you today.'),
      said('C-2', 'Eve Petit', 'eve@mail.example', 'Please send me a label for the return.'),
      said('C-2', 'Nora Kim', 'eve@mail.example', 'The label is attached to this message.'),
    ],
    { distinct: 2, made: 0, byName: 0, namesakes: 0 },
  ],
  [
    'takes the address of another row of the ticket, and counts who is made up under a known name',
    [
      said('C-1', 'Dan Lang', 'dan@mail.example', 'My lamp arrived broken and I want another.'),
      said('C-1', 'Dan Lang', '', 'Is anybody there who can help me with it?'),
      said('C-2', 'Dan Lang', '', 'Please send me a label for the return.'),
      said('C-2', 'Nora Kim', '', 'The label is attached to this message.'),
    ],
    { distinct: 2, made: 1, byName: 1, namesakes: 1 },
  ],
])('%s', async (_, rows, contacts) => {
  const folder = folderOfTest();
  const file = folder.join('list.csv');
  writeFileSync(file, `${[HEAD, ...rows].join('\n')}\n`);
  await init(folder.path, [file], {
    yes: true,
    set: [
      'message.writer=Said by',
      'ticket.requester.email=Mail of the customer',
      'fallbackAgent=agt_9',
      'customersWithoutEmail.synthesize=x.example.com',
      'message.author.email=',
    ],
  });
  const settings = { config: folder.join('helpdesk-import.yaml'), dryRun: true };
  const dry = (more: object) =>
    inProcess('run', [file], { ...settings, ...more }, { cwd: folder.path, env: SCREEN }, runOf.run);
  const { stdout } = await dry({ json: true });
  expect(JSON.parse(stdout)).toMatchObject({ contacts });
});

it('two addresses in one cell are said, also in a column that has words', async () => {
  const folder = folderOfTest();
  const file = folder.join('list.csv');
  const cells = ['"ann@a.example\nbob@a.example"', '"dan@a.example / eve@a.example"', '', 'kim@a.example'];
  const rows = cells.map(
    (cell, n) => `${n + 1},2024-01-0${n + 1} 10:00,${cell},Name ${n},Hi,Hello number ${n}`,
  );
  writeFileSync(file, ['id,created,email,name,subject,text', ...rows].join('\n'));
  const set = ['source.timezone=UTC', 'customersWithoutEmail.synthesize=x.example.com'];
  await init(folder.path, [file], { yes: true, set });
  const flags = { config: folder.join('helpdesk-import.yaml'), dryRun: true, json: true };
  const { stdout } = await inProcess('run', [file], flags, { cwd: folder.path, env: SCREEN }, runOf.run);
  for (const text of ['bob@a.example is not', 'eve@a.example is not']) expect(stdout).toContain(text);
});
