/** Imports into a helpdesk that is not fair, and what came of them by the helpdesk's own books. */
import { writeFileSync } from 'node:fs';
import { expect, onTestFinished } from 'vitest';
import { runCli } from '../../../src/cli/program.ts';
import type { Clock } from '../../../src/domain/ports.ts';
import { contextFor } from '../../cli/in-process.ts';
import { folderOfTest } from '../../support/folder-of-test.ts';
import { hurried } from '../../support/hurried-clock.ts';
import {
  type HeldTicket,
  type Json,
  startUnfairTarget,
  type UnfairTarget,
  type UnfairWays,
} from '../../support/unfair-target.ts';

export interface ExportTicket {
  readonly id: string;
  readonly subject: string;
  readonly createdAt: string;
  readonly status: string;
  readonly contact: { readonly email: string; readonly name?: string };
  readonly messages: readonly Json[];
}

/** Tickets that a helpdesk that cuts, rounds or merges takes for each other; the nth create is of the nth. */
export function exportTickets(count: number): ExportTicket[] {
  return Array.from({ length: count }, (_, index) => {
    const n = index + 1;
    const email = `customer${n % 3}@example.com`;
    const time = (second: number) =>
      new Date(Date.UTC(2024, 2, 1, 10, 0, 0, 120) + (second - n * 7) * 1000).toISOString();
    return {
      id: String(1000 + n),
      subject: `Re: your order at the shop on Sunday & <more> 🙂 no. ${n}`,
      createdAt: time(0),
      status: 'open',
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

/** The end of one command. */
export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** Of the summary; empty without one. */
  readonly tickets: Record<string, number>;
  readonly problems: readonly { readonly code: string; readonly ticket?: string; readonly message: string }[];
  /** Of the problems. */
  readonly codes: readonly string[];
}

export interface UnfairRun {
  readonly target: UnfairTarget;
  /** Of the working folder. */
  join(...parts: string[]): string;
  write(tickets: readonly ExportTicket[]): void;
  /** An import with these flags, or another command; `env` is added to the helpdesk's. */
  run(args?: readonly string[], env?: Record<string, string>): Promise<Ended>;
  /** Writes these tickets and imports them. */
  sends(tickets: readonly ExportTicket[], ...flags: string[]): Promise<Ended>;
  /** That, which must succeed. */
  imports(tickets: readonly ExportTicket[], ...flags: string[]): Promise<Ended>;
  /** What the helpdesk has, in the order of its creates. */
  held(): HeldTicket[];
  /** The import on the screen. */
  screen(...flags: string[]): Promise<Ended>;
  /** Requests that were sent and are no reads. */
  writes(): string[];
}

const COMMANDS = ['checkpoint', 'resolve', 'status', 'undo', 'verify'];

/** `timeout` in seconds of the clock. All is gone when the test ends. */
export async function unfairly(
  ways: UnfairWays = {},
  { clock, timeout }: { readonly clock: Clock; readonly timeout: number } = {
    clock: hurried(20),
    timeout: 20,
  },
): Promise<UnfairRun> {
  const { path, join } = folderOfTest();
  const target = await startUnfairTarget(ways);
  onTestFinished(() => target.close());
  const settings = join('helpdesk-import.yaml');
  writeFileSync(settings, `target:\n  baseUrl: ${target.url}\nrun:\n  rejects: rejects\n`);
  // Tests run side by side in one process, so no path is looked for in the current folder.
  const usual = ['-c', settings, '--checkpoint', join('c.sqlite')];
  const pace = ['--set', `run.timeout=${timeout}`, '--set', 'run.rate=10000/1'];
  const run = async (args: readonly string[], env: Record<string, string> = {}): Promise<Ended> => {
    const where = { cwd: path, env: { NO_COLOR: '1', ...target.env, ...env } };
    const { context, shown } = contextFor('run', [], {}, where);
    const code = await runCli(args, { ...context, clock });
    const said = shown.stdout.startsWith('{') ? (JSON.parse(shown.stdout) as Partial<Ended>) : {};
    const { tickets = {}, problems = [] } = said;
    return { code, ...shown, tickets, problems, codes: problems.map((one) => one.code) };
  };
  const importing = ['run', join('export.jsonl'), ...usual, ...pace];
  const write: UnfairRun['write'] = (tickets) =>
    writeFileSync(join('export.jsonl'), tickets.map((one) => `${JSON.stringify(one)}\n`).join(''));
  const sends: UnfairRun['sends'] = (tickets, ...flags) => {
    write(tickets);
    return run([...importing, '--json', ...flags]);
  };
  return {
    target,
    join,
    write,
    sends,
    imports: async (tickets, ...flags) => {
      const ended = await sends(tickets, ...flags);
      expect(ended.code, ended.stderr).toBe(0);
      return ended;
    },
    held: () => [...target.workspace.tickets.values()],
    run: (args = [], env = {}) => {
      if (!COMMANDS.includes(args[0] ?? '')) return run([...importing, '--json', ...args], env);
      return run(args.includes('--checkpoint') ? args : [...args, ...usual], env);
    },
    screen: (...flags) => run([...importing, ...flags]),
    writes: () =>
      target.seen.filter(({ method }) => method !== 'GET').map(({ method, path: at }) => `${method} ${at}`),
  };
}

/** Ends before the first ticket, and for the helpdesk as a whole, which say more than the tickets do. */
const OF_THE_RUN: readonly unknown[] = [2, 5, 6];

/** Always: nothing twice, what is called done is there, 0 means all is there, 4 that a person has to look. */
export function expectHonest(target: UnfairTarget, tickets: readonly ExportTicket[], ended: Ended): void {
  const held = target.bySubject();
  const twice = tickets.filter(({ subject }) => (held.get(subject) ?? []).length > 1).map(({ id }) => id);
  const reported = `exit ${ended.code}, ${JSON.stringify(ended.tickets)}\n${ended.stderr.slice(-2000)}`;
  expect(twice, `twice: ${reported}`).toEqual([]);
  const contents = (messages: readonly Json[] = []) => JSON.stringify(messages.map(({ content }) => content));
  const missing = tickets
    .filter(({ subject, messages }) => contents(held.get(subject)?.[0]?.messages) !== contents(messages))
    .map(({ id }) => id);
  const isInDoubt = (ended.tickets['inDoubt'] ?? 0) > 0;
  if (isInDoubt && !OF_THE_RUN.includes(ended.code)) expect(ended.code, `in doubt: ${reported}`).toBe(4);
  if (ended.code === 0) expect(missing, `missing: ${reported}`).toEqual([]);
  expect(tickets.length - missing.length, `done: ${reported}`).toBeGreaterThanOrEqual(
    ended.tickets['done'] ?? 0,
  );
}
