import { describe, expect, it } from 'vitest';
import { builtinLayouts } from '../../src/mapping/detect/builtin-layouts.ts';
import { detectLayout } from '../../src/mapping/detect/detect.ts';
import { layoutFrom, mapExport, openTexts, type Texts } from './support/map-export.ts';

const layout = (name: string, tables: string, more = '') =>
  layoutFrom(`name: ${name}\ntitle: The ${name}\ntables:\n${tables}\nticket: { subject: title }\n${more}`);
const one = layout(
  'one',
  '  tickets: { role: root, key: id, recognise: { columns: [id, title, asked_by] } }',
);
const two = layout('two', '  tickets: { role: root, key: id, recognise: { columns: [id, title, owner] } }');
const NO_MARKS = { created: [], text: [], person: [] };
const detect = async (texts: Texts, layouts = [one, two], from?: string) => {
  const { files } = await openTexts(texts);
  return detectLayout(
    files.map(({ outline }) => outline),
    from === undefined ? layouts : layouts.filter(({ name }) => name === from),
    from,
  );
};

describe('detection', () => {
  it('tells layouts apart by columns alone, not by names of files', async () => {
    const found = await detect({ 'x.csv': 'Id,TITLE,Owner\n1,a,b\n', 'readme.csv': 'a,b\n1,2\n' });
    expect(found.layout.name).toBe('two');
    expect(found.reasons).toEqual(['tickets: x.csv, known by id, title, owner']);
    expect(found.unused).toEqual([{ file: 1, name: 'readme.csv' }]);
    expect(found.problems).toEqual([
      {
        severity: 'warning',
        code: 'ignored-file',
        file: 'readme.csv',
        message: expect.stringContaining('readme.csv'),
        count: 1,
      },
    ]);
    expect(found.plan).toEqual({
      tables: [{ name: 'tickets', role: 'root', inputs: [{ file: 0 }], key: ['id'], marks: NO_MARKS }],
    });
  });

  it('lists the columns and what the nearest layouts lack when no layout fits', async () => {
    await expect(detect({ 'x.csv': 'id,title,colour\n1,a,b\n' })).rejects.toThrow(
      expect.objectContaining({
        code: 'source',
        message: 'This export has no known layout.',
        lines: [
          'x.csv: id, title, colour',
          'one (The one) would need asked_by',
          'two (The two) would need owner',
        ],
        hint: expect.stringContaining('helpdesk-import init'),
      }),
    );
  });

  it('names both layouts of a tie and how to settle it', async () => {
    const texts = { 'x.csv': 'id,title,owner,asked_by\n1,a,b,c\n' };
    await expect(detect(texts)).rejects.toThrow(
      expect.objectContaining({ code: 'source', hint: 'Say which it is: --from one or --from two.' }),
    );
    expect((await detect(texts, [one, two], 'two')).layout.name).toBe('two');
  });

  it('says what a layout lacks that was named but does not fit', async () => {
    await expect(detect({ 'x.csv': 'id,title\n1,a\n' }, [one, two], 'one')).rejects.toThrow(
      expect.objectContaining({
        code: 'source',
        lines: expect.arrayContaining(['one (The one) would need asked_by']),
      }),
    );
  });

  it('finds the rows of pages, envelopes, nested collections and several files', async () => {
    const found = await detect({
      'page1.json': JSON.stringify({ count: 2, data: { results: [{ id: 1, title: 'a', owner: null }] } }),
      'page2.json': JSON.stringify({ data: { results: [{ id: 2, title: 'a', owner: 1 }] } }),
      'log.jsonl': [
        { type: 'LOG', log: { message: 'hi' } },
        { type: 'RECORD', record: { stream: 'src__two__tickets', data: { id: 3, title: 'b', owner: 2 } } },
        { type: 'RECORD', record: { stream: 'src__two__other', data: { x: 1 } } },
        { type: 'STATE', state: {} },
      ]
        .map((line) => JSON.stringify(line))
        .join('\n'),
      'singer.jsonl': [
        { type: 'SCHEMA', stream: 'tickets' },
        { type: 'RECORD', stream: 'tickets', record: { id: 4, title: 'c', owner: 1 } },
      ]
        .map((line) => JSON.stringify(line))
        .join('\n'),
    });
    expect(found.plan.tables[0]?.inputs).toEqual([
      { file: 0, selector: { path: ['data', 'results'] } },
      { file: 1, selector: { path: ['data', 'results'] } },
      {
        file: 2,
        selector: {
          type: 'RECORD',
          where: { path: ['record', 'stream'], oneOf: ['src__two__tickets'] },
          unwrap: ['record', 'data'],
        },
      },
      {
        file: 3,
        selector: { type: 'RECORD', where: { path: ['stream'], oneOf: ['tickets'] }, unwrap: ['record'] },
      },
    ]);
  });

  it('takes lists inside a ticket for no table of their own', async () => {
    const found = await detect({
      't.json': JSON.stringify({ id: 1, title: 'a', owner: 'x', parts: [{ id: 2, title: 'b', owner: 'y' }] }),
    });
    expect(found.plan.tables[0]?.inputs).toEqual([{ file: 0 }]);
  });

  it('splits a mixed file by a value that the layout names', async () => {
    const mixed = layout(
      'mixed',
      `  tickets: { role: root, key: id, recognise: { columns: [title], where: { column: kind, in: [ticket] }, unwrap: body } }
  notes: { role: child, key: t, recognise: { columns: [t, text], where: { column: kind, in: [note] }, unwrap: body } }`,
      'messages: [{ from: notes, content: text, public: true }]',
    );
    const texts = {
      'a.jsonl': [
        { kind: 'ticket', body: { id: 1, title: 'a' } },
        { kind: 'note', body: { t: 1, text: 'x' } },
      ]
        .map((line) => JSON.stringify(line))
        .join('\n'),
    };
    // a file holds one collection, so each table takes its own records of it
    const found = await detect(texts, [mixed]);
    expect(found.plan.tables.map(({ name }) => name)).toEqual(['tickets', 'notes']);
    const { tickets } = await mapExport(texts, mixed);
    expect(tickets[0]?.messages.map(({ value }) => value)).toEqual([{ content: 'x' }]);
  });

  it('plans the keys of lookups, other names of keys, parents and versions', async () => {
    const tables = layout(
      'three',
      `  tickets: { role: root, key: 'id|uid', latest: v, recognise: { columns: ['id|uid', title] } }
  notes: { role: child, key: number, parentKey: 'no|number', recognise: { file: 'n*' } }
  people: { role: lookup, key: id, recognise: { file: 'p*' } }`,
      'messages: [{ from: notes, content: { lookup: people, by: x, key: login, get: name }, public: true }]',
    );
    const found = await detect(
      {
        't.csv': 'uid,number,title,v\n1,2,a,3\n',
        'n.csv': 'number,x\n2,b\n',
        'p.csv': 'id,login,name\n1,b,c\n',
      },
      [tables],
    );
    expect(found.plan.tables).toEqual([
      { name: 'tickets', role: 'root', inputs: [{ file: 0 }], key: ['uid'], latest: ['v'], marks: NO_MARKS },
      { name: 'notes', role: 'child', inputs: [{ file: 1 }], key: ['number'], parentKey: ['number'] },
      { name: 'people', role: 'lookup', inputs: [{ file: 2 }], key: ['id'], lookups: [['id'], ['login']] },
    ]);
  });

  it('plans versions and keys of lookups only if every file has their columns', async () => {
    const tables = layout(
      'three',
      `  tickets: { role: root, key: id, latest: v, recognise: { columns: [id, title] } }
  people: { role: lookup, key: id, recognise: { file: 'p*' } }`,
      'messages: [{ content: { lookup: people, by: x, key: login, get: name }, public: true }]',
    );
    const found = await detect({ 't.csv': 'id,title\n1,a\n', 'p.csv': 'id,name\n1,b\n' }, [tables]);
    expect(found.plan.tables).toEqual([
      {
        name: 'tickets',
        role: 'root',
        inputs: [{ file: 0 }],
        key: ['id'],
        marks: { ...NO_MARKS, text: ['x'] },
      },
      { name: 'people', role: 'lookup', inputs: [{ file: 1 }], key: ['id'], lookups: [['id']] },
    ]);
  });

  it('does not take a layout of any source while files are left over, unless it is named', async () => {
    const any = { ...one, generic: true };
    const texts = { 'x.csv': 'id,title,asked_by\n1,a,b\n', 'y.csv': 'q\n1\n' };
    await expect(detect(texts, [any])).rejects.toThrow(expect.objectContaining({ code: 'source' }));
    expect((await detect(texts, [any], 'one')).layout.name).toBe('one');
    expect((await detect({ 'x.csv': texts['x.csv'] }, [any])).layout.name).toBe('one');
  });
});

