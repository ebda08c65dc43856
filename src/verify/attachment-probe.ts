/**
 * Checks whether attachments can be opened: a HEAD request for each address, without credentials. Only allowed network addresses are
 * requested, at every redirect (guarded-request.ts).
 */
import pLimit, { type LimitFunction } from 'p-limit';
import type { Clock } from '../domain/clock.ts';
import { BOUNDS } from '../domain/limits.ts';
import { type Check, failed, passed, plural } from './check.ts';
import { discard, GuardedClient, type GuardedOptions, hangUp, labelOf, noAnswer } from './guarded-request.ts';

export interface AttachmentProbe extends AsyncDisposable {
  /** One result for each distinct address, in the given order. Never throws for an attachment; rejects with the signal's reason. */
  probe(urls: Iterable<string>, signal: AbortSignal): Promise<ReadonlyMap<string, ProbeResult>>;
}

/**
 * `missing`: 404 or 410. `forbidden`: the host requires a login. `refused`: not an http(s) address, or in a private network. `not-checked`:
 * beyond the limit.
 */
export type ProbeOutcome =
  | 'reachable'
  | 'missing'
  | 'forbidden'
  | 'unreachable'
  | 'timeout'
  | 'refused'
  | 'not-checked';

export interface ProbeResult {
  readonly outcome: ProbeOutcome;
  /** One sentence, without the query of the address, which may hold a signature. */
  readonly detail: string;
}

type Found = readonly [outcome: ProbeOutcome, reason: string];

const TOGETHER = 8;
const PER_HOST = 2;
const MOST_REDIRECTS = 3;
/** Hosts without HEAD, and addresses signed for GET, answer so to a HEAD request. */
const NO_HEAD: ReadonlySet<number> = new Set([400, 403, 405, 501]);

/** `timeoutMs` of each address. Default 10,000. */
export function createAttachmentProbe(clock: Clock, options: Partial<GuardedOptions> = {}): AttachmentProbe {
  const timeoutMs = options.timeoutMs ?? 10_000;
  const client = new GuardedClient({ env: {}, ...options, timeoutMs });
  const all = pLimit(TOGETHER);
  const hosts = new Map<string, LimitFunction>();

  const ask = async (url: string, outer: AbortSignal): Promise<Found> => {
    outer.throwIfAborted();
    const ended = new AbortController();
    const late = new AbortController();
    clock.sleep(timeoutMs, ended.signal).then(
      () => late.abort(),
      () => undefined,
    );
    const asking = { redirects: MOST_REDIRECTS, signal: AbortSignal.any([outer, late.signal]) };
    try {
      let opened = await client.open(new URL(url), { ...asking, method: 'HEAD' });
      if ('response' in opened) {
        await discard(opened.response);
        const headers = { range: 'bytes=0-0' };
        if (NO_HEAD.has(opened.response.statusCode))
          opened = await client.open(opened.at, { ...asking, headers });
      }
      if ('outcome' in opened) return [opened.outcome, opened.reason];
      // A host that ignores the range sends the whole file.
      hangUp(opened.response);
      return meaningOf(opened.response.statusCode);
    } catch (error) {
      outer.throwIfAborted();
      if (late.signal.aborted) return ['timeout', 'does not answer in time'];
      const { outcome, reason } = noAnswer(error);
      return [outcome, reason];
    } finally {
      ended.abort();
    }
  };

  const inTurn = async (url: string, at: number, signal: AbortSignal): Promise<Found> => {
    if (!URL.canParse(url)) return ['refused', 'has no valid address'];
    if (at >= BOUNDS.probed.most)
      return ['not-checked', 'was not checked: there are too many to ask for all'];
    const { host } = new URL(url);
    const own = hosts.get(host) ?? pLimit(PER_HOST);
    hosts.set(host, own);
    return await own(() => all(() => ask(url, signal)));
  };

  return {
    async probe(urls, signal) {
      const asked = [...new Set(urls)].map(async (url, at): Promise<[string, ProbeResult]> => {
        const [outcome, reason] = await inTurn(url, at, signal);
        return [url, { outcome, detail: `${labelOf(url)} ${reason}.` }];
      });
      // An abort is passed on only when every request has ended.
      await Promise.allSettled(asked);
      signal.throwIfAborted();
      return new Map(await Promise.all(asked));
    },
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  };
}

/** 416: the file is empty. 429 and 5xx say nothing about the file and count as unreachable. */
function meaningOf(status: number): Found {
  if ((status >= 200 && status < 300) || status === 416) return ['reachable', `answers ${status}`];
  if (status === 404 || status === 410) return ['missing', `is not there (${status})`];
  return status === 401 || status === 403 || status === 407
    ? ['forbidden', `needs a login (${status}), so it will not open in the target`]
    : ['unreachable', `answers ${status}`];
}

/** Whether the files of one ticket can be opened, from the results of their addresses. */
export function judgeAttachments(urls: readonly string[], probed: ReadonlyMap<string, ProbeResult>): Check[] {
  const name = 'attachment accessibility';
  const results = [...new Set(urls)].flatMap((url) => probed.get(url) ?? []);
  if (results.length === 0) return [];
  const asked = results.filter(({ outcome }) => outcome !== 'not-checked');
  const [first, ...others] = asked.filter(({ outcome }) => outcome !== 'reachable');
  const more = others.length > 0 ? ` And ${others.length} more of ${results.length}.` : '';
  if (first !== undefined) return [failed(name, `${first.detail}${more}`)];
  const left = results.length - asked.length;
  const rest = left > 0 ? ` ${left} more ${left === 1 ? 'was' : 'were'} not asked for.` : '';
  return [passed(name, `${plural(asked.length, 'attachment')} can be opened.${rest}`)];
}
