import { execFileSync } from 'node:child_process';
import { readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import iconv from 'iconv-lite';
import { describe, expect, it } from 'vitest';
import { AppError } from '../../src/domain/errors.ts';
import { openExport } from '../../src/read/open-export.ts';
import { unreadableFile } from '../../src/read/source-errors.ts';
import { asGzip, asZip, asZstd } from '../support/encodings.ts';
import { all, open, openFolder, openOne, signal, tempFolder } from './temp-export.ts';

const CSV = 'id,name\n1,Zoë\n2,Bob\n';
const ROWS = [
  ['1', 'Zoë'],
  ['2', 'Bob'],
];

async function failure(work: Promise<unknown>): Promise<AppError> {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof AppError)) throw new Error(`no AppError but ${String(error)}`);
  return error;
}

describe('inputs', () => {
  const names = (files: { files: readonly { name: string }[] }, folder: string) =>
    files.files.map(({ name }) => name.replace(folder, ''));

  it('a folder stands for its files in the order of their numbers', async () => {
    const folder = tempFolder({ 'page10.csv': CSV, 'page9.csv': CSV, 'a.jsonl': '{"id":1}\n' });
    expect(names(await open([folder]), folder)).toEqual(['/a.jsonl', '/page9.csv', '/page10.csv']);
  });

  it('a folder with one folder per ticket is entered', async () => {
    const folder = tempFolder({ '1/ticket.json': '{"id":1}', '2/ticket.json': '{"id":2}', 'index.csv': CSV });
    const files = await open([folder]);
    expect(names(files, folder)).toEqual(['/index.csv', '/1/ticket.json', '/2/ticket.json']);
    expect(files.problems).toEqual([]);
  });

  it('a folder beside files is left out with a warning that names it', async () => {
    const folder = tempFolder({ 'tickets.csv': CSV, 'copy/tickets.csv': CSV });
    const files = await open([folder]);
    expect(names(files, folder)).toEqual(['/tickets.csv']);
    expect(files.problems).toMatchObject([{ code: 'ignored-file', file: join(folder, 'copy') }]);
  });

  it('what is no data is left out with a warning that names it', async () => {
    const folder = tempFolder({
      'tickets.csv': CSV,
      'README.md': 'hello',
      'logo.png': 'x',
      'scan.dat': Buffer.from('%PDF-1.7 and so on'),
      'page.txt': '<html><body>x</body></html>',
      '.hidden.csv': CSV,
      '.DS_Store': 'x',
      'helpdesk-import.yaml': 'x: 1',
      'empty.csv': '\n',
    });
    symlinkSync(join(folder, 'tickets.csv'), join(folder, 'link.csv'));
    const files = await open([folder]);
    expect(names(files, folder)).toEqual(['/tickets.csv']);
    expect(files.problems.map(({ code, file }) => [code, file?.replace(folder, '')]).sort()).toEqual([
      ['empty-file', '/empty.csv'],
      ['ignored-file', '/.hidden.csv'],
      ['ignored-file', '/README.md'],
      ['ignored-file', '/link.csv'],
      ['ignored-file', '/logo.png'],
      ['ignored-file', '/page.txt'],
      ['ignored-file', '/scan.dat'],
    ]);
  });

  it('a file is read once however often it is named, and a link that is named is followed', async () => {
    const folder = tempFolder({ 'tickets.csv': CSV });
    const path = join(folder, 'tickets.csv');
    expect((await open([path, folder, path])).files).toHaveLength(1);
    const link = join(tempFolder(), 'link.csv');
    symlinkSync(path, link);
    expect(names(await open([link]), '')).toEqual([link]);
  });

  it('standard input is one more file, in its place', async () => {
    const folder = tempFolder({ 'a.csv': CSV });
    const stdin = Readable.from([Buffer.from('{"id":1}\n{"i'), Buffer.from('d":2}\n')]);
    const files = await open(['-', join(folder, 'a.csv')], { stdin });
    expect(files.files.map(({ name, format }) => [name === '-', format])).toEqual([
      [true, 'jsonl'],
      [false, 'csv'],
    ]);
    expect((await all(files.files[0]!)).map(({ object }) => object)).toEqual([{ id: 1 }, { id: 2 }]);
    expect((await all(files.files[0]!)).length).toBe(2);
  });

  it('a named pipe is read like standard input', async () => {
    const pipe = join(tempFolder(), 'pipe');
    execFileSync('mkfifo', [pipe]);
    const writing = import('node:fs/promises').then(({ writeFile }) => writeFile(pipe, CSV));
    const files = await open([pipe]);
    await writing;
    expect((await all(files.files[0]!)).map(({ cells }) => cells)).toEqual(ROWS);
  });

  it.each<[string, () => string[], RegExp]>([
    ['nothing', () => [], /No file of an export is named/],
    ['a missing path', () => ['/nowhere/x.csv'], /There is no file or folder \/nowhere\/x\.csv/],
    ['an empty folder', () => [tempFolder()], /holds no data file/],
    ['a folder of nothing but notes', () => [tempFolder({ 'README.md': 'x' })], /holds no data file/],
    ['an empty file', () => [join(tempFolder({ 'a.csv': '' }), 'a.csv')], /no data to read/],
    ['XML', () => [join(tempFolder({ 'a.csv': '<?xml version="1.0"?><x/>' }), 'a.csv')], /is XML or HTML/],
    ['a PDF', () => [join(tempFolder({ 'a.csv': '%PDF-1.4' }), 'a.csv')], /is a PDF document/],
    [
      'random bytes',
      () => [join(tempFolder({ a: Buffer.from(Array.from({ length: 900 }, (_, i) => (i * 7) % 29)) }), 'a')],
      /binary data/,
    ],
  ])('%s is one clear error of the source', async (_name, inputs, message) => {
    const error = await failure(openExport(inputs(), { signal }));
    expect(error.message).toMatch(message);
    expect(error.code).toBe('source');
    expect(error.message).toMatch(/\.$/);
  });

  it.each([
    ['ENOENT', /There is no file or folder x\.csv/],
    ['EACCES', /x\.csv may not be read/],
    ['EMFILE', /too many files are open/],
    ['EIO', /x\.csv cannot be read \(EIO\)/],
  ])('%s is one clear error of the source', (code, message) => {
    const error = unreadableFile('x.csv', Object.assign(new Error('system'), { code }));
    expect(error.message).toMatch(message);
    expect(error.code).toBe('source');
  });

  it('a file that changes while it is read is an error, not other data', async () => {
    const folder = tempFolder({ 'a.csv': CSV, 'b.csv': CSV, 'c.csv': CSV });
    const files = await open([folder], { tuning: { openFiles: 1 } });
    writeFileSync(join(folder, 'a.csv'), 'id,name\n9,Eve\n');
    await expect(all(files.files[0]!)).rejects.toMatchObject({
      code: 'source',
      message: expect.stringContaining('changed'),
    });
    expect((await all(files.files[2]!)).map(({ cells }) => cells)).toEqual(ROWS);
  });

  it('opens many more files than it holds open', async () => {
    const folder = tempFolder(
      Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`${index}.csv`, CSV])),
    );
    const files = await open([folder], { tuning: { openFiles: 4 } });
    const counts = await Promise.all(files.files.map(async (file) => (await all(file)).length));
    expect(counts).toEqual(Array.from({ length: 300 }, () => 2));
  });

  it('stops at once when it is aborted', async () => {
    const path = join(tempFolder({ 'a.csv': CSV }), 'a.csv');
    const stop = new AbortController();
    const files = await open([path]);
    stop.abort(new Error('stop'));
    await expect(
      files.files[0]!.records(undefined, stop.signal)[Symbol.asyncIterator]().next(),
    ).rejects.toThrow('stop');
    await expect(openExport([path], { signal: stop.signal })).rejects.toThrow('stop');
  });
});

