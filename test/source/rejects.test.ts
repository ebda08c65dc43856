/** How rows are written into rejects, and which folder they go into. */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RecordSelector } from '../../src/domain/source-file.ts';
import {
  filesIn,
  folderFor,
  replaceFolder,
  restoreRejects,
  writeLines,
} from '../../src/source/reject-folder.ts';
import { headerLine, reasonText, rejectNames, rowLine } from '../../src/source/reject-rows.ts';
import { all, open, openOne, tempFolder } from './temp-export.ts';

async function lines(name: string, content: string, selector?: RecordSelector): Promise<string[]> {
  const file = await openOne(name, content);
  const records = await all(file, selector);
  return await Promise.all(records.map(({ ref }) => rowLine(file, ref, selector?.path, 'No.')));
}

describe('a row of the rejects', () => {
  it.each<[string, string, string, RecordSelector | undefined, string[]]>([
    ['of a CSV', 't.csv', 'id;x\n1;"a;""b"""\n', undefined, ['1;"a;""b""";No.']],
    ['that is short', 't.csv', 'id,x,y\n1\n', undefined, ['1,,,No.']],
    ['that is long', 't.csv', 'id,x\n1,a,b\n', undefined, ['1,a,No.,b']],
    ['with the reason of before', 't.csv', 'id,x,_reason\n1,a,Old.\n', undefined, ['1,a,No.']],
    [
      'of JSONL',
      't.jsonl',
      '{"id":1, "x":"\\u00e9"}\n{}\n',
      undefined,
      ['{"id":1, "x":"\\u00e9","_reason":"No."}', '{"_reason":"No."}'],
    ],
    ['of a page', 't.jsonl', '{"t":[{"id":1}]}\n', { path: ['t'] }, ['{"t":[{"id":1,"_reason":"No."}]}']],
    ['of a list', 't.json', '[{"id":1,\n "x":[1]}]', { path: [] }, ['[{"id":1,  "x":[1],"_reason":"No."}]']],
    [
      'of a document',
      't.json',
      '{"a":{"t":[{"id":1}]}}',
      { path: ['a', 't'] },
      ['{"a":{"t":[{"id":1,"_reason":"No."}]}}'],
    ],
  ])('%s keeps its form', async (_name, file, content, selector, expected) => {
    expect(await lines(file, content, selector)).toEqual(expected);
  });

  it('has any cells and any reason, and its cells come back as they were', async () => {
    const cell = fc.string().filter((text) => !text.includes('\0'));
    await fc.assert(
      fc.asyncProperty(cell, cell, fc.string(), async (one, other, reason) => {
        const row = [one, other].map((text) => `"${text.replaceAll('"', '""')}"`).join(',');
        const file = await openOne('t.csv', `id,x\n${row}\n`, { delimiter: ',' });
        const [record] = await all(file);
        if (record === undefined) return;
        const text = `${headerLine(file)}\n${await rowLine(file, record.ref, undefined, reason)}\n`;
        expect((await all(await openOne('t.csv', text, { delimiter: ',' })))[0]?.cells).toEqual(record.cells);
      }),
      { numRuns: 40 },
    );
  });

  it.each([
    ['=1+1 is no subject.', 'Reason: =1+1 is no subject.'],
    ['-', 'Reason: -'],
    ['\t=x', 'Reason: =x'],
    ['two\r\nlines\0', 'two lines'],
    ['plain', 'plain'],
  ])('has no reason that a spreadsheet computes: %j is %j', (reason, expected) => {
    expect(reasonText(reason)).toBe(expected);
    expect(reasonText('x'.repeat(5000))).toHaveLength(1000);
  });

  it.each<[string, string[], string[]]>([
    ['plain names', ['a/tickets.csv', 'b/messages.csv'], ['tickets.csv', 'messages.csv']],
    ['one folder per ticket', ['1/ticket.json', '2/ticket.json'], ['1/ticket.jsonl', '2/ticket.jsonl']],
    ['names that differ by case alone', ['a/T.csv', 'b/t.csv'], ['a/T.csv', 'b/t.csv']],
    ['names that rejects use themselves', ['unreadable.csv'], ['unreadable-2.csv']],
  ])('is in a file called like that of the source: %s', async (_name, paths, expected) => {
    const folder = tempFolder(
      Object.fromEntries(
        paths.map((path, at) => [path, path.endsWith('.json') ? `{"id":${at}}` : `id\n${at}\n`]),
      ),
    );
    const { files } = await open(paths.map((path) => join(folder, path)));
    expect([...rejectNames(files).values()]).toEqual(expected);
  });
});

