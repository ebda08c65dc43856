import { describe, expect, it } from 'vitest';
import { DistinctValues } from '../../src/discover/column-profile.ts';
import { itemPath, jsonColumns, listOfPath } from '../../src/discover/table-profile.ts';
import {
  epochPattern,
  isCertainNull,
  kindOfText,
  kindOfValue,
  nullText,
  orderedPattern,
  timePattern,
} from '../../src/discover/value-kind.ts';

describe('the kind of a value', () => {
  it.each([
    ['12', 'integer'],
    ['-7', 'integer'],
    ['9007199254740993', 'integer'],
    ['007', 'text'],
    ['+233501230001', 'text'],
    ['1.5', 'number'],
    ['1,234.50', 'number'],
    ['TRUE', 'boolean'],
    ['sí', 'boolean'],
    ['nein', 'boolean'],
    ['2024-05-31', 'date'],
    ['31/05/2024', 'date'],
    ['31.05.2024', 'date'],
    ['31.05.2024 09:15', 'time'],
    ['2024-05-31T09:15:00Z', 'time'],
    ['22/Sep/25 9:26 AM', 'time'],
    ['1.2.3', 'text'],
    ['ann@example.com', 'email'],
    ['Ann Lee <ann@example.com>', 'email'],
    ['write to ann@example.com today', 'text'],
    ['https://example.com/a.pdf', 'url'],
    ['<p>Hello</p>', 'html'],
    ['a < b and b > c', 'text'],
    ['["a","b"]', 'list'],
    ["[{'brand': 'x'}]", 'list'],
    ['{"a":1}', 'object'],
    ['[draft] hello', 'text'],
    ['Order #12 of 3 May', 'text'],
  ] as const)('%s is %s', (text, kind) => {
    expect(kindOfText(text)).toBe(kind);
  });

  it.each([
    [null, undefined],
    ['  ', undefined],
    [3, 'integer'],
    [3.5, 'number'],
    [false, 'boolean'],
    [[1], 'list'],
    [{ a: 1 }, 'object'],
    ['x', 'text'],
  ] as const)('%j of a JSON record is %s', (value, kind) => {
    expect(kindOfValue(value)).toBe(kind);
  });

  it('a very long cell costs no more than a glance', () => {
    const long = `[${'"x",'.repeat(50_000)}"x"]`;
    expect(kindOfText(long)).toBe('list');
    expect(kindOfText('<'.repeat(1_000_000))).toBe('text');
    expect(kindOfText('1'.repeat(1_000_000))).toBe('text');
  });
});

describe('how times are written', () => {
  it.each([
    ['2024-04-06 15:39:15.434545', 'yyyy-MM-dd HH:mm:ss.S', false],
    ['2024-04-06T15:39:15.000Z', "yyyy-MM-dd'T'HH:mm:ss.SXXX", true],
    ['2014-12-31T12:27:09+10:00', "yyyy-MM-dd'T'HH:mm:ssXXX", true],
    ['2026-05-01T07:25:37.000+0000', "yyyy-MM-dd'T'HH:mm:ss.SXXX", true],
    ['06/26/2018 10:58:54 AM', '##/##/yyyy hh:mm:ss a', false],
    ['29-02-2016 01:16', '##-##-yyyy HH:mm', false],
    ['22/Sep/25 9:26 AM', 'd/MMM/yy h:mm a', false],
    ['03.02.2025 08:12', 'dd.MM.yyyy HH:mm', false],
    ['2021-03-22', 'yyyy-MM-dd', false],
    ['3. März 2024', 'd. MMMM yyyy', false],
    ['May 3, 2024 10:00 AM', 'MMM d, yyyy hh:mm a', false],
  ] as const)('%s is %s', (text, pattern, zoned) => {
    expect(timePattern(text)).toEqual({ pattern, zoned });
  });

  it.each(['hello', '12', '1714560000', ''])('%s has no pattern', (text) => {
    expect(timePattern(text)).toBeUndefined();
  });

  it.each([
    ['1714560000', 'seconds since 1970'],
    ['1714560000.25', 'seconds since 1970'],
    ['1714560000000', 'milliseconds since 1970'],
    ['4711', undefined],
    ['99999999999999', undefined],
  ] as const)('the number %s is %s', (text, pattern) => {
    expect(epochPattern(text)?.pattern).toBe(pattern);
  });

  it('the order of day and month stands in the pattern as far as it is known', () => {
    expect(orderedPattern('##/##/yyyy', true)).toBe('dd/MM/yyyy');
    expect(orderedPattern('##/##/yyyy', false)).toBe('MM/dd/yyyy');
    expect(orderedPattern('##/##/yyyy', undefined)).toBe('dd/MM/yyyy or MM/dd/yyyy');
    expect(orderedPattern('yyyy-MM-dd', undefined)).toBe('yyyy-MM-dd');
  });
});

