import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { items, MESSAGES, ROOT, reported, stage, text } from './join-plan.ts';
import { openFolder } from './temp-export.ts';

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
    expect([...staged.rowCounts()]).toEqual([
      ['messages', 6],
      ['events', 2],
    ]);
    expect(reported(staged)).toEqual(reported(staged));
  });

  it.each<[string, string, string]>([
    ['12 of JSON and " 12 " of CSV are one key', '{"id":12}', 'ticketId\n" 12 "\n'],
    ['long numbers keep their digits', '{"id":12345678901234567891}', 'ticketId\n12345678901234567891\n'],
    ['an id that looks like a number stays what it is', '{"id":"0012"}', 'ticketId\n0012\n'],
  ])('%s', async (_name, ticket, messages) => {
    const files = await openFolder({ 'tickets.jsonl': `${ticket}\n`, 'messages.csv': messages });
    const staged = stage(files, [ROOT, MESSAGES]);
    expect([...staged.unmatchedRows()]).toEqual([]);
    const [item] = items(staged);
    expect(item?.kind === 'ticket' && item.children.get('messages')?.length).toBe(1);
  });

  it('0012 is not 12', async () => {
    const files = await openFolder({ 'tickets.jsonl': '{"id":12}\n', 'messages.csv': 'ticketId\n0012\n' });
    const staged = stage(files, [ROOT, MESSAGES]);
    expect([...staged.unmatchedRows()].map(({ parent }) => parent)).toEqual(['0012']);
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
            const staged = stage(files, [ROOT, MESSAGES]);
            const tickets = items(staged).map((item) =>
              item.kind === 'ticket'
                ? [item.externalId, (item.children.get('messages') ?? []).map(text).sort()]
                : item.code,
            );
            return [tickets, [...staged.unmatchedRows()].map(({ parent }) => parent).sort()];
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
