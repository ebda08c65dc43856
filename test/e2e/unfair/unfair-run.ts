/**
 * Imports by the built program into a target that is not fair, and the account of what came of them by the target's own
 * books: whatever the program says, nothing may be there twice, and "done" must mean that it is there.
 */
import { writeFileSync } from 'node:fs';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import { runCli } from '../../../src/cli/program.ts';
import type { Clock } from '../../../src/domain/clock.ts';
import { startCli, temporaryFolder } from '../../support/cli.ts';
import {
  type Json,
  startUnfairTarget,
  type UnfairTarget,
  type UnfairWays,
  type Workspace,
} from '../../support/unfair-target.ts';

/** Seconds: so short that a doubt can be settled while a test waits for it. */
const TIMEOUT = 1;

export interface ExportTicket {
  readonly id: string;
  readonly subject: string;
  readonly createdAt: string;
  readonly status: string;
  readonly contact: { readonly email: string };
  readonly messages: readonly Json[];
}

/** Tickets that are easily taken for each other by a target that cuts, rounds, escapes or merges. */
export function exportTickets(count: number, from = 1): ExportTicket[] {
  return Array.from({ length: count }, (_, index) => {
    const n = from + index;
    const email = `customer${n % 3}@example.com`;
    const time = (second: number) =>
      new Date(Date.UTC(2024, 2, 1, 10, 0, 0, 120) + (n * 7 + second) * 1000).toISOString();
    return {
      id: String(1000 + n),
      subject: `Re: your order at the shop on Sunday & <more> 🙂 no. ${n}`,
      createdAt: time(0),
      status: n % 2 === 0 ? 'closed' : 'open',
      contact: { email },
      messages: [1, 2].map((m) => ({
        actorType: 'customer',
        contact: { email },
        content: `Message ${m} of ticket ${n}`,
        occurredAt: time(m),
      })),
    };
  });
}

/** The end of one process. */
export interface Ended {
  readonly code: number | NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Of the summary; empty without one. */
  readonly tickets: Record<string, number>;
  readonly problems: readonly { readonly code: string; readonly ticket?: string; readonly message: string }[];
}

export interface UnfairRun {
  readonly target: UnfairTarget;
  /** Of the working folder. */
  join(...parts: string[]): string;
  write(tickets: readonly ExportTicket[], name?: string): void;
  /** Runs the program as a process to its end. `env` is added to the target's. */
  run(args?: readonly string[], env?: Record<string, string>): Promise<Ended>;
  /** A process that is killed when this has become true. */
  killed(when: () => boolean, args?: readonly string[]): Promise<void>;
}

const EXPORT = 'export.jsonl';

/** The program in this process, by another clock. */
async function runHere(args: readonly string[], cwd: string, env: Record<string, string>, clock: Clock) {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const [out, err] = [text(stdout), text(stderr)];
  const streams = { stdin: Readable.from([]), stdout, stderr };
  const code = await runCli(args, {
    env: { NO_COLOR: '1', ...env },
    cwd,
    ...streams,
    clock,
    onSignal: () => () => undefined,
  });
  stdout.end();
  stderr.end();
  return { code, stdout: await out, stderr: await err };
}

interface Pace {
  /** Then the program runs in this process, by this clock. */
  readonly clock: Clock;
  /** Seconds. */
  readonly timeout: number;
}

export async function unfairly(
  ways: UnfairWays,
  work: (run: UnfairRun) => Promise<void>,
  pace?: Pace,
): Promise<void> {
  using folder = temporaryFolder();
  const target = await startUnfairTarget(ways);
  const { timeout } = pace ?? { timeout: TIMEOUT };
  // The nth create is of the nth ticket of the export.
  const settings = `target:\n  baseUrl: ${target.url}\nrun:\n  order: file\n`;
  writeFileSync(folder.join('helpdesk-import.yaml'), settings);
  // In this process a path is not looked for in the folder.
  const paths = ['-c', 'helpdesk-import.yaml', '--checkpoint', 'c.sqlite', '--rejects', 'rejects'];
  const usual = ['--timeout', String(timeout), '--rate', '10000/1', '--no-progress'].concat(
    pace === undefined ? [] : paths.map((word) => (word.startsWith('-') ? word : folder.join(word))),
  );
  const source = pace === undefined ? EXPORT : folder.join(EXPORT);
  const start = (args: readonly string[], env: Record<string, string> = {}) =>
    startCli(args, { cwd: folder.path, env: { ...target.env, ...env } });
  const ended = (args: readonly string[], env: Record<string, string>) =>
    pace === undefined
      ? start(args, env).result
      : runHere(args, folder.path, { ...target.env, ...env }, pace.clock);
  try {
    await work({
      target,
      join: folder.join,
      write: (tickets, name = EXPORT) =>
        writeFileSync(folder.join(name), tickets.map((one) => `${JSON.stringify(one)}\n`).join('')),
      async run(args = [], env = {}) {
        const commands = args[0] === 'checkpoint' || args[0] === 'resolve' || args[0] === 'status';
        const full = commands ? args : ['run', source, ...usual, '--json', ...args];
        const { code, stdout, stderr } = await ended(full, env);
        const summary = stdout.startsWith('{') ? (JSON.parse(stdout) as Partial<Ended>) : {};
        return { code, stdout, stderr, tickets: summary.tickets ?? {}, problems: summary.problems ?? [] };
      },
      async killed(when, args = []) {
        const running = start(['run', EXPORT, ...usual, '--json', ...args]);
        let isOver = false;
        void running.result.then(() => {
          isOver = true;
        });
        while (!isOver && !when()) await pause(2);
        running.kill('SIGKILL');
        await running.result;
      },
    });
  } finally {
    await target.close();
  }
}

/** Resolves when nothing is on its way any more that was promised to happen late. */
export async function quiet(target: UnfairTarget): Promise<void> {
  while (target.outstanding > 0) await pause(10);
}

/** Ends before the first ticket, and for the target as a whole, which say more than the tickets do. */
const OF_THE_RUN: readonly unknown[] = [2, 5, 6];

/**
 * What holds whatever a target does: nothing twice, what is said to be done is there, 0 means that all is there, and 4 that a
 * person has to look at a ticket.
 */
export function expectHonest(
  target: UnfairTarget,
  tickets: readonly ExportTicket[],
  ended: Ended,
  workspace: Workspace = target.workspace,
): void {
  const held = target.bySubject(workspace);
  const twice = tickets.filter(({ subject }) => (held.get(subject) ?? []).length > 1).map(({ id }) => id);
  const reported = `exit ${ended.code}, ${JSON.stringify(ended.tickets)}\n${ended.stderr.slice(-2000)}`;
  expect(twice, `twice: ${reported}`).toEqual([]);
  const missing = tickets.filter(({ subject, messages }) => {
    const [ticket] = held.get(subject) ?? [];
    const contents = ticket?.messages.map(({ content }) => content);
    return JSON.stringify(contents) !== JSON.stringify(messages.map(({ content }) => content));
  });
  const isInDoubt = (ended.tickets['inDoubt'] ?? 0) > 0;
  if (isInDoubt && !OF_THE_RUN.includes(ended.code)) expect(ended.code, `in doubt: ${reported}`).toBe(4);
  if (ended.code === 0)
    expect(
      missing.map(({ id }) => id),
      `missing: ${reported}`,
    ).toEqual([]);
  expect(tickets.length - missing.length, `done: ${reported}`).toBeGreaterThanOrEqual(
    ended.tickets['done'] ?? 0,
  );
}
