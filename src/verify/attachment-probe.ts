/**
 * Asks whether attachments can be opened: a HEAD request for each distinct address, and nothing of the file is read.
 * Bounded in time, redirects, requests in flight, addresses and hosts. The links come from somebody else's data, so only
 * http(s) and only allowed network addresses are asked (guarded-lookup.ts), at every hop. Requests carry no credentials.
 */
import { Agent, request } from 'undici';
import type { Clock } from '../domain/clock.ts';
import { type Check, failed, passed, plural } from './check.ts';
import {
  AddressRefused,
  guardedLookup,
  isPublicAddress,
  literalAddress,
  type ResolveHost,
  resolveWithSystem,
} from './guarded-lookup.ts';

export interface ProbeOptions {
  /** Which network addresses may be asked. Default: public ones only. */
  readonly allow?: (address: string) => boolean;
  readonly resolve?: ResolveHost;
  /** For each request, from when it is its turn, in milliseconds. Default 10,000. */
  readonly timeoutMs?: number;
  /** Requests in flight. Default 8; at most 2 of them to one host. */
  readonly concurrency?: number;
  /** Default 3. */
  readonly maxRedirects?: number;
  /** Distinct addresses that are asked for; the others are `not-checked`. Default 1,000. */
  readonly maxUrls?: number;
  /** Distinct hosts that are asked. Default 100. */
  readonly maxHosts?: number;
}

export interface AttachmentProbe extends AsyncDisposable {
  /**
   * One result per distinct address, in the order in which they were given first. Never throws for an attachment; rejects
   * with the signal's reason when aborted.
   */
  probe(urls: Iterable<string>, signal: AbortSignal): Promise<ReadonlyMap<string, ProbeResult>>;
}

export function createAttachmentProbe(clock: Clock, options: ProbeOptions = {}): AttachmentProbe {
  const allow = options.allow ?? isPublicAddress;
  const timeoutMs = options.timeoutMs ?? 10_000;
  const agent = new Agent({
    connect: { lookup: guardedLookup(options.resolve ?? resolveWithSystem, allow), timeout: timeoutMs },
  });

  const flight = new Turns(options.concurrency ?? 8);
  const hosts = new Map<string, Turns>();

  /** One request when it is its turn: the clock does not run while others are asked. */
  const ask = async (at: URL, method: 'HEAD' | 'GET', signal: AbortSignal): Promise<HostReply> => {
    const host = hosts.get(at.host) ?? new Turns(PER_HOST);
    hosts.set(at.host, host);
    return host.taking(() =>
      flight.taking(async () => {
        signal.throwIfAborted();
        const finished = new AbortController();
        const deadline = new AbortController();
        const timer = clock.sleep(timeoutMs, finished.signal).then(
          () => deadline.abort(),
          () => {},
        );
        try {
          const { statusCode, headers, body } = await request(withoutCredentials(at), {
            dispatcher: agent,
            method,
            signal: AbortSignal.any([signal, deadline.signal]),
            headers: {
              'user-agent': 'helpdesk-import',
              ...(method === 'GET' ? { range: 'bytes=0-0' } : {}),
            },
          });
          // Not one byte of the file is wanted: a host that ignores the range is hung up on.
          if (method === 'GET') body.on('error', () => {}).destroy();
          else await body.dump();
          const location = typeof headers.location === 'string' ? headers.location : undefined;
          return { status: statusCode, location };
        } catch (error) {
          if (deadline.signal.aborted) return 'timeout';
          throw error;
        } finally {
          finished.abort();
          await timer;
        }
      }),
    );
  };

  /** Follows one address to its end. Throws what undici throws, and AddressRefused. */
  const follow = async (url: string, signal: AbortSignal): Promise<ProbeResult> => {
    let at = new URL(url);
    let method: 'HEAD' | 'GET' = 'HEAD';
    for (let hops = 0; ; ) {
      const refusal = refuse(at, allow);
      if (refusal !== undefined) return result(url, 'refused', refusal);
      const reply = await ask(at, method, signal);
      if (reply === 'timeout') return result(url, 'timeout', 'does not answer in time');
      const answer = answerOf(method, reply.status, reply.location);
      if (answer.kind === 'done') return result(url, answer.outcome, answer.reason, reply.status);
      if (answer.kind === 'ask-with-get') {
        method = 'GET';
        continue;
      }
      hops++;
      if (hops > (options.maxRedirects ?? 3))
        return result(url, 'unreachable', 'redirects too many times', reply.status);
      if (!URL.canParse(answer.to, at.href))
        return result(url, 'unreachable', 'redirects to an invalid address', reply.status);
      at = new URL(answer.to, at);
    }
  };

  const probeOne = async (url: string, signal: AbortSignal): Promise<ProbeResult> => {
    if (!URL.canParse(url)) return { url, outcome: 'refused', detail: 'The address is invalid.' };
    try {
      return await follow(url, signal);
    } catch (error) {
      signal.throwIfAborted();
      const refused = refusedAddress(error);
      if (refused !== undefined) return result(url, 'refused', privateReason(refused));
      return result(url, 'unreachable', `cannot be reached (${errorCode(error)})`);
    }
  };

  return {
    async probe(urls, signal) {
      const results = new Map<string, ProbeResult>();
      const named = new Set<string>();
      const wanted: string[] = [];
      for (const url of new Set(urls)) {
        const host = URL.canParse(url) ? new URL(url).host : '';
        const within =
          wanted.length < (options.maxUrls ?? 1_000) &&
          (named.has(host) || named.size < (options.maxHosts ?? 100));
        results.set(url, result(url, 'not-checked', 'was not checked: there are too many to ask for all'));
        if (!within) continue;
        named.add(host);
        wanted.push(url);
      }
      // An abort is passed on only when every request has ended: then nothing is left waiting.
      await Promise.allSettled(wanted.map(async (url) => results.set(url, await probeOne(url, signal))));
      signal.throwIfAborted();
      return results;
    },
    [Symbol.asyncDispose]: () => agent.destroy(),
  };
}