describe('the built-in layouts and a CSV with a column "properties"', () => {
  const HUBSPOT =
    '"{""subject"":""Lamp"",""hs_pipeline_stage"":""1"",""createdate"":""2024-03-01T08:00:00Z""}"';
  const RED = '"{""colour"":""red""}"';
  const named = async (rows: string, more: Texts = {}) =>
    (await detect({ 't.csv': `id,properties\n${rows}`, ...more }, [...builtinLayouts()])).layout.name;

  it.each(['vip', RED, ''])(
    'that holds %j are none of it, and the error names the table next to it',
    async (cell) => {
      await expect(
        named(`1,${cell}\n2,\n`, { 'talk.csv': 'case,said,at\n1,Hello,2024-03-01\n' }),
      ).rejects.toMatchObject({
        message: 'This export has no known layout.',
        lines: expect.arrayContaining([expect.stringContaining('talk.csv')]),
      });
    },
  );

  it('that holds the properties of HubSpot tickets is HubSpot, but not in one row of many', async () => {
    expect(await named(`1,${HUBSPOT}\n2,${HUBSPOT}\n`)).toBe('hubspot');
    await expect(named(`1,${HUBSPOT}\n2,${RED}\n3,${RED}\n4,${RED}\n5,${RED}\n`)).rejects.toThrow(
      /no known layout/,
    );
  });
});

