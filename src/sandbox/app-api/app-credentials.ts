/** Who calls the app API: the app with its id and key, or one customer with a token of its own (public facts). */
import { timingSafeEqual } from 'node:crypto';
import type { Context } from 'hono';
import { madeSecret } from '../auth/credentials.ts';
import { Refusal } from '../core/refusal.ts';
import type { SandboxEnv } from '../core/sandbox-env.ts';
import type { SandboxStore } from '../store/store.ts';

export interface AppCredentials {
  readonly id: string;
  readonly key: string;
}

/** What is not given is made up once and kept with the data. */
export function establishAppCredentials(
  { settings }: SandboxStore,
  given: { readonly id?: string; readonly key?: string },
): AppCredentials {
  return {
    id: given.id ?? settings.getOrMake('appId', () => 'sandbox_app'),
    key: given.key ?? settings.getOrMake('appKey', () => madeSecret('sandbox_app_key')),
  };
}

/** Id of the customer whose token it is; undefined for the app itself. Throws Refusal 401. */
export function callerOf(
  c: Context<SandboxEnv>,
  store: SandboxStore,
  { id, key }: AppCredentials,
): string | undefined {
  if (c.req.header('x-mantle-app-id') !== id)
    throw new Refusal(401, 'unauthorized', 'Send the id of the app in X-Mantle-App-Id.');
  const given = c.req.header('x-mantle-app-api-key');
  if (given !== undefined) {
    if (isSame(given, key)) return undefined;
    throw new Refusal(401, 'unauthorized', 'This key in X-Mantle-App-Api-Key is not that of the app.');
  }
  const token = c.req.header('x-mantle-customer-api-token');
  const customer = token === undefined ? undefined : store.catalog.customerOf(token);
  if (customer !== undefined) return customer;
  throw new Refusal(
    401,
    'unauthorized',
    'Send the key of the app in X-Mantle-App-Api-Key, or the token of a customer in X-Mantle-Customer-Api-Token.',
  );
}

function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
