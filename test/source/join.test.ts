import { describe, expect, it } from 'vitest';
import { joinExport } from '../../src/source/join.ts';
import { requireExpectation, rowsOf } from '../support/rows.ts';
import { items, MESSAGES, planOf, ROOT, reported, stage, text } from './join-plan.ts';
import { failure, open, openFolder, tempFolder } from './temp-export.ts';

interface Case {
  readonly name: string;
  readonly tables?: Parameters<typeof stage>[1];
  readonly files: Readonly<Record<string, string>>;
  readonly tickets?: readonly string[];
  readonly unmatched?: readonly string[];
  /** By table, key and values of a row: its cells, or null if it is not found. */
  readonly lookups?: Readonly<Record<string, string | null>>;
  readonly older?: number;
  readonly refused?: { readonly message: string; readonly hint?: string };
}

const { given, cases } = rowsOf<{ given: { tables: Parameters<typeof stage>[1] }; cases: readonly Case[] }>(
  import.meta.dirname,
  'join.yaml',
);

it.each(cases)('$name', async ({ tables = given.tables, ...of }) => {
  requireExpectation(of, 'files', 'tickets unmatched lookups older refused');
  const files = await openFolder(of.files);
  if (of.refused !== undefined) {
    const { message, hint = '' } = of.refused;
    const error = await failure((async () => stage(files, tables))());
    expect([error.message, error.hint ?? '']).toEqual(
      [message, hint].map((part) => expect.stringContaining(part)),
    );
    return;
  }
  const joined = stage(files, tables);
  // what is read once can be read again
  for (let round = 0; round < 2; round++) {
    if (of.tickets !== undefined) expect(reported(joined)).toEqual(of.tickets);
    for (const [asked, row] of Object.entries(of.lookups ?? {})) {
      const [table = '', key = '', ...values] = asked.split(' ');
      const found = joined.lookup(table, key.split(','), values.join(' ').split(','));
      expect(found === undefined ? null : text(found), asked).toBe(row);
    }
  }
  if (of.unmatched !== undefined)
    expect([...joined.unmatchedRows()].map(({ parent }) => parent)).toEqual(of.unmatched);
  if (of.older !== undefined)
    expect(joined.olderRows().reduce((sum, { rows }) => sum + rows, 0)).toBe(of.older);
});

it('a lookup by a key that is not planned is a defect', async () => {
  const users = { name: 'users', role: 'lookup', key: [], lookups: [['id']] } as const;
  const joined = stage(await openFolder({ 'tickets.csv': 'id\n1\n', 'users.csv': 'id,team\n1,x\n' }), [
    ROOT,
    users,
  ]);
  expect(() => joined.lookup('users', ['team'], ['x'])).toThrow(/no lookup/);
});

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

describe('rows without an ID', () => {
  const idsOf = async (name: string, text: string) => {
    const selector = name.endsWith('json') ? { selector: { path: [] } } : {};
    const joined = stage(await openFolder({ [name]: text }), [
      { name: 'tickets', role: 'root', key: [], ...selector },
    ]);
    const ids = items(joined).map((item) => item.externalId?.replace(/^row-[\da-f]{16}/, (id) => short(id)));
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
