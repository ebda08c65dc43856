import { isUtf8 } from 'node:buffer';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RecordSelector } from '../../src/domain/source-file.ts';
import { all, openOne, placesAreTrue } from './temp-export.ts';

const suite = resolve(import.meta.dirname, '../../../shared/data/json_nasty/JSONTestSuite');
const ROOT: RecordSelector = { path: [] };
const TICKETS: RecordSelector = { path: ['tickets'] };

async function objects(name: string, content: string | Buffer, selector?: RecordSelector, options = {}) {
  const records = await all(await openOne(name, content, options), selector);
  return records.map(({ object, error }) => object ?? error);
}

function longIntegersAsText(_key: string, value: unknown): unknown {
  const isLong = typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(String(value));
  return isLong ? String(value) : value;
}

describe('JSONL', () => {
  it('reads a line each, passes over empty ones, and names a broken one by line and column', async () => {
    const file = await openOne('t.jsonl', '{"a":1}\n\n  \r\n{"a":2}\r\n{"a":3,}\n[1]\n"x"\n{"a":4}');
    const records = await all(file);
    expect(records.map(({ ref, object, error }) => [ref.line, object?.['a'] ?? error])).toEqual([
      [1, 1],
      [4, 2],
      [5, 'This is not valid JSON at column 8: a key in double quotes is expected.'],
      [6, 'This is a list, not an object in braces.'],
      [7, 'This is a string, not an object in braces.'],
      [8, 4],
    ]);
    expect((await file.raw(records[2]!.ref)).toString()).toBe('{"a":3,}');
  });

  it('says how much of the file its broken lines are', async () => {
    const broken = `{"a":"${'x'.repeat(300)}`;
    const { problems } = await openOne('t.jsonl', `{"a":1}\n${broken}\n${'{"a":1234}\n'.repeat(10)}`);
    expect(problems).toMatchObject([
      { code: 'unreadable-share', message: expect.stringMatching(/^74% of .*t\.jsonl cannot be read/) },
    ]);
    expect((await openOne('t.jsonl', '{"a":1}\n{"a":2}\n')).problems).toEqual([]);
  });

  it('finds elements within lines that are pages', async () => {
    const content = '{"tickets":[{"id":1},{"id":2}]}\n{"next":null,"tickets":[]}\n{"tickets":[{"id":3}]}\n';
    const file = await openOne('t.jsonl', content);
    const records = await all(file, TICKETS);
    expect(records.map(({ ref, object }) => [ref.line, object])).toEqual([
      [1, { id: 1 }],
      [1, { id: 2 }],
      [3, { id: 3 }],
    ]);
    expect(await placesAreTrue(file, content, TICKETS)).toEqual([]);
  });

  it('takes the records of one stream out of an envelope', async () => {
    const line = (stream: string, id: number) =>
      JSON.stringify({ type: 'RECORD', record: { stream, data: { id } } });
    const content = [
      line('users', 1),
      '{"type":"LOG"}',
      line('tickets', 2),
      '{"type":"RECORD","record":{"stream":"tickets"}}',
    ];
    const selector = {
      where: { path: ['record', 'stream'], oneOf: ['tickets'] },
      unwrap: ['record', 'data'],
    };
    expect(await objects('t.jsonl', content.join('\n'), selector)).toEqual([
      { id: 2 },
      'The record has no object at record.data.',
    ]);
  });
});

