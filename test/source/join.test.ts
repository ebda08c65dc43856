import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { joinExport } from '../../src/source/join.ts';
import { items, MESSAGES, planOf, ROOT, reported, stage, text } from './join-plan.ts';
import { open, openFolder, tempFolder } from './temp-export.ts';

describe('joins', () => {
  it('gives every ticket its rows in file order, from any number of files in any order', async () => {
    const files = await openFolder({
      'tickets.csv': 'id,subject\n1,a\n2,b\n3,c\n',
      'messages1.csv': 'ticketId,n\n3,i\n1,j\n9,k\n1,l\n',
      'messages2.csv': 'n,ticketId\nm,1\nn,3\n',
      'events.jsonl': '{"ticket":{"id":3},"e":1}\n{"ticket":{"id":8},"e":2}\n',
    });
    const staged = stage(files, [ROOT, MESSAGES, { name: 'events', role: 'child', key: ['ticket.id'] }]);
    expect(reported(staged)).toEqual([
      '1: 1 a | messages: 1 j, 1 l, m 1',
      '2: 2 b',
      '3: 3 c | messages: 3 i, n 3 | events: {"ticket":{"id":3},"e":1}',
    ]);
    const nameOf = (file: number) => files.files[file]?.name.split('/').at(-1);
    expect(
      [...staged.unmatchedRows()].map(({ parent, ref }) => [parent, nameOf(ref.file), ref.line]),
    ).toEqual([
      ['9', 'messages1.csv', 4],
      ['8', 'events.jsonl', 2],
    ]);
    expect(reported(staged)).toEqual(reported(staged));
  });

  it.each<[string, string, string[]]>([
    ['12 of JSON and " 12 " of CSV are one key', '{"id":12}', ['" 12 "']],
    ['long numbers keep their digits', '{"id":12345678901234567891}', ['12345678901234567891']],
    ['0012 is not 12', '{"id":"0012"}', ['0012']],
  ])('%s', async (_name, ticket, [id = '']) => {
    const messages = `ticketId\n${id}\n12.5\n`;
    const files = await openFolder({ 'tickets.jsonl': `${ticket}\n`, 'messages.csv': messages });
    expect([...stage(files, [ROOT, MESSAGES]).unmatchedRows()].map(({ parent }) => parent)).toEqual(['12.5']);
  });

  it.each([
    ['00123', '123', '00123'],
    ['AB-7', '#ab-7', 'AB-7'],
    ['a', 'A', 'a'],
    ['7', '8', undefined],
  ])('of a ticket %s and a row of %s, which belongs to none, it names %s', async (id, parent, near) => {
    const texts = { 'tickets.csv': `id\n${id}\n`, 'messages.csv': `ticketId\n${parent}\n` };
    const joined = stage(await openFolder(texts), [ROOT, MESSAGES]);
    expect([...joined.unmatchedRows()]).toMatchObject([{ parent, near }]);
  });

  it('children may name another column of the ticket than its id', async () => {
    const files = await openFolder({
      'tickets.csv': 'id,number\n1,N1\n2,N2\n',
      'messages.csv': 'no,x\nN2,a\nN9,b\n1,c\n',
    });
    const staged = stage(files, [ROOT, { ...MESSAGES, key: ['no'], parentKey: ['number'] }]);
    expect(reported(staged)).toEqual(['1: 1 N1', '2: 2 N2 | messages: N2 a']);
    expect([...staged.unmatchedRows()].map(({ parent }) => parent)).toEqual(['N9', '1']);
  });

  it('children may belong to the rows of another child', async () => {
    const files = await openFolder({
      'tickets.csv': 'id\n1\n2\n',
      'chats.csv': 'chat,ticketId\nc1,2\nc2,2\nc3,9\n',
      'messages.csv': 'of,x\nc2,a\nc1,b\nc3,c\nc9,d\n',
    });
    const chats = { name: 'chats', role: 'child', key: ['ticketId'] } as const;
    const staged = stage(files, [
      ROOT,
      chats,
      { ...MESSAGES, key: ['of'], parent: 'chats', parentKey: ['chat'] },
    ]);
    expect(reported(staged)).toEqual(['1: 1', '2: 2 | chats: c1 2, c2 2 | messages: c1 b, c2 a']);
    expect([...staged.unmatchedRows()].map(({ parent }) => parent)).toEqual(['9', 'c9']);
  });

  it('a key of several columns joins their values, and a slash in one of them means nothing', async () => {
    const files = await openFolder({
      'tickets.csv': 'folder,id\na,b/c\na/b,c\n3,7\n',
      'messages.csv': 'folder,id,x\na/b,c,1\na,b/c,2\n3,,3\n',
    });
    const staged = stage(files, [
      { ...ROOT, key: ['folder', 'id'] },
      { ...MESSAGES, key: ['folder', 'id'] },
    ]);
    expect(reported(staged)).toEqual([
      'a/b%2Fc: a b/c | messages: a b/c 2',
      'a%2Fb/c: a/b c | messages: a/b c 1',
      '3/7: 3 7',
    ]);
    expect([...staged.unmatchedRows()]).toHaveLength(1);
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
    const staged = stage(files, [
      { ...ROOT, file: 'mixed', selector: from('tickets') },
      { ...MESSAGES, key: ['ticket'], file: 'mixed', selector: from('comments') },
      { name: 'users', role: 'lookup', key: [], lookups: [['id']], file: 'mixed', selector: from('users') },
    ]);
    expect(reported(staged)).toEqual([
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
    const staged = stage(files, [
      { ...ROOT, file: 'all', selector: { path: ['tickets'] } },
      { ...MESSAGES, file: 'all', selector: { path: ['messages'] } },
    ]);
    expect(reported(staged)).toEqual(['1: {"id":1}', '2: {"id":2} | messages: {"ticketId":2,"x":1}']);
  });

  it('a column that a file does not have is one clear error', async () => {
    const files = await openFolder({ 'tickets.csv': 'id\n1\n', 'messages.csv': 'x\n1\n' });
    expect(() => stage(files, [ROOT, MESSAGES])).toThrow(/messages\.csv has no column "ticketId"/);
  });

  it('headers match without regard to white space around them, then to case', async () => {
    const files = await openFolder({ 'tickets.csv': '" Id ",x\n1,a\n', 'messages.csv': 'TICKETID,n\n1,b\n' });
    const staged = stage(files, [ROOT, MESSAGES]);
    expect(reported(staged)).toEqual(['1: 1 a | messages: 1 b']);
  });
});

describe('groups', () => {
  it('rows with one key are a ticket, in the order of the first rows', async () => {
    const files = await openFolder({
      'log.csv': 'id,x\nB,1\nA,2\nB,3\n,4\nC,5\nA,6\n',
      'notes.csv': 'ticketId,n\nA,x\nZ,y\n',
    });
    const joined = stage(files, [
      { name: 'log', role: 'group', key: ['id'] },
      { name: 'notes', role: 'child', key: ['ticketId'] },
    ]);
    expect(reported(joined)).toEqual([
      'B: B 1 | log: B 1, B 3',
      'A: A 2 | notes: A x | log: A 2, A 6',
      'missing-id',
      'C: C 5 | log: C 5',
    ]);
    expect([...joined.unmatchedRows()].map(({ parent }) => parent)).toEqual(['Z']);
    expect(reported(joined)).toHaveLength(4);
  });

  it('broken rows stand in their place', async () => {
    const files = await openFolder({ 'log.jsonl': '{"id":1}\n{\n{"id":2}\n{"id":1}\n' });
    const joined = stage(files, [{ name: 'log', role: 'group', key: ['id'] }]);
    expect(reported(joined).map((each) => each.split(':')[0])).toEqual(['1', 'unreadable', '2']);
  });
});
describe('records that cannot be tickets', () => {
  it('stand in their place with the reason', async () => {
    const files = await openFolder({
      'tickets1.jsonl': '{"id":1,"v":"a"}\n{"id":null}\n{broken\n{"id":" 1 ","v":"b"}\n',
      'tickets2.jsonl': '{"id":2}\n{"id":"1","v":"c"}\n',
    });
    for (const children of [[], [{ ...MESSAGES, file: 'none' }]]) {
      const joined = stage(files, [ROOT, ...children]);
      const found = items(joined);
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
        'Duplicate ID "1": already used in line 1. Only the first record is imported.',
        expect.stringMatching(/already used in .*tickets1\.jsonl, line 1\./),
      ]);
      expect(items(joined).map(({ seq, kind }) => [seq, kind])).toEqual(
        found.map(({ seq, kind }) => [seq, kind]),
      );
    }
  });

  it('broken rows of children are distinguished from tickets', async () => {
    const files = await openFolder({
      'tickets.jsonl': '{"id":1}\n',
      'messages.jsonl': '{"ticketId":1}\nnot json\n',
    });
    const joined = stage(files, [ROOT, MESSAGES]);
    expect(reported(joined)).toHaveLength(1);
    expect([...joined.unreadableRows()].map(({ table, ref }) => [table, ref.line])).toEqual([
      ['messages', 2],
    ]);
  });
});

