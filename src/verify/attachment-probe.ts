/**
 * Asks whether attachments can be opened: a HEAD request for each distinct address, and nothing of the file is read.
 * Bounded in time, redirects, requests in flight, addresses and hosts. The links come from somebody else's data, so only
 * http(s) and only allowed network addresses are asked (guarded-lookup.ts), at every hop. Requests carry no credentials.
 */
import type { Clock } from '../domain/clock.ts';
import { BOUNDS } from '../domain/limits.ts';
import type { Environment } from '../target/http/proxy.ts';
import { type Check, failed, passed, plural } from './check.ts';
import type { AllowAddress, ResolveHost } from './guarded-lookup.ts';
import { discard, GuardedClient, hangUp, labelOf, noAnswer, type Send } from './guarded-request.ts';

export interface ProbeOptions {
  /** Hosts that may be in a private network. */
  readonly privateHosts?: readonly string[];
  /** Which network addresses may be asked, where that is another question. */
  readonly allow?: AllowAddress | undefined;
  readonly resolve?: ResolveHost;
  /** Proxy settings are read from here. */
  readonly env?: Environment;
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
  const timeoutMs = options.timeoutMs ?? 10_000;
  const client = new GuardedClient({ env: {}, ...options, timeoutMs });

  const flight = new Turns(options.concurrency ?? 8);
  const hosts = new Map<string, Turns>();

  /** One request when it is its turn: the clock does not run while others are asked. */
  const taking = (at: URL, send: Send, signal: AbortSignal) => {
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
          return await send(AbortSignal.any([signal, deadline.signal]));
        } catch (error) {
          throw deadline.signal.aborted ? TIMED_OUT : error;
        } finally {
          finished.abort();
          await timer;
        }
      }),
    );
  };

  const probeOne = async (url: string, signal: AbortSignal): Promise<ProbeResult> => {
    if (!URL.canParse(url)) return { url, outcome: 'refused', detail: 'The address is invalid.' };
    const asking = {
      redirects: options.maxRedirects ?? 3,
      taking: (at: URL, send: Send) => taking(at, send, signal),
      signal,
    };
    try {
      let opened = await client.open(new URL(url), { ...asking, method: 'HEAD' });
      if ('outcome' in opened) return result(url, opened.outcome, opened.reason);
      await discard(opened.response);
      if (NO_HEAD.has(opened.response.statusCode)) {
        opened = await client.open(opened.at, { ...asking, headers: { range: 'bytes=0-0' } });
        if ('outcome' in opened) return result(url, opened.outcome, opened.reason);
        // Not one byte of the file is wanted: a host that ignores the range is hung up on.
        hangUp(opened.response);
      }
      return resultOf(url, opened.response.statusCode);
    } catch (error) {
      signal.throwIfAborted();
      if (error === TIMED_OUT) return result(url, 'timeout', 'does not answer in time');
      const { outcome, reason } = noAnswer(error);
      return result(url, outcome, reason);
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
          wanted.length < (options.maxUrls ?? BOUNDS.probed.most) &&
          (named.has(host) || named.size < (options.maxHosts ?? BOUNDS.probedHosts.most));
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
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  };
}

const TIMED_OUT = new Error('no answer in time');

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
  return { url, outcome, status, detail: `${labelOf(url)} ${reason}.` };
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

/** Some hosts know no HEAD, and addresses that are signed for GET answer 400 or 403 to it. */
const NO_HEAD: ReadonlySet<number> = new Set([400, 403, 405, 501]);

/** 416 means that the file is there and empty. 429 and 5xx say nothing about the file, and count as unreachable: a person looks again. */
function resultOf(url: string, status: number): ProbeResult {
  if ((status >= 200 && status < 300) || status === 416)
    return result(url, 'reachable', `answers ${status}`, status);
  if (status === 404 || status === 410) return result(url, 'missing', `is not there (${status})`, status);
  if (status === 401 || status === 403 || status === 407)
    return result(url, 'forbidden', `needs a login (${status}), so it will not open in the target`, status);
  return result(url, 'unreachable', `answers ${status}`, status);
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
