/** A folder with an export, the program, and a helpdesk in this process that it imports into: what a test sets up. */
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, onTestFinished } from 'vitest';
import type { ProcessContext } from '../../src/cli/context.ts';
import { makeCheckpoint, type Outcome } from '../cli/checkpoints.ts';
import { type Between, between } from './between.ts';
import { type CliResult, temporaryFolder } from './cli.ts';
import { commandLine } from './command-line.ts';
import { parseFaults } from './double/faults.ts';
import { hurriedClock } from './hurried-clock.ts';
import { type DoubleOptions, type LoggedSandbox, startLogged } from './logged-sandbox.ts';

/** The object of `--json`, as far as tests look at it, and how it ended. */
export interface Ran extends Pick<CliResult, 'stderr'> {
  readonly code: number;
  readonly mode: string;
  readonly layout: string;
  readonly target?: string;
  readonly tickets: Record<string, number>;
  readonly messages: Record<string, number>;
  readonly events: Record<string, number>;
  readonly requests: Record<string, number>;
  readonly problems: {
    code: string;
    severity: string;
    ticket?: string;
    file?: string;
    line?: number;
    field?: string;
    message: string;
  }[];
  readonly problemGroups: { code: string; count: number }[];
  readonly trial?: {
    tickets: {
      externalId: string;
      ticketId?: string;
      why: string[];
      checks: { name: string; ok: boolean }[];
    }[];
  };
  readonly rejects?: string;
  readonly exitCode: number;
  readonly updates?: Readonly<Record<string, number>>;
  readonly next: readonly {
    readonly text: string;
    readonly command?: string;
    readonly settings?: readonly string[];
  }[];
}

export type Row = Readonly<Record<string, unknown>>;
type Around = Partial<Omit<Parameters<typeof commandLine>[1], 'cwd'>>;

export interface Place {
  readonly folder: ReturnType<typeof temporaryFolder>;
  /** Objects are JSON lines. */
  write(name: string, content: string | Buffer | readonly object[]): void;
  read(name: string): string;
  type(...words: readonly string[]): Promise<CliResult>;
  typeWith(around: Around, ...words: readonly string[]): Promise<CliResult>;
  /** Types it with `--json`, and `--yes` where that is an option. */
  run(...words: readonly string[]): Promise<Ran>;
}

/** Without a helpdesk. */
export function openFolder(usual: Around = {}): Place {
  const folder = temporaryFolder();
  onTestFinished(() => folder[Symbol.dispose]());
  return placeIn(folder, usual);
}

function placeIn(folder: Place['folder'], usual: Around): Place {
  const typeWith: Place['typeWith'] = (around, ...words) =>
    commandLine(words, { cwd: folder.path, ...usual, ...around });
  return {
    folder,
    write: (name, content) =>
      writeFileSync(
        folder.join(name),
        typeof content === 'string' || Buffer.isBuffer(content)
          ? content
          : content.map((one) => `${JSON.stringify(one)}\n`).join(''),
      ),
    read: (name) => readFileSync(folder.join(name), 'utf8'),
    type: (...words) => typeWith({}, ...words),
    typeWith,
    run: async (...words) =>
      summaryOf(await typeWith({}, ...words, '--json', ...(words[0] === 'run' ? ['--yes'] : []))),
  };
}

export function summaryOf({ code, stdout, stderr }: CliResult): Ran {
  expect(stdout, `no summary: ${code}\n${stderr}`).not.toBe('');
  return { ...(JSON.parse(stdout) as Ran), code: Number(code), stderr };
}

export interface Desk extends Place {
  readonly sandbox: LoggedSandbox;
  readonly env: Record<string, string>;
  /** For a command line: its folder and `env`. */
  readonly where: { readonly cwd: string; readonly env: Record<string, string> };
  /** Absolute. */
  readonly checkpoint: string;
  /** A request of the Core API: the list that it answers with, or the object as its only element. */
  ask(method: string, path: string, body?: unknown): Promise<Row[]>;
  /** What the helpdesk holds. */
  rows<Of = Row>(sql: string): Of[];
  count(of: string): number;
  /** A checkpoint of an import into this helpdesk. */
  makeCheckpoint(tickets: Readonly<Record<string, Outcome>>): Promise<void>;
  close(): Promise<void>;
}

type DeskOptions = Partial<DoubleOptions> & { readonly faultTexts?: readonly string[] };

/** The helpdesk has what the specification names and no agents, unless the options say otherwise. */
export async function openDesk(
  options: DeskOptions = {},
  clock: ProcessContext['clock'] = hurriedClock,
): Promise<Desk> {
  const desk = await startDesk(options, clock);
  onTestFinished(desk.close);
  return desk;
}

