import { join } from 'node:path';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { asGzip, asZip } from '../support/encodings.ts';
import { all, CSV, failure, open, openOne, ROWS, tempFolder } from './temp-export.ts';

/** The place of its directory is one letter off at the other end. */
function astray(): Buffer {
  const bytes = asZip([{ name: 'x.csv', bytes: Buffer.from(CSV) }]);
  bytes[bytes.length - 5] = 0x40;
  return bytes;
}

describe('compression', () => {
  it.each<[string, Buffer]>([
    ['gzip', gzipSync(CSV)],
    ['gzip of several members', asGzip(Buffer.from(CSV))],
    ['zstd', zstdCompressSync(CSV)],
    ['zip', asZip([{ name: 'x.csv', bytes: Buffer.from(CSV) }])],
    ['zip without compression', asZip([{ name: 'x.csv', bytes: Buffer.from(CSV) }], 'store')],
  ])('%s is recognised by its bytes whatever its name, and is read', async (_name, bytes) => {
    for (const name of ['export.csv', 'export.bin']) {
      const file = await openOne(name, bytes);
      expect((await all(file)).map(({ cells }) => cells)).toEqual(ROWS);
      expect(file.bytes).toBe(Buffer.byteLength(CSV));
      const [record] = await all(file);
      expect((await file.raw(record!.ref)).toString()).toBe('1,Zoë');
    }
  });

  it('zstd of several frames is refused, not read in part', async () => {
    const error = await failure(
      openOne('a.csv.zst', Buffer.concat([zstdCompressSync(CSV), zstdCompressSync(CSV)])),
    );
    expect(error.message).toMatch(/has several frames, and only the first can be read\.$/);
    expect(error.hint).toContain('zstd -d');
  });

  it('a bit that flipped in a member of a zip is noticed', async () => {
    const archive = asZip([{ name: 'x.csv', bytes: Buffer.from(CSV) }], 'store');
    const at = archive.indexOf('Bob');
    archive[at] = archive[at]! ^ 1;
    expect((await failure(open([join(tempFolder({ 'e.zip': archive }), 'e.zip')]))).message).toMatch(
      /damaged/,
    );
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
    ['a zip whose directory is said to lie beyond the end', 'a.zip', astray(), /damaged/],
    ['an archive in an archive', 'a.csv.gz', gzipSync(gzipSync(CSV)), /No data found/],
    [
      'a workbook under another name',
      'a.csv',
      asZip([{ name: '[Content_Types].xml', bytes: Buffer.from('<x/>') }]),
      /Excel/,
    ],
    ['a workbook', 'a.xlsx', asZip([{ name: 'xl/sheet.xml', bytes: Buffer.from('<x/>') }]), /Excel/],
    ['a zip without entries', 'a.zip', asZip([]), /No data found/],
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

  it('a bomb of many small files in a .zip stops at the bound of the archive', async () => {
    const files = Array.from({ length: 200 }, (_, n) => ({
      name: `x${n}.csv`,
      bytes: Buffer.from(`id,body\n${n},${'a'.repeat(20_000)}\n`),
    }));
    const tuning = { ratioFloorBytes: 500_000, maxRatio: 100 };
    const error = await failure(openOne('a.zip', asZip(files), { tuning }));
    expect(error.message).toMatch(/more than 100 times its own size/);
  });
});
