/** People of own exports: one customer is one contact, in the settings that `init` writes. */
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { command as runOf } from '../../src/commands/run.ts';
import { inProcess } from '../cli/in-process.ts';
import { openDesk } from '../support/desk.ts';
import { folderOfTest } from '../support/folder-of-test.ts';
import { mapped } from './mapped.ts';
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

const SPOKEN = 'Case,Sent at,Side,Name,Email,Topic,Message';
const row = (minute: number, who: string, email: string) =>
  `C-1,2025-03-01T09:${minute}:00Z,${who === 'Nora Kim' ? 'agent' : 'customer'},${who},${email},Lamp,Words ${minute} of a message about the lamp.`;

function spoken(...rows: string[]) {
  const folder = folderOfTest();
  writeFileSync(folder.join('list.csv'), `${[SPOKEN, ...rows].join('\n')}\n`);
  return folder;
}

it('init shows whose address is made up, asks for their domain, and says who may be there twice', async () => {
  const folder = spoken(
    row(10, 'Dan Lang', 'dan@mail.example'),
    row(11, 'Eve Petit', ''),
    row(12, 'Nora Kim', '').replace('C-1', 'C-2'),
    row(13, 'Dan Lang', '').replace('C-1', 'C-2'),
  );
  const shown = JSON.parse((await init(folder.path, [folder.join('list.csv')], { json: true })).stdout);
  expect(shown.customers).toMatchObject({ distinct: 3, made: 2, byName: 2, namesakes: 1 });
  const marks = shown.fields.map(({ mark = '' }) => mark).join('\n');
  expect(marks).toContain('2 of 3 customers have no address, 1 of them the name of one who has');
  const from = shown.preview.map(({ contact }: { contact: { email: string } }) => contact.email).sort();
  expect(from).toEqual([
    expect.stringMatching(/^customer-dan-lang-\w+@made-up\.example$/),
    'dan@mail.example',
  ]);
  const set = ['customersWithoutEmail.synthesize=x.example.com'];
  const { stderr } = await init(folder.path, [folder.join('list.csv')], { yes: true, set });
  expect(stderr.replace(/\s+/g, ' ')).toContain(
    '3 customers: 1 with their address, 2 made up, 2 known by name alone, 1 under the name of a customer who has an address',
  );
});

it('an agent whose address only some rows have is one row of the list, and is offered as the agent of that name', async () => {
  const scene = await openDesk({ strict: false });
  scene.sandbox.store.agents.add({ email: 'n@desk.example', name: 'Nora  Kim' });
  const folder = spoken(
    row(10, 'Dan Lang', 'dan@mail.example'),
    row(11, 'Nora Kim', 'nora@desk.example'),
    row(12, 'Nora Kim', ''),
    row(13, 'Eve Petit', 'eve@mail.example').replace('C-1', 'C-2'),
  );
  const [file, flags] = [folder.join('list.csv'), { yes: true, set: ['fallbackAgent=agt_9'] }];
  const where = { cwd: folder.path, env: { ...SCREEN, ...scene.env } };
  const { stderr } = await inProcess('init', [file], flags, where);
  expect(stderr).toMatch(/Nora Kim \(2\) → agt_\w+\?/);
  const [, id = ''] =
    /# {3}"nora@desk\.example": (agt_\w+) # 2 times, by its name/.exec(
      readFileSync(folder.join('helpdesk-import.yaml'), 'utf8'),
    ) ?? [];
  const dry = { config: folder.join('helpdesk-import.yaml'), dryRun: true };
  const { stdout } = await inProcess('run', [file], dry, where, runOf.run);
  expect(stdout.match(/^ +Nora Kim +2 .*$/gm)).toHaveLength(1);
  expect(stdout.replace(/\s+/g, ' ')).toContain(`add --set 'agents.Nora Kim=${id}'`);
  const { stdout: then } = await inProcess(
    'run',
    [file],
    { ...dry, set: [`agents.Nora Kim=${id}`] },
    where,
    runOf.run,
  );
  expect(then).not.toContain('without an agent ID');
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

it.each(['to', 'Recipients', 'Empfänger', 'destinataire', 'aan'])(
  'a message of the team to a colleague alone is internal, by a column %s of the row or of the settings',
  async (column) => {
    const folder = folderOfTest();
    const file = folder.join('list.csv');
    writeFileSync(
      file,
      [
        `conversation_id,sender_type,author_email,body,created_at,${column},cc`,
        '1,customer,kim@buyer.example,My lamp arrived broken today.,2025-03-01T09:00:00Z,desk@acme.example,',
        '1,agent,ann@acme.example,Is the batch of lamps bad?,2025-03-01T09:01:00Z,bob@acme.example,',
        '1,agent,ann@acme.example,A new lamp is on its way.,2025-03-01T09:02:00Z,kim@buyer.example,bob@acme.example',
        '1,agent,ann@acme.example,I ask our supplier for you.,2025-03-01T09:03:00Z,x@supplier.example,kim@buyer.example',
      ].join('\n'),
    );
    const audience = async (set: readonly string[]) => {
      await init(folder.path, [file], { yes: true, set, force: true });
      const [ticket] = await mapped([file], parse(readFileSync(folder.join('helpdesk-import.yaml'), 'utf8')));
      return ticket?.messages.map(({ internal }) => internal);
    };
    expect(await audience([])).toEqual([false, true, false, false]);
    expect(await audience(['message.to='])).toEqual([false, false, false, false]);
    expect(await audience([`message.to=${column}`])).toEqual([false, true, false, true]);
  },
);

it('a file that no field reads and that has the IDs of the tickets is a question', async () => {
  const folder = folderOfTest();
  const [tickets, extra] = [folder.join('tickets.csv'), folder.join('x.csv')];
  writeFileSync(
    tickets,
    'id,subject,email,description\n5007,Lamp,kim@a.example,It is broken.\n5008,Desk,lou@a.example,It is late.\n',
  );
  writeFileSync(extra, 'c1,c2,c3,c4,c5,c6\n5007,a,b,c,d,e\n5008,b,c,d,e,f\n');
  const { stdout } = await init(folder.path, [tickets, extra], { json: true });
  const { fields } = JSON.parse(stdout) as { fields: { key: string; mark?: string }[] };
  expect(fields.find(({ key }) => key === 'ticket.id')?.mark).toContain('no field reads x.csv');
  const told = await init(folder.path, [tickets, extra], { json: true, set: ['ticket.id=tickets.csv:id'] });
  expect(
    JSON.parse(told.stdout).fields.find((each: { key: string }) => each.key === 'ticket.id').mark,
  ).toBeUndefined();
});
