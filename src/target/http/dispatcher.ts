/**
 * The connections: a pool of its own for the target, straight or through the proxy that the environment names.
 *
 * HTTP/1.1 only, one request on a connection at a time. With HTTP/2 or pipelining one broken connection would leave
 * many creates in doubt at once, and it could not be told which of them had gone out. Nothing is lost: at the request
 * rates of such services connections are reused all the time.
 */
import { type Dispatcher, EnvHttpProxyAgent, Pool } from 'undici';
import { isLoopback } from './base-url.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface ConnectionOptions {
  readonly connections: number;
  readonly connectTimeoutMs: number;
  /** `HTTPS_PROXY`, `HTTP_PROXY`, `NO_PROXY`, in either case. */
  readonly env: Environment;
}

export function createDispatcher(origin: string, options: ConnectionOptions): Dispatcher {
  const connection = {
    connections: options.connections,
    pipelining: 1,
    allowH2: false,
    connectTimeout: Math.max(1, Math.ceil(options.connectTimeoutMs)),
    // The whole exchange has one deadline (deadlines.ts); these two would only compete with it.
    headersTimeout: 0,
    bodyTimeout: 0,
    // Shorter than what servers commonly allow, since a request that meets a closing connection ends in doubt.
    keepAliveTimeout: 4_000,
    keepAliveTimeoutThreshold: 1_000,
  };
  const { env } = options;
  const httpProxy = env['http_proxy'] ?? env['HTTP_PROXY'] ?? '';
  const httpsProxy = env['https_proxy'] ?? env['HTTPS_PROXY'] ?? '';
  const proxied = httpProxy !== '' || httpsProxy !== '';
  // A service on this machine is never behind a proxy.
  if (!proxied || isLoopback(new URL(origin).hostname)) return new Pool(origin, connection);
  return new EnvHttpProxyAgent({
    ...connection,
    httpProxy,
    httpsProxy,
    noProxy: env['no_proxy'] ?? env['NO_PROXY'] ?? '',
  });
}
