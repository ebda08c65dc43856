import { describe, expect, it } from 'vitest';
import { readCell } from '../../src/mapping/compile/values.ts';
import { rowsOf } from '../support/rows.ts';
import { layoutFrom, mapExport, payloads, type Texts } from './support/map-export.ts';

const BASE = `
name: test
title: Test
tables:
  tickets: { role: root, key: id, recognise: { file: 't*' } }
  comments: { role: child, key: ticket_id, recognise: { file: 'c*' } }
  users: { role: lookup, key: id, recognise: { file: 'u*' } }
  orgs: { role: lookup, key: id, recognise: { file: 'o*' } }
`;

/** The ticket's subject made by one expression. */
async function subject(expression: string, texts: Texts, more = ''): Promise<unknown> {
  const { tickets } = await mapExport(
    texts,
    layoutFrom(`${BASE}${more}\nticket:\n  subject: ${expression}\n`),
  );
  return tickets[0]?.ticket['subject'];
}

const csv: Texts = {
  't.csv':
    'id,title,A B,empty,json,user_id,list,tag,tag,n\n1,Hello,ab,,"{""a"":{""b"":[1,2]}}",7,"x; y",,second,5\n',
  'c.csv': 'ticket_id,tag,at\n1,one,2\n1,two,3\n1,,4\n2,other,5\n',
  'u.csv': 'id,email,org\n7,ann@example.com,3\n',
  'o.csv': 'id,name,code\n3,Acme,AC\n',
};
const json: Texts = {
  't.json': JSON.stringify([
    {
      id: 1,
      title: 'Hello',
      deep: { 'k.v': 1, list: [{ a: 1 }, { a: 2 }] },
      flag: true,
      nothing: null,
      tags: [{ name: 'x' }, { name: 'y' }],
    },
  ]),
};

type Row = readonly [what: string, expression: unknown, value?: unknown];
const ROWS = rowsOf<Record<'csv' | 'json', Row[]> & { conditions: Record<'holds' | 'fails', unknown[]> }>(
  import.meta.dirname,
  'engine.yaml',
);

describe('a value is', () => {
  it.each(ROWS.csv)('%s', async (_, expression, value) => {
    expect(await subject(JSON.stringify(expression), csv)).toEqual(value);
  });

  it.each(ROWS.json)('%s, in JSON', async (_, expression, value) => {
    expect(await subject(JSON.stringify(expression), json)).toEqual(value);
  });

  it('a problem when its map does not list it, with the nearest listed value', async () => {
    const { tickets, mapper } = await mapExport(
      { 't.csv': 'id,title\n1,opne\n2,closed\n3,opne\n' },
      layoutFrom(`${BASE}
maps: { state: { values: { open: open, closed: closed } } }
ticket: { status: { column: title, map: state } }`),
    );
    expect(tickets.map(({ problems }) => problems)).toEqual([
      [
        {
          severity: 'error',
          code: 'unmapped-value',
          ticket: '1',
          file: 't.csv',
          line: 2,
          column: 'title',
          field: 'status',
          message: '"opne" in title has no meaning in maps.state. The nearest listed one is "open".',
          count: 1,
        },
      ],
      [],
      [expect.objectContaining({ ticket: '3', line: 4 })],
    ]);
    expect(mapper.account().entries).toContainEqual({
      kind: 'values',
      at: 'status',
      what: 'opne',
      count: 2,
      action: 'error',
    });
  });
});

it.each(
  Object.entries(ROWS.conditions).flatMap(([name, all]) =>
    all.map((one) => [JSON.stringify(one), name] as const),
  ),
)('the condition %s %s', async (condition, name) => {
  const value = await subject(`{ when: [{ if: ${condition}, then: { const: "yes" } }] }`, csv);
  expect(value).toBe(name === 'holds' ? 'yes' : undefined);
});

it('empty words of a source count as empty cells', async () => {
  expect(
    await subject('[title, { const: none }]', { 't.csv': 'id,title\n1, null \n' }, 'nulls: ["?", "NULL"]'),
  ).toBe('none');
});

it('other names of a column are read and recognised', async () => {
  expect(
    await subject(
      'Summary',
      { 't.csv': 'id,Zusammenfassung\n1,x\n' },
      'aliases: { Summary: [Resumen, Zusammenfassung] }',
    ),
  ).toBe('x');
});

