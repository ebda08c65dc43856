import { describe, expect, it } from 'vitest';
import type { RecordPart, SourceFrame } from '../../src/domain/source.ts';
import type { RecordSelector, SourceFile } from '../../src/domain/source-file.ts';
import { all, openOne } from './temp-export.ts';

/** `12:25 in a cell,[bad],rest` with `…` where the frame is cut. */
function reported(frame: SourceFrame | undefined): string | undefined {
  if (frame === undefined) return undefined;
  const { line, column, before, marked, after, cutBefore, cutAfter } = frame;
  const text = `${cutBefore ? '…' : ''}${before}[${marked}]${after}${cutAfter ? '…' : ''}`;
  return `${line}:${column ?? '?'} ${text}`;
}

async function frameOf(
  file: SourceFile,
  record: number,
  part: RecordPart,
  selector?: RecordSelector,
): Promise<string | undefined> {
  const found = (await all(file, selector))[record];
  if (found === undefined) throw new Error(`there is no record ${record}`);
  return reported(await file.frame(found.ref, part));
}

describe('the line of a cell in a CSV', () => {
  const HEADER = 'id,subject,email\n';
  it.each([
    ['a plain cell', '1,Hi,bad@\n', 2, '2:6 1,Hi,[bad@]'],
    ['the first cell', '1,Hi,bad@\n', 0, '2:1 [1],Hi,bad@'],
    ['an empty cell is where it would stand', '1,,a@b.c\n', 1, '2:3 1,[],a@b.c'],
    ['an empty last cell', '1,Hi,\n', 2, '2:6 1,Hi,[]'],
    ['a cell that a short row does not have', '1\n', 2, '2:2 1[]'],
    ['a quoted cell with its quotes', '1,"Hi, ""you""",x\n', 1, '2:3 1,["Hi, ""you"""],x'],
    ['a cell behind one with a delimiter in it', '1,"a,b",x\n', 2, '2:9 1,"a,b",[x]'],
    ['the first line of a cell of several lines', '1,"one\ntwo",x\n', 1, '2:3 1,["one]'],
    ['a cell that begins on a later line', '1,"one\ntwo",x\n', 2, '3:6 two",[x]'],
    ['the same with CRLF', '1,"one\r\ntwo",x\r\n', 2, '3:6 two",[x]'],
    ['the same with a lone CR in the cell', '1,"one\rtwo",x\n', 2, '3:6 two",[x]'],
    ['a quote that is no quote', '1,5" disk,x\n', 2, '2:11 1,5" disk,[x]'],
    ['a cell that goes on behind its quote', '1,"a" b,x\n', 2, '2:9 1,"a" b,[x]'],
  ])('%s', async (_, body, cell, expected) => {
    expect(await frameOf(await openOne('t.csv', HEADER + body), 0, { cell })).toBe(expected);
  });

  it('lines that end in CR alone', async () => {
    const file = await openOne('t.csv', 'id,subject\r1,one\r2,two\r');
    expect(await frameOf(file, 1, { cell: 1 })).toBe('3:3 2,[two]');
  });

  it('the reason that a rejects folder adds is no cell and not shown', async () => {
    const file = await openOne('t.csv', 'id,subject,_reason\n1,,No subject.\n');
    expect(await frameOf(file, 0, { cell: 1 })).toBe('2:3 1,[]');
  });

  it.each([
    ['id,subject\n1,a\n', '1:4 id,[subject]'],
    ['\ufeffid,subject\n1,a\n', '1:4 id,[subject]'],
    ['sep=,\nid,subject\n1,a\n', '2:4 id,[subject]'],
  ])('the header of %j is a record too', async (text, expected) => {
    const file = await openOne('t.csv', text);
    expect(reported(file.headerRef && (await file.frame(file.headerRef, { cell: 1 })))).toBe(expected);
  });

  it('a quote that is never closed is marked to the end of its line', async () => {
    const file = await openOne('t.csv', 'id,subject,email\n1,a,"b\n2,c,d\n');
    expect(await frameOf(file, 0, 'defect')).toBe('2:5 1,a,["b]');
  });

  it('a path is nothing that a CSV has', async () => {
    expect(await frameOf(await openOne('t.csv', 'id,a\n1,2\n'), 0, { path: ['a'] })).toBeUndefined();
  });
});