describe('size and stopping', () => {
  it('one ticket with fifty thousand messages is one ticket', async () => {
    const messages = Array.from({ length: 50_000 }, (_, index) => `1,m${index}\n`).join('');
    const files = await openFolder({
      'tickets.csv': 'id\n0\n1\n2\n',
      'messages.csv': `ticketId,x\n2,z\n${messages}`,
    });
    const joined = stage(files, [ROOT, MESSAGES]);
    const sizes = items(joined).map(
      (item) => item.kind === 'ticket' && item.children.get('messages')?.length,
    );
    expect(sizes).toEqual([undefined, 50_000, 1]);
  });

  it('tells how far it is, up to the end', async () => {
    const reported: number[][] = [];
    const folder = tempFolder({ 'tickets.csv': 'id\n1\n2\n', 'messages.csv': 'ticketId\n1\n' });
    await open([folder], { onProgress: (...numbers) => reported.push(numbers) });
    const size = 'id\n1\n2\n'.length + 'ticketId\n1\n'.length;
    expect(reported.at(-1)).toEqual([size, size, 5]);
    expect(reported.every(([now = 0], index) => now >= (reported[index - 1]?.[0] ?? 0))).toBe(true);
  });

  it('stops at once when it is aborted', async () => {
    const files = await openFolder({ 'tickets.csv': 'id\n1\n', 'messages.csv': 'ticketId\n1\n' });
    const stop = AbortSignal.abort(new Error('stop'));
    expect(() => joinExport(files, planOf(files, [ROOT, MESSAGES]), stop)).toThrow('stop');
    const joined = stage(files, [ROOT, MESSAGES]);
    expect(() => [...joined.tickets(stop)]).toThrow('stop');
  });
});

