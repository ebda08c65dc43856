import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

export const root = resolve(import.meta.dirname, '../..');
export const fixtures = join(root, 'fixtures');

export interface CliResult {
  /** Exit code, or the name of the signal that killed it. */
  readonly code: number | NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunningCli {
  readonly pid: number;
  readonly result: Promise<CliResult>;
  kill(signal: NodeJS.Signals): void;
  /** Resolves when standard error (or output) has shown this text, with what a pattern's groups hold. */
  shown(text: string | RegExp): Promise<readonly string[]>;
  /** Variables that the output advised to export so far. */
  exported(): Record<string, string>;
}

/** Variables that would make a test depend on the machine it runs on. */
function cleanEnvironment(extra: Record<string, string>): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const name of ['PATH', 'HOME', 'TMPDIR', 'TMP', 'TEMP', 'SystemRoot']) {
    const value = process.env[name];
    if (value !== undefined) kept[name] = value;
  }
  return { ...kept, NO_COLOR: '1', ...extra };
}

/** What is written to both streams, and a wait until it says something. */
export function watchedOutput() {
  const said = { stdout: '', stderr: '' };
  const waiting = new Set<() => void>();
  const add = (stream: keyof typeof said, text: string) => {
    said[stream] += text;
    for (const check of waiting) check();
  };
  const shown = (result: Promise<unknown>, text: string | RegExp) =>
    new Promise<readonly string[]>((done, fail) => {
      const check = () => {
        const all = said.stdout + said.stderr;
        const found = typeof text === 'string' ? (all.includes(text) ? [text] : null) : text.exec(all);
        if (found === null) return;
        waiting.delete(check);
        done(found);
      };
      waiting.add(check);
      void result.then(() =>
        fail(new Error(`ended without showing ${String(text)}:\n${said.stdout}\n${said.stderr}`)),
      );
      check();
    });
  return { said, add, shown };
}

interface Start {
  readonly cwd: string;
  readonly env?: Record<string, string>;
  readonly input?: string | Buffer;
}

function start(program: string, args: readonly string[], { cwd, env = {}, input = '' }: Start): RunningCli {
  const child = spawn(program, args, { cwd, env: cleanEnvironment(env), stdio: ['pipe', 'pipe', 'pipe'] });
  child.stdin.on('error', () => undefined); // the program may end before it has read all
  child.stdin.end(input);
  const { said, add, shown } = watchedOutput();
  for (const stream of ['stdout', 'stderr'] as const)
    child[stream].setEncoding('utf8').on('data', (text: string) => add(stream, text));
  const result = new Promise<CliResult>((done, fail) => {
    child.on('error', fail);
    child.on('close', (code, signal) => done({ code: code ?? signal, ...said }));
  });
  return {
    pid: child.pid ?? -1,
    result,
    kill: (signal) => child.kill(signal),
    exported: () =>
      Object.fromEntries(
        [...said.stdout.matchAll(/^ *export (HELPDESK_(?:BASE_URL|TOKEN))=(\S+)$/gm)].map(
          ([, name = '', value = '']) => [name, value],
        ),
      ),
    shown: (text) => shown(result, text),
  };
}

/** Starts the built program as a user would, in a folder of its own. `program`: another copy of it. */
export function startCli(
  args: readonly string[],
  { program = join(root, 'bin/helpdesk-import.js'), ...options }: Start & { program?: string },
): RunningCli {
  return start(process.execPath, [program, ...args], options);
}

/** Runs any other program to its end, in the same clean environment. */
export async function startShell(
  [program = '', ...args]: readonly string[],
  options: Start,
): Promise<CliResult> {
  return await start(program, args, options).result;
}

export async function cli(args: readonly string[], options: Start): Promise<CliResult> {
  return await startCli(args, options).result;
}

/** A folder that is gone when the test is. */
export function temporaryFolder(): Disposable & { readonly path: string; join(...parts: string[]): string } {
  const path = mkdtempSync(join(tmpdir(), 'helpdesk-import-test-'));
  return {
    path,
    join: (...parts) => join(path, ...parts),
    [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }),
  };
}