describe('JSON documents', () => {
  it.each<[string, string, RecordSelector | undefined, unknown[]]>([
    ['a root array', '[{"id":1},\n {"id":2}]', ROOT, [{ id: 1 }, { id: 2 }]],
    ['an empty array', '[]', ROOT, []],
    [
      'an array under a key',
      '{"count":2,"tickets":[{"id":1},{"id":2}],"next":null}',
      TICKETS,
      [{ id: 1 }, { id: 2 }],
    ],
    ['an array under keys', '{"_e":{"x":[1],"c":[{"id":1}]}}', { path: ['_e', 'c'] }, [{ id: 1 }]],
    ['an object where the array should be', '{"tickets":{"id":1}}', TICKETS, [{ id: 1 }]],
    ['nothing where the array should be', '{"tickets":null}', TICKETS, []],
    ['another key', '{"users":[{"id":1}]}', TICKETS, []],
    ['the document itself', '{\n "id": 1\n}', undefined, [{ id: 1 }]],
    ['documents one after another', '{\n"id":1\n}\n{\n"id":2\n}', undefined, [{ id: 1 }, { id: 2 }]],
    ['blank lines before', '\n\n  [{"id":1}]', ROOT, [{ id: 1 }]],
    ['a key with an escape', '{"ti\\u0063kets":[{"id":1}]}', TICKETS, [{ id: 1 }]],
    [
      'brackets and quotes in strings',
      '[{"a":"]}\\"[{,"},{"b":"\\\\"}]',
      ROOT,
      [{ a: ']}"[{,' }, { b: '\\' }],
    ],
    ['_reason', '[{"id":1,"_reason":"x"}]', ROOT, [{ id: 1 }]],
  ])('reads %s', async (_name, content, selector, expected) => {
    for (const chunkBytes of [1, 3, 1 << 20]) {
      expect(await objects('t.json', content, selector, { tuning: { chunkBytes } })).toEqual(expected);
    }
  });

  it.each<[string, string, number, string]>([
    ['a missing comma', '[{"id":1}\n{"id":2}]', 1, 'line 2, column 1: a comma is missing'],
    ['a comma too many', '[{"id":1},\n]', 1, 'line 2, column 1: a value is expected'],
    ['an end in the middle', '{"tickets":[{"id":1},\n{"id":', 1, 'ends in the middle'],
    ['something behind the end', '[{"id":1}]\n,', 1, 'line 2, column 1: there is data after its end'],
    [
      'a bad element, and goes on behind it',
      '[{"id":1},\n{"x":tru},{"id":3}]',
      2,
      'line 2, column 6: a value is expected',
    ],
  ])('tells of %s', async (_name, content, good, message) => {
    const found = await objects('t.json', content, content.startsWith('{') ? TICKETS : ROOT);
    expect(found.filter((each) => typeof each === 'object')).toHaveLength(good);
    expect(found.filter((each) => typeof each === 'string')).toEqual([expect.stringContaining(message)]);
  });

  it('finds every element again by its place, however it is written', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.dictionary(fc.stringMatching(/^[^.]*$/), fc.jsonValue(), { maxKeys: 4, noNullPrototype: true }),
          {
            maxLength: 8,
          },
        ),
        fc.constantFrom(0, 1, 2),
        fc.integer({ min: 1, max: 64 }),
        async (data, indent, chunkBytes) => {
          const plain = data.map(({ _reason, ...rest }) => rest);
          const content = JSON.stringify({ meta: { tickets: 1 }, tickets: plain, z: '"' }, null, indent);
          const file = await openOne('t.json', content, { tuning: { chunkBytes } });
          expect((await all(file, TICKETS)).map(({ object }) => JSON.stringify(object))).toEqual(
            plain.map((each) => JSON.stringify(each, longIntegersAsText)),
          );
          expect(await placesAreTrue(file, content, TICKETS)).toEqual([]);
        },
      ),
      { numRuns: 25 },
    );
  });

  it.each([
    ['{"a.b":1,"a.c.d":2}', '{"a":{"b":1,"c":{"d":2}}}'],
    ['{"a.b":1,"a":"x"}', '{"a":"x","a.b":1}'],
    ['{"a.b":1,"a":{"c":2}}', '{"a":{"c":2,"b":1}}'],
    ['{"a":{"b.c":1},".":2,"x.":3}', '{"a":{"b.c":1},".":2,"x.":3}'],
  ])('reads keys with dots as objects: %s', async (content, object) => {
    const file = await openOne('t.json', content);
    expect((await all(file)).map((each) => JSON.stringify(each.object))).toEqual([object]);
  });

  it('leaves _reason out of the text of a record wherever it is', async () => {
    const content = '[{"id" : 1, "_reason":"x"},{ "_reason" :"y","b": {"_reason":2}},{"_reason":"z"}]';
    const file = await openOne('t.json', content);
    const raw = await Promise.all(
      (await all(file, ROOT)).map(async ({ ref }) => (await file.raw(ref)).toString()),
    );
    expect(raw).toEqual(['{"id":1}', '{"b":{"_reason":2}}', '{}']);
  });
});

it('a document beyond the bound is refused with the command that makes lines of it', async () => {
  const tuning = { maxDocumentBytes: 1024 * 1024 };
  const work = openOne('t.json', `[{"id":1,"x":"${'y'.repeat(1024 * 1024)}"}]`, { tuning });
  await expect(work).rejects.toMatchObject({
    code: 'source',
    hint: expect.stringContaining("jq -c '.tickets[]'"),
  });
});

