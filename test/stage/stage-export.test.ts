import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stageExport } from '../../src/stage/stage-export.ts';
import { open, openFolder, signal } from '../read/temp-export.ts';
import { items, planOf, stage, text, told } from './stage-plan.ts';

const ROOT = { name: 'tickets', role: 'root', key: ['id'] } as const;
const MESSAGES = { name: 'messages', role: 'child', key: ['ticketId'] } as const;

describe('joins', () => {
  it('gives every ticket its rows in file order, from any number of files in any order', async () => {
    const files = await openFolder({
      'tickets.csv': 'id,subject\n1,a\n2,b\n3,c\n',
      'messages1.csv': 'ticketId,n\n3,i\n1,j\n9,k\n1,l\n',
      'messages2.csv': 'n,ticketId\nm,1\nn,3\n',
      'events.jsonl': '{"ticket":{"id":3},"e":1}\n{"ticket":{"id":8},"e":2}\n',
    });
    await using staged = await stage(files, [
      ROOT,
      MESSAGES,
      { name: 'events', role: 'child', key: ['ticket.id'] },
    ]);
    expect(await told(staged)).toEqual([
      '1: 1 a | messages: 1 j, 1 l, m 1',
      '2: 2 b',
      '3: 3 c | messages: 3 i, n 3 | events: {"ticket":{"id":3},"e":1}',
    ]);
    const nameOf = (file: number) => files.files[file]?.name.split('/').at(-1);
    expect([...staged.orphans()].map(({ parent, ref }) => [parent, nameOf(ref.file), ref.line])).toEqual([
      ['9', 'messages1.csv', 4],
      ['8', 'events.jsonl', 2],
    ]);
    expect([...staged.rowCounts()]).toEqual([
      ['messages', 6],
      ['events', 2],
    ]);
    expect(await told(staged)).toEqual(await told(staged));
  });

  it.each<[string, string, string]>([
    ['12 of JSON and " 12 " of CSV are one key', '{"id":12}', 'ticketId\n" 12 "\n'],
    ['long numbers keep their digits', '{"id":12345678901234567891}', 'ticketId\n12345678901234567891\n'],
    ['an id that looks like a number stays what it is', '{"id":"0012"}', 'ticketId\n0012\n'],
  ])('%s', async (_name, ticket, messages) => {
    const files = await openFolder({ 'tickets.jsonl': `${ticket}\n`, 'messages.csv': messages });
    await using staged = await stage(files, [ROOT, MESSAGES]);
    expect([...staged.orphans()]).toEqual([]);
    const [item] = await items(staged);
    expect(item?.kind === 'ticket' && item.children.get('messages')?.length).toBe(1);
  });

  it('0012 is not 12', async () => {
    const files = await openFolder({ 'tickets.jsonl': '{"id":12}\n', 'messages.csv': 'ticketId\n0012\n' });
    await using staged = await stage(files, [ROOT, MESSAGES]);
    expect([...staged.orphans()].map(({ parent }) => parent)).toEqual(['0012']);
  });

  it('children may name another column of the ticket than its id', async () => {
    const files = await openFolder({
      'tickets.csv': 'id,number\n1,N1\n2,N2\n',
      'messages.csv': 'no,x\nN2,a\nN9,b\n1,c\n',
    });
    await using staged = await stage(files, [ROOT, { ...MESSAGES, key: ['no'], parentKey: ['number'] }]);
    expect(await told(staged)).toEqual(['1: 1 N1', '2: 2 N2 | messages: N2 a']);
    expect([...staged.orphans()].map(({ parent }) => parent)).toEqual(['N9', '1']);
  });

  it('a key of several columns joins their values, and a slash in one of them means nothing', async () => {
    const files = await openFolder({
      'tickets.csv': 'folder,id\na,b/c\na/b,c\n3,7\n',
      'messages.csv': 'folder,id,x\na/b,c,1\na,b/c,2\n3,,3\n',
    });
    await using staged = await stage(files, [
      { ...ROOT, key: ['folder', 'id'] },
      { ...MESSAGES, key: ['folder', 'id'] },
    ]);
    expect(await told(staged)).toEqual([
      'a/b%2Fc: a b/c | messages: a b/c 2',
      'a%2Fb/c: a/b c | messages: a/b c 1',
      '3/7: 3 7',
    ]);
    expect([...staged.orphans()]).toHaveLength(1);
  });

  it('several tables come from one file of mixed records', async () => {
    const line = (stream: string, data: object) => `${JSON.stringify({ stream, data })}\n`;
    const files = await openFolder({
      'mixed.jsonl': [
        line('comments', { ticket: 1, x: 'a' }),
        line('tickets', { id: 1 }),
        'broken\n',
        line('state', {}),
        line('users', { id: 'u1', email: 'e' }),
        line('tickets', { id: 2 }),
      ].join(''),
    });
    const from = (stream: string) => ({ where: { path: ['stream'], oneOf: [stream] }, unwrap: ['data'] });
    await using staged = await stage(files, [
      { ...ROOT, file: 'mixed', selector: from('tickets') },
      { ...MESSAGES, key: ['ticket'], file: 'mixed', selector: from('comments') },
      { name: 'users', role: 'lookup', key: [], lookups: [['id']], file: 'mixed', selector: from('users') },
    ]);
    expect(await told(staged)).toEqual([
      '1: {"id":1} | messages: {"ticket":1,"x":"a"}',
      'unreadable',
      '2: {"id":2}',
    ]);
    expect(text(staged.lookup('users', ['id'], ['u1']))).toBe('{"id":"u1","email":"e"}');
    expect([...staged.unreadableRows()]).toEqual([]);
  });

  it('tables come from several arrays of one document', async () => {
    const document = { tickets: [{ id: 1 }, { id: 2 }], messages: [{ ticketId: 2, x: 1 }] };
    const files = await openFolder({ 'all.json': JSON.stringify(document, null, 2) });
    await using staged = await stage(files, [
      { ...ROOT, file: 'all', selector: { path: ['tickets'] } },
      { ...MESSAGES, file: 'all', selector: { path: ['messages'] } },
    ]);
    expect(await told(staged)).toEqual(['1: {"id":1}', '2: {"id":2} | messages: {"ticketId":2,"x":1}']);
  });

  it('a column that a file does not have is one clear error', async () => {
    const files = await openFolder({ 'tickets.csv': 'id\n1\n', 'messages.csv': 'x\n1\n' });
    await expect(stage(files, [ROOT, MESSAGES])).rejects.toMatchObject({
      code: 'source',
      message: expect.stringMatching(/messages\.csv has no column "ticketId"/),
    });
  });

  it('headers match without regard to white space around them, then to case', async () => {
    const files = await openFolder({ 'tickets.csv': '" Id ",x\n1,a\n', 'messages.csv': 'TICKETID,n\n1,b\n' });
    await using staged = await stage(files, [ROOT, MESSAGES]);
    expect(await told(staged)).toEqual(['1: 1 a | messages: 1 b']);
  });
});

