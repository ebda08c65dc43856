/** A sandbox with an app and its customers, and the commands of the app API in a folder of their own. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { CliContext, Flags } from '../../src/cli/context.ts';
import { showError } from '../../src/cli/show-error.ts';
import { systemClock } from '../../src/system-clock.ts';
import { commandOf, contextFor } from '../cli/in-process.ts';
import { running } from '../sandbox/running-sandbox.ts';
import { type CannedAnswer, canned } from '../support/canned.ts';
import { fixtures } from '../support/cli.ts';
import { readCustomers } from '../support/double/app-calls.ts';
import { folderOfTest } from '../support/folder-of-test.ts';
import type { DoubleOptions } from '../support/logged-sandbox.ts';

export const BILLING_FILE = join(fixtures, 'usage-events/billing.json');
export const customers = readCustomers(BILLING_FILE);

/** The clock of a test's sandbox moves only when the test moves it. */
export async function seeded(options: Partial<DoubleOptions> = {}) {
  const sandbox = await running({ customers, ...options });
  return {
    ...sandbox,
    /** A call of the app API with the app's key; the path is below `/v1`. */
    async appCall(method: string, path: string, body?: unknown, headers?: Record<string, string>) {
      const response = await fetch(`${sandbox.url}/v1${path}`, {
        method,
        headers: {
          ...(headers ?? { 'x-mantle-app-id': sandbox.app.id, 'x-mantle-app-api-key': sandbox.app.key }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      const isJson = (response.headers.get('content-type') ?? '').includes('json');
      return { status: response.status, body: isJson ? JSON.parse(text) : text };
    },
  };
}

/** Another service, and the requests that it was sent. */
export async function answering(answer: (body: string) => CannedAnswer) {
  const server = await canned(({ body }) => answer(body));
  onTestFinished(() => server[Symbol.asyncDispose]());
  return { url: server.url, requests: server.seen };
}

export const HEADER = 'eventId,eventName,customerId,timestamp,properties.total';
export const row = (id: string, customer = 'cus_1', name = 'order_created') =>
  `${id},${name},${customer},2026-02-20T10:00:00Z,12`;
export const rows = (count: number) => Array.from({ length: count }, (_, index) => row(`e${index}`));

interface Surroundings {
  readonly env?: Record<string, string>;
  readonly onSignal?: CliContext['onSignal'];
  /** Waits are as short as that; default 1. */
  readonly haste?: number;
}

/** A folder, a sandbox, and the commands between them. `url`: another service in its place. */
export async function billingDesk({ url, ...options }: Partial<DoubleOptions> & { url?: string } = {}) {
  const sandbox = await seeded({ clock: systemClock, ...options });
  const folder = folderOfTest();
  const path = (name: string) => folder.join(name);
  const keys = {
    HELPDESK_APP_URL: url ?? sandbox.url,
    HELPDESK_APP_ID: sandbox.app.id,
    HELPDESK_APP_KEY: sandbox.app.key,
  };

  async function run(name: string, args: readonly string[], flags: Flags = {}, around: Surroundings = {}) {
    const { env = keys, onSignal = () => () => undefined, haste = 1 } = around;
    const where = { cwd: folder.path, env: { NO_COLOR: '1', ...env } };
    const { context: usual, shown } = contextFor(name, args, flags, where);
    const sleep: typeof systemClock.sleep = (ms, signal) => systemClock.sleep(ms / haste, signal);
    const context = { ...usual, clock: { ...systemClock, sleep }, onSignal };
    const code = await commandOf(name)
      .run(args, flags, context)
      .catch((error: unknown) => showError(error, context, { verbose: false }));
    return { code, ...shown };
  }

  return {
    sandbox,
    path,
    run,
    /** Event IDs that the service has. */
    kept: () => sandbox.store.sql.column<string>('SELECT event_id FROM usage_events ORDER BY at_ms DESC'),
    /** As they were sent, in that order. */
    events: () =>
      sandbox.store.sql
        .all<Record<'event_name' | 'customer_id' | 'event_id' | 'properties', string> & { at_ms: number }>(
          'SELECT * FROM usage_events ORDER BY seq',
        )
        .map((row) => ({
          eventId: row.event_id,
          eventName: row.event_name,
          customerId: row.customer_id,
          timestamp: new Date(row.at_ms).toISOString(),
          properties: JSON.parse(row.properties),
        })),
    write: (name: string, ...lines: string[]) => {
      writeFileSync(path(name), `${lines.join('\n')}\n`);
      return path(name);
    },
    /** `usage-events --json`, with rejects in the folder. */
    async send(file: string | readonly string[], flags: Flags = {}, around: Surroundings = {}) {
      const { rejects, set = [], ...others } = { rejects: path('rejects'), ...flags };
      const named = rejects === undefined ? [] : [`run.rejects=${rejects}`];
      const all = { json: true, ...others, set: [set, named].flat().map(String) };
      const result = await run('usage-events', [file].flat(), all, around);
      const summary = (result.stdout.startsWith('{') ? JSON.parse(result.stdout) : {}) as {
        readonly events: Record<string, number>;
        readonly requests: { readonly sent: number };
        readonly problems: readonly {
          readonly code: string;
          readonly line: number;
          readonly message: string;
          readonly field?: string;
        }[];
        readonly rejects?: string;
      };
      return { ...result, summary };
    },
  };
}
