/** A sandbox with an app, its plans and customers, for one test. */
import { join } from 'node:path';
import type { Clock } from '../../../src/domain/clock.ts';
import { Secret } from '../../../src/domain/secret.ts';
import { readCustomers } from '../../../src/sandbox/app-api/app-calls.ts';
import type { SandboxOptions } from '../../../src/sandbox/sandbox.ts';
import { APP_API } from '../../../src/settings/table/app-api.ts';
import { type AppApi, type AppApiOptions, createAppApi } from '../../../src/target/app-api/client.ts';
import { createAdmission } from '../../../src/target/pace/admission.ts';
import { type RunningSandbox, running } from '../../sandbox/running-sandbox.ts';
import { fixtures } from '../../support/cli.ts';

export const BILLING_FILE = join(fixtures, 'usage-events/billing.json');
export const customers = readCustomers(BILLING_FILE);

export interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
  readonly body: any;
}

export interface AppSandbox extends RunningSandbox {
  /** A call of the app API with the app's key; the path is below `/v1`. */
  appCall(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
}

export async function seeded(options: Partial<SandboxOptions> = {}): Promise<AppSandbox> {
  const sandbox = await running({ customers, ...options });
  return {
    ...sandbox,
    async appCall(method, path, body, headers) {
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

/** Where the app API is and what its headers are called, unless somebody says otherwise. */
export const USUAL_PLACES = {
  apiPath: APP_API.apiPath.default,
  appIdHeader: APP_API.appIdHeader.default,
  apiKeyHeader: APP_API.apiKeyHeader.default,
};

/** Our client against a service; time moves only where the sandbox's clock is moved. */
export function clientOf(
  sandbox: { url: string; app: { id: string; key: string }; clock: Clock },
  options: Partial<AppApiOptions> = {},
): AppApi & AsyncDisposable {
  const { clock } = sandbox;
  const api = createAppApi({
    ...USUAL_PLACES,
    baseUrl: sandbox.url,
    appId: sandbox.app.id,
    apiKey: new Secret(sandbox.app.key),
    timeoutMs: 5_000,
    connections: 8,
    admission: createAdmission({ budgets: [], clock }),
    clock,
    random: () => 0,
    ...options,
  });
  return { ...api, [Symbol.asyncDispose]: () => api.close() };
}
