/**
 * `npm run test:mutants -- [part of a path…] [every=<n>]`: changes one condition at a time in a copy of the code, or each nth, and asks
 * whether a test of its room notices. Ends with 1 if none does, or if the tests fail without a change.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';

const root = resolve(import.meta.dirname, '../..');
const COPIED = ['src', 'test', 'fixtures', 'docs', 'dist', 'package.json', 'tsconfig.json'];
/** Without the build before all tests: no test of a room runs the built program. */
const CONFIG = `export default { test: { include: ['test/**/*.test.ts'], testTimeout: 60_000, maxWorkers: 1, isolate: false } };\n`;
/** So many times as long as the tests take without a change: behind that they hang, which is noticed. */
const MOST_TIMES = 4;
const LEAST_MS = 20_000;

/** Which tests have to notice. The first pattern that matches a file counts. */
const ROOMS: readonly (readonly [files: string, tests: readonly string[]])[] = [
  [
    'src/helpdesk/answers.ts',
    ['test/helpdesk/answers', 'test/helpdesk/api', 'test/helpdesk/put-answer', 'test/helpdesk/error-body'],
  ],
  ['src/push/merge-thread.ts', ['test/push/merge-thread.test.ts', 'test/push/delta.test.ts']],
  ['src/push/failure-meaning.ts', ['test/push/decisions.test.ts', 'test/push/create-gate.test.ts']],
  ['src/push/undo-verdict.ts', ['test/push/undo-decision.test.ts']],
  ['src/push/{create,doubt,look,put,settling,thread,thread-now,thread-record}.ts', ['test/push']],
  ['src/checkpoint/{same-source,rows,meta}.ts', ['test/checkpoint']],
  ['src/plan/step.ts', ['test/plan/step.test.ts']],
  ['src/check/*.ts', ['test/check']],
  ['src/mapping/compile/*.ts', ['test/mapping']],
  ['src/plan/fact*.ts', ['test/plan']],
  ['src/discover/*.ts', ['test/discover']],
];

/** What one change does: the other operator, no branch, a write that is not waited for. */
const CHANGES: readonly (readonly [found: RegExp, replace: string])[] = [
  [/ && /g, ' || '],
  [/ \|\| /g, ' && '],
  [/ === /g, ' !== '],
  [/ !== /g, ' === '],
  [/ < /g, ' <= '],
  [/ <= /g, ' < '],
  [/ > /g, ' >= '],
  [/ >= /g, ' > '],
  [/\bif \(/g, 'if (false && '],
  [/\bawait (?=(?:this\.#)?(?:deps\.)?(?:ledger|undos)\.)/g, 'void '],
];

/** Changes that make the same program: the line and what is changed in it. */
const SAME: ReadonlySet<string> = new Set([
  'src/push/merge-thread.ts if (false && kept.length === 0) return ours;',
]);

interface Mutant {
  readonly file: string;
  readonly line: number;
  readonly text: string;
  readonly source: string;
}

function mutantsOf(file: string): Mutant[] {
  const lines = readFileSync(join(root, file), 'utf8').split('\n');
  return lines.flatMap((text, at) =>
    /^\s*(?:\/?\*|\/\/|import |export type )/.test(text)
      ? []
      : CHANGES.flatMap(([found, replace]) =>
          [...text.matchAll(found)]
            .filter(({ index }) => !isInText(text, index))
            .map(({ 0: was, index }) => {
              const changed = text.slice(0, index) + replace + text.slice(index + was.length);
              return { file, line: at + 1, text: changed, source: lines.with(at, changed).join('\n') };
            }),
        ),
  );
}

function isInText(line: string, at: number): boolean {
  const before = line.slice(0, at).replaceAll(/\\./g, '');
  return ["'", '"', '`'].some((quote) => before.split(quote).length % 2 === 0);
}

/** The first test that failed, or undefined if all of them pass. */
async function failing(copy: string, tests: readonly string[], mostMs?: number): Promise<string | undefined> {
  const args = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'mutants.config.ts', '--bail', '1'];
  // A group of its own, so that a worker in an endless loop ends with it.
  const child = spawn(process.execPath, [...args, ...tests], { cwd: copy, detached: true, stdio: 'pipe' });
  const end = () => process.kill(-(child.pid ?? 0), 'SIGKILL');
  const timer = mostMs === undefined ? undefined : setTimeout(end, mostMs);
  child.stderr.resume();
  const [shown, [code, signal]] = await Promise.all([text(child.stdout), once(child, 'close')]);
  clearTimeout(timer);
  if (code === 0) return undefined;
  return /FAIL +(.*)/.exec(shown)?.[1] ?? `ended with ${signal ?? code}`;
}

async function main(args: readonly string[]): Promise<number> {
  const every = Number(args.find((arg) => arg.startsWith('every='))?.slice('every='.length) ?? 1);
  const words = args.filter((arg) => !arg.startsWith('every='));
  const all = new Map<string, readonly string[]>();
  for (const [files, tests] of ROOMS)
    for (const file of globSync(files, { cwd: root }).toSorted()) if (!all.has(file)) all.set(file, tests);
  const chosen = [...all].filter(([file]) => words.length === 0 || words.some((word) => file.includes(word)));
  const copy = mkdtempSync(join(tmpdir(), 'mutants-'));
  try {
    for (const name of COPIED) cpSync(join(root, name), join(copy, name), { recursive: true });
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
    writeFileSync(join(copy, 'mutants.config.ts'), CONFIG);
    let [count, survivors] = [0, 0];
    for (const [file, tests] of chosen) {
      const begun = performance.now();
      const before = await failing(copy, tests);
      const most = Math.max(LEAST_MS, MOST_TIMES * (performance.now() - begun));
      if (before !== undefined) throw new Error(`Without any change this fails: ${before}`);
      const path = join(copy, file);
      const original = readFileSync(path, 'utf8');
      for (const [at, { line, text, source }] of mutantsOf(file).entries()) {
        if (at % every !== 0) continue;
        writeFileSync(path, source);
        const noticed = await failing(copy, tests, most);
        count += 1;
        if (noticed !== undefined || SAME.has(`${file} ${text.trim()}`)) continue;
        survivors += 1;
        process.stdout.write(`SURVIVES ${file}:${line} ${text.trim()}\n`);
      }
      writeFileSync(path, original);
      process.stdout.write(`${file}: ${survivors} of ${count} survived so far\n`);
    }
    process.stdout.write(`${count - survivors} of ${count} are noticed.\n`);
    return survivors === 0 ? 0 : 1;
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

process.exitCode = await main(process.argv.slice(2));