it('a CSV, whose keys are read by SQL, is joined as the same records of JSON are', async () => {
  const words = [
    '1',
    '2',
    'T-3',
    ' 2',
    '1.0',
    'nan',
    '-',
    '',
    'none',
    'é',
    'x y',
    '500A000000B1cD2IAK',
    '500A000000B1cD2',
  ];
  const keys = (most: number) =>
    fc.array(fc.constantFrom(...words, ...words.slice(0, 3)), { minLength: 1, maxLength: most });
  await fc.assert(
    fc.asyncProperty(keys(4), keys(6), async (tickets, messages) => {
      const csv = (name: string, ids: readonly string[]) =>
        `${name},n\n${ids.map((id, n) => `"${id}",${n}\n`).join('')}`;
      const json = (name: string, ids: readonly string[]) =>
        ids.map((id, n) => `${JSON.stringify({ [name]: id, n: String(n) })}\n`).join('');
      const joined = async (files: Record<string, string>) => {
        const found = stage(await openFolder(files), [ROOT, MESSAGES]);
        const rows = items(found).map((item) =>
          item.kind === 'ticket'
            ? [item.externalId, ...(item.children.get('messages') ?? []).map(({ object }) => object?.['n'])]
            : [item.code, item.externalId],
        );
        return [rows, [...found.unmatchedRows()].map(({ parent }) => parent)];
      };
      const written = await joined({
        'tickets.csv': csv('id', tickets),
        'messages.csv': csv('ticketId', messages),
      });
      expect(written).toEqual(
        await joined({ 'tickets.jsonl': json('id', tickets), 'messages.jsonl': json('ticketId', messages) }),
      );
    }),
    { numRuns: 60 },
  );
});