describe('records that cannot be tickets', () => {
  it('stand in their place with the reason', async () => {
    const files = await openFolder({
      'tickets1.jsonl': '{"id":1,"v":"a"}\n{"id":null}\n{broken\n{"id":" 1 ","v":"b"}\n',
      'tickets2.jsonl': '{"id":2}\n{"id":"1"}\n',
    });
    for (const children of [[], [{ ...MESSAGES, file: 'none' }]]) {
      await using staged = await stage(files, [ROOT, ...children]);
      const found = await items(staged);
      expect(found.map((item) => [item.seq, item.kind === 'ticket' ? item.externalId : item.code])).toEqual([
        [0, '1'],
        [1, 'missing-id'],
        [2, 'unreadable'],
        [3, 'duplicate-id'],
        [4, '2'],
        [5, 'duplicate-id'],
      ]);
      expect(found.flatMap((item) => (item.kind === 'unreadable' ? [item.message] : []))).toEqual([
        'The record has no value in "id", so it has no external id.',
        expect.stringContaining('not valid JSON at column 2'),
        'The external id "1" stands before, in line 1; the first one is imported.',
        expect.stringMatching(/stands before, in .*tickets1\.jsonl, line 1;/),
      ]);
      expect((await items(staged)).map(({ seq, kind }) => [seq, kind])).toEqual(
        found.map(({ seq, kind }) => [seq, kind]),
      );
    }
  });

  it('broken rows of children are told apart from tickets', async () => {
    const files = await openFolder({
      'tickets.jsonl': '{"id":1}\n',
      'messages.jsonl': '{"ticketId":1}\nnot json\n',
    });
    await using staged = await stage(files, [ROOT, MESSAGES]);
    expect(await told(staged)).toHaveLength(1);
    expect([...staged.unreadableRows()].map(({ table, ref }) => [table, ref.line])).toEqual([
      ['messages', 2],
    ]);
  });
});

