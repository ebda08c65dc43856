/** Starts and stops the local helpdesk service: the Core API on SQLite, with its pages and its faults. */
import { setMaxListeners } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createAdaptorServer } from '@hono/node-server';
import type { Clock } from '../domain/clock.ts';
import { AppError } from '../domain/errors.ts';
import {
  type AppCredentials,
  BILLING_FILE,
  type BillingCustomer,
  establishAppCredentials,
  readCustomers,
} from './app-api/app-calls.ts';
import { type AuthOptions, establishCredentials, type OAuthClient } from './auth/credentials.ts';
import { PAGE_TOKEN } from './auth/page-key.ts';
import { KEPT_FILES } from './core/attachment-calls.ts';
import { KEPT_PREFIX, TOKEN_PATH } from './core/request-kind.ts';
import { kindsOf, routesOf } from './core/routes.ts';
import type { Service } from './core/sandbox-env.ts';
import { type FaultPlan, NO_FAULTS } from './faults/fault-plan.ts';
import { createRequestRecorder, type RequestRecorder } from './request-recorder.ts';
import { sandboxApp } from './service-app.ts';
import type { AgentToSeed } from './store/people.ts';
import { openStore, type SandboxStore } from './store/store.ts';

export interface SandboxOptions {
  /** Folder of the data (`service.sqlite`), made where it is missing. Without it everything is in memory. */
  dir?: string;
  /** Address to bind to; 127.0.0.1. Any other than loopback is reached by others, who need a token. */
  host?: string;
  /** Port to listen on; 0, any that is free. */
  port?: number;
  clock: Clock;
  auth?: AuthOptions;
  /** The customers of the app API; else those of `billing.json` in the folder of the data. */
  customers?: readonly BillingCustomer[];
  /** What goes wrong, and with which seed; nothing. */
  faults?: FaultPlan;
  /** Refuses every write and every field of a body that the specification does not name. */
  strict?: boolean;
  /** Team members that the service knows from the start. */
  agents?: readonly AgentToSeed[];
  /** Makes up a team member for every e-mail that `GET /agents?email=` asks for. */
  inventAgents?: boolean;
  /** Largest body that is taken, bytes; 100 MiB. */
  maxBodyBytes?: number;
  /** Rows kept in the log of requests; 200,000. */
  logLimit?: number;
  onDefect?: (error: unknown) => void;
}

export interface Sandbox {
  /** `http://127.0.0.1:41234`, without a slash at the end. */
  readonly url: string;
  /** The address of its pages, with the token that they ask for. */
  readonly page: string;
  readonly port: number;
  /** A bearer token with both scopes (or those asked for) that does not expire. */
  readonly token: string;
  /** Id and key for the app API, which stands below `/v1`. */
  readonly app: AppCredentials;
  /** For OAuth: the token endpoint, the first client, and a refresh token of it. */
  readonly oauth: { tokenUrl: string; client: OAuthClient | undefined; refreshToken: string };
  /** What the service holds, and its log of requests (`store.log`). */
  readonly store: SandboxStore;
  /** From the next request on, these faults. */
  setFaults(plan: FaultPlan): void;
  /** From now on the files in this folder have addresses here, below the path that is returned. */
  serveFiles(folder?: string): string;
  /** Ends all connections, writes everything out and lets go of the folder. May be called twice. */
  close(): Promise<void>;
}

const KEPT_PORT = 'kept-port';
/** Longer than any client keeps a connection idle: a reset of a reused one must be a fault that was asked for. */
const KEEP_ALIVE_MS = 120_000;
/** Who begins a request and does not go on keeps a connection for so long. */
const HEADERS_MS = 10_000;