describe('lookups', () => {
  it('find the first row by any of the keys of the plan, again and again', async () => {
    const files = await openFolder({
      'tickets.csv': 'id\n1\n',
      'users.csv': 'id,mail,team\n1,a@b,x\n2,c@d,x\n1,e@f,y\n',
    });
    const joined = stage(files, [
      ROOT,
      { name: 'users', role: 'lookup', key: [], lookups: [['id'], ['mail', 'team']] },
    ]);
    for (let round = 0; round < 2; round++) {
      expect(text(joined.lookup('users', ['id'], [' 1 ']))).toBe('1 a@b x');
      expect(text(joined.lookup('users', ['mail', 'team'], ['c@d', 'x']))).toBe('2 c@d x');
      expect(joined.lookup('users', ['id'], ['7'])).toBeUndefined();
      expect(joined.lookup('users', ['id'], [''])).toBeUndefined();
    }
    expect(() => joined.lookup('users', ['team'], ['x'])).toThrow(/no lookup/);
  });
});
describe('versions of a row', () => {
  it.each<[string, string, string[]]>([
    ['numbers by value', 'id,v\n1,9\n2,1\n1,10\n', ['2: 2 1', '1: 1 10']],
    ['texts by their letters', 'id,v\n1,2024-02-01\n1,2024-01-31\n2,x\n', ['1: 1 2024-02-01', '2: 2 x']],
    ['the later one of equals', 'id,v\n1,5\n1,5\n', ['1: 1 5']],
    ['none before any', 'id,v\n1,\n1,-3\n', ['1: 1 -3']],
  ])('only the greatest of a ticket is kept: %s', async (_name, content, expected) => {
    const files = await openFolder({ 'tickets.csv': content });
    const joined = stage(files, [{ ...ROOT, latest: ['v'] }]);
    expect(reported(joined)).toEqual(expected);
    expect(reported(joined)).toEqual(expected);
  });

  it('only the greatest of a lookup and of a child is kept', async () => {
    const files = await openFolder({
      'tickets.csv': 'id\n1\n',
      'users.csv': 'id,v,name\nu,1,old\nu,3,new\nu,2,mid\n',
      'messages.csv': 'ticketId,v\n1,1\n1,2\n',
    });
    const joined = stage(files, [
      ROOT,
      { ...MESSAGES, latest: ['v'] },
      { name: 'users', role: 'lookup', key: [], latest: ['v'], lookups: [['id']] },
    ]);
    expect(text(joined.lookup('users', ['id'], ['u']))).toBe('u 3 new');
    expect(reported(joined)).toEqual(['1: 1 | messages: 1 2']);
  });

  it('of a day and a clock in two columns, both count', async () => {
    const files = await openFolder({
      'tickets.csv':
        'id,day,clock\n1,2.2.2024,09:00\n1,2.2.2024,17:30\n1,31.1.2024,23:00\n2,3.2.2024,\n2,,\n',
    });
    const joined = stage(files, [{ ...ROOT, latest: ['day', 'clock'] }]);
    expect(reported(joined)).toEqual(['1: 1 2.2.2024 17:30', '2: 2 3.2.2024 ']);
  });
});

