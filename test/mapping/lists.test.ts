import { describe, expect, it } from 'vitest';
import { parsePath, valueAt } from '../../src/mapping/compile/paths.ts';
import { mailbox, parseList } from '../../src/mapping/compile/values.ts';
import { layoutFrom, mapExport } from './support/map-export.ts';

describe('a list in a cell', () => {
  it.each([
    ['a;b; c ;', ['a', 'b', 'c']],
    ["['a', 'b']", ['a', 'b']],
    [`['it\\'s', "b", None, 3]`, ["it's", 'b', '3']],
    ["['a' 'b']", ['a', 'b']],
    ['[a; b]', ['[a', 'b]']],
    ['a;b|c', ['a', 'b|c']],
    ['one, two', ['one, two']],
    ['["x","y;z"]', ['x', 'y;z']],
    ['[]', []],
    ['', []],
    ['[broken', ['[broken']],
    ['{billing,"very important"}', ['billing', 'very important']],
    ['{}', [{}]],
    ['a\nb', ['a', 'b']],
  ])('%s', (text, list) => {
    expect(parseList(text)).toEqual(list);
  });
});

describe('a mailbox', () => {
  it.each([
    ['Ann Lee <ann@example.com>', { email: 'ann@example.com', name: 'Ann Lee' }],
    ['"Lee, Ann" <ann@example.com>', { email: 'ann@example.com', name: 'Lee, Ann' }],
    ['ann@example.com', { email: 'ann@example.com', name: undefined }],
    ['<ann@example.com>', { email: 'ann@example.com', name: undefined }],
    ['Ann Lee', { email: undefined, name: 'Ann Lee' }],
    ['Ann Lee (ann@example.com)', { email: 'ann@example.com', name: 'Ann Lee' }],
    ['Ann Lee (@annlee) ann@example.com', { email: 'ann@example.com', name: 'Ann Lee' }],
    ['ann@example.com; Ann Lee', { email: 'ann@example.com', name: 'Ann Lee' }],
    ['ann@example.com, bob@example.com', { email: undefined, name: 'ann@example.com, bob@example.com' }],
  ])('%s', (text, parts) => {
    expect(mailbox(text)).toEqual(parts);
  });
});

describe('a path', () => {
  const value = { a: { b: [{ c: 1 }, { c: 2, d: [3, 4] }, {}] }, 'x.y': 9, list: [['p', 'q']] };
  it.each([
    ['a.b[].c', [1, 2]],
    ['a.b[1].c', 2],
    ['a.b.1.c', 2],
    ['a.b[].d', [3, 4]],
    ['a.b[9].c', undefined],
    ['a.constructor', undefined],
    ['a.b.length', undefined],
    ['list[0][1]', 'q'],
    ['nothing.at.all', undefined],
  ])('%s', (path, found) => {
    expect(valueAt(value, parsePath(path))).toEqual(found);
  });
});

describe('tags under a header that the CSV repeats', () => {
  const tagsOf = async (rule: string, rows: string) => {
    const layout = layoutFrom(`
name: test
title: Test
tables: { tickets: { role: root, key: id, recognise: { file: 't*' } } }
ticket: { subject: title, tags: ${rule} }
`);
    const { tickets } = await mapExport({ 't.csv': `id,title,Labels,Labels,Labels\n${rows}` }, layout);
    return tickets.map(({ ticket }) => ticket['tags']);
  };

  it.each(['Labels', '{ column: Labels, split: list }', "{ column: Labels, split: ' ' }"])(
    'are those of all its cells: %s',
    async (rule) => {
      expect(await tagsOf(rule, '1,a,late,,vip\n2,b,,urgent,\n')).toEqual([
        ['late', 'vip'],
        expect.anything(),
      ]);
    },
  );

  it('are split in each cell', async () => {
    expect(await tagsOf('{ column: Labels, split: "," }', '1,a,"late,new",vip,\n')).toEqual([
      ['late', 'new', 'vip'],
    ]);
  });
});
