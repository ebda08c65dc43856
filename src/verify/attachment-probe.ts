/** Checks attachments by HEAD, without credentials, at allowed network addresses only (guarded-request.ts). */

import pLimit, { type LimitFunction } from 'p-limit';
import { BOUNDS } from '../domain/limits.ts';
import type { Clock } from '../domain/ports.ts';
import { countOf } from '../domain/printable.ts';
import { say } from '../domain/text/problem-words.ts';
import { type Check, failed, passed } from './check.ts';
import { discard, GuardedClient, type GuardedOptions, hangUp, labelOf, noAnswer } from './guarded-request.ts';

export interface AttachmentProbe extends AsyncDisposable {
  /** Each distinct address once, in order. Never throws for an attachment; rejects with the signal's reason. */
  probe(urls: Iterable<string>, signal: AbortSignal): Promise<ReadonlyMap<string, ProbeResult>>;
}

/** `missing`: 404 or 410. `forbidden`: needs a login. `refused`: not http(s), or private. `not-checked`: beyond the limit. */
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
  /** Without the query, which may hold a signature. */
  readonly detail: string;
}

type Probed = readonly [outcome: ProbeOutcome, reason: string];

const TOGETHER = 8;
const PER_HOST = 2;
const MOST_REDIRECTS = 3;
/** Hosts without HEAD, and addresses signed for GET, answer so. */
const NO_HEAD: ReadonlySet<number> = new Set([400, 403, 405, 501]);

/** RFC 2606, as in the sample. */
function isExample(url: string): boolean {
  return /^https:\/\/(?:[\w-]+\.)*(?:example\.(?:com|net|org)|example)(?::\d+)?\//.test(url);
}

export function createAttachmentProbe(clock: Clock, options: Partial<GuardedOptions> = {}): AttachmentProbe {
  const timeoutMs = options.timeoutMs ?? 10_000;
  const client = new GuardedClient({ env: {}, ...options, timeoutMs });
  const all = pLimit(TOGETHER);
  const hosts = new Map<string, LimitFunction>();

  const ask = async (url: string, outer: AbortSignal): Promise<Probed> => {
    outer.throwIfAborted();
    if (isExample(url)) return ['not-checked', 'is an example address, where no server answers'];
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
      // The host ignored the range.
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

  const inTurn = async (url: string, at: number, signal: AbortSignal): Promise<Probed> => {
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
      await Promise.allSettled(asked);
      signal.throwIfAborted();
      return new Map(await Promise.all(asked));
    },
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  };
}

/** 416: an empty file. 429 and 5xx count as unreachable. */
function meaningOf(status: number): Probed {
  if ((status >= 200 && status < 300) || status === 416) return ['reachable', `answers ${status}`];
  if (status === 404 || status === 410) return ['missing', `is not there (${status})`];
  return status === 401 || status === 403 || status === 407
    ? ['forbidden', `needs a login (${status}), so it will not open in the helpdesk`]
    : ['unreachable', `answers ${status}`];
}

export function judgeAttachments(urls: readonly string[], probed: ReadonlyMap<string, ProbeResult>): Check[] {
  const name = 'attachment accessibility';
  const results = [...new Set(urls)].flatMap((url) => probed.get(url) ?? []);
  if (results.length === 0) return [];
  const asked = results.filter(({ outcome }) => outcome !== 'not-checked');
  const [first, ...others] = asked.filter(({ outcome }) => outcome !== 'reachable');
  const more = others.length > 0 ? ` And ${others.length} more of ${results.length}.` : '';
  if (first !== undefined) return [failed(name, `${first.detail}${more}`)];
  const left = results.length - asked.length;
  const rest = left > 0 ? say(' {left|# more was|# more were} not asked for.', { left }) : '';
  return [passed(name, `${countOf(asked.length, 'attachment')} can be opened.${rest}`)];
}
