/** A command run as a person would run it, in a folder of its own, without a process. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { Readable, Writable } from 'node:stream';
import type { CliContext } from '../../src/cli/context.ts';
import { runCli } from '../../src/cli/program.ts';
import type { AnswerValue, Question } from '../../src/discover/questions.ts';
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

/** The first choice of each question, and a plain value for a question without choices. */
export const answer = async ({ kind, choices }: Question): Promise<AnswerValue | undefined> => {
  if (choices !== undefined) return choices[0]?.value;
  return {
    zone: 'Europe/Madrid',
    time: '2020-01-01T00:00:00Z',
    domain: 'customers.example.com',
    text: 'agt_1',
    choice: undefined,
  }[kind];
};

export const settingsIn = (at: Screen) => join(at.cwd, 'helpdesk-import.yaml');

/** A dry run with the settings in the screen's folder. */
export const dryRun = (at: Screen) =>
  runCli(['run', '-c', settingsIn(at), '--dry-run', '--json'], at.context);
