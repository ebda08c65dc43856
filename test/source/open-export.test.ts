import { appendFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { openExport } from '../../src/source/open-export.ts';
import { unreadableFile } from '../../src/source/problems.ts';
import { all, CSV, failure, open, openFolder, ROWS, signal, tempFolder } from './temp-export.ts';

describe('inputs', () => {
  const names = (files: { files: readonly { name: string }[] }, folder: string) =>
    files.files.map(({ name }) => name.replace(folder, ''));

  it('a folder means its files in the order of their numbers', async () => {
    const folder = tempFolder({ 'page10.csv': CSV, 'page9.csv': CSV, 'a.jsonl': '{"id":1}\n' });
    expect(names(await open([folder]), folder)).toEqual(['/a.jsonl', '/page9.csv', '/page10.csv']);
  });

  it('a folder with one folder per ticket is entered', async () => {
    const folder = tempFolder({ '1/ticket.json': '{"id":1}', '2/ticket.json': '{"id":2}' });
    const files = await open([folder]);
    expect(names(files, folder)).toEqual(['/1/ticket.json', '/2/ticket.json']);
    expect(files.problems).toEqual([]);
  });

  it('a folder given with files is left out with a warning that names it', async () => {
    const folder = tempFolder({ 'tickets.csv': CSV, 'copy/tickets.csv': CSV });
    const files = await open([folder]);
    expect(names(files, folder)).toEqual(['/tickets.csv']);
    expect(files.problems).toMatchObject([{ code: 'ignored-folder', file: join(folder, 'copy') }]);
  });

  it('a file without data is left out with a warning that names it', async () => {
    const folder = tempFolder({
      'tickets.csv': CSV,
      'README.md': 'hello',
      'logo.png': 'x',
      'scan.dat': Buffer.from('%PDF-1.7 and so on'),
      'page.txt': '<html><body>x</body></html>',
      '.hidden.csv': CSV,
      '.DS_Store': 'x',
      'helpdesk-import.yaml': 'x: 1',
      'own.sqlite-wal': 'x',
      'sb/service.sqlite': 'x',
      'out/.helpdesk-import-rejects': 'x',
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

  it('of a standard input that is not text, only the beginning is read', async () => {
    let read = 0;
    const endless = function* () {
      for (;;) {
        read += 16_384;
        yield Buffer.alloc(16_384);
      }
    };
    const error = await failure(openExport(['-'], { signal, stdin: Readable.from(endless()) }));
    expect(error.message).toBe('standard input is binary data, which cannot be read.');
    expect(read).toBeLessThan(2_000_000);
  });

  it('/dev/stdin is standard input', async () => {
    const [file] = (await open(['/dev/stdin'], { stdin: Readable.from([Buffer.from(CSV)]) })).files;
    expect(file === undefined ? [] : (await all(file)).map(({ cells }) => cells)).toEqual(ROWS);
  });

  it('text in UTF-16 and packed data come through standard input as well', async () => {
    const lines = Array.from({ length: 20_000 }, (_, n) => `${n},Жук ${n}`);
    const text = `id,name\n${lines.join('\n')}\n`;
    for (const bytes of [Buffer.from(text, 'utf16le'), gzipSync(text)]) {
      const files = await open(['-'], { stdin: Readable.from([bytes]) });
      expect(await all(files.files[0]!)).toHaveLength(20_000);
    }
  });

  it.each<[string, () => string[], RegExp]>([
    ['nothing', () => [], /No file of an export is named/],
    ['a missing path', () => ['/nowhere/x.csv'], /There is no file or folder \/nowhere\/x\.csv/],
    ['an empty folder', () => [tempFolder()], /holds no data file/],
    ['a folder of nothing but notes', () => [tempFolder({ 'README.md': 'x' })], /holds no data file/],
    ['an empty file', () => [join(tempFolder({ 'a.csv': '' }), 'a.csv')], /No data found/],
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

  it('a file that grows while it is read is an error, and what comes after opening changes nothing', async () => {
    const folder = tempFolder({ 'a.csv': CSV, 'b.csv': CSV });
    const grow = () => appendFileSync(join(folder, 'a.csv'), '9,Eve\n');
    const opening = openExport([folder], { signal, onProgress: () => grow() });
    expect((await failure(opening)).message).toMatch(/a\.csv changed while the run was reading\.$/);
    const path = join(tempFolder({ 'a.csv': CSV }), 'a.csv');
    const files = await open([path]);
    writeFileSync(path, 'id,name\n9,Eve\n');
    expect((await all(files.files[0]!)).map(({ cells }) => cells)).toEqual(ROWS);
  });

  it('stops at once when it is aborted', async () => {
    const path = join(tempFolder({ 'a.csv': CSV }), 'a.csv');
    const stop = new AbortController();
    const files = await open([path]);
    stop.abort(new Error('stop'));
    expect(() => [...(files.files[0]?.records(undefined, stop.signal) ?? [])]).toThrow('stop');
    await expect(openExport([path], { signal: stop.signal })).rejects.toThrow('stop');
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

it('the rows of many small files, CSV or JSONL, are not kept in memory', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const FILES = 60;
  const rows = Array.from({ length: 100 }, (_, id) => ({
    id,
    text: `${'a text of a customer '.repeat(50)}${id}`,
  }));
  const csv = ['id,text', ...rows.map(({ id, text }) => `${id},${text}`)].join('\n');
  const jsonl = rows.map((row) => JSON.stringify(row)).join('\n');
  const folder = tempFolder(
    Object.fromEntries(
      Array.from({ length: FILES / 2 }, (_, at) => [
        [`${at}.csv`, csv],
        [`${at}.jsonl`, jsonl],
      ]).flat(),
    ),
  );
  const options = { signal };
  await (await openExport([folder], options))[Symbol.asyncDispose]();
  collect();
  const before = process.memoryUsage().heapUsed;
  await using opened = await openExport([folder], options);
  collect();
  // the rows of a file are 100 kB
  expect((process.memoryUsage().heapUsed - before) / FILES).toBeLessThan(100_000);
  const samples = opened.files.map(({ sampleRows, collections }) => sampleRows ?? collections?.[0]?.sample);
  expect(samples.map((sample) => sample?.length)).toEqual(Array.from({ length: FILES }, () => 100));
});