describe('rows that share an ID', () => {
  const marks = { created: ['made'], text: ['body'], person: ['mail'] };
  const HEAD = 'id,made,body,mail,v\n';
  const joinedRows = async (rows: string, latest?: string) => {
    const files = await openFolder({ 'tickets.csv': HEAD + rows, 'messages.csv': 'ticketId\n1\n' });
    return stage(files, [
      { ...ROOT, marks, ...(latest === undefined ? {} : { latest: [latest] }) },
      MESSAGES,
    ]);
  };

  it('and a time of creation are versions: the latest is imported, the others are counted', async () => {
    const joined = await joinedRows(
      '1,2024-01-01 10:00,a,x@a,1\n1,2024-01-01T10:00:00,b,x@a,2\n2,y,a,x@a,1\n2,y,a,x@a,2\n',
      'v',
    );
    expect(reported(joined)).toEqual(['1: 1 2024-01-01T10:00:00 b x@a 2 | messages: 1', '2: 2 y a x@a 2']);
    expect(joined.olderRows()).toBe(2);
  });

  it('and begin alike are versions whose text was edited', async () => {
    const text = 'Our blue lamp is broken since yesterday evening.';
    const joined = await joinedRows(`1,mon,${text},x@a,1\n1,mon,${text} Solved: the bulb.,x@a,2\n`, 'v');
    expect(joined.olderRows()).toBe(1);
  });

  it('and were created at different times are no versions', async () => {
    const joined = await joinedRows('1,mon,a,x@a,1\n1,tue,a,x@a,2\n', 'v');
    expect(reported(joined)).toEqual(['1: 1 mon a x@a 1 | messages: 1', 'duplicate-id 1']);
    expect(joined.olderRows()).toBe(0);
  });

  it('and differ in their texts in most IDs are messages, and the join says how to read them', async () => {
    await expect(
      joinedRows('1,mon,a,x@a,1\n1,mon,b,x@a,2\n2,mon,c,x@a,1\n2,mon,d,x@a,2\n3,mon,e,x@a,1\n', 'v'),
    ).rejects.toMatchObject({
      message: expect.stringMatching(/^4 rows of .*tickets\.csv share an ID .* their texts differ/),
      hint: expect.stringContaining('role: group'),
    });
  });

  it('and are of different people are all held, with the rows that name them', async () => {
    const joined = await joinedRows('1,mon,a,x@a,1\n2,mon,b,x@a,1\n1,mon,c,Y@a,1\n');
    expect(reported(joined)).toEqual(['duplicate-id 1', '2: 2 mon b x@a 1', 'duplicate-id 1']);
    expect([...joined.unmatchedRows()].map(({ parent }) => parent)).toEqual(['1']);
  });

  it('and are the same to the letter are one row', async () => {
    expect(reported(await joinedRows('1,mon,a,x@a,1\n1,mon,a,x@a,1\n'))).toEqual([
      '1: 1 mon a x@a 1 | messages: 1',
    ]);
  });

  describe('rows without an ID', () => {
    const idsOf = async (name: string, text: string) => {
      const selector = name.endsWith('json') ? { selector: { path: [] } } : {};
      const joined = stage(await openFolder({ [name]: text }), [
        { name: 'tickets', role: 'root', key: [], ...selector },
      ]);
      const ids = items(joined).map((item) =>
        item.externalId?.replace(/^row-[\da-f]{16}/, (id) => short(id)),
      );
      return { ids, equal: joined.equalRows() };
    };
    const known: string[] = [];
    const short = (id: string) => 'abcdef'[known.includes(id) ? known.indexOf(id) : known.push(id) - 1] ?? '';

    it('are named by all their cells, in any order of the columns, and equal ones are counted', async () => {
      const first = await idsOf('tickets.csv', 'who,text\nann,lamp\nann,bulb\nann,lamp\n');
      expect(first).toEqual({ ids: ['a', 'b', 'a-2'], equal: 1 });
      const later = await idsOf('tickets.csv', 'Text,more,who\nlamp ,,ann\nnew,,ann\n,,\nlamp,x,ann\n');
      expect(later.ids).toEqual(['a', 'c', 'd']);
    });

    it('of JSON are named by lists and empty values too', async () => {
      const { ids } = await idsOf(
        'tickets.json',
        '[{"t":"x","tags":["a"]},{"tags":["a"],"t":"x","n":null},{"t":"x","tags":["b"]},{"n":""}]',
      );
      expect(ids).toEqual(['e', 'e-2', 'f']);
    });
  });
});
