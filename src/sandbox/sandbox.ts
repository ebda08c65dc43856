import { setMaxListeners } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createAdaptorServer } from '@hono/node-server';
import { AppError } from '../domain/errors.ts';
import type { Clock } from '../domain/ports.ts';
import { BILLING_FILE, type BillingCustomer, readCustomers } from './core/app-calls.ts';
import { KEPT_FILES } from './core/attachment-calls.ts';
import { KEPT_PREFIX, type Service, TOKEN_PATH } from './core/request.ts';
import * as access from './credentials.ts';
import { type FaultPlan, NO_FAULTS } from './faults.ts';
import { createRequestRecorder, type RequestRecorder, type SeenRequest } from './request-recorder.ts';
import { sandboxApp } from './service-app.ts';
import type { AgentToSeed } from './store/people.ts';
import { openStore, type SandboxStore } from './store/store.ts';

export interface SandboxOptions {
  /** Default: in memory. */
  dir?: string;
  /** Default 127.0.0.1. Others can reach any address but loopback, with a token. */
  host?: string;
  /** Default 0: any free port. */
  port?: number;
  clock: Clock;
  auth?: access.AuthOptions;
  /** Default: `billing.json` in the folder. */
  customers?: readonly BillingCustomer[];
  faults?: FaultPlan;
  strict?: boolean;
  agents?: readonly AgentToSeed[];
  inventAgents?: boolean;
  /** Bytes; default 100 MiB. */
  maxBodyBytes?: number;
  onDefect?: (error: unknown) => void;
  /** For tests: called before each answer. */
  onRequest?: (request: SeenRequest) => void;
}

export interface Sandbox {
  readonly url: string;
  readonly page: string;
  readonly port: number;
  /** Never expires; both scopes by default. */
  readonly token: string;
  readonly app: access.AppCredentials;
  readonly oauth: { tokenUrl: string; client: access.OAuthClient | undefined; refreshToken: string };
  readonly store: SandboxStore;
  setFaults(plan: FaultPlan): void;
  serveFiles(folder?: string): string;
  close(): Promise<void>;
}

const KEPT_PORT = 'kept-port';
/** Longer than any client keeps an idle connection, so that only faults reset one. */
const KEEP_ALIVE_MS = 120_000;
const HEADERS_MS = 10_000;

/** Throws AppError `usage` if the port or folder is not available. */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const host = options.host ?? '127.0.0.1';
  const store = openStore(options.dir);
  const ending = new AbortController();
  setMaxListeners(0, ending.signal);
  try {
    const credentials = access.establishCredentials(store, options.auth ?? {});
    for (const agent of options.agents ?? []) store.agents.add(agent);
    let url = '';
    const service: Service = {
      store,
      clock: options.clock,
      closing: ending.signal,
      maxBodyBytes: options.maxBodyBytes ?? 100 * 1024 * 1024,
      isStrict: options.strict ?? false,
      inventAgents: options.inventAgents ?? false,
      origin: () => url,
    };
    const recorder = createRequestRecorder(service, options.faults ?? NO_FAULTS, options.onRequest);
    const app = sandboxApp({
      service,
      credentials,
      recorder,
      customers:
        options.customers ??
        (options.dir === undefined ? [] : readCustomers(join(options.dir, BILLING_FILE))),
      boundHost: host,
      onDefect: (error) => ending.signal.aborted || options.onDefect?.(error),
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
    const last = Number(store.settings.get(KEPT_PORT) ?? 0);
    const port = await listening(server, host, options.port ?? last).catch((error: unknown) => {
      if (options.port !== undefined || last === 0) throw error;
      return listening(server, host, 0);
    });
    url = `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
    let closed: Promise<void> | undefined;
    return {
      url,
      page: `${url}/?${access.PAGE_TOKEN}=${encodeURIComponent(credentials.token)}`,
      port,
      token: credentials.token,
      app: credentials.app,
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
  await recorder.idle();
  store.close();
}

function cannotListen(host: string, port: number, cause: NodeJS.ErrnoException): AppError {
  const [message, hint] =
    cause.code === 'EADDRINUSE'
      ? [`Port ${port} on ${host} is in use by another program.`, 'Name another port, or 0 for any free one.']
      : cause.code === 'EACCES'
        ? [`Listening on ${host}:${port} is not permitted.`, 'Name a port above 1023, or 0 for any free one.']
        : [
            `The sandbox cannot listen on ${host}:${port}: ${cause.message}.`,
            'Name an address of this machine, such as 127.0.0.1.',
          ];
  return new AppError('usage', message, { hint, cause });
}
