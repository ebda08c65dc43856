/**
 * `npm run test:mutants [word…]`: breaks one promise at a time in a copy of the code and asks whether a test notices. Ends
 * with 1 if no test fails, if a place of the list is gone, or if the named tests fail without a change.
 */
import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { MUTANTS, type Mutant } from './list.ts';

const root = resolve(import.meta.dirname, '../..');
const COPIED = ['src', 'test', 'fixtures', 'package.json', 'tsconfig.json'];
/** Without the build, which only the tests of the program as a whole need. */
const CONFIG = `export default { test: { include: ['test/**/*.test.ts'], testTimeout: 60_000, maxWorkers: 1, isolate: false } };\n`;

const MOST_MS = 1_800_000;

interface Outcome {
  /** Names of tests that failed. */
  readonly failed: readonly string[];
  /** Files that could not be run. */
  readonly broken: readonly string[];
}

interface VitestReport {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
}

function vitest(copy: string, files: readonly string[], stopAtOnce: boolean): Promise<Outcome> {
  const program = join(copy, 'node_modules/vitest/vitest.mjs');
  const bail = stopAtOnce ? ['--bail', '1'] : [];
  const reported = join(copy, 'report.json');
  rmSync(reported, { force: true });
  const report = ['--reporter', 'json', '--outputFile', reported];
  const args = [program, 'run', '--config', 'mutants.config.ts', ...report, ...bail, ...files];
  return new Promise((done, fail) => {
    execFile(process.execPath, args, { cwd: copy, timeout: MOST_MS }, (error, stdout, stderr) => {
      if (existsSync(reported)) done(outcomeOf(JSON.parse(readFileSync(reported, 'utf8')) as VitestReport));
      else fail(new Error(`The tests reported nothing:\n${stdout}\n${stderr}`, { cause: error }));
    });
  });
}

function outcomeOf({ testResults }: VitestReport): Outcome {
  return {
    failed: testResults.flatMap(({ assertionResults }) =>
      assertionResults.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName),
    ),
    broken: testResults
      .filter(({ status, assertionResults }) => status === 'failed' && assertionResults.length === 0)
      .map(({ name }) => name),
  };
}

/** Undefined if a test noticed; else what is wrong. */
async function survives({ file, search, replace, breaks, tests }: Mutant, copy: string) {
  const path = join(copy, file);
  const original = existsSync(path) ? readFileSync(path, 'utf8') : '';
  const lost = tests.find((test) => !existsSync(join(copy, test)));
  if (original.split(search).length !== 2 || lost !== undefined)
    return `${lost ?? `its text in ${file}`} is gone: bring the list up to date`;
  writeFileSync(
    path,
    original.replace(search, () => replace),
  );
  try {
    const { failed, broken } = await vitest(copy, tests, true);
    if (broken.length > 0) return `the changed code cannot be run (${broken.join(', ')})`;
    return failed.length > 0 ? undefined : `no test notices. It breaks: ${breaks}`;
  } finally {
    writeFileSync(path, original);
  }
}

async function main(words: readonly string[]): Promise<number> {
  const chosen = MUTANTS.filter(
    ({ name }) => words.length === 0 || words.some((word) => name.includes(word)),
  );
  const copy = mkdtempSync(join(tmpdir(), 'mutants-'));
  try {
    for (const name of COPIED) cpSync(join(root, name), join(copy, name), { recursive: true });
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
    writeFileSync(join(copy, 'mutants.config.ts'), CONFIG);
    const files = [...new Set(chosen.flatMap(({ tests }) => tests))].filter((test) =>
      existsSync(join(copy, test)),
    );
    const { failed, broken } = await vitest(copy, files, false);
    const failing = [...failed, ...broken];
    if (failing.length > 0) {
      process.stdout.write(`Without any change these fail: ${failing.join(', ')}\n`);
      return 1;
    }
    let survivors = 0;
    for (const mutant of chosen) {
      const problem = await survives(mutant, copy);
      process.stdout.write(
        `${problem === undefined ? 'noticed ' : 'SURVIVES'}  ${mutant.name}${problem === undefined ? '' : `: ${problem}`}\n`,
      );
      if (problem !== undefined) survivors += 1;
    }
    process.stdout.write(`${chosen.length - survivors} of ${chosen.length} are noticed.\n`);
    return survivors === 0 ? 0 : 1;
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

process.exitCode = await main(process.argv.slice(2));