/** Resolves once the service listens. Throws AppError `usage` where the port or the folder cannot be had. */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const host = options.host ?? '127.0.0.1';
  const store = openStore(options.dir, options.logLimit ?? 200_000);
  const ending = new AbortController();
  // One listener for each answer that is being delayed.
  setMaxListeners(0, ending.signal);
  try {
    const credentials = establishCredentials(store, options.auth ?? {}, options.clock);
    for (const agent of options.agents ?? []) store.agents.add(agent);
    const appCredentials = establishAppCredentials(store.settings);
    let url = '';
    const service: Service = { ...serviceOf(options, store, ending.signal), origin: () => url };
    const customers =
      options.customers ?? (options.dir === undefined ? [] : readCustomers(join(options.dir, BILLING_FILE)));
    const routes = routesOf(service.isStrict, customers);
    const kindOf = kindsOf(routes);
    const recorder = createRequestRecorder(service, options.faults ?? NO_FAULTS, kindOf);
    const onDefect = (error: unknown) => {
      // What the end itself cuts off is no defect.
      if (!ending.signal.aborted) options.onDefect?.(error);
    };
    const app = sandboxApp({
      service,
      credentials,
      appCredentials,
      recorder,
      routes,
      kindOf,
      boundHost: host,
      onDefect,
    });
    const server = createAdaptorServer({
      fetch: app.fetch,
      serverOptions: {
        keepAliveTimeout: KEEP_ALIVE_MS,
        requestTimeout: 0,
        headersTimeout: HEADERS_MS,
        connectionsCheckingInterval: HEADERS_MS / 2,
        noDelay: true,
      },
    }) as Server;
    // Addresses of kept files stand in messages: they are good for as long as the service comes back at its port.
    const last = Number(store.settings.get(KEPT_PORT) ?? 0);
    const port = await listening(server, host, options.port ?? last).catch((error: unknown) => {
      if (options.port !== undefined || last === 0) throw error;
      return listening(server, host, 0);
    });
    url = `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
    let closed: Promise<void> | undefined;
    return {
      url,
      page: `${url}/?${PAGE_TOKEN}=${encodeURIComponent(credentials.token)}`,
      port,
      token: credentials.token,
      app: appCredentials,
      oauth: {
        tokenUrl: `${url}${TOKEN_PATH}`,
        client: credentials.clients[0],
        refreshToken: credentials.refreshToken,
      },
      store,
      serveFiles: (folder) => {
        if (folder !== undefined) store.settings.set(KEPT_FILES, folder);
        store.settings.set(KEPT_PORT, String(port));
        return KEPT_PREFIX;
      },
      setFaults: (plan) => recorder.setFaults(plan),
      close: () => {
        closed ??= closing(server, ending, recorder, store);
        return closed;
      },
    };
  } catch (error) {
    store.close();
    throw error;
  }
}

function serviceOf(
  options: SandboxOptions,
  store: SandboxStore,
  closingSignal: AbortSignal,
): Omit<Service, 'origin'> {
  return {
    store,
    clock: options.clock,
    closing: closingSignal,
    maxBodyBytes: options.maxBodyBytes ?? 100 * 1024 * 1024,
    isStrict: options.strict ?? false,
    inventAgents: options.inventAgents ?? false,
  };
}

function listening(server: Server, host: string, port: number): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  server.once('error', (error) => reject(cannotListen(host, port, error)));
  server.listen(port, host, () => {
    server.removeAllListeners('error');
    resolve((server.address() as AddressInfo).port);
  });
  return promise;
}

async function closing(
  server: Server,
  ending: AbortController,
  recorder: RequestRecorder,
  store: SandboxStore,
): Promise<void> {
  ending.abort(new Error('the sandbox is closing'));
  const { promise, resolve } = Promise.withResolvers<void>();
  server.close(() => resolve());
  server.closeAllConnections();
  await promise;
  // Handlers whose connection is gone come to their end before the data does.
  await recorder.idle();
  store.close();
}

function cannotListen(host: string, port: number, cause: NodeJS.ErrnoException): AppError {
  const place = `${host}:${port}`;
  if (cause.code === 'EADDRINUSE') {
    return new AppError('usage', `Port ${port} on ${host} is in use by another program.`, {
      hint: 'Give another port, or 0 for any that is free.',
      cause,
    });
  }
  if (cause.code === 'EACCES') {
    return new AppError('usage', `Listening on ${place} is not permitted.`, {
      hint: 'Give a port above 1023, or 0 for any that is free.',
      cause,
    });
  }
  return new AppError('usage', `The sandbox cannot listen on ${place}: ${cause.message}.`, {
    hint: 'Give an address of this machine, e.g. 127.0.0.1.',
    cause,
  });
}