describe('groups', () => {
  it('rows with one key are a ticket, in the order in which each key is first seen', async () => {
    const files = await openFolder({
      'log.csv': 'id,x\nB,1\nA,2\nB,3\n,4\nC,5\nA,6\n',
      'notes.csv': 'ticketId,n\nA,x\nZ,y\n',
    });
    await using staged = await stage(files, [
      { name: 'log', role: 'group', key: ['id'] },
      { name: 'notes', role: 'child', key: ['ticketId'] },
    ]);
    expect(await told(staged)).toEqual([
      'B: B 1 | log: B 1, B 3',
      'A: A 2 | notes: A x | log: A 2, A 6',
      'missing-id',
      'C: C 5 | log: C 5',
    ]);
    expect([...staged.orphans()].map(({ parent }) => parent)).toEqual(['Z']);
    expect(await told(staged)).toHaveLength(4);
  });

  it('broken rows stand in their place', async () => {
    const files = await openFolder({ 'log.jsonl': '{"id":1}\n{\n{"id":2}\n{"id":1}\n' });
    await using staged = await stage(files, [{ name: 'log', role: 'group', key: ['id'] }]);
    expect((await told(staged)).map((each) => each.split(':')[0])).toEqual(['1', 'unreadable', '2']);
  });

  it('are handed out whole and in order when there are many', async () => {
    const rows = Array.from({ length: 3000 }, (_, index) => `g${index % 700},${index}\n`).join('');
    const files = await openFolder({ 'log.csv': `id,x\n${rows}` });
    await using staged = await stage(files, [{ name: 'log', role: 'group', key: ['id'] }]);
    const found = await items(staged);
    expect(found.map((item) => item.kind === 'ticket' && item.externalId)).toEqual(
      Array.from({ length: 700 }, (_, index) => `g${index}`),
    );
    const sizes = found.map((item) => (item.kind === 'ticket' ? (item.children.get('log')?.length ?? 0) : 0));
    expect(sizes.reduce((a, b) => a + b)).toBe(3000);
  });
});

describe('versions of a row', () => {
  it.each<[string, string, string[]]>([
    ['numbers by value', 'id,v\n1,9\n2,1\n1,10\n', ['2: 2 1', '1: 1 10']],
    ['texts by their letters', 'id,v\n1,2024-02-01\n1,2024-01-31\n2,x\n', ['1: 1 2024-02-01', '2: 2 x']],
    ['the later one of equals', 'id,v\n1,5\n1,5\n', ['1: 1 5']],
    ['none before any', 'id,v\n1,\n1,-3\n', ['1: 1 -3']],
  ])('only the greatest of a ticket stands: %s', async (_name, content, expected) => {
    const files = await openFolder({ 'tickets.csv': content });
    await using staged = await stage(files, [{ ...ROOT, latest: 'v' }]);
    expect(await told(staged)).toEqual(expected);
    expect(await told(staged)).toEqual(expected);
  });

  it('only the greatest of a lookup and of a child stands', async () => {
    const files = await openFolder({
      'tickets.csv': 'id\n1\n',
      'users.csv': 'id,v,name\nu,1,old\nu,3,new\nu,2,mid\n',
      'messages.csv': 'ticketId,v\n1,1\n1,2\n',
    });
    await using staged = await stage(files, [
      ROOT,
      { ...MESSAGES, latest: 'v' },
      { name: 'users', role: 'lookup', key: [], latest: 'v', lookups: [['id']] },
    ]);
    expect(text(staged.lookup('users', ['id'], ['u']))).toBe('u 3 new');
    expect(await told(staged)).toEqual(['1: 1 | messages: 1 2']);
  });
});

