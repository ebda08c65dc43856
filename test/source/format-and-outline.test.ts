import { describe, expect, it } from 'vitest';
import { openOne } from './temp-export.ts';

describe('formats and shapes', () => {
  it.each<[string, string, string]>([
    ['t.json', '[{"id":1}]', 'json'],
    ['t.json', '{"id":1}\n{"id":2}\n', 'jsonl'],
    ['t.txt', '{"id":1}\n{"id":2}\n', 'jsonl'],
    ['t.jsonl', '{"id":1}', 'jsonl'],
    ['t.json', '{"id":1}', 'json'],
    ['t.log', '{"id":1}\nbroken\n{"id":2}\n', 'jsonl'],
    ['t.jsonl', 'broken\n{"id":1}\n{"id":2}\n', 'jsonl'],
    ['t.jsonl', 'bro,ken\n{"id":1}\n{"id":2}\n', 'jsonl'],
    ['t.ndjson', '{\n"id":1\n}', 'json'],
    ['t.json', '\n\n {\n"id":1\n}', 'json'],
    ['t.json', 'id,subject\n1,x\n', 'csv'],
    ['t.csv', '{"id":1}\n{"id":2}\n', 'jsonl'],
    ['t.json', 'nonsense', 'json'],
    ['noending', 'a\tb\n1\t2\n', 'csv'],
  ])('%s with %j is %s', async (name, content, format) => {
    expect((await openOne(name, content)).format).toBe(format);
  });

  const paths = (collections: readonly { path: readonly string[] | undefined }[] = []) =>
    collections.map(({ path }) => path?.join('.') ?? 'document');

  it.each<[string, string, string[]]>([
    ['t.json', '[{"id":1}]', ['']],
    [
      't.json',
      '{"_embedded":{"conversations":[{"id":1}],"a":{"b":[{"x":1}]}},"page":{"n":1},"t":[1,2]}',
      ['document', '_embedded.conversations', '_embedded.a.b'],
    ],
    [
      't.jsonl',
      '{"tickets":[{"id":1}]}\n{"tickets":[],"users":[{"id":2}]}\n',
      ['document', 'tickets', 'users'],
    ],
    ['t.jsonl', '[{"id":1}]\n[{"id":2}]\n', ['']],
    ['t.json', '{"a":{"b":{"c":{"d":[{"too":"deep"}]}}}}', ['document']],
  ])('collections of %s %j', async (name, content, expected) => {
    expect(paths((await openOne(name, content)).collections)).toEqual(expected);
  });

  it('a collection behind a long one is seen, and samples are bounded', async () => {
    const tickets = Array.from({ length: 5000 }, (_, id) => ({ id, x: 'y'.repeat(50) }));
    const content = JSON.stringify({ tickets, users: [{ id: 1, email: 'a@b.c' }] });
    const { collections = [] } = await openOne('t.json', content, { tuning: { chunkBytes: 4096 } });
    expect(paths(collections)).toEqual(['document', 'tickets', 'users']);
    expect(collections.map(({ sample }) => sample.length)).toEqual([1, 100, 1]);
  });

  it('a stream that is rare among many kinds of records is in the sample', async () => {
    const line = (stream: string, data: object) =>
      JSON.stringify({ type: 'RECORD', record: { stream, data } });
    const lines = Array.from({ length: 900 }, (_, id) => line('tickets', { id, [`custom_${id}`]: 1 }));
    lines.splice(850, 0, line('users', { id: 1, email: 'x' }));
    const { collections = [] } = await openOne('t.jsonl', lines.join('\n'));
    const streams = collections[0]?.sample.map(({ record }) => (record as { stream: string }).stream) ?? [];
    expect(streams).toHaveLength(100);
    expect(streams.filter((stream) => stream === 'users')).toHaveLength(1);
  });

  it('_reason is in no shape', async () => {
    expect(await openOne('t.csv', 'a,_reason\n1,x\n')).toMatchObject({
      header: ['a'],
      sampleRows: [['1']],
    });
    for (const [name, content] of [
      ['t.jsonl', '{"a":1,"_reason":"x"}\n{"a":2}\n'],
      ['t.json', '[{"a":1,"_reason":"x"},{"a":2}]'],
    ] as const) {
      expect((await openOne(name, content)).collections?.[0]?.sample).toEqual([{ a: 1 }, { a: 2 }]);
    }
  });

  it('a CSV shows its header and at most 200 rows', async () => {
    const content = `a,b\n${'1,2\n'.repeat(500)}`;
    expect((await openOne('t.csv', content)).sampleRows).toHaveLength(200);
  });
});
