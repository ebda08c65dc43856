/** Any value of any flag of a dry run, and any settings, come to an exit code of the table and to a sentence. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { COMMANDS } from '../../src/cli/command-list.ts';
import type { CliResult } from '../support/cli.ts';
import { commandLine } from '../support/command-line.ts';

/** More of them by hand: FUZZ_RUNS=5000 FUZZ_SEED=7 npx vitest run test/fuzz/arguments.test.ts */
const RUNS = Number(process.env['FUZZ_RUNS'] ?? 40);
const SEED = Number(process.env['FUZZ_SEED'] ?? 18);
const MOST_OUTPUT = 256 * 1024;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'fuzz-'));
  writeFileSync(
    join(folder, 'export.csv'),
    'id,subject,email,created\n1,Hello,ann@example.com,2024-01-01T00:00:00Z\n',
  );
});
afterAll(() => rmSync(folder, { recursive: true }));

function judge({ code, stdout, stderr }: CliResult): void {
  expect([0, 2, 3, 4, 5, 6], stderr).toContain(code);
  expect(stdout.length + stderr.length).toBeLessThan(MOST_OUTPUT);
  expect(`${stdout}${stderr}`).not.toMatch(/^\s+at .*:\d+:\d+\)?$/m);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what must not be there
  expect(`${stdout}${stderr}`).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
}

/** Types, sizes, control characters and special files. */
const value = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.constantFrom(
    '',
    '-',
    '--',
    '0',
    '-1',
    '1e309',
    'NaN',
    '1/0',
    '100%',
    '@',
    '@/dev/null',
    '/dev/null',
    '.',
    '..',
  ),
  fc.constantFrom(
    '\u001b[31m',
    '\u0000',
    '\ud800',
    '\u202e',
    'null',
    '[]',
    '{}',
    '__proto__',
    'a'.repeat(120_000),
  ),
  fc.integer().map(String),
);
const OPTIONS = COMMANDS.find(({ name }) => name === 'run')?.options ?? [];
/** They write files, ask, wait or send. */
const LEFT_OUT =
  /--(?:sandbox|serve|dry-run|trial|html|report|rejects|checkpoint|log|out|files|keep|version|help)/;
const FLAGS = OPTIONS.map(({ flags }) => /--[a-z-]+/.exec(flags)?.[0] ?? '').filter(
  (flag) => flag !== '' && !LEFT_OUT.test(flag),
);

it('any value of any flag', async () => {
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...FLAGS), value, async (flag, text) => {
      judge(await commandLine(['run', 'export.csv', '--dry-run', `${flag}=${text}`], { cwd: folder }));
    }),
    { numRuns: RUNS, seed: SEED },
  );
});

it('any settings file', async () => {
  const word = fc.constantFrom(
    ...[
      'source:',
      'mapping:',
      'target:',
      'run:',
      'ticket:',
      'tables:',
      '- ',
      '  ',
      '    ',
      '&a',
      '*a',
      '<<:',
      '!!binary',
    ],
    ...[
      'timezone: ',
      'match: "(a+)+b"',
      'column: ',
      '[',
      ']',
      '{',
      '}',
      '"',
      ':',
      '\n',
      '\t',
      '? ',
      '|',
      '>',
      '%',
      '---',
    ],
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof({ weight: 4, arbitrary: word }, value), { maxLength: 25 }),
      async (words) => {
        writeFileSync(join(folder, 'fuzz.yaml'), words.join(''));
        judge(
          await commandLine(['run', 'export.csv', '--dry-run', '--config', 'fuzz.yaml'], { cwd: folder }),
        );
      },
    ),
    { numRuns: RUNS, seed: SEED },
  );
});