it('a ticket that an exclude rule names is left out with the reason', async () => {
  const { tickets } = await mapExport(
    csv,
    layoutFrom(`${BASE}
ticket: { subject: title }
exclude: [{ when: { column: title, is: x }, reason: never }, { when: { column: n, is: 5 }, reason: five }]`),
  );
  expect(tickets.map(payloads)).toEqual([
    { id: '1', excluded: 'five', ticket: {}, messages: [], events: [] },
  ]);
});

describe('the loss report', () => {
  const layout = layoutFrom(`${BASE}
ticket: { subject: title, requester: { person: users, id: user_id } }
people: { users: { table: users, email: email, role: { const: customer } } }
ignore: [org, 'x_*']`);

  it('lists unmapped columns, of lookup tables too', async () => {
    const { mapper } = await mapExport(
      {
        't.csv': 'id,title,user_id,secret,x_1\n1,a,7,p,1\n2,b,7,q,\n',
        'c.csv': 'ticket_id,body\n1,hello\n',
        'u.csv': 'id,email,password,org\n7,ann@example.com,hunter2,1\n',
      },
      layout,
    );
    const columns = mapper.account().entries.filter(({ kind }) => kind === 'columns');
    expect(columns).toMatchObject([
      { at: 'tickets', what: 'secret', file: 't.csv', count: 2 },
      { at: 'comments', what: 'body', file: 'c.csv', count: 1 },
      { at: 'users', what: 'password', file: 'u.csv', count: 1 },
    ]);
    expect(mapper.problems().map(({ code, severity }) => `${severity} ${code}`)).toEqual(
      Array(3).fill('warning unused-column'),
    );
  });

  it('names a column of the mapping that no file has, with the nearest existing one', async () => {
    const typed = layoutFrom(
      `${BASE}ticket: { subject: titel, priority: [urgency, n], customerId: user.id }`,
    );
    const { mapper } = await mapExport({ 't.csv': 'id,title,n,user\n1,a,2,"{""id"":3}"\n' }, typed);
    expect(mapper.problems().filter(({ code }) => code === 'missing-column')).toEqual([
      expect.objectContaining({
        severity: 'warning',
        file: 't.csv',
        column: 'titel',
        message: 'The mapping reads the column "titel", which t.csv does not have. Did you mean "title"?',
      }),
      expect.objectContaining({ column: 'urgency' }),
    ]);
  });

  it('a password never reaches a payload', async () => {
    const { tickets } = await mapExport(
      { 't.csv': 'id,title,user_id\n1,a,7\n', 'u.csv': 'id,email,password\n7,ann@example.com,hunter2\n' },
      layout,
    );
    expect(JSON.stringify(tickets.map(payloads))).not.toContain('hunter2');
  });
});

it('an empty subject takes the first words, and an attachment without an address is left out and counted', async () => {
  const files = JSON.stringify([{ name: 'a.pdf' }, { name: 'b.pdf', url: 'https://x.example/b.pdf' }]);
  const texts = {
    't.csv': 'id,title\n1,\n2,Hello\n3,\n4,\n',
    'c.csv': `ticket_id,body,files\n1,<p>My <b>lamp</b> is broken</p>,"${files.replaceAll('"', '""')}"\n2,Hi,\n4,${'x'.repeat(39)}👍${'x'.repeat(60)},\n`,
  };
  const { tickets, mapper } = await mapExport(
    texts,
    layoutFrom(`${BASE}
ticket: { subject: title }
messages:
  - from: comments
    content: body
    attachments: { each: { column: files, cell: json }, item: { url: url, name: name } }
    public: true
`),
  );
  expect(tickets.map(({ ticket }) => ticket['subject'])).toEqual([
    'My lamp is broken',
    'Hello',
    undefined,
    `${'x'.repeat(39)}\ufffd …`,
  ]);
  expect(tickets[0]?.messages[0]?.value['attachments']).toEqual([
    { url: 'https://x.example/b.pdf', name: 'b.pdf' },
  ]);
  expect(mapper.account().entries).toContainEqual({ kind: 'addressless', what: '', count: 1 });
});

it.each([
  ['5', 5],
  ['', ''],
  [' ', ' '],
  ['five', 'five'],
])('a cell for a number with %j is %j', (text, value) => {
  expect(readCell(text, 'number')).toBe(value);
});
