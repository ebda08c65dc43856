import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CsvReader } from '../../src/source/csv.ts';
import { regularRecord } from '../../src/source/csv-line.ts';
import { all, failure, open, openOne, placesAreTrue } from './temp-export.ts';

const nasty = resolve(import.meta.dirname, '../../../shared/data/csv_nasty');

/** Cells of a row with a bar between them. */
const read: [name: string, content: string, header: string, rows: string[]][] = [
  ['LF', 'a,b\n1,2\n3,4\n', 'a|b', ['1|2', '3|4']],
  ['CRLF', 'a,b\r\n1,2\r\n3,4', 'a|b', ['1|2', '3|4']],
  ['CR alone', 'a,b\r1,2\r"3\r4",5\r', 'a|b', ['1|2', '3\r4|5']],
  ['mixed line ends', 'a,b\r\n1,2\n3,4\r\n', 'a|b', ['1|2', '3|4']],
  ['a byte order mark', '\ufeffa,b\n1,2\n', 'a|b', ['1|2']],
  ['empty lines', '\n\na,b\n\n1,2\n\n\n3,4\n\n', 'a|b', ['1|2', '3|4']],
  ['cells over several lines', 'a,b\n"x\n\ny",2\n3,4', 'a|b', ['x\n\ny|2', '3|4']],
  ['doubled quotes', 'a,b\n"say ""hi""",2', 'a|b', ['say "hi"|2']],
  ['quotes within unquoted cells', 'a,b\n5" pipe,2" "x"\n', 'a|b', ['5" pipe|2" "x"']],
  ['text behind a closing quote', 'a,b\n"Once" upon,2\n', 'a|b', ['"Once" upon|2']],
  ['short rows are filled up', 'a,b,c\n1\n1,2\n', 'a|b|c', ['1||', '1|2|']],
  ['cells beyond the header stay', 'a,b\n1,2,3,4\n', 'a|b', ['1|2|3|4']],
  ['repeated headers stay', 'Comment,Comment\nx,y\n', 'Comment|Comment', ['x|y']],
  ['NUL', 'a,b\n\0,2\n"x\0",3\n', 'a|b', ['\0|2', 'x\0|3']],
  ['a lone CR before the end, behind blank lines', 'a,b\n\r\n\n1,2\r\n\r\r', 'a|b', ['1|2', '\r|']],
  ['semicolons', 'a;b\n1,5;2\n3;4,5\n', 'a|b', ['1,5|2', '3|4,5']],
  ['tabs', 'a\tb, c\n1\t"2\t3"\n', 'a|b, c', ['1|2\t3']],
  ['bars', 'a|b\n1,2,3|4\n', 'a|b', ['1,2,3|4']],
  ['a sep= line', 'sep=;\na;b\n1;2\n', 'a|b', ['1|2']],
  ['a sep= line in quotes', '"sep=;"\r\na;b\r\n1;2\r\n', 'a|b', ['1|2']],
  ['a sep= line of a table', 'sep=;,,,\na;b\n1;2\n', 'a|b', ['1|2']],
  ['escaped quotes', 'a,b\n"say \\"hi\\", ok",2\n"x",C:\\\n', 'a|b', ['say "hi", ok|2', 'x|C:\\']],
  ['a backslash at the end', 'a,b\n"C:\\d\\",2\n"say ""hi""",3\n', 'a|b', ['C:\\d\\|2', 'say "hi"|3']],
  ['files put behind each other', '\ufeffa,b\n1,2\n\ufeffA, b\n3,4\n', 'a|b', ['1|2', '3|4']],
  ['one column', 'a\n1\n2\n', 'a', ['1', '2']],
  ['a header alone', 'a,b\n', 'a|b', []],
  ['a header in quotes over two lines', '"a\nb",c\n1,2\n', 'a\nb|c', ['1|2']],
  ['a bracket at the beginning', '[id],[subject]\n1,x\n', '[id]|[subject]', ['1|x']],
  ['formulas and __proto__', '__proto__,=1+1\n=cmd(),@x\n', '__proto__|=1+1', ['=cmd()|@x']],
  ['a _reason of earlier rejects', 'a,b,_reason\n1,2,"no, never"\n3\n', 'a|b', ['1|2', '3|']],
  ['a _reason before extra cells', 'a,b,_reason\n1,2,why,extra\n', 'a|b', ['1|2|extra']],
];

