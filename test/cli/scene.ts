/** A service in this process, with a checkpoint of an import into it that a test describes. */
import { writeFileSync } from 'node:fs';
import { temporaryFolder } from '../support/cli.ts';
import { parseFaults } from '../support/double/faults.ts';
import { hurriedClock } from '../support/hurried-clock.ts';
import type { DoubleOptions } from '../support/logged-sandbox.ts';
import { type LoggedSandbox, startLogged } from '../support/logged-sandbox.ts';
import { lookOf, makeCheckpoint, type Outcome } from './checkpoints.ts';

export interface Scene extends AsyncDisposable {
  readonly folder: ReturnType<typeof temporaryFolder>;
  readonly sandbox: LoggedSandbox;
  readonly env: Record<string, string>;
  /** For a command line: its folder and `env`. */
  readonly where: { readonly cwd: string; readonly env: Record<string, string> };
  /** Absolute. */
  readonly checkpoint: string;
  /** Makes a ticket in the service, as an import would have; gives its id there. */
  create(externalId: string): Promise<string>;
  /** A request of the Core API. */
  ask(method: string, path: string, body?: unknown): Promise<unknown>;
  makeCheckpoint(
    tickets: Readonly<Record<string, Outcome>>,
    ticketIds?: Readonly<Record<string, string>>,
  ): Promise<void>;
}

export async function openScene(
  options: Partial<DoubleOptions> & { readonly faultTexts?: readonly string[] } = {},
): Promise<Scene> {
  const { faultTexts = [], ...rest } = options;
  const folder = temporaryFolder();
  const sandbox = await startLogged({
    clock: hurriedClock,
    inventAgents: true,
    ...(faultTexts.length === 0 ? {} : { faults: parseFaults(faultTexts, 1) }),
    ...rest,
  });
  const checkpoint = folder.join('helpdesk-import.checkpoint.sqlite');
  const ask: Scene['ask'] = async (method, path, body) => {
    const answer = await fetch(`${sandbox.url}/api/core/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${sandbox.token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`${method} ${path} answers ${answer.status}: ${await answer.text()}`);
    return await answer.json();
  };
  const env = { HELPDESK_BASE_URL: sandbox.url, HELPDESK_TOKEN: sandbox.token };
  return {
    folder,
    sandbox,
    checkpoint,
    env,
    where: { cwd: folder.path, env },
    ask,
    create: async (externalId) => {
      const { subject, createdAt, email } = lookOf(externalId);
      const made = await ask('POST', '/tickets', { subject, createdAt, contact: { email } });
      return (made as { ticket: { id: string } }).ticket.id;
    },
    makeCheckpoint: (tickets, ticketIds = {}) =>
      makeCheckpoint(checkpoint, { tickets, ticketIds, target: `${sandbox.url}/api/core/v1` }),
    [Symbol.asyncDispose]: async () => {
      await sandbox.close();
      folder[Symbol.dispose]();
    },
  };
}

/** Tickets `e1` to `e<count>`, each with two messages and an event; they look as `lookOf` describes them. */
export function writeExport(path: string, count: number): void {
  const lines = Array.from({ length: count }, (_, index) => {
    const id = `e${index + 1}`;
    const { subject, createdAt, email } = lookOf(id);
    const contact = { email, name: `Customer ${id}` };
    const [first, second] = ['2024-01-02T03:04:05Z', '2024-01-02T04:00:00Z'];
    const agent = { actorType: 'agent', agentId: 'agt_1', occurredAt: second };
    return JSON.stringify({
      id,
      subject,
      contact,
      status: 'resolved',
      createdAt,
      messages: [
        { actorType: 'customer', contact, content: `Hello from ${id}`, occurredAt: first },
        { ...agent, content: `Answer to ${id}` },
      ],
      events: [
        { ...agent, type: 'status_change', oldValue: { status: 'open' }, newValue: { status: 'resolved' } },
      ],
    });
  });
  writeFileSync(path, `${lines.join('\n')}\n`);
}