describe('texts that mean nothing is there', () => {
  it.each([
    ['?', true],
    ['NULL', true],
    ['\\N', true],
    ['#N/A', true],
    ['None', false],
    ['n/a', false],
    ['-', false],
  ])('%s: certain %s', (text, certain) => {
    expect(nullText(` ${text} `)).toBe(text);
    expect(isCertainNull(text)).toBe(certain);
  });

  it.each(['no', 'nothing', 'Anna', ''])('%j is a value', (text) => {
    expect(nullText(text)).toBeUndefined();
  });
});

describe('different values', () => {
  it('come with their counts, most frequent first', () => {
    const values = new DistinctValues();
    for (const value of ['b', 'a', 'c', 'a', 'c', 'a']) values.add(value);
    expect(values.list()).toEqual([
      { value: 'a', count: 3 },
      { value: 'c', count: 2 },
      { value: 'b', count: 1 },
    ]);
  });

  it('are given up when there are too many, or when they are texts', () => {
    const many = new DistinctValues();
    for (let n = 0; n < 1000; n++) many.add(`v${n}`);
    expect(many.list()).toBeUndefined();
    const long = new DistinctValues();
    long.add('x'.repeat(500));
    expect(long.list()).toBeUndefined();
  });
});

describe('columns of a JSON record', () => {
  it('lead through objects, lists and lists of rows', () => {
    const found = new Map<string, unknown[]>();
    jsonColumns(
      {
        id: 1,
        who: { mail: 'a@b.c' },
        tags: ['x', 'y'],
        lines: [['agent', 'hi']],
        turns: [{ t: 1 }, { t: 2 }],
        none: [],
        _reason: 'no',
      },
      (path, value) => found.set(path, [...(found.get(path) ?? []), value]),
    );
    expect(Object.fromEntries(found)).toEqual({
      id: [1],
      'who.mail': ['a@b.c'],
      tags: [['x', 'y']],
      'tags[]': ['x', 'y'],
      lines: [[['agent', 'hi']]],
      'lines[][0]': ['agent'],
      'lines[][1]': ['hi'],
      turns: [[{ t: 1 }, { t: 2 }]],
      'turns[].t': [1, 2],
      none: [undefined],
    });
  });

  it.each([
    ['messages[].body', 'messages', 'body'],
    ['original[][1]', 'original', '1'],
    ['tags[]', 'tags', '.'],
    ['a[].b[].c.d', 'a[].b', 'c.d'],
  ])('%s stands in the items of %s as %s', (path, list, item) => {
    expect(listOfPath(path)).toBe(list);
    expect(itemPath(path)).toBe(item);
  });

  it('nesting without end is not followed', () => {
    let deep: unknown = 'x';
    for (let n = 0; n < 5000; n++) deep = { deep };
    const paths: string[] = [];
    jsonColumns(deep as object, (path) => paths.push(path));
    expect(paths).toHaveLength(1);
    expect(paths[0]?.split('.').length).toBeLessThan(10);
  });
});