describe('compression', () => {
  it.each<[string, Buffer]>([
    ['gzip', gzipSync(CSV)],
    ['gzip of several members', asGzip(Buffer.from(CSV))],
    ['zstd', zstdCompressSync(CSV)],
    ['zstd of several frames', asZstd(Buffer.from(CSV))],
    [
      'zstd with a frame to be skipped',
      Buffer.concat([Buffer.from('502a4d1803000000616263', 'hex'), zstdCompressSync(CSV)]),
    ],
    ['zip', asZip([{ name: 'x.csv', bytes: Buffer.from(CSV) }])],
    ['zip without compression', asZip([{ name: 'x.csv', bytes: Buffer.from(CSV) }], 'store')],
  ])('%s is told by its bytes whatever its name, and reads as it is', async (_name, bytes) => {
    for (const name of ['export.csv', 'export.bin']) {
      const file = await openOne(name, bytes);
      expect((await all(file)).map(({ cells }) => cells)).toEqual(ROWS);
      expect(file.bytes).toBe(Buffer.byteLength(CSV));
      const [record] = await all(file);
      expect((await file.raw(record!.ref)).toString()).toBe('1,Zoë');
    }
  });

  it('zstd of many frames and blocks comes out whole', async () => {
    const lines = Array.from(
      { length: 40_000 },
      (_, index) => `{"id":${index},"x":"${(index * 7919) % 10007}"}\n`,
    ).join('');
    const bytes = Buffer.from(lines);
    const frames = [0, 1, 2, 3, 4].map((part) =>
      zstdCompressSync(bytes.subarray((part * bytes.length) / 5, ((part + 1) * bytes.length) / 5)),
    );
    const file = await openOne('a.jsonl.zst', Buffer.concat(frames));
    expect((await all(file)).length).toBe(40_000);
  });

  it('all data of a zip is read, under names that lead nowhere', async () => {
    const archive = asZip([
      { name: 'a/tickets.csv', bytes: Buffer.from(CSV) },
      { name: '../../etc/passwd.csv', bytes: Buffer.from(CSV) },
      { name: 'C:\\x\\messages.csv', bytes: Buffer.from(CSV) },
      { name: '__MACOSX/a/._tickets.csv', bytes: Buffer.from(CSV) },
      { name: 'readme.txt', bytes: Buffer.from('hi') },
      { name: 'inner.zip', bytes: asZip([{ name: 'x.csv', bytes: Buffer.from(CSV) }]) },
      { name: 'empty/', bytes: Buffer.alloc(0) },
    ]);
    const folder = tempFolder({ 'e.zip': archive });
    const path = join(folder, 'e.zip');
    const files = await open([path]);
    expect(files.files.map(({ name }) => name)).toEqual([
      `${path}!a/tickets.csv`,
      `${path}!etc/passwd.csv`,
      `${path}!C/x/messages.csv`,
    ]);
    expect(files.problems.map(({ code, file }) => [code, file])).toEqual([
      ['ignored-file', `${path}!readme.txt`],
      ['ignored-file', `${path}!inner.zip`],
    ]);
  });

  it.each<[string, string, Buffer, RegExp]>([
    ['a cut gzip', 'a.csv.gz', gzipSync(CSV.repeat(99)).subarray(0, 40), /ends in the middle/],
    [
      'a damaged gzip',
      'a.csv.gz',
      Buffer.concat([gzipSync(CSV).subarray(0, 15), Buffer.alloc(40, 7)]),
      /damaged/,
    ],
    ['a cut zstd', 'a.csv.zst', zstdCompressSync(CSV.repeat(9999)).subarray(0, 30), /ends in the middle/],
    ['a cut zip', 'a.zip', asZip([{ name: 'x.csv', bytes: Buffer.from(CSV) }]).subarray(0, 60), /damaged/],
    ['an archive in an archive', 'a.csv.gz', gzipSync(gzipSync(CSV)), /no data to read/],
    ['a workbook', 'a.xlsx', asZip([{ name: 'xl/sheet.xml', bytes: Buffer.from('<x/>') }]), /Excel/],
    ['a zip without entries', 'a.zip', asZip([]), /no data to read/],
  ])('%s is one clear error', async (_name, name, bytes, message) => {
    const error = await failure(openOne(name, bytes));
    expect(error.message).toMatch(message);
    expect(error.code).toBe('source');
  });

  it.each(['gz', 'zst', 'zip'])('a bomb of .%s stops at the bound', async (kind) => {
    const bytes = Buffer.alloc(3_000_000, 'a');
    const bomb =
      kind === 'gz'
        ? gzipSync(bytes)
        : kind === 'zst'
          ? zstdCompressSync(bytes)
          : asZip([{ name: 'x.csv', bytes }]);
    const tuning = { ratioFloorBytes: 500_000, maxRatio: 100 };
    const error = await failure(openOne(`a.csv.${kind}`, bomb, { tuning }));
    expect(error.message).toMatch(/more than 100 times its own size/);
  });

  it('leaves no file behind', async () => {
    const before = readdirSync(tmpdir()).filter((name) => name.startsWith('helpdesk-import-'));
    await openOne('a.csv.gz', gzipSync(CSV));
    expect(readdirSync(tmpdir()).filter((name) => name.startsWith('helpdesk-import-'))).toEqual(before);
  });
});

