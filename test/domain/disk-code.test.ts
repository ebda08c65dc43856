/** Only errors of the system or of SQLite are a disk that cannot be written. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { cannotWrite } from '../../src/attachments/fetch-file.ts';
import { writeFailure } from '../../src/checkpoint/file.ts';
import { AppError, diskCode } from '../../src/domain/errors.ts';
import { wordsIn } from '../../src/domain/text/problem-words.ts';
import { unwritable } from '../../src/sandbox/store/database.ts';
import { replaceFolder } from '../../src/source/reject-folder.ts';
import { root } from '../support/cli.ts';
import { folderOfTest } from '../support/folder-of-test.ts';

const withCode = (code: unknown) => Object.assign(new Error('no'), { code });

it.each<[string, unknown, string | undefined]>([
  ['the system', withCode('ENOSPC'), 'ENOSPC'],
  ['SQLite, with what it was doing', withCode('SQLITE_IOERR_WRITE'), 'SQLITE_IOERR_WRITE'],
  ['a statement that is wrong', withCode('SQLITE_CONSTRAINT_UNIQUE'), undefined],
  ['an argument of ours', withCode('ERR_INVALID_ARG_TYPE'), undefined],
  ['a packed stream', withCode('Z_DATA_ERROR'), undefined],
  ['a code that is no text', withCode({ toString: 1 }), undefined],
  ['too deep a value', new RangeError('Maximum call stack size exceeded'), undefined],
  ['a value with a code', { code: 'ENOSPC' }, undefined],
  ['nothing', undefined, undefined],
])('%s has the code of a disk, or none', (_, error, code) => {
  expect(diskCode(error)).toBe(code);
});

it.each<[string, (error: unknown) => unknown]>([
  ['the checkpoint', (error) => writeFailure('c.sqlite', error)],
  ['the sandbox', unwritable],
  ['files', (error) => cannotWrite('kept', error)],
  [
    'rejects',
    (error) => thrownBy(() => replaceFolder(join(folderOfTest().path, 'r'), 'import', thrower(error))),
  ],
])('%s: a full disk is one, a defect is none', (_, made) => {
  expect(made(withCode('ENOSPC'))).toMatchObject({ code: 'disk-write', exitCode: 6 });
  const defect = made(new TypeError('x is not a function')) as Error;
  expect(defect.message).toBe('x is not a function');
  expect(defect instanceof AppError ? defect.code : 'internal').toBe('internal');
});

const thrower = (error: unknown) => () => {
  throw error;
};

function thrownBy(work: () => void): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}

it('every place that says so looks at the code first', () => {
  const stops = Object.entries(wordsIn<{ code: string }>(join(root, 'src/domain/text/stops.yaml')));
  const names = stops.flatMap(([name, { code }]) => (code === 'disk-write' ? name : [])).join('|');
  const says = new RegExp(`(?:new AppError\\(\\s*'disk-write'|\\bstop\\(\\s*'(?:${names})')`);
  const saying = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' }).filter((file) => {
    const text = file.endsWith('.ts') ? readFileSync(join(root, 'src', file), 'utf8') : '';
    return says.test(text) && !text.includes('diskCode(');
  });
  // It has codes of its own.
  expect(saying).toEqual(['source/problems.ts']);
});
