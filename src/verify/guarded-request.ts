/**
 * Requests to addresses that stand in somebody else's data: http(s) alone, over their redirects, and at every hop only to
 * network addresses that may be asked (guarded-lookup.ts). Who asks decides anew at every hop what goes along with it.
 */
import { Agent, type Dispatcher } from 'undici';
import { type Environment, proxyAgent } from '../target/http/proxy.ts';
import { type Answered, ask } from './answer-body.ts';
import {
  AddressRefused,
  type AllowAddress,
  guardedLookup,
  isNamedHost,
  isPublicAddress,
  isPublicOrPrivate,
  literalAddress,
  type ResolveHost,
  resolveWithSystem,
} from './guarded-lookup.ts';

export interface GuardedOptions {
  /** Hosts that may be in a private network (`namedHosts`). */
  readonly privateHosts?: readonly string[] | undefined;
  /** Which network addresses may be asked, where that is another question. */
  readonly allow?: AllowAddress | undefined;
  readonly resolve?: ResolveHost | undefined;
  /** For a connection, for the headers, and between two parts of a body, milliseconds. */
  readonly timeoutMs: number;
  /** A proxy that it names resolves names itself: only addresses that are literal are judged here then. */
  readonly env: Environment;
}

export interface Asking {
  readonly method?: 'GET' | 'HEAD' | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly redirects: number;
  /** The request to this very address. `wasEncrypted`: an earlier hop was. Default: without user and password. */
  readonly prepare?: ((at: URL, wasEncrypted: boolean) => PreparedRequest) | undefined;
  /** Carries out one request, when it is its turn and for as long as it may take. */
  readonly taking?: ((at: URL, work: Send) => ReturnType<Send>) | undefined;
  readonly signal: AbortSignal;
}

export type Send = (signal: AbortSignal) => Promise<Answered>;

export interface PreparedRequest {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
}

/** Why there is no answer. `reason` goes on with a sentence that begins with the address. */
export interface NoAnswer {
  readonly outcome: 'refused' | 'unreachable';
  readonly reason: string;
}

export interface Opened {
  readonly response: Answered;
  /** The address that answered, behind all redirects. */
  readonly at: URL;
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

export class GuardedClient implements AsyncDisposable {
  readonly #allow: AllowAddress;
  readonly #agent: Dispatcher;

  constructor({
    privateHosts = [],
    resolve = resolveWithSystem,
    timeoutMs,
    env,
    ...options
  }: GuardedOptions) {
    const { allow = (host, address) => mayBeAsked(host, address, privateHosts) } = options;
    this.#allow = allow;
    const connection = {
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
      keepAliveTimeout: 10_000,
      connectTimeout: timeoutMs,
      connect: { timeout: timeoutMs, lookup: guardedLookup(resolve, allow) },
    };
    this.#agent = proxyAgent(env, connection) ?? new Agent(connection);
  }

  /** The first answer that is no redirect. Rejects with the signal's reason, and with what `noAnswer` explains. */
  async open(address: URL, asking: Asking): Promise<Opened | NoAnswer> {
    const { method = 'GET', redirects, prepare = withoutUser, signal } = asking;
    const { taking = (_, work) => work(signal) } = asking;
    let at = address;
    let wasEncrypted = false;
    for (let hops = 0; hops <= redirects; hops++) {
      if (at.protocol !== 'http:' && at.protocol !== 'https:')
        return refused(`leads to ${at.protocol} and only http and https are asked for`);
      const literal = literalAddress(at.hostname);
      if (literal !== undefined && !this.#allow(at.hostname, literal)) return refused(privateReason(literal));
      const { url, headers } = prepare(at, wasEncrypted);
      wasEncrypted ||= at.protocol === 'https:';
      const sent = { 'user-agent': 'helpdesk-import', accept: '*/*', ...asking.headers, ...headers };
      const response = await taking(at, (signal) => ask(this.#agent, { url, method, headers: sent }, signal));
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

function mayBeAsked(host: string, address: string, privateHosts: readonly string[]): boolean {
  return isNamedHost(host, privateHosts) ? isPublicOrPrivate(address) : isPublicAddress(address);
}

/** What a request that broke off says. */
export function noAnswer(error: unknown): NoAnswer {
  for (let at = error; at instanceof Error; at = at.cause)
    if (at instanceof AddressRefused) return refused(privateReason(at.address));
  return unreachable(`cannot be reached (${codeOf(error)})`);
}

export function codeOf(error: unknown): string {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') return error.code;
  return error instanceof Error ? error.message : 'unknown error';
}

export function headerOf({ headers }: Answered, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}

/** The rest of an answer is read where it is short; else the connection ends. */
export async function discard({ body }: Answered): Promise<void> {
  let left = MOST_DISCARDED;
  try {
    for await (const { length } of body) {
      left -= length;
      if (left < 0) break;
    }
  } catch {
    // Nobody wanted it.
  }
}

const MOST_DISCARDED = 64 * 1024;

/** Of an answer that comes in parts: one that sends less than so much in the time of several time-outs counts as one that hangs. */
export class Patience {
  readonly #lasts: number;
  readonly #now: () => number;
  #since: number;
  #came = 0;

  constructor(timeoutMs: number, now: () => number) {
    this.#lasts = PATIENCE * timeoutMs;
    this.#now = now;
    this.#since = now();
  }

  /** Throws where that is too slow. */
  came(bytes: number): void {
    this.#came += bytes;
    if (this.#now() - this.#since < this.#lasts) return;
    if (this.#came < SLOWEST) throw new Error('it sends too slowly');
    this.#since = this.#now();
    this.#came = 0;
  }
}

const SLOWEST = 64 * 1024;
const PATIENCE = 4;

/** Not one byte more of it is wanted. */
export function hangUp({ body }: Answered): void {
  body.hangUp();
}

const LONGEST_LABEL = 160;

/** Host and path, for people: a query may hold a signature, and so may a user. */
export function labelOf(address: string): string {
  const url = URL.parse(address);
  if (url === null) return 'an invalid address';
  const label = `${url.host}${url.pathname}`;
  return label.length > LONGEST_LABEL ? `${label.slice(0, LONGEST_LABEL - 1)}…` : label;
}

function withoutUser(at: URL): PreparedRequest {
  const url = new URL(at);
  url.username = '';
  url.password = '';
  return { url, headers: {} };
}

const refused = (reason: string): NoAnswer => ({ outcome: 'refused', reason });
const unreachable = (reason: string): NoAnswer => ({ outcome: 'unreachable', reason });
const privateReason = (address: string) =>
  `is at ${address}, ${isPublicOrPrivate(address) ? 'an address in a private network whose host files.hosts does not name' : 'a link-local or reserved address'}, and was not opened`;