describe('lookups', () => {
  it('find the first row by any of the keys of the plan, again and again', async () => {
    const files = await openFolder({
      'tickets.csv': 'id\n1\n',
      'users.csv': 'id,mail,team\n1,a@b,x\n2,c@d,x\n1,e@f,y\n',
    });
    await using staged = await stage(files, [
      ROOT,
      { name: 'users', role: 'lookup', key: [], lookups: [['id'], ['mail', 'team']] },
    ]);
    for (let round = 0; round < 2; round++) {
      expect(text(staged.lookup('users', ['id'], [' 1 ']))).toBe('1 a@b x');
      expect(text(staged.lookup('users', ['mail', 'team'], ['c@d', 'x']))).toBe('2 c@d x');
      expect(staged.lookup('users', ['id'], ['7'])).toBeUndefined();
      expect(staged.lookup('users', ['id'], [''])).toBeUndefined();
    }
    expect(() => staged.lookup('users', ['team'], ['x'])).toThrow(/no lookup/);
  });

  it('are right beyond what is kept in memory', async () => {
    const users = Array.from({ length: 12_000 }, (_, index) => `u${index},n${index}\n`).join('');
    const files = await openFolder({ 'tickets.csv': 'id\n1\n', 'users.csv': `id,name\n${users}` });
    await using staged = await stage(files, [
      ROOT,
      { name: 'users', role: 'lookup', key: [], lookups: [['id']] },
    ]);
    for (const index of [0, 11_999, ...Array.from({ length: 11_000 }, (_, each) => each), 0, 5]) {
      expect(staged.lookup('users', ['id'], [`u${index}`])?.cells?.[1]).toBe(`n${index}`);
    }
  });
});

