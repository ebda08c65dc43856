/** A command run as a person would run it, in a folder of its own, without a process. */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { Readable, Writable } from 'node:stream';
import type { CliContext } from '../../src/cli/context.ts';
import { runCli } from '../../src/cli/program.ts';
import { initCommand } from '../../src/commands/init/init.ts';
import { ColumnCollector, type ColumnProfile } from '../../src/discover/column-profile.ts';
import { findJoins } from '../../src/discover/joins.ts';
import type { Answer, Decision, Proposal } from '../../src/discover/propose/proposal.ts';
import { proposeMapping } from '../../src/discover/propose/propose-mapping.ts';
import { readTables } from '../../src/discover/read-tables.ts';
import type { TableProfile } from '../../src/discover/table-profile.ts';
import type { SourceFile } from '../../src/domain/source-file.ts';
import { commandLines } from '../../src/present/terminal/command-line.ts';
import { openExport } from '../../src/source/open-export.ts';
import { fixtures } from '../support/cli.ts';

export const cases = relative(process.cwd(), join(fixtures, 'inspect'));
const never = new AbortController().signal;

export interface Screen {
  readonly context: CliContext;
  readonly cwd: string;
  stdout(): string;
  stderr(): string;
  [Symbol.dispose](): void;
}

/** Time stands still: a sleep ends only when it is cut off. */
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

/** The profile of a column that holds these values. */
export function columnOf(name: string, values: readonly unknown[]): ColumnProfile {
  const collector = new ColumnCollector(name);
  for (const value of values) collector.add(value);
  return collector.profile();
}

/** The tables of an export given as file names and their text. */
export async function tablesOf(
  texts: Readonly<Record<string, string>>,
): Promise<{ tables: TableProfile[]; files: readonly SourceFile[] }> {
  const folder = mkdtempSync(join(tmpdir(), 'helpdesk-import-tables-'));
  try {
    mkdirSync(folder, { recursive: true });
    for (const [name, text] of Object.entries(texts)) writeFileSync(join(folder, name), text);
    await using opened = await openExport(
      Object.keys(texts).map((name) => join(folder, name)),
      { signal: never },
    );
    return { tables: await readTables(opened, { full: true, signal: never }), files: opened.files };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export async function proposalFor(texts: Readonly<Record<string, string>>): Promise<Proposal | undefined> {
  const { tables } = await tablesOf(texts);
  return proposeMapping(tables, findJoins(tables));
}

/** What a person would answer who knows the export. */
export const answer = async ({ kind, choices }: Decision): Promise<Answer['value']> => {
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

/** `init` on a genuine export with every question answered, and what a dry run then makes of it. */
export async function initAndRun(at: Screen, files: string): Promise<{ asked: number; tickets: unknown }> {
  let asked = 0;
  await initCommand([files], { propose: true }, at.context, (decision) => {
    // the look at the conversations at the end is no line of the settings
    if (decision.path[1] !== 'conversations') asked++;
    return answer(decision);
  });
  await dryRun(at);
  return { asked, tickets: JSON.parse(at.stdout()).tickets };
}
