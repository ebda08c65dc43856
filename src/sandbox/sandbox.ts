import { setMaxListeners } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import type { Hono } from 'hono';
import { AppError } from '../domain/errors.ts';
import type { Clock } from '../domain/ports.ts';
import { KEPT_FILES } from './core/attachment-calls.ts';
import { KEPT_PREFIX, type SandboxEnv, type Service } from './core/request.ts';
import * as access from './credentials.ts';
import { sandboxApp } from './service-app.ts';
import { openStore, type SandboxStore } from './store/store.ts';

export interface SandboxOptions {
  /** Default: in memory. */
  dir?: string;
  /** Default 127.0.0.1. Others can reach any address but loopback, with a token. */
  host?: string;
  /** Default 0: any free port. */
  port?: number;
  clock: Clock;
  /** Default: made up, and kept in the folder. */
  token?: string;
  inventAgents?: boolean;
  /** Bytes; default 100 MiB. */
  maxBodyBytes?: number;
  onDefect?: (error: unknown) => void;
  /** A test adds calls here, and failures. */
  extend?: (app: Hono<SandboxEnv>, service: Service) => void;
}

export interface Sandbox {
  readonly url: string;
  readonly page: string;
  readonly port: number;
  readonly token: string;
  readonly store: SandboxStore;
  serveFiles(folder?: string): string;
  close(): Promise<void>;
}

const KEPT_PORT = 'kept-port';
/** Longer than any client keeps an idle connection, so that only faults reset one. */
const KEEP_ALIVE_MS = 120_000;
const HEADERS_MS = 10_000;

export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const host = options.host ?? '127.0.0.1';
  const store = openStore(options.dir);
  const ending = new AbortController();
  setMaxListeners(0, ending.signal);
  try {
    const token =
      options.token ?? store.settings.getOrMake('token', () => access.madeSecret('sandbox_token'));
    let url = '';
    const service: Service = {
      store,
      clock: options.clock,
      closing: ending.signal,
      maxBodyBytes: options.maxBodyBytes ?? 100 * 1024 * 1024,
      inventAgents: options.inventAgents ?? false,
      origin: () => url,
      authorize: (c) => access.requireToken(c, token),
    };
    const app = sandboxApp({
      service,
      token,
      boundHost: host,
      extend: options.extend,
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
      page: `${url}/?${access.PAGE_TOKEN}=${encodeURIComponent(token)}`,
      port,
      token,
      store,
      serveFiles: (folder) => {
        if (folder !== undefined) store.settings.set(KEPT_FILES, folder);
        store.settings.set(KEPT_PORT, String(port));
        return KEPT_PREFIX;
      },
      close: () => {
        ending.abort(new Error('the sandbox is closing'));
        closed ??= closing(server).then(() => store.close());
        return closed;
      },
    };
  } catch (error) {
    store.close();
    throw error;
  }
}

export function listening(server: Server, host: string, port: number): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  server.once('error', (error) => reject(cannotListen(host, port, error)));
  server.listen(port, host, () => {
    server.removeAllListeners('error');
    resolve((server.address() as AddressInfo).port);
  });
  return promise;
}

export function closing(server: Server): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  server.close(() => resolve());
  server.closeAllConnections();
  return promise;
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
