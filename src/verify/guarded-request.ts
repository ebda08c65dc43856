/**
 * Requests to addresses of an export: http(s), and at every redirect only allowed network addresses. A link must not reach this
 * machine, its network or a cloud's metadata service. The connection uses the checked address.
 */
import { lookup as systemLookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import type { Readable } from 'node:stream';
import ipaddr from 'ipaddr.js';
import type { Dispatcher } from 'undici';
import { type Environment, proxyAgent, undici } from '../helpdesk/address.ts';
import { headerOf } from '../helpdesk/http.ts';

export type Answer = Dispatcher.ResponseData;
type ResolveHost = (
  hostname: string,
) => Promise<readonly { readonly address: string; readonly family: number }[]>;

export interface GuardedOptions {
  /** `acme.example`, `*.acme.example`, with or without a port. */
  readonly privateHosts?: readonly string[] | undefined;
  readonly allow?: ((host: string, address: string) => boolean) | undefined;
  readonly resolve?: ResolveHost | undefined;
  /** For a connection, the headers, and between two parts of a body, milliseconds. */
  readonly timeoutMs: number;
  /** A proxy resolves names itself, so only literal addresses are checked. */
  readonly env: Environment;
}

export interface Asking {
  readonly method?: 'GET' | 'HEAD' | 'PUT' | undefined;
  readonly body?: (() => Readable) | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly redirects: number;
  /** `wasEncrypted`: a redirect has left encryption. */
  readonly credentials?: ((at: URL, wasEncrypted: boolean) => Readonly<Record<string, string>>) | undefined;
  readonly signal: AbortSignal;
}

/** Continues a sentence that begins with the address. */
export interface NoAnswer {
  readonly outcome: 'refused' | 'unreachable';
  readonly reason: string;
}

export interface Opened {
  readonly response: Answer;
  readonly at: URL;
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

export class GuardedClient implements AsyncDisposable {
  readonly #allow: (host: string, address: string) => boolean;
  readonly #agent: Dispatcher;

  constructor({ privateHosts = [], resolve = systemResolve, timeoutMs, env, allow }: GuardedOptions) {
    this.#allow = allow ?? ((host, address) => isAllowedAddress(address, isNamedHost(host, privateHosts)));
    const connection = {
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
      keepAliveTimeout: 10_000,
      connectTimeout: timeoutMs,
      connect: { timeout: timeoutMs, lookup: guardedLookup(resolve, this.#allow) },
    };
    const { Agent } = undici();
    this.#agent = proxyAgent(env, connection) ?? new Agent(connection);
  }

  /** Rejects with the signal's reason, or with an error for `noAnswer`. */
  async open(address: URL, asking: Asking): Promise<Opened | NoAnswer> {
    const { method = 'GET', redirects, credentials, signal, body } = asking;
    let at = address;
    let wasEncrypted = false;
    for (let hops = 0; hops <= redirects; hops++) {
      if (at.protocol !== 'http:' && at.protocol !== 'https:')
        return refused(`leads to ${at.protocol} and only http and https are asked for`);
      const literal = literalAddress(at.hostname);
      if (literal !== undefined && !this.#allow(at.hostname, literal)) return refused(privateReason(literal));
      const url = new URL(at);
      url.username = '';
      url.password = '';
      const own = credentials?.(at, wasEncrypted);
      wasEncrypted ||= at.protocol === 'https:';
      const headers = { 'user-agent': 'helpdesk-import', accept: '*/*', ...asking.headers, ...own };
      const sent = { dispatcher: this.#agent, method, headers, signal, body: body?.() ?? null };
      const response = await undici().request(url, sent);
      const location = headerOf(response, 'location');
      if (!REDIRECTS.has(response.statusCode) || location === undefined) return { response, at };
      await discard(response);
      if (!URL.canParse(location, at.href)) return unreachable('redirects to an invalid address');
      at = new URL(location, at);
    }
    return unreachable('redirects too many times');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#agent.destroy();
  }
}

class AddressRefused extends Error {
  readonly address: string;

  constructor(address: string) {
    super(`The address ${address} is not allowed.`);
    this.address = address;
  }
}

const systemResolve: ResolveHost = (hostname) => systemLookup(hostname, { all: true });

/** One forbidden address refuses the name. */
function guardedLookup(
  resolve: ResolveHost,
  allow: (host: string, address: string) => boolean,
): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname).then(
      (found) => {
        const refused = found.find(({ address }) => !allow(hostname, address));
        const [first] = found;
        if (refused !== undefined) callback(new AddressRefused(refused.address), '', 0);
        else if (first === undefined) callback(new Error(`The host ${hostname} has no address.`), '', 0);
        else if (options.all) callback(null, [...found]);
        else callback(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, '', 0),
    );
  };
}

const PRIVATE: ReadonlySet<string> = new Set(['private', 'loopback', 'uniqueLocal', 'carrierGradeNat']);
const OF_CLOUDS: ReadonlySet<string> = new Set([
  '100.100.100.200',
  '168.63.129.16',
  'fd00:ec2::254',
  'fd00:ec2::23',
  'fd20:ce::254',
]);

export function isAllowedAddress(address: string, allowPrivate: boolean): boolean {
  if (isIP(address) === 0 || address.includes('%')) return false;
  const given = ipaddr.process(address);
  // NAT64: the last four bytes are the requested address.
  const isTranslated = given.toString().startsWith('64:ff9b::');
  const parsed = isTranslated ? ipaddr.fromByteArray(given.toByteArray().slice(12)) : given;
  const range = parsed.range();
  return !OF_CLOUDS.has(parsed.toString()) && (range === 'unicast' || (allowPrivate && PRIVATE.has(range)));
}

function isNamedHost(host: string, named: readonly string[]): boolean {
  return named.some((one) => {
    const name = one.replace(/:\d+$/, '');
    return name.startsWith('*.') ? host.endsWith(name.slice(1)) : host === name;
  });
}

/** Undefined for a name. */
export function literalAddress(hostname: string): string | undefined {
  const bare = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
  return isIP(bare) === 0 ? undefined : bare;
}

export function noAnswer(error: unknown): NoAnswer {
  for (let at = error; at instanceof Error; at = at.cause)
    if (at instanceof AddressRefused) return refused(privateReason(at.address));
  return unreachable(`cannot be reached (${codeOf(error)})`);
}

export function codeOf(error: unknown): string {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') return error.code;
  return error instanceof Error ? error.message : 'unknown error';
}

export async function discard({ body }: Answer): Promise<void> {
  await body.dump({ limit: 64 * 1024 }).catch(() => undefined);
}

export function hangUp({ body }: Answer): void {
  body.on('error', () => undefined).destroy();
}

const SLOWEST = 64 * 1024;
const PATIENCE = 4;

/** Throws if less than 64 KB come within four time-outs. */
export async function* patiently(
  body: AsyncIterable<Buffer>,
  timeoutMs: number,
  now: () => number,
): AsyncGenerator<Buffer> {
  let since = now();
  let came = 0;
  for await (const chunk of body) {
    came += chunk.length;
    if (now() - since >= PATIENCE * timeoutMs) {
      if (came < SLOWEST) throw new Error('it sends too slowly');
      since = now();
      came = 0;
    }
    yield chunk;
  }
}

const LONGEST_LABEL = 160;

/** Query and user may hold secrets. */
export function labelOf(address: string): string {
  const url = URL.parse(address);
  if (url === null) return 'an invalid address';
  const label = `${url.host}${url.pathname}`;
  return label.length > LONGEST_LABEL ? `${label.slice(0, LONGEST_LABEL - 1)}…` : label;
}

const refused = (reason: string): NoAnswer => ({ outcome: 'refused', reason });
const unreachable = (reason: string): NoAnswer => ({ outcome: 'unreachable', reason });
const privateReason = (address: string) =>
  `is at ${address}, ${isAllowedAddress(address, true) ? 'in your own network and not under files.hosts' : 'a link-local or reserved address'}, and was not opened`;
