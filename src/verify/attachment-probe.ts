/**
 * Asks whether attachments can be opened: a HEAD request for each distinct address, and nothing of the file is read.
 * Bounded in time, redirects, requests in flight, addresses and hosts. The links come from somebody else's data, so only
 * http(s) and only allowed network addresses are asked (public-address.ts), at every hop. Requests carry no credentials.
 */
import { Agent, request } from 'undici';
import type { Clock } from '../domain/clock.ts';
import { AddressRefused, guardedLookup, type ResolveHost, resolveWithSystem } from './guarded-lookup.ts';
import { addressLabel, answerOf, type ProbeOutcome, type ProbeResult } from './probe-result.ts';
import { isPublicAddress, literalAddress } from './public-address.ts';

export interface ProbeOptions {
  /** Which network addresses may be asked. Default: public ones only. */
  readonly allow?: (address: string) => boolean;
  readonly resolve?: ResolveHost;
  /** For one attachment with all its redirects, in milliseconds. Default 10,000. */
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
    connections: 2,
    connect: { lookup: guardedLookup(options.resolve ?? resolveWithSystem, allow), timeout: timeoutMs },
  });

  /** Follows one address to its end. Throws what undici throws, and AddressRefused. */
  const follow = async (url: string, signal: AbortSignal): Promise<ProbeResult> => {
    let at = new URL(url);
    let method: 'HEAD' | 'GET' = 'HEAD';
    for (let hops = 0; ; ) {
      const refusal = refuse(at, allow);
      if (refusal !== undefined) return result(url, 'refused', refusal);
      const { statusCode, headers, body } = await request(withoutCredentials(at), {
        dispatcher: agent,
        method,
        signal,
        headers: { 'user-agent': 'helpdesk-import', ...(method === 'GET' ? { range: 'bytes=0-0' } : {}) },
      });
      // Not one byte of the file is wanted: a host that ignores the range is hung up on.
      if (method === 'GET') body.on('error', () => {}).destroy();
      else await body.dump();
      const location = typeof headers.location === 'string' ? headers.location : undefined;
      const answer = answerOf(method, statusCode, location);
      if (answer.kind === 'done') return result(url, answer.outcome, answer.reason, statusCode);
      if (answer.kind === 'ask-with-get') {
        method = 'GET';
        continue;
      }
      hops++;
      if (hops > (options.maxRedirects ?? 3))
        return result(url, 'unreachable', 'redirects too many times', statusCode);
      if (!URL.canParse(answer.to, at.href))
        return result(url, 'unreachable', 'redirects to an address that is none', statusCode);
      at = new URL(answer.to, at);
    }
  };

  const probeOne = async (url: string, signal: AbortSignal): Promise<ProbeResult> => {
    signal.throwIfAborted();
    if (!URL.canParse(url))
      return { url, outcome: 'refused', detail: 'The address of an attachment is none.' };
    const finished = new AbortController();
    const deadline = new AbortController();
    const timer = clock.sleep(timeoutMs, finished.signal).then(
      () => deadline.abort(),
      () => {},
    );
    try {
      return await follow(url, AbortSignal.any([signal, deadline.signal]));
    } catch (error) {
      signal.throwIfAborted();
      if (deadline.signal.aborted) return result(url, 'timeout', 'does not answer in time');
      const refused = refusedAddress(error);
      if (refused !== undefined) return result(url, 'refused', privateReason(refused));
      return result(url, 'unreachable', `cannot be reached (${errorCode(error)})`);
    } finally {
      finished.abort();
      await timer;
    }
  };

  return {
    async probe(urls, signal) {
      const results = new Map<string, ProbeResult>();
      const hosts = new Set<string>();
      const wanted: string[] = [];
      for (const url of new Set(urls)) {
        const host = URL.canParse(url) ? new URL(url).host : '';
        const within =
          wanted.length < (options.maxUrls ?? 1_000) &&
          (hosts.has(host) || hosts.size < (options.maxHosts ?? 100));
        results.set(url, result(url, 'not-checked', 'was not checked: there are too many to ask for all'));
        if (!within) continue;
        hosts.add(host);
        wanted.push(url);
      }
      const queue = wanted.values();
      const worker = async () => {
        for (const url of queue) results.set(url, await probeOne(url, signal));
      };
      // An abort is passed on only when every worker has ended: then nothing is left waiting.
      await Promise.allSettled(Array.from({ length: options.concurrency ?? 8 }, worker));
      signal.throwIfAborted();
      return results;
    },
    [Symbol.asyncDispose]: () => agent.destroy(),
  };
}

function result(url: string, outcome: ProbeOutcome, reason: string, status?: number): ProbeResult {
  return {
    url,
    outcome,
    ...(status === undefined ? {} : { status }),
    detail: `${addressLabel(url)} ${reason}.`,
  };
}

/** Why an address is not asked for; undefined when it may be. Names are judged when they are resolved. */
function refuse(url: URL, allow: (address: string) => boolean): string | undefined {
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    return `leads to ${url.protocol} and only http and https are asked for`;
  const literal = literalAddress(url.hostname);
  return literal !== undefined && !allow(literal) ? privateReason(literal) : undefined;
}

function privateReason(address: string): string {
  return `stands at ${address}, an address inside a private network, and was not asked for`;
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
