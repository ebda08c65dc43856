/** The helpdesk's address, the parts of it in each request, and the proxy on the way. */
import { createRequire } from 'node:module';
import type * as Undici from 'undici';
import { AppError } from '../domain/errors.ts';
import { stop } from '../domain/text/stops.ts';

export interface BaseUrl {
  readonly origin: string;
  readonly prefix: string;
  readonly href: string;
  readonly warning?: string | undefined;
}

export function parseBaseUrl(text: string, what = 'base URL'): BaseUrl {
  const trimmed = text.trim();
  const url = URL.parse(trimmed);
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:') || url.hostname === '')
    throw wrong(
      `The ${what} ${quote(trimmed)} is not a web address.`,
      'Write it with its scheme: https://helpdesk.example.',
    );
  if (url.username !== '' || url.password !== '')
    throw wrong(
      `The ${what} holds a user name or a password.`,
      'Take them out of it; a token belongs in HELPDESK_TOKEN.',
    );
  if (url.search !== '' || url.hash !== '')
    throw wrong(
      `The ${what} ${quote(url.origin + url.pathname)} has a query or a fragment.`,
      'Leave out everything from the first ? or # on.',
    );
  const prefix = url.pathname.replace(/(?<!\/)\/+$/, '');
  const parsed = { origin: url.origin, prefix, href: url.origin + prefix };
  if (url.protocol === 'https:' || isLoopback(url.hostname)) return parsed;
  return {
    ...parsed,
    warning: `The ${what} ${parsed.href} is not encrypted: the token and the tickets can be read on their way. Use https.`,
  };
}

export function isLoopback(hostname: string): boolean {
  const host = hostname.toLowerCase().replace(/\.$/, '');
  return (
    host === 'localhost' ||
    host.endsWith('.localhost') ||
    host === '[::1]' ||
    /^127(?:\.\d{1,3}){3}$/.test(host)
  );
}

/** `/api/core/v1` for `api/core/v1/`; empty for the root. Throws AppError `configuration`. */
export function normalizeApiPath(path: string): string {
  const trimmed = path.trim().replace(/^\/+|(?<!\/)\/+$/g, '');
  if (/[\s?#%\\]|(?:^|\/)\.{1,2}(?:\/|$)/.test(trimmed))
    throw wrong(`The API path ${quote(path)} is not a plain path.`, 'Write it like /api/core/v1.');
  return trimmed === '' ? '' : `/${trimmed}`;
}

function wrong(message: string, hint: string): AppError {
  return new AppError('configuration', message, { hint });
}

function quote(text: string): string {
  return JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text);
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** The library is loaded at the first connection, as most commands make none. */
export function undici(): typeof Undici {
  return createRequire(import.meta.url)('undici') as typeof Undici;
}

/** A service on this machine is never behind a proxy. */
const LOCAL = 'localhost,127.0.0.1,[::1]';

/** Undefined without a proxy. `connection` also holds for hosts of `NO_PROXY`. Throws AppError `configuration`. */
export function proxyAgent(
  env: Environment,
  connection: Undici.Agent.Options,
): Undici.EnvHttpProxyAgent | undefined {
  const httpProxy = env['http_proxy'] ?? env['HTTP_PROXY'] ?? '';
  const httpsProxy = env['https_proxy'] ?? env['HTTPS_PROXY'] ?? '';
  if (httpProxy === '' && httpsProxy === '') return undefined;
  for (const [name, value] of [
    [env['http_proxy'] === undefined ? 'HTTP_PROXY' : 'http_proxy', httpProxy],
    [env['https_proxy'] === undefined ? 'HTTPS_PROXY' : 'https_proxy', httpsProxy],
  ] as const)
    if (value !== '' && !/^https?:$/.test(URL.parse(value)?.protocol ?? ''))
      throw stop('proxy-address', { name });
  const noProxy = `${env['no_proxy'] ?? env['NO_PROXY'] ?? ''},${LOCAL}`;
  const { EnvHttpProxyAgent } = undici();
  return new EnvHttpProxyAgent({ ...connection, httpProxy, httpsProxy, noProxy });
}