it('a layout that reads only the tickets and leaves most files unread is named, not taken', async () => {
  const texts = {
    'export.csv':
      'Ticket ID,Ticket name,Pipeline,Ticket status,Create date\n1,Lamp,Support,New,2024-03-01 08:00\n',
    'talk.csv': 'case,said,at\n1,Hello,2024-03-01\n',
    'persons.csv': 'id,mail\n7,ann@example.com\n',
  };
  const lines = expect.arrayContaining([
    expect.stringContaining('hubspot-csv (HubSpot (CSV export of tickets)) would leave'),
  ]);
  await expect(detect(texts, [...builtinLayouts()])).rejects.toMatchObject({ lines });
  expect((await detect(texts, [...builtinLayouts()], 'hubspot-csv')).layout.name).toBe('hubspot-csv');
});

it.each([
  ['holds a number', 'answer.json', '42\n', 'line 1, column 1: a list or an object is expected'],
  [
    'is cut off in its first line',
    't.jsonl',
    '{"id": 1, "subject": "Lamp',
    'Line 1: This is not valid JSON at column 27',
  ],
  ['is a list of numbers', 'list.json', '[1, 2]', 'a number'],
])('a file that %s is named with the reason', async (_, name, text, reason) => {
  await expect(detect({ [name]: text })).rejects.toThrow(`No record of ${name} can be read.`);
  await expect(detect({ [name]: text })).rejects.toThrow(reason);
});