describe('the line of a value in JSON', () => {
  it.each([
    ['a value', '{"id":1,"a":"x"}', ['a'], '1:13 {"id":1,"a":["x"]}'],
    ['a value that is a number', '{"id":17}', ['id'], '1:7 {"id":[17]}'],
    [
      'one in objects and lists',
      '{"m":[{"a":1},{"a":{"b":"x"}}]}',
      ['m', 1, 'a', 'b'],
      '1:25 {"m":[{"a":1},{"a":{"b":["x"]}}]}',
    ],
    ['an object', '{"a":{"b":1}}', ['a'], '1:6 {"a":[{"b":1}]}'],
    [
      'a key that is missing: the object that lacks it',
      '{"m":[{"a":1}]}',
      ['m', 0, 'b'],
      '1:7 {"m":[[{]"a":1}]}',
    ],
    ['an index beyond the list', '{"m":[1]}', ['m', 4], '1:6 {"m":[[]1]}'],
    ['a way that goes on behind a text', '{"a":"x"}', ['a', 'email'], '1:6 {"a":["x"]}'],
    ['the last of a duplicate key', '{"a":1,"a":2}', ['a'], '1:12 {"a":1,"a":[2]}'],
    ['a key that only looks like an index', '{"0":"x"}', ['0'], '1:6 {"0":["x"]}'],
    ['characters beyond ASCII before it', '{"ä":"😀","a":"x"}', ['a'], '1:15 {"ä":"😀","a":["x"]}'],
  ])('of JSONL: %s', async (_, line, path, expected) => {
    expect(await frameOf(await openOne('t.jsonl', `${line}\n{"id":2}\n`), 0, { path })).toBe(expected);
  });

  const DOCUMENT =
    '{\n  "tickets": [\n    { "id": 1 },\n    {\n      "id": 2,\r\n      "at": "never"\r\n    }\n  ]\n}\n';
  const TICKETS = { path: ['tickets'] };

  it('of a document: on its own line', async () => {
    const file = await openOne('t.json', DOCUMENT);
    expect(await frameOf(file, 1, { path: ['at'] }, TICKETS)).toBe('6:13       "at": ["never"]');
    expect(await frameOf(file, 1, { path: ['id'] }, TICKETS)).toBe('5:13       "id": [2],');
    expect(await frameOf(file, 0, { path: ['id'] }, TICKETS)).toBe('3:13 …{ "id": [1] }');
  });

  it('a document on one line: with the column if the line is short enough to count', async () => {
    const file = await openOne('t.json', '[{"id":1},{"id":2}]');
    expect(await frameOf(file, 1, { path: ['id'] }, { path: [] })).toBe('1:17 …{"id":[2]}');
  });

  it('a line of megabytes is cut, and its column is left out', async () => {
    const filler = Array.from({ length: 4000 }, (_, id) => `{"id":${id},"ä":"${'ö'.repeat(20)}"}`);
    const file = await openOne('t.json', `[${filler.join(',')}]`);
    const record = (await all(file, { path: [] }))[3000];
    const frame = record && (await file.frame(record.ref, { path: ['id'] }));
    expect(frame).toMatchObject({ line: 1, marked: '3000', cutBefore: true });
    expect(frame).not.toHaveProperty('column');
    expect(frame?.before).toMatch(/^[^\ufffd]*$/);
    expect(frame?.after).toMatch(/^[^\ufffd]*$/);
    expect((frame?.before.length ?? 0) + (frame?.after.length ?? 0)).toBeLessThan(1000);
  });

  it('a long value is kept in its beginning', async () => {
    const file = await openOne('t.jsonl', `{"id":1,"a":"${'x'.repeat(100_000)}"}\n`);
    const frame = await file.frame((await all(file))[0]!.ref, { path: ['a'] });
    expect(frame).toMatchObject({ column: 13, cutBefore: false, cutAfter: true, after: '' });
    expect(frame?.marked.length).toBeLessThan(1000);
  });

  it.each([
    ['ends in the middle', '{"id":1,"a":"x', '2:15 {"id":1,"a":"x[]'],
    ['a comma is missing', '{"id":1 "a":2}', '2:9 {"id":1 ["]a":2}'],
    ['more behind its end', '{"id":1} x', '2:10 {"id":1} [x]'],
    ['no object', '["id"]', '2:1 [["id"]]'],
  ])('a line that %s is marked there', async (_, line, expected) => {
    const file = await openOne('t.jsonl', `{"id":0}\n${line}\n`);
    expect(await frameOf(file, 1, 'defect')).toBe(expected);
  });

  it.each([
    ['within a record', '{\n "t": [\n  {"id": 1},\n  {"id": 2 "a":3}\n ]\n}', '4:12 …{"id": 2 ["]a":3}'],
    ['between two records', '{\n "t": [\n  {"id": 1}\n  {"id": 2}\n ]\n}', '4:3 …[{]"id": 2}'],
  ])('a document that stops being JSON %s is marked there', async (_, text, expected) => {
    expect(await frameOf(await openOne('t.json', text), 1, 'defect', { path: ['t'] })).toBe(expected);
  });

  it('a cell is nothing that JSON has', async () => {
    expect(await frameOf(await openOne('t.jsonl', '{"id":1}\n'), 0, { cell: 0 })).toBeUndefined();
  });
});

it('a byte order mark is no character of the first line', async () => {
  const file = await openOne('t.jsonl', `\ufeff{"id":"x"}\n`);
  expect(await frameOf(file, 0, { path: ['id'] })).toBe('1:7 {"id":["x"]}');
});