describe('staging properties', () => {
  it('any order of the rows of children gives the same joined tickets', async () => {
    const row = fc.record({
      ticket: fc.integer({ min: 0, max: 6 }),
      text: fc.stringMatching(/^[a-z"\n,]{0,6}$/),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(row, { maxLength: 25 }),
        fc.integer({ min: 8, max: 200 }),
        async (rows, chunkBytes) => {
          const cell = (value: string) => `"${value.replaceAll('"', '""')}"`;
          const joined = async (order: typeof rows) => {
            const messages = order.map(({ ticket, text: body }) => `${ticket},${cell(body)}\n`).join('');
            const files = await openFolder(
              { 'tickets.csv': 'id\n0\n1\n2\n3\n4\n', 'messages.csv': `ticketId,text\n${messages}` },
              { delimiter: ',', tuning: { chunkBytes } },
            );
            await using staged = await stage(files, [ROOT, MESSAGES]);
            const tickets = (await items(staged)).map((item) =>
              item.kind === 'ticket'
                ? [item.externalId, (item.children.get('messages') ?? []).map(text).sort()]
                : item.code,
            );
            return [tickets, [...staged.orphans()].map(({ parent }) => parent).sort()];
          };
          expect(await joined([...rows].reverse())).toEqual(await joined(rows));
          const [tickets, orphans] = await joined(rows);
          expect(tickets).toEqual(
            [0, 1, 2, 3, 4].map((id) => [
              `${id}`,
              rows
                .filter(({ ticket }) => ticket === id)
                .map(({ text: body }) => `${id} ${body}`)
                .sort(),
            ]),
          );
          expect(orphans).toEqual(
            rows
              .filter(({ ticket }) => ticket > 4)
              .map(({ ticket }) => `${ticket}`)
              .sort(),
          );
        },
      ),
      { numRuns: 25 },
    );
  });
});

describe('size and stopping', () => {
  it('one ticket with fifty thousand messages is one ticket', async () => {
    const messages = Array.from({ length: 50_000 }, (_, index) => `1,m${index}\n`).join('');
    const files = await openFolder({
      'tickets.csv': 'id\n0\n1\n2\n',
      'messages.csv': `ticketId,x\n2,z\n${messages}`,
    });
    await using staged = await stage(files, [ROOT, MESSAGES]);
    const sizes = (await items(staged)).map(
      (item) => item.kind === 'ticket' && item.children.get('messages')?.length,
    );
    expect(sizes).toEqual([undefined, 50_000, 1]);
  });

  it('a body of 10 MB is whole', async () => {
    const body = 'line, "quoted"\n'.repeat(700_000);
    const files = await openFolder({
      'tickets.csv': 'id\n1\n',
      'messages.csv': `ticketId,x\n1,"${body.replaceAll('"', '""')}"\n1,b\n`,
    });
    await using staged = await stage(files, [ROOT, MESSAGES]);
    const [item] = await items(staged);
    const rows = item?.kind === 'ticket' ? item.children.get('messages') : undefined;
    expect(rows?.map(({ cells }) => cells?.[1]?.length)).toEqual([body.length, 1]);
    expect(rows?.[1]?.ref.line).toBe(700_003);
  });

  it('tells how far it is, up to the end', async () => {
    const files = await openFolder({ 'tickets.csv': 'id\n1\n2\n', 'messages.csv': 'ticketId\n1\n' });
    for (const tables of [[ROOT], [ROOT, MESSAGES]]) {
      const told: number[][] = [];
      const onProgress = (...numbers: [number, number, number]) => told.push(numbers);
      await using staged = await stageExport(files, planOf(files, tables), { signal, onProgress });
      await items(staged);
      const [bytes, total, records] = told.at(-1) ?? [];
      expect(bytes).toBeGreaterThan(0);
      expect(bytes).toBeLessThanOrEqual(total ?? 0);
      expect(records).toBe(tables.length === 1 ? 2 : 3);
      expect(told.every(([now = 0], index) => now >= (told[index - 1]?.[0] ?? 0))).toBe(true);
    }
  });

  it('stops at once when it is aborted', async () => {
    const files = await openFolder({ 'tickets.csv': 'id\n1\n', 'messages.csv': 'ticketId\n1\n' });
    const stop = AbortSignal.abort(new Error('stop'));
    await expect(stageExport(files, planOf(files, [ROOT, MESSAGES]), { signal: stop })).rejects.toThrow(
      'stop',
    );
    await using staged = await stage(files, [ROOT, MESSAGES]);
    await expect(staged.tickets(stop)[Symbol.asyncIterator]().next()).rejects.toThrow('stop');
  });
});

const data = resolve(import.meta.dirname, '../../../shared/data');
describe.runIf(existsSync(data))('genuine exports', () => {
  it('a shop database joins completely', async () => {
    const files = await open([resolve(data, 'ecommerce_db_dump_tables')]);
    await using staged = await stage(files, [
      { name: 'support_tickets', role: 'root', key: ['id'] },
      { name: 'support_messages', role: 'child', key: ['ticket_id'] },
      { name: 'users', role: 'lookup', key: [], lookups: [['id']] },
    ]);
    const found = await items(staged);
    expect(found.filter(({ kind }) => kind === 'ticket')).toHaveLength(1000);
    expect([...staged.orphans()]).toEqual([]);
  });

  it('an update log of 5,998 rows is 890 incidents', async () => {
    const files = await open([resolve(data, 'servicenow_uci_event_log')]);
    await using staged = await stage(files, [{ name: 'incident', role: 'group', key: ['number'] }]);
    const found = await items(staged);
    expect(found).toHaveLength(890);
    const rows = found.map((item) =>
      item.kind === 'ticket' ? (item.children.get('incident')?.length ?? 0) : 0,
    );
    expect(rows.reduce((a, b) => a + b)).toBe(5998);
  });
});