describe('the folder of rejects', () => {
  const unread = () => false;
  const written = (path: string, of = 'import', line = '1,No.') =>
    replaceFolder(path, of, (fresh) => writeLines(fresh, 't.csv', [line]));

  it('is the named one, even if the same import wrote it before', () => {
    const path = join(tempFolder(), 'rejects');
    expect(folderFor(path, 'import', unread)).toBe(path);
    written(path);
    expect(folderFor(path, 'import', unread)).toBe(path);
    written(path, 'import', '2,No.');
    expect(readFileSync(join(path, 't.csv'), 'utf8')).toBe('2,No.\n');
  });

  it.each<[string, (path: string) => void]>([
    ['a person corrected', (path) => writeFileSync(join(path, 't.csv'), '1,Yes.\n')],
    ['a person put a file into', (path) => writeFileSync(join(path, 'notes.md'), 'mine')],
    ['another import wrote', (path) => written(path, 'another')],
  ])('is never one that %s: a number is added', (_name, change) => {
    const path = join(tempFolder(), 'rejects');
    written(path);
    change(path);
    const before = filesIn(path).map((name) => readFileSync(join(path, name), 'utf8'));
    expect(folderFor(path, 'import', unread)).toBe(`${path}-2`);
    written(`${path}-2`);
    expect(filesIn(path).map((name) => readFileSync(join(path, name), 'utf8'))).toEqual(before);
  });

  it("is never an input, nor another program's", () => {
    const parent = tempFolder();
    const path = join(parent, 'rejects');
    written(path);
    expect(folderFor(path, 'import', (folder) => folder === path)).toBe(`${path}-2`);
    mkdirSync(join(parent, 'empty'));
    expect(folderFor(join(parent, 'empty'), 'import', unread)).toBe(join(parent, 'empty'));
    mkdirSync(join(parent, 'mine'));
    writeFileSync(join(parent, 'mine/precious.txt'), 'x');
    writeFileSync(join(parent, 'file'), 'x');
    for (const name of ['mine', 'file'])
      expect(() => folderFor(join(parent, name), 'import', unread)).toThrow(/not a folder of rejects/);
  });

  it('keeps the old one whole until the end, and if the new one cannot be written', () => {
    const path = join(tempFolder(), 'rejects');
    written(path);
    const full = () => {
      replaceFolder(path, 'import', (fresh) => {
        writeLines(fresh, 't.csv', ['2,No.']);
        expect(readFileSync(join(path, 't.csv'), 'utf8')).toBe('1,No.\n');
        throw Object.assign(new Error('no room'), { code: 'ENOSPC' });
      });
    };
    expect(full).toThrow(/the disk is full/);
    expect(readdirSync(join(path, '..'))).toEqual(['rejects']);
    expect(readFileSync(join(path, 't.csv'), 'utf8')).toBe('1,No.\n');
  });

  it('goes when nothing is left', () => {
    const path = join(tempFolder(), 'rejects');
    written(path);
    replaceFolder(path, 'import', () => undefined);
    expect(existsSync(path)).toBe(false);
  });

  it('clears what a killed process left, and puts back what it had moved away', () => {
    const parent = tempFolder();
    const path = join(parent, 'rejects');
    written(path);
    renameSync(path, `${path}.old-999999999`);
    mkdirSync(`${path}.new-999999999`);
    folderFor(path, 'import', unread);
    expect(readdirSync(parent)).toEqual(['rejects']);
    expect(readFileSync(join(path, 't.csv'), 'utf8')).toBe('1,No.\n');
  });

  it.each(['', 't.csv', 'a/b/t.csv'])(
    'killed between its two renames is found again by its input %j',
    (name) => {
      const path = join(tempFolder(), 'rejects');
      replaceFolder(path, 'import', (fresh) => writeLines(fresh, name || 't.csv', ['1,No.']));
      renameSync(path, `${path}.old-999999999`);
      restoreRejects([join(path, name)]);
      expect(readFileSync(join(path, name || 't.csv'), 'utf8')).toBe('1,No.\n');
      restoreRejects([join(path, 't.csv', 'deeper'), '/nowhere/at/all']);
    },
  );

  it('on a disk that cannot be written is one clear error', () => {
    const parent = tempFolder({ file: 'x' });
    expect(() => written(join(parent, 'file', 'rejects'))).toThrow(/cannot be written/);
  });
});
