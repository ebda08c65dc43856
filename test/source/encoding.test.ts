import iconv from 'iconv-lite';
import { describe, expect, it } from 'vitest';
import { all, CSV, failure, openOne, ROWS } from './temp-export.ts';

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
    expect(file.header).toEqual(['id', 'name']);
    expect((await all(file)).map(({ cells }) => cells)).toEqual(ROWS);
  });

  it.each([
    ['windows-1252', 'Grüße aus München für Ärzte – „schön“'],
    ['windows-1251', 'Привет, как дела? Это письмо о заказе'],
    ['shift_jis', 'こんにちは、注文についてのお問い合わせです'],
  ])('%s has to be named, and is proposed: %s', async (encoding, sentence) => {
    const bytes = iconv.encode(text(sentence), encoding);
    const error = await failure(openOne('t.csv', bytes));
    expect(error.message).toMatch(/t\.csv:2: the file is not UTF-8\.$/);
    expect(error.hint).toContain(`--set source.encoding=${encoding}.`);
    const file = await openOne('t.csv', bytes, { encoding, delimiter: ';' });
    expect((await all(file))[0]?.cells?.join()).toContain(sentence);
  });

  it('--set source.encoding=decides, without a guess', async () => {
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
      const bytes = Buffer.from(
        content.replace('\xff', `${'é'.repeat(20)}\xff`).replaceAll('é', '\xc3\xa9'),
        'latin1',
      );
      const line = content.slice(0, content.indexOf('\xff')).split('\n').length;
      const file = await openOne(name, bytes, { encoding: 'utf-8' });
      const selector = name === 't.json' ? { path: [] } : undefined;
      const records = await all(file, selector);
      await all(file, selector);
      expect(JSON.stringify(records)).toContain('\ufffd');
      expect(file.problems).toMatchObject([{ code: 'invalid-unicode', line, severity: 'warning' }]);
    },
  );

  it('a file in two encodings is called that, and none is proposed for all of it', async () => {
    const parts = [text('Gerät, über'), iconv.encode('2,Gerät über\n', 'windows-1252')];
    const error = await failure(openOne('t.csv', Buffer.concat(parts.map((part) => Buffer.from(part)))));
    expect(error.message).toMatch(/t\.csv is in two encodings: UTF-8, and from line 8 on/);
    expect(error.hint).not.toMatch(/windows/);
  });

  it('UTF-8 with a damaged place stays UTF-8', async () => {
    const damaged = Buffer.concat([
      Buffer.from(text('Grüße aus München für Ärzte')),
      Buffer.from([0x37, 0x2c, 0xff, 0x0a]),
    ]);
    const file = await openOne('t.csv', damaged);
    expect(file.encoding).toBe('utf-8');
    expect((await all(file))[0]?.cells?.[1]).toContain('Grüße');
  });

  it('characters that were lost before do not make UTF-8 a code page', async () => {
    const bytes = Buffer.concat([
      Buffer.from(text('\ufffd und \ufffd, sch\ufffdn')),
      Buffer.from([0xff, 0x0a]),
    ]);
    expect((await openOne('t.csv', bytes)).encoding).toBe('utf-8');
  });

  it('an encoding that lacks characters of the text is reported', async () => {
    const bytes = iconv.encode(text('Grüße aus München für Ärzte – „schön“'), 'windows-1252');
    expect((await openOne('t.csv', bytes, { encoding: 'windows-1253' })).problems).toEqual([]);
    const wrong = await openOne('t.csv', bytes, { encoding: 'shift_jis' });
    expect(wrong.problems).toMatchObject([
      { code: 'invalid-unicode', message: expect.stringMatching(/cannot be read as shift_jis/) },
    ]);
  });
});
