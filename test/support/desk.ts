/** A folder with an export, and a helpdesk in this process that the program imports it into. Both are gone after the test. */
import { writeFileSync } from 'node:fs';
import { expect, onTestFinished } from 'vitest';
import type { ProcessContext } from '../../src/cli/context.ts';
import { openScene, type Scene } from '../cli/scene.ts';
import type { RunSummary } from '../e2e/service-run.ts';
import { type Between, between } from './between.ts';
import type { CliResult } from './cli.ts';
import { commandLine } from './command-line.ts';
import { hurriedClock } from './hurried-clock.ts';

/** The object of `--json`, and how it ended. */
export type Ran = RunSummary & {
  readonly code: number;
  readonly stderr: string;
  readonly updates?: Readonly<Record<string, number>>;
  readonly next: readonly {
    readonly text: string;
    readonly command?: string;
    readonly settings?: readonly string[];
  }[];
};

export type Row = Readonly<Record<string, unknown>>;

export interface Desk extends Omit<Scene, 'ask'> {
  /** Objects are JSON lines. */
  write(name: string, content: string | Buffer | readonly object[]): void;
  type(...words: readonly string[]): Promise<CliResult>;
  /** Types it with `--json` and `--yes`. */
  run(...words: readonly string[]): Promise<Ran>;
  /** A request of the Core API: the list that it answers with, or the object as its only element. */
  ask(method: string, path: string, body?: unknown): Promise<Row[]>;
  /** What the helpdesk holds. */
  rows<Of = Row>(sql: string): Of[];
}

export async function openDesk(
  options: Parameters<typeof openScene>[0] = {},
  clock: ProcessContext['clock'] = hurriedClock,
): Promise<Desk> {
  const scene = await openScene({ strict: true, inventAgents: false, ...options });
  onTestFinished(() => scene[Symbol.asyncDispose]());
  return deskOf(scene, clock, scene.env);
}

/** With a server between the program and the helpdesk. */
export async function openDeskBehind(
  options: Parameters<typeof openScene>[0] = {},
  clock: ProcessContext['clock'] = hurriedClock,
): Promise<Desk & { readonly proxy: Between }> {
  const scene = await openScene({ strict: true, inventAgents: false, ...options });
  const proxy = await between(scene.sandbox.url);
  onTestFinished(async () => {
    await proxy[Symbol.asyncDispose]();
    await scene[Symbol.asyncDispose]();
  });
  return { ...deskOf(scene, clock, { ...scene.env, HELPDESK_BASE_URL: proxy.url }), proxy };
}

function deskOf(scene: Scene, clock: ProcessContext['clock'], env: Record<string, string>): Desk {
  const { folder, sandbox } = scene;
  const type = (...words: readonly string[]) => commandLine(words, { cwd: folder.path, clock, env });
  return {
    ...scene,
    env,
    type,
    write: (name, content) =>
      writeFileSync(
        folder.join(name),
        typeof content === 'string' || Buffer.isBuffer(content)
          ? content
          : content.map((one) => `${JSON.stringify(one)}\n`).join(''),
      ),
    run: async (...words) => {
      const { code, stdout, stderr } = await type(...words, '--json', '--yes');
      expect(stdout, stderr).not.toBe('');
      return { ...(JSON.parse(stdout) as Ran), code: Number(code), stderr };
    },
    ask: async (method, path, body) => {
      const [list = []] = Object.values((await scene.ask(method, path, body)) as Record<string, Row[] | Row>);
      return [list].flat() as Row[];
    },
    rows: <Of>(sql: string) => sandbox.store.database.prepare<[], Of>(sql).all(),
  };
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