it.each([
  [',', '\n'],
  [';', '\r'],
])('records between %j with regular quotes are what csv-parse makes of them', (delimiter, lineEnd) => {
  const text = fc.string({ unit: fc.constantFrom('a', '"', '""', delimiter, '\r', '\n', '\r\n', ' ', 'é') });
  const record_delimiter = lineEnd === '\r' ? '\r' : ['\r\n', '\n'];
  let seen = 0;
  fc.assert(
    fc.property(text, (csv) => {
      let expected: string[][];
      try {
        expected = parse(csv, { delimiter, record_delimiter, relax_quotes: true, relax_column_count: true });
      } catch {
        return;
      }
      for (let at = 0; at < csv.length; seen++) {
        const found = regularRecord(csv, at, { delimiter, lineEnd });
        if (found === undefined) return;
        expect(found.cells).toEqual(expected.shift());
        at = found.end;
      }
      expect(expected).toEqual([]);
    }),
    { numRuns: 3000 },
  );
  expect(seen).toBeGreaterThan(2000);
});

describe('CSV', () => {
  it.each(read)('reads %s', async (_name, content, header, expected) => {
    const file = await openOne('t.csv', content);
    expect(file.format).toBe('csv');
    expect(file.header?.join('|')).toBe(header);
    expect((await all(file)).map(({ cells }) => cells?.join('|'))).toEqual(expected);
    expect(file.sampleRows?.map((cells) => cells.join('|'))).toEqual(expected);
  });

  const placed = read.filter(([, content]) => !/\\"hi/.test(content) && !content.includes('_reason'));
  it.each(placed)('finds every record again by its place: %s', async (_name, content) => {
    expect(await placesAreTrue(await openOne('t.csv', content), content)).toEqual([]);
  });

  it('counts physical lines through cells with every line end', async () => {
    const content = 'id,x\n1,"a\nb\r\nc\rd"\n2,y\r\n\n3,z\n';
    const records = await all(await openOne('t.csv', content));
    expect(records.map(({ ref, cells }) => [cells?.[0], ref.line])).toEqual([
      ['1', 2],
      ['2', 6],
      ['3', 8],
    ]);
  });

  it('cuts the _reason out of the raw bytes and leaves every other byte', async () => {
    const file = await openOne('t.csv', 'a,b,_reason\n"x, ""1""",2,"a, b"\n1\n1,2,r,"e,f"\n');
    const raw = await Promise.all((await all(file)).map(async ({ ref }) => (await file.raw(ref)).toString()));
    expect(raw).toEqual(['"x, ""1""",2', '1', '1,2,"e,f"']);
  });

  it('a delimiter that is given wins over what the text looks like', async () => {
    expect((await openOne('t.csv', 'a;b,c\n1;2,3\n', { delimiter: ',' })).header).toEqual(['a;b', 'c']);
    expect((await openOne('t.csv', 'a^b\n1^2\n', { delimiter: '^' })).header).toEqual(['a', 'b']);
  });
});

describe('a stray quote', () => {
  it('that is never closed costs one record of 150,000', async () => {
    const rows = Array.from({ length: 150_000 }, (_, id) => `${id},${id === 3 ? '"open' : 'x'}\n`);
    const found = await all(await openOne('t.csv', `id,text\n${rows.join('')}`));
    expect(found.length).toBe(rows.length);
    expect(found.flatMap(({ error, ref }) => (error === undefined ? [] : ref.line))).toEqual([5]);
  });

  it.each<[string, string, (string | undefined)[], number[]]>([
    ['that is never closed costs one record', 'id,x\n1,"open\n2,b\n3,c\n', ['error', '2', '3'], [2, 3, 4]],
    ['goes on where a whole record begins', 'id,x\n1,"open\n2,b""c\n3,d\n', ['error', '3'], [2, 4]],
    ['in the last record ends the file', 'id,x,y\n1,b,c\n2,"cut off\nin the middle', ['1', 'error'], [2, 3]],
    [
      'in a cell over several lines is part of it where the cells are right',
      'id,x\n1,"she said\n"hi" and left"\n2,b\n',
      ['1', '2'],
      [2, 4],
    ],
    [
      'that swallows rows up to the next quoted cell gives them back',
      'id,x,y\n1,"open,\n2,b,c\n3,"d",e\n4,f,g\n',
      ['error', '2', '3', '4'],
      [2, 3, 4, 5],
    ],
  ])('%s', async (_name, content, ids, lines) => {
    const records = await all(await openOne('t.csv', content));
    expect(records.map(({ cells, error }) => (error === undefined ? cells?.[0] : 'error'))).toEqual(ids);
    expect(records.map(({ ref }) => ref.line)).toEqual(lines);
  });

  it('does not swallow more than the bound of a record', async () => {
    const rest = Array.from({ length: 2000 }, (_, index) => `${index},b\n`).join('');
    const tuning = { chunkBytes: 256, maxCsvRecordBytes: 1024 };
    const records = await all(await openOne('t.csv', `id,x\nbad,"open\n${rest}`, { tuning }));
    expect(records.filter(({ error }) => error !== undefined)).toHaveLength(1);
    expect(records.slice(1).map(({ cells }) => cells?.[0])).toEqual(
      Array.from({ length: 2000 }, (_, index) => `${index}`),
    );
    expect(records.at(-1)?.ref.line).toBe(2002);
  });

  it('a line beyond the bound is refused with its place', async () => {
    const tuning = { chunkBytes: 256, maxCsvRecordBytes: 1024 };
    await expect(openOne('t.csv', `id,x\n1,${'y'.repeat(200_000)}\n2,b\n`, { tuning })).rejects.toMatchObject(
      {
        code: 'source',
        message: expect.stringMatching(/t\.csv:2: the record is longer than/),
      },
    );
  });
});

const CELLS = [
  (n: number) => String(n),
  (n: number) => `ann.${n}@example.com`,
  (n: number) => `2024-03-01T08:00:${10 + (n % 50)}Z`,
  (n: number) => ['open', 'closed'][n % 2] ?? '',
];

describe('CSV properties', () => {
  it('a quote that another one closes by chance costs one row, in any table', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(',', ';', '\t', '|'),
        fc.integer({ min: 4, max: 40 }),
        fc.nat(),
        fc.nat(),
        fc.subarray([0, 1, 2, 3], { minLength: 2 }),
        async (delimiter, count, a, b, kinds) => {
          const [open, close] = [a % (count - 1), 0];
          const end = open + 1 + ((b + close) % (count - open - 1));
          const title = (n: number) => (n === open ? '"Screen' : n === end ? 'TV 24"' : `lamp ${n}`);
          const row = (n: number) => [`${n}`, title(n), ...kinds.map((kind) => CELLS[kind]?.(n))];
          const lines = Array.from({ length: count }, (_, n) => row(n).join(delimiter));
          const first = `99${delimiter}a b${lines[0]?.slice((lines[0] ?? '').indexOf(delimiter, 2))}`;
          const header = ['id', 'title', ...kinds.map((kind) => `k${kind}`)].join(delimiter);
          const records = await all(
            await openOne('t.csv', [header, first, ...lines].join('\n'), { delimiter }),
          );
          expect(records.filter(({ error }) => error !== undefined).map(({ ref }) => ref.line)).toEqual([
            open + 3,
          ]);
          expect(records).toHaveLength(count + 1);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('another header in the middle of a file is refused', async () => {
    const error = await failure(openOne('t.csv', 'id,name,at\n1,a,b\nname,id,at\nb,2,c\n'));
    expect(error.message).toMatch(/t\.csv:3: another header begins here/);
  });
});

describe.runIf(existsSync(nasty))('genuine nasty CSVs', () => {
  const spectrum = join(nasty, 'csv-spectrum');
  const names = existsSync(nasty)
    ? readdirSync(join(spectrum, 'csvs')).map((name) => name.replace('.csv', ''))
    : [];

  // Their companions differ in a telephone number and in line ends.
  it.each(names.filter((name) => !/location_coordinates|newlines_crlf/.test(name)))(
    '%s equals its JSON companion',
    async (name) => {
      const [file] = (await open([join(spectrum, 'csvs', `${name}.csv`)])).files;
      const header = file?.header ?? [];
      const found = (file === undefined ? [] : await all(file)).map(({ cells }) =>
        Object.fromEntries(header.map((column, index) => [column, cells?.[index]])),
      );
      expect(found).toEqual(JSON.parse(readFileSync(join(spectrum, 'json', `${name}.json`), 'utf8')));
    },
  );

  const others = ['csvkit', 'tabulator-py', 'tabulator-py/special'].flatMap((folder) =>
    existsSync(nasty)
      ? readdirSync(join(nasty, folder), { withFileTypes: true })
          .filter((entry) => entry.isFile())
          .map((entry) => join(folder, entry.name))
      : [],
  );
  it.each(others)('%s opens, or says in one sentence why not', async (name) => {
    try {
      const { files } = await open([join(nasty, name)]);
      for (const file of files) {
        const header = file.header?.length ?? 0;
        for (const { cells, error } of await all(file)) {
          expect(error).toBeUndefined();
          if (file.format === 'csv') expect(cells?.length).toBeGreaterThanOrEqual(header);
        }
      }
    } catch (error) {
      expect(error).toMatchObject({ code: 'source', message: expect.stringMatching(/\.$/) });
    }
  });
});

describe('every cell of a row is read or reported', () => {
  const problems = async (content: string) => {
    const file = await openOne('t.csv', content);
    await all(file);
    return file.problems.map(({ code, line, message }) => ({ code, line, message }));
  };

  it('a line that repeats the header is no record, and is named', async () => {
    const file = await openOne('t.csv', 'id,body\n1,Hello\nid,body\n2,id\n');
    expect((await all(file)).map(({ cells }) => cells)).toEqual([
      ['1', 'Hello'],
      ['2', 'id'],
    ]);
    expect(file.problems).toMatchObject([{ code: 'lines-skipped', severity: 'warning', line: 3 }]);
  });

  it('text beyond the header is reported with its line and content, however often it is read', async () => {
    expect(await problems('id,body\n1,Hello\n2,Refund, please\n')).toEqual([
      {
        code: 'extra-cells',
        line: 3,
        message: expect.stringMatching(/has 3 cells and the header 2: .* not imported \(" please"\)/),
      },
    ]);
  });

  it('empty cells beyond it are ignored', async () => {
    expect(await problems('id,body\n1,Hello,,\n2,Bye, ,\n')).toEqual([]);
  });

  it('of many such rows a hundred are named, and the last says how many more there are', async () => {
    const found = await openOne('t.csv', `id,body\n${'1,a,b\n'.repeat(250)}`);
    await all(found);
    expect(found.problems).toHaveLength(100);
    expect(found.problems.reduce((sum, { count }) => sum + count, 0)).toBe(250);
  });

  it('rows with fewer cells than the header are counted once, with the first of them', async () => {
    expect(await problems('id,body,status\n1,Hello,open\n2,open\n3,closed\n')).toEqual([
      { code: 'short-rows', line: 3, message: expect.stringMatching(/^2 of 3 rows .* line 3 has 2, .* 3\./) },
    ]);
  });

  it.each(['pat@example.com', '2026-06-06T14:13:45Z'])(
    'a first line with %s is a row and no header',
    async (value) => {
      await expect(openOne('t.csv', `1,Hello,${value}\n2,Bye,x\n`)).rejects.toThrow(
        `t.csv:1: the first line looks like a row: "${value}" names no column.`,
      );
    },
  );

  it('without a header the columns are numbered, and a file of rejects names them itself', async () => {
    const read = async (content: string) => {
      const file = await openOne('t.csv', content, { header: false });
      const rows = (await all(file)).map((row) => ('cells' in row ? row.cells : undefined));
      return [file.header, rows];
    };
    const header = ['column 1', 'column 2'];
    expect(await read('1;a@example.org\n2;\n')).toEqual([
      header,
      [
        ['1', 'a@example.org'],
        ['2', ''],
      ],
    ]);
    expect(await read('column 1;column 2;_reason\n1;x;bad\n')).toEqual([header, [['1', 'x']]]);
    const named = { header: ['id', 'mail'] };
    expect((await openOne('t.csv', '1;a@example.org\n', named)).header).toEqual(named.header);
    expect(await all(await openOne('t.csv', 'id;mail;_reason\n1;x;bad\n', named))).toHaveLength(1);
    await expect(openOne('t.csv', '1;a@example.org;x\n', named)).rejects.toThrow(
      /source\.header names 2 columns, and line 1 of \S*t\.csv has 3 cells/,
    );
  });

  it('a file with only a header is reported', async () => {
    expect(await problems('id,body\n')).toMatchObject([{ code: 'empty-file', line: 1 }]);
  });
});

it('many stray quotes are read in the time of the whole text', () => {
  const rows = Array.from(
    { length: 6000 },
    (_, n) => `${n},2024-01-02T03:04:05Z,a@example.org,${n % 5 === 0 ? 'a "stray" quote, "here' : 'fine'}\n`,
  );
  const text = `id,at,email,body\n${rows.join('')}`;
  const time = (work: () => void) => {
    const began = process.cpuUsage();
    work();
    return process.cpuUsage(began).user;
  };
  const dialect = { delimiter: ',', lineEnd: '\n' } as const;
  let found = 0;
  const read = () => {
    found = new CsvReader('t.csv', dialect, 1, 1e6).take(text, true).length;
  };
  const whole = time(() => parse(text, { relax_quotes: true, relax_column_count: true, raw: true }));
  expect(time(read) / whole).toBeLessThan(20);
  expect(found).toBeGreaterThan(5000);
});