/** It takes calls beyond the specification, and agents that it does not have. */
export const LENIENT = { strict: false, inventAgents: true };

/** For tests that share one, and close it. */
export async function startDesk(
  { faultTexts = [], ...options }: DeskOptions = {},
  clock: ProcessContext['clock'] = hurriedClock,
): Promise<Desk> {
  const folder = temporaryFolder();
  const sandbox = await startLogged({
    ...{ clock: hurriedClock, strict: true, inventAgents: false },
    ...(faultTexts.length === 0 ? {} : { faults: parseFaults(faultTexts, 1) }),
    ...options,
  });
  const env = { HELPDESK_BASE_URL: sandbox.url, HELPDESK_TOKEN: sandbox.token };
  const checkpoint = folder.join('helpdesk-import.checkpoint.sqlite');
  const rows = <Of>(sql: string) => sandbox.store.database.prepare<[], Of>(sql).all();
  return {
    ...placeIn(folder, { env, clock }),
    ...{ sandbox, env, checkpoint, rows, where: { cwd: folder.path, env } },
    ask: async (method, path, body) => {
      const answer = await fetch(`${sandbox.url}/api/core/v1${path}`, {
        method,
        headers: { authorization: `Bearer ${sandbox.token}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await answer.text();
      expect(answer.ok, `${method} ${path} answers ${answer.status}: ${text}`).toBe(true);
      const [list = []] = Object.values(JSON.parse(text) as Record<string, Row[] | Row>);
      return [list].flat() as Row[];
    },
    count: (of) => rows<{ n: number }>(`SELECT count(*) AS n FROM ${of}`)[0]?.n ?? 0,
    makeCheckpoint: (tickets) =>
      makeCheckpoint(checkpoint, { tickets, target: `${sandbox.url}/api/core/v1` }),
    close: async () => {
      await sandbox.close();
      folder[Symbol.dispose]();
    },
  };
}

/** With a server between the program and the helpdesk. */
export async function openDeskBehind(
  options: DeskOptions = {},
  clock: ProcessContext['clock'] = hurriedClock,
): Promise<Desk & { readonly proxy: Between }> {
  const desk = await openDesk(options, clock);
  const proxy = await between(desk.sandbox.url);
  onTestFinished(() => proxy[Symbol.asyncDispose]());
  const env = { ...desk.env, HELPDESK_BASE_URL: proxy.url };
  return { ...desk, ...placeIn(desk.folder, { env, clock }), env, proxy };
}

/** A message that was read, as a PUT of the thread keeps it. */
export function asItWas(message: Row) {
  const { id, actorType, content, contentType, occurredAt, isInternal, ...others } = message;
  const { contactId, agentId, messageId } = others;
  const some = Object.entries({ contactId, agentId, messageId }).filter(([, value]) => value);
  return { ...{ id, actorType, content, contentType, occurredAt, isInternal }, ...Object.fromEntries(some) };
}

const ANN = { email: 'ann@example.com' };

/** A message of the native layout, of this day of March 2024: a customer's, or an agent's by the ID. */
export const says = (content: string, day = 1, agentId?: string) => ({
  content,
  occurredAt: `2024-03-0${day}T09:00:00Z`,
  ...(agentId === undefined ? { actorType: 'customer', contact: ANN } : { actorType: 'agent', agentId }),
});

/** A ticket of the native layout with one message. */
export const ticket = (id: string, more: Readonly<Record<string, unknown>> = {}) => ({
  ...{ id, subject: `Ticket ${id}`, contact: ANN, createdAt: '2024-03-01T08:00:00Z' },
  messages: [says(`${id} hello`)],
  ...more,
});

/** Tickets `e1` to `e<count>`, each of its own customer, with two messages and an event. */
export const answeredTickets = (count: number) =>
  Array.from({ length: count }, (_, at) => {
    const id = `e${at + 1}`;
    const contact = { email: `${id}@example.com`, name: `Customer ${id}` };
    const [first, second] = ['2024-01-02T03:04:05Z', '2024-01-02T04:00:00Z'];
    const agent = { actorType: 'agent', agentId: 'agt_1', occurredAt: second };
    const change = { oldValue: { status: 'open' }, newValue: { status: 'resolved' } };
    return {
      ...{ id, subject: `Subject of ${id}`, contact, status: 'resolved', createdAt: first },
      messages: [
        { actorType: 'customer', contact, content: `Hello from ${id}`, occurredAt: first },
        { ...agent, content: `Answer to ${id}` },
      ],
      events: [{ ...agent, type: 'status_change', ...change }],
    };
  });
