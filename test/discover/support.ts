/** A command run as a person would run it, in a folder of its own, without a process. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { PassThrough, Readable, Writable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import type { CliContext, Flags } from '../../src/cli/context.ts';
import { runCli } from '../../src/cli/program.ts';
import { initCommand } from '../../src/commands/init/init.ts';
import { commandLines } from '../../src/view/command-line.ts';
import { fixtures } from '../support/cli.ts';

export const cases = relative(process.cwd(), join(fixtures, 'inspect'));

export interface Screen {
  readonly context: CliContext;
  readonly cwd: string;
  stdout(): string;
  stderr(): string;
  [Symbol.dispose](): void;
}

/** A clock that does not move: a sleep ends only when it is cut off. */
const untilAborted = (_: number, signal?: AbortSignal) =>
  new Promise<void>((__, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
  });

/** `cwd` is a new folder, gone at the end; files are named from the folder in which the tests run. */
export function screen(): Screen {
  const cwd = mkdtempSync(join(tmpdir(), 'helpdesk-import-inspect-'));
  const out: string[] = [];
  const err: string[] = [];
  const stream = (lines: string[]) =>
    Object.assign(
      new Writable({
        write: (chunk, _, done) => {
          lines.push(String(chunk));
          done();
        },
      }),
      { isTTY: false, columns: 110 },
    );
  const context: CliContext = {
    env: { LANG: 'C.UTF-8', LC_ALL: 'en_US.UTF-8', NO_COLOR: '1' },
    cwd,
    stdin: Object.assign(Readable.from([]), { isTTY: false }),
    stdout: stream(out),
    stderr: stream(err),
    commands: commandLines({ command: 'inspect', files: [], options: [] }),
    clock: { now: () => Date.UTC(2026, 0, 1), monotonic: () => 0, sleep: untilAborted },
    onSignal: () => () => {},
  };
  return {
    context,
    cwd,
    stdout: () => out.join(''),
    stderr: () => err.join(''),
    [Symbol.dispose]: () => rmSync(cwd, { recursive: true, force: true }),
  };
}

interface ShownField {
  readonly key: string;
  readonly from: string;
  readonly mark?: string;
  readonly words?: Readonly<Record<string, string | null>>;
  readonly meanings?: readonly string[];
  readonly likely?: readonly string[];
}

/** One plain change for each line that is marked: the first meaning of a word, the first likely column. */
export function plainChanges({ fields }: { readonly fields: readonly ShownField[] }): string[] {
  return fields.flatMap(({ key, from, mark, words = {}, meanings = [], likely = [] }) => {
    if (mark === undefined) return [];
    const open = Object.entries(words).filter(([, meaning]) => meaning === null);
    if (open.length > 0) return open.map(([word]) => `${key}:${word}=${meanings[0]}`);
    const value =
      SETTINGS[key] ?? (key === 'ticket.rows' ? from : key === 'message.visibility' ? 'public' : undefined);
    if (value !== undefined) return [`${key}=${key === 'message.visibility' ? "'public'" : value}`];
    return [`${key}=${likely[0] ?? ''}`];
  });
}

const SETTINGS: Readonly<Record<string, string>> = {
  otherAuthors: 'agent',
  'source.timezone': 'Europe/Madrid',
  'source.dayFirst': 'true',
  'source.missingCreatedAt': '2020-01-01T00:00:00Z',
  fallbackAgent: 'agt_1',
  'customersWithoutEmail.synthesize': 'customers.example.com',
};

/** The changes after which nothing is marked: a change may raise the next question. */
export async function settled(files: readonly string[], flags: Flags = {}): Promise<string[]> {
  const set = [flags['set'] ?? []].flat().map(String);
  for (;;) {
    using at = screen();
    await initCommand(
      files.map((file) => resolve(file)),
      { ...flags, json: true, set },
      at.context,
    );
    const more = plainChanges(JSON.parse(at.stdout())).filter((change) => !set.includes(change));
    if (more.length === 0) return set;
    set.push(...more);
  }
}

export const settingsIn = (at: Screen) => join(at.cwd, 'helpdesk-import.yaml');

/** A dry run with the settings in the screen's folder. */
export const dryRun = (at: Screen) =>
  runCli(['run', '-c', settingsIn(at), '--dry-run', '--json'], at.context);

/** What a person types where a prompt waits; `shown` is the screen since the last one. Undefined: the hand leaves the keys. */
export type Typist = (shown: string) => string | undefined;

/** `init` in a terminal: keys go in one by one, as its line editor reads them. */
export async function initByKeys(at: Screen, files: readonly string[], flags: Flags, type: Typist) {
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => undefined });
  let shown = '';
  let all = '';
  const write = (chunk: unknown, _: unknown, done: () => void) => {
    all += chunk;
    shown += chunk;
    // the prompt is written whole, and again with each key after it
    const text = stripVTControlCharacters(shown);
    if (text.endsWith('› ')) {
      const keys = type(text);
      shown = '';
      setImmediate(() => {
        for (const key of keys ?? '') stdin.write(key);
      });
    }
    done();
  };
  const stderr = Object.assign(new Writable({ write }), { isTTY: true, columns: 110 });
  const code = await initCommand(files, flags, { ...at.context, stdin, stderr } as CliContext);
  return { code, screen: stripVTControlCharacters(all) };
}
