/** Packages that are not there, as after `npm ci --ignore-scripts`: one sentence and no stack. */
import { describe, expect, it } from 'vitest';
import { showError } from '../../src/cli/show-error.ts';
import { AppError } from '../../src/domain/errors.ts';
import { contextFor } from './in-process.ts';

const BINDING = "Cannot find module '/x/node_modules/better-sqlite3/build/Release/better_sqlite3.node'";

function coded(message: string, code: string): Error {
  return Object.assign(new Error(message), { code });
}

async function told(error: unknown) {
  const { context, shown } = contextFor('run', [], {}, { cwd: '.', env: { NO_COLOR: '1' } });
  return { code: await showError(error, context, { verbose: false }), text: shown.stderr };
}

describe('an incomplete installation', () => {
  it.each<[string, unknown, string]>([
    ['the binding of SQLite', coded(BINDING, 'MODULE_NOT_FOUND'), 'better-sqlite3 cannot be loaded.'],
    [
      'the binding, reported when a file is opened',
      new AppError('usage', 'The sandbox cannot keep its data.', {
        cause: coded(BINDING, 'MODULE_NOT_FOUND'),
      }),
      'better-sqlite3 cannot be loaded.',
    ],
    [
      'a binding for another Node',
      coded('/x/better_sqlite3.node: wrong ELF class', 'ERR_DLOPEN_FAILED'),
      'better-sqlite3 cannot be loaded.',
    ],
    ['a package', coded("Cannot find package 'zod'", 'ERR_MODULE_NOT_FOUND'), 'a package cannot be loaded.'],
  ])('%s: what to do, and 2', async (_name, error, sentence) => {
    const { code, text } = await told(error);
    expect(code).toBe(2);
    expect(text.replaceAll(/\s+/g, ' ')).toContain(`The installation is incomplete: ${sentence}`);
    expect(text).toContain('npm ci');
    expect(text).not.toContain(' at ');
  });

  it('a module of the user that is not there keeps its own sentence', async () => {
    const cause = coded("Cannot find module '/x/transform.mjs'", 'ERR_MODULE_NOT_FOUND');
    const { text } = await told(new AppError('configuration', 'The transform cannot be loaded.', { cause }));
    expect(text).toContain('The transform cannot be loaded.');
  });
});
