/** What becomes of cells is known after the check alone. That their sum is whole is asserted after each import of each test. */
import { expect, it } from 'vitest';
import { verdictOf } from '../../src/view/verdict.ts';
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

const HEAD = 'ticket id,body,author';
const OWN = {
  name: 'export',
  title: 'Ours',
  tables: { messages: { role: 'group', key: 'ticket id', recognise: { columns: ['ticket id', 'body'] } } },
  ticket: { subject: 'body', requester: { email: 'author' }, createdAt: { const: '2024-05-01T10:00:00Z' } },
  messages: [
    {
      content: 'body',
      occurredAt: { const: '2024-05-01T10:00:00Z' },
      author: { email: 'author' },
      actorType: { const: 'customer' },
      public: true,
    },
  ],
};
const PAGE = JSON.stringify({
  messages: [{ 'ticket id': 1, body: 'Where is it?', author: 'ann@example.com' }],
  refunds: [{ sum: 12 }, { sum: 13 }],
  shop: { name: 'Lamps', region: '' },
  limit: 100,
  next_page: null,
});
const LINES = [1, 2, 2, 3].map((kind, id) => {
  const record = kind === 1 ? { 'ticket id': id, body: 'Hi', author: 'a@example.com' } : { sum: id };
  return JSON.stringify({ type: 'RECORD', stream: ['', 'messages', 'refunds', 'tags'][kind], record });
});

it.each<[string, Record<string, string>, object, [string, number][]]>([
  [
    'a file',
    {
      'messages.csv': `${HEAD}\n1,Where is it?,ann@example.com\n`,
      'tickets.csv': 'id,priority\n1,low\n2,high\n',
    },
    OWN,
    [['rows of tickets.csv that nothing reads: 2', 2]],
  ],
  ['a list beside', { 'page.json': PAGE }, OWN, [['rows of refunds in page.json that nothing reads: 2', 2]]],
  [
    'streams',
    { 'all.jsonl': `${LINES.join('\n')}\n` },
    OWN,
    [
      ['rows of refunds in all.jsonl that nothing reads: 2', 2],
      ['rows of tags in all.jsonl that nothing reads: 1', 1],
    ],
  ],
  [
    'a file and a list, the longest first',
    { 'page.json': PAGE, 'tickets.csv': 'id\n1\n2\n3\n' },
    OWN,
    [
      ['rows of tickets.csv that nothing reads: 3', 3],
      ['rows of refunds in page.json that nothing reads: 2', 2],
    ],
  ],
  [
    'an ignored file and list',
    { 'page.json': PAGE, 'b.csv': 'id\n1\n' },
    { ...OWN, ignore: ['b.csv', 'refunds'] },
    [],
  ],
])(
  'rows of %s that no table reads are lost, unless the mapping ignores it',
  async (_, files, mapping, lost) => {
    const desk = await importDesk(files);
    const { facts } = await desk.run({ mode: 'dry-run', settings: { mapping } });
    expect(facts.details.columns.map(({ column }) => column)).toEqual(
      'page.json' in files ? ['shop.name'] : [],
    );
    const found = facts.lost.filter(({ code }) => code === 'unread').map(({ what, count }) => [what, count]);
    expect(found).toEqual(lost);
    expect(verdictOf(facts).tone).toBe(lost.length > 0 ? 'warn' : 'good');
  },
);