type HostReply = 'timeout' | { readonly status: number; readonly location: string | undefined };

const PER_HOST = 2;

/** So many at a time, the others in the order in which they came. */
class Turns {
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(atATime: number) {
    this.#free = atATime;
  }

  async taking<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free += 1;
      else next();
    }
  }
}

function result(url: string, outcome: ProbeOutcome, reason: string, status?: number): ProbeResult {
  return { url, outcome, status, detail: `${addressLabel(url)} ${reason}.` };
}

/** Why an address is not asked for; undefined when it may be. Names are judged when they are resolved. */
function refuse(url: URL, allow: (address: string) => boolean): string | undefined {
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    return `leads to ${url.protocol} and only http and https are asked for`;
  const literal = literalAddress(url.hostname);
  return literal !== undefined && !allow(literal) ? privateReason(literal) : undefined;
}

function privateReason(address: string): string {
  return `is at ${address}, an address inside a private network, and was not asked for`;
}

function withoutCredentials(url: URL): URL {
  const bare = new URL(url);
  bare.username = '';
  bare.password = '';
  return bare;
}

/** The refusal of the lookup, wherever undici and the socket wrapped it. */
function refusedAddress(error: unknown): string | undefined {
  for (let at = error; at instanceof Error; at = at.cause) {
    if (at instanceof AddressRefused) return at.address;
  }
  return undefined;
}

function errorCode(error: unknown): string {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') return error.code;
  return error instanceof Error ? error.name : 'unknown error';
}

/** What became of asking for one attachment, and what an answer means. Pure. */
export type ProbeOutcome =
  /** The file is there for whoever has its address. */
  | 'reachable'
  /** 404 or 410. */
  | 'missing'
  /** 401, 403 and their like: the old helpdesk wants a login, so nobody sees the file after the import. */
  | 'forbidden'
  /** No connection, no such host, a broken answer, a server's error, too many redirects. */
  | 'unreachable'
  /** No answer in time. */
  | 'timeout'
  /** Never asked for: no http(s) address, or one inside a private network. */
  | 'refused'
  /** Never asked for: beyond the bounds of the check. */
  | 'not-checked';

export interface ProbeResult {
  readonly url: string;
  readonly outcome: ProbeOutcome;
  readonly status?: number | undefined;
  /** One sentence, without the query of the address, which may hold a signature. */
  readonly detail: string;
}

type Answer =
  | { readonly kind: 'done'; readonly outcome: ProbeOutcome; readonly reason: string }
  | { readonly kind: 'redirect'; readonly to: string }
  | { readonly kind: 'ask-with-get' };

/**
 * Some hosts know no HEAD (405, 501), and addresses that are signed for GET answer 400 or 403 to it. 416 means that the
 * file is there and empty. 429 and 5xx say nothing about the file, and count as unreachable: a person looks again.
 */
export function answerOf(method: 'HEAD' | 'GET', status: number, location: string | undefined): Answer {
  if ([301, 302, 303, 307, 308].includes(status) && location !== undefined)
    return { kind: 'redirect', to: location };
  if ((status >= 200 && status < 300) || status === 416) return done('reachable', `answers ${status}`);
  if (method === 'HEAD' && [400, 403, 405, 501].includes(status)) return { kind: 'ask-with-get' };
  if (status === 404 || status === 410) return done('missing', `is not there (${status})`);
  if (status === 401 || status === 403 || status === 407)
    return done('forbidden', `needs a login (${status}), so it will not open in the target`);
  return done('unreachable', `answers ${status}`);
}

function done(outcome: ProbeOutcome, reason: string): Answer {
  return { kind: 'done', outcome, reason };
}

/** How a sentence names an address: host and path, no credentials, no query, no more than 120 characters. */
function addressLabel(url: string): string {
  if (!URL.canParse(url)) return 'an invalid address';
  const { host, pathname } = new URL(url);
  const label = `${host}${pathname}`;
  return label.length > 120 ? `${label.slice(0, 119)}…` : label;
}

/** Whether the files of one ticket can be opened, from what was found out about their addresses. Pure. */
export function judgeAttachments(urls: readonly string[], probed: ReadonlyMap<string, ProbeResult>): Check[] {
  const name = 'attachment accessibility';
  const results = [...new Set(urls)].flatMap((url) => probed.get(url) ?? []);
  if (results.length === 0) return [];
  const asked = results.filter((result) => result.outcome !== 'not-checked');
  const [first, ...others] = asked.filter((result) => result.outcome !== 'reachable');
  if (first !== undefined) {
    const more = others.length > 0 ? ` And ${others.length} more of ${results.length}.` : '';
    return [failed(name, `${first.detail}${more}`)];
  }
  const left = results.length - asked.length;
  const rest = left > 0 ? ` ${left} more ${left === 1 ? 'was' : 'were'} not asked for.` : '';
  return [passed(name, `${plural(asked.length, 'attachment')} can be opened.${rest}`)];
}
