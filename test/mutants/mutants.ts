/** Changes of one place in a copy of the code, and whether a test of its room notices them. */
import { spawn } from 'node:child_process';
import { hash } from 'node:crypto';
import { once } from 'node:events';
import {
  cpSync,
  globSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';

const root = resolve(import.meta.dirname, '../..');
const COPIED = ['bin', 'src', 'test', 'fixtures', 'docs', 'dist', 'package.json', 'tsconfig.json'];
/** Without the build before all tests, which would undo the change. */
const CONFIG = `const most = { testTimeout: 60_000, hookTimeout: 60_000 };
export default { test: { ...most, include: ['test/**/*.test.ts'], exclude: ['test/**/*.long.test.ts'], maxWorkers: 1, isolate: false } };\n`;
/** Longer than the tests of any room take: what hangs is noticed. */
const MOST_MS = 300_000;

/** Where a room's tests are elsewhere too. */
const TESTS: Readonly<Record<string, readonly string[]>> = {
  commands: ['test/cli/', 'test/discover/commands', 'test/discover/own-files'],
  helpdesk: ['test/helpdesk/', 'test/billing/client'],
  import: ['test/import/', 'test/e2e/contract', 'test/e2e/run-sandbox'],
};

/** The other operator, constant or quantifier, one branch alone, a write that is not waited for. */
const CHANGES: readonly (readonly [found: RegExp, replace: string])[] = [
  [/ && /g, ' || '],
  [/ \|\| /g, ' && '],
  [/ \?\? /g, ' && '],
  [/ === /g, ' !== '],
  [/ !== /g, ' === '],
  [/ < /g, ' <= '],
  [/ <= /g, ' < '],
  [/ > /g, ' >= '],
  [/ >= /g, ' > '],
  [/\.some\(/g, '.every('],
  [/\.every\(/g, '.some('],
  [/(?<=[=:?] )true\b/g, 'false'],
  [/(?<=[=:?] )false\b/g, 'true'],
  [/\bif \(/g, 'if (false && '],
  [/\bif \(/g, 'if (true || '],
  [/\bawait (?=(?:this\.#)?(?:deps\.)?(?:ledger|undos|links)\.)/g, 'void '],
];

/** Changes that make the same program: the line and what is changed in it. */
const SAME: ReadonlySet<string> = new Set([
  'src/push/merge-thread.ts if (false && kept.length === 0) return ours;',
]);

export interface Mutant {
  readonly file: string;
  readonly line: number;
  /** The changed line. */
  readonly text: string;
  readonly source: string;
}

export function rooms(): string[] {
  return readdirSync(join(root, 'src'), { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? entry.name : [],
  );
}

/** Four that a seed chooses. */
export function roomsOf(seed: number): string[] {
  return rooms()
    .toSorted((a, b) => (hash('sha256', `${seed} ${a}`) < hash('sha256', `${seed} ${b}`) ? -1 : 1))
    .slice(0, 4);
}

export function mutantsOf(room: string): Mutant[] {
  const files = globSync(`src/${room}/**/*.ts`, { cwd: root }).toSorted();
  return files.flatMap(mutantsIn).filter(({ file, text }) => !SAME.has(`${file} ${text.trim()}`));
}

function mutantsIn(file: string): Mutant[] {
  const lines = readFileSync(join(root, file), 'utf8').split('\n');
  return lines.flatMap((text, at) =>
    /^\s*(?:\/?\*|\/\/|import |(?:export )?(?:type|interface) |readonly )/.test(text)
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

/** By the hash of what is changed, so that changes elsewhere choose no others. */
export function sampleOf(mutants: readonly Mutant[], count: number, seed: number): Mutant[] {
  const rank = ({ file, text }: Mutant) => hash('sha256', `${seed} ${file} ${text}`);
  return mutants
    .map((mutant) => ({ mutant, rank: rank(mutant) }))
    .toSorted((a, b) => (a.rank < b.rank ? -1 : 1))
    .slice(0, count)
    .map(({ mutant }) => mutant);
}

/** A copy of the code, in which one mutant at a time is tried. */
export class CopiedCode implements Disposable {
  readonly #path = mkdtempSync(join(tmpdir(), 'mutants-'));

  constructor() {
    for (const name of COPIED) cpSync(join(root, name), join(this.#path, name), { recursive: true });
    symlinkSync(join(root, 'node_modules'), join(this.#path, 'node_modules'));
    writeFileSync(join(this.#path, 'mutants.config.ts'), CONFIG);
  }

  /** The first test that notices it. */
  async noticing({ file, source }: Mutant): Promise<string | undefined> {
    const path = join(this.#path, file);
    const original = readFileSync(path, 'utf8');
    writeFileSync(path, source);
    try {
      return await this.failing(file.split('/')[1] ?? '');
    } finally {
      writeFileSync(path, original);
    }
  }

  /** The first test of a room that fails. */
  async failing(room: string): Promise<string | undefined> {
    const args = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'mutants.config.ts', '--bail', '1'];
    const tests = TESTS[room] ?? [`test/${room}/`];
    const env = { ...process.env, NO_COLOR: '1' };
    // A group of its own, so that a worker in an endless loop ends with it.
    const options = { cwd: this.#path, detached: true, stdio: 'pipe', env } as const;
    const child = spawn(process.execPath, [...args, ...tests], options);
    const timer = setTimeout(() => process.kill(-(child.pid ?? 0), 'SIGKILL'), MOST_MS);
    child.stderr.resume();
    const [shown, [code, signal]] = await Promise.all([text(child.stdout), once(child, 'close')]);
    clearTimeout(timer);
    if (code === 0) return undefined;
    return /FAIL +(.*)/.exec(shown)?.[1] ?? `ended with ${signal ?? code}`;
  }

  [Symbol.dispose](): void {
    rmSync(this.#path, { recursive: true, force: true });
  }
}