describe('values that are easily lost', () => {
  it.each<[string, string, unknown]>([
    ['an id beyond 2^53', '12345678901234567890', '12345678901234567890'],
    ['a negative one', '-9007199254740993', '-9007199254740993'],
    ['the greatest safe integer stays a number', '9007199254740991', 9007199254740991],
    ['sixteen digits in a string stay a string', '"x 1234567890123456"', 'x 1234567890123456'],
    ['a fraction stays a number', '1.12345678901234567', 1.1234567890123457],
    ['a list of them', '[1, 12345678901234567]', [1, '12345678901234567']],
  ])('%s', async (_name, value, expected) => {
    expect(await objects('t.jsonl', `{"pad":"${'p'.repeat(40)}","x":${value}}\n`)).toEqual([
      { pad: 'p'.repeat(40), x: expected },
    ]);
  });

  it('a key __proto__ is a key, and no prototype', async () => {
    const [object] = await objects('t.jsonl', '{"__proto__":{"polluted":1},"id":12345678901234567890}\n');
    expect(Object.hasOwn(object as object, '__proto__')).toBe(true);
    expect(Object.getPrototypeOf(object)).toBe(Object.prototype);
    expect((object as { polluted?: unknown }).polluted).toBeUndefined();
  });

  it('lone surrogates and NULs stay', async () => {
    expect(await objects('t.jsonl', '{"a":"\\ud800x","b":"\\u0000"}\n')).toEqual([{ a: '\ud800x', b: '\0' }]);
  });

  it.each(['[', '{"a":'])('a hundred thousand %s give an error', async (open) => {
    const close = open === '[' ? ']' : '}';
    const deep = `${open.repeat(100_000)}1${close.repeat(100_000)}`;
    const tooDeep = 'nested more than 1,000 levels deep';
    expect(await objects('t.jsonl', `{"id":1,"x":${deep}}\n{"id":2}\n`)).toEqual([
      `This is ${tooDeep}.`,
      { id: 2 },
    ]);
    expect(await objects('t.json', `[{"id":1,"x":${deep}},{"id":2}]`)).toEqual([
      expect.stringContaining(`it is ${tooDeep}; nothing after it was read`),
    ]);
  });

  it('brackets without end are an error, not a crash', async () => {
    expect(await objects('t.json', '['.repeat(3_000_000), ROOT)).toEqual([
      expect.stringContaining('not valid JSON'),
    ]);
  });

  it('reads a line of 5 MB', async () => {
    const body = 'x'.repeat(5_000_000);
    const [object, next] = await objects('t.jsonl', `{"id":1,"body":"${body}"}\n{"id":2}\n`);
    expect((object as { body: string }).body.length).toBe(5_000_000);
    expect(next).toEqual({ id: 2 });
  });

  it('a record beyond the bound is an error', async () => {
    const tuning = { chunkBytes: 100, maxJsonRecordBytes: 1000 };
    const long = `{"id":1,"x":"${'x'.repeat(5000)}"}`;
    await expect(objects('t.jsonl', `{"id":2}\n${long}\n`, undefined, { tuning })).rejects.toMatchObject({
      code: 'source',
      message: expect.stringMatching(/t\.jsonl:2: the line is longer than/),
    });
    expect(await objects('t.json', `[${long},\n{"id":2}]`, ROOT, { tuning })).toEqual([
      'The record is too long to be read.',
      { id: 2 },
    ]);
  });
});

describe.runIf(existsSync(suite))('the JSON test suite', () => {
  const names = existsSync(suite) ? readdirSync(suite) : [];

  it('no n_ or i_ file within a record is accepted or costs the next record', async () => {
    const rejected = names.filter((each) => each.startsWith('n_'));
    const bytes = rejected
      .map((name) => readFileSync(join(suite, name)))
      .filter((each) => !each.includes(10) && isUtf8(each) && each.length < 10_000);
    const lines = bytes.flatMap((each, id) => [
      Buffer.concat([Buffer.from('{"x":'), each, Buffer.from('}\n')]),
      Buffer.from(`{"id":${id}}\n`),
    ]);
    const found = await objects('t.jsonl', Buffer.concat(lines));
    expect(found.filter((each) => typeof each === 'object')).toEqual(bytes.map((_, id) => ({ id })));
  });

  it('no n_ or i_ file crashes as a document or as a line', async () => {
    for (const name of names.filter((each) => !each.startsWith('y_')))
      for (const file of name.startsWith('i_') ? ['t.json', 't.jsonl'] : ['t.json'])
        try {
          await objects(file, readFileSync(join(suite, name)), ROOT);
        } catch (error) {
          expect(error, name).toMatchObject({ name: 'AppError', code: 'source' });
        }
  });
});