describe('encodings', () => {
  const text = (sentence: string) =>
    `id,name\n${Array.from({ length: 6 }, (_, index) => `${index},${sentence}\n`).join('')}`;

  it.each<[string, Buffer, string]>([
    ['UTF-8', Buffer.from(CSV), 'utf-8'],
    ['UTF-8 with a mark', Buffer.from(`\ufeff${CSV}`), 'utf-8 (BOM)'],
    ['UTF-16LE with a mark', iconv.encode(CSV, 'utf-16le', { addBOM: true }), 'utf-16le'],
    ['UTF-16BE with a mark', iconv.encode(CSV, 'utf-16be', { addBOM: true }), 'utf-16be'],
    ['UTF-16LE without', iconv.encode(CSV, 'utf-16le'), 'utf-16le'],
    ['UTF-16BE without', iconv.encode(CSV, 'utf-16be'), 'utf-16be'],
    ['UTF-32LE with a mark', iconv.encode(CSV, 'utf-32le', { addBOM: true }), 'utf-32le'],
  ])('%s is certain', async (_name, bytes, encoding) => {
    const file = await openOne('t.csv', bytes);
    expect(file.encoding).toBe(encoding);
    expect(file.problems).toEqual([]);
    expect(file.shape.header).toEqual(['id', 'name']);
    expect((await all(file)).map(({ cells }) => cells)).toEqual(ROWS);
  });

  it.each([
    ['windows-1252', 'Grüße aus München für Ärzte – „schön“'],
    ['windows-1252', 'Señor Muñoz, ¿cómo está? Más información mañana'],
    ['windows-1250', 'Zażółć gęślą jaźń, dziękuję bardzo za pomoc'],
    ['windows-1251', 'Привет, как дела? Это письмо о заказе'],
    ['windows-1253', 'Καλημέρα σας, πώς είστε σήμερα'],
    ['shift_jis', 'こんにちは、注文についてのお問い合わせです'],
    ['gb18030', '你好,我的订单在哪里?谢谢您的帮助'],
  ])('%s is guessed, with a warning: %s', async (encoding, sentence) => {
    const content = text(sentence.replaceAll(',', ';'));
    const file = await openOne('t.csv', iconv.encode(content, encoding), { delimiter: ',' });
    expect(file.encoding).toBe(encoding);
    expect(file.problems).toMatchObject([{ code: 'encoding-guessed', severity: 'warning' }]);
    expect((await all(file))[0]?.cells?.[1]).toBe(sentence.replaceAll(',', ';'));
  });

  it('one odd byte is taken for the code page of the west', async () => {
    expect((await openOne('t.csv', Buffer.from('id,x\n1,\xa9\n', 'latin1'))).encoding).toBe('windows-1252');
  });

  it('letters in the middle of a long file decide, however much plain text stands around them', async () => {
    const rows = 'plain text of a ticket\n'.repeat(30_000);
    const letters = iconv.encode('Привет, как дела? Это письмо о заказе\n'.repeat(50), 'windows-1251');
    const bytes = Buffer.concat([Buffer.from(`text\n${rows}`), letters, Buffer.from(rows)]);
    expect((await openOne('t.csv', bytes, { delimiter: ',' })).encoding).toBe('windows-1251');
  });

  it('--encoding decides, without a guess', async () => {
    const file = await openOne('t.csv', iconv.encode(CSV, 'macroman'), { encoding: 'macroman' });
    expect((await all(file)).map(({ cells }) => cells)).toEqual(ROWS);
    expect(file.problems).toEqual([]);
    expect((await failure(openOne('t.csv', CSV, { encoding: 'klingon' }))).code).toBe('usage');
  });

  it('characters of two units are whole at every chunk boundary', async () => {
    const content = `id,x\n1,${'😀é'.repeat(40)}\n`;
    for (const encoding of ['utf-16le', 'utf-16be', 'utf-8']) {
      for (const chunkBytes of [3, 5, 64]) {
        const bytes = iconv.encode(content, encoding, { addBOM: true });
        const file = await openOne('t.csv', bytes, { tuning: { chunkBytes } });
        expect((await all(file))[0]?.cells?.[1]).toBe('😀é'.repeat(40));
      }
    }
  });

  it.each<[string, string, string]>([
    ['t.csv', 'id,x\n1,ok\n2,bad\xff\n3,ok\n', '2,bad\xff'],
    ['t.jsonl', '{"id":1,"x":"ok"}\n{"id":2,"x":"\xff"}\n', '{"id":2'],
    ['t.json', '[{"id":1},\n\n{"id":2,"x":"\xff"}]', '{"id":2'],
  ])(
    'bytes that are not UTF-8 in %s are replaced, with a warning that names the line',
    async (name, content) => {
      const bytes = Buffer.from(content, 'latin1');
      const line = content.slice(0, content.indexOf('\xff')).split('\n').length;
      const file = await openOne(name, bytes, { encoding: 'utf-8' });
      const selector = name === 't.json' ? { path: [] } : undefined;
      const records = await all(file, selector);
      await all(file, selector);
      expect(JSON.stringify(records)).toContain('\ufffd');
      expect(file.problems).toMatchObject([{ code: 'invalid-unicode', line, severity: 'warning' }]);
    },
  );

  it('UTF-8 with a damaged place stays UTF-8', async () => {
    const damaged = Buffer.concat([
      Buffer.from(text('Grüße aus München für Ärzte')),
      Buffer.from([0x37, 0x2c, 0xff, 0x0a]),
    ]);
    const file = await openOne('t.csv', damaged);
    expect(file.encoding).toBe('utf-8');
    expect((await all(file))[0]?.cells?.[1]).toContain('Grüße');
  });
});

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
    expect(paths((await openOne(name, content)).shape.collections)).toEqual(expected);
  });

  it('a collection behind a long one is seen, and samples are bounded', async () => {
    const tickets = Array.from({ length: 5000 }, (_, id) => ({ id, x: 'y'.repeat(50) }));
    const content = JSON.stringify({ tickets, users: [{ id: 1, email: 'a@b.c' }] });
    const { collections = [] } = (await openOne('t.json', content, { tuning: { chunkBytes: 4096 } })).shape;
    expect(paths(collections)).toEqual(['document', 'tickets', 'users']);
    expect(collections.map(({ sample }) => sample.length)).toEqual([1, 100, 1]);
  });

  it('a stream that is rare among many kinds of records is in the sample', async () => {
    const line = (stream: string, data: object) =>
      JSON.stringify({ type: 'RECORD', record: { stream, data } });
    const lines = Array.from({ length: 900 }, (_, id) => line('tickets', { id, [`custom_${id}`]: 1 }));
    lines.splice(850, 0, line('users', { id: 1, email: 'x' }));
    const { collections = [] } = (await openOne('t.jsonl', lines.join('\n'))).shape;
    const streams = collections[0]?.sample.map(({ record }) => (record as { stream: string }).stream) ?? [];
    expect(streams).toHaveLength(100);
    expect(streams.filter((stream) => stream === 'users')).toHaveLength(1);
  });

  it('_reason is in no shape', async () => {
    expect((await openOne('t.csv', 'a,_reason\n1,x\n')).shape).toMatchObject({
      header: ['a'],
      sampleRows: [['1']],
    });
    for (const [name, content] of [
      ['t.jsonl', '{"a":1,"_reason":"x"}\n{"a":2}\n'],
      ['t.json', '[{"a":1,"_reason":"x"},{"a":2}]'],
    ] as const) {
      expect((await openOne(name, content)).shape.collections?.[0]?.sample).toEqual([{ a: 1 }, { a: 2 }]);
    }
  });

  it('a CSV shows its header and at most 200 rows', async () => {
    const content = `a,b\n${'1,2\n'.repeat(500)}`;
    expect((await openOne('t.csv', content)).shape.sampleRows).toHaveLength(200);
  });
});

it('a folder of all formats opens as one export', async () => {
  const files = await openFolder({
    'a.csv': CSV,
    'b.jsonl.gz': gzipSync('{"id":1}\n{"id":2}\n'),
    'c.json': '[{"id":1}]',
  });
  expect(files.files.map(({ id, format, compression }) => [id, format, compression])).toEqual([
    [0, 'csv', 'none'],
    [1, 'jsonl', 'gzip'],
    [2, 'json', 'none'],
  ]);
});
