/**
 * The one place where an API client is put together. Read from the inside out, a request meets:
 *
 *   transport      bytes out, answer back, or exactly why not
 *   pacedExchange  one attempt: the observer counts, measures and tells; the pacer keeps the rate budget, and a 429 holds
 *                  everybody; the guard lets nothing but a probe out while the target is down
 *   authenticated  the token; again with a fresh one after a 401
 *   retrying       again, where it is proven or harmless
 *
 * so that every attempt pays for admission, and a call that backs off holds nothing.
 */
import type { Clock, Random } from '../../domain/clock.ts';
import type { Emit } from '../../domain/run-events.ts';
import type { ApiRequest, Exchange } from '../http/exchange.ts';
import type { Admission } from '../pace/admission.ts';
import { GIVE_UP_AFTER_MS } from '../pace/backoff.ts';
import { createBreaker } from '../pace/breaker.ts';
import type { RequestSample } from '../pace/concurrency-limit.ts';
import {
  createGuard,
  createObserver,
  createPacer,
  pacedExchange,
  probeWith,
  type RequestStats,
} from './paced-exchange.ts';
import { ATTEMPTS, type Call, retrying } from './retry.ts';
import { authenticated, PAUSES_MS, type TokenSource } from './tokens.ts';

export interface CallsOptions {
  readonly transport: Exchange;
  /** Without it requests go out with the headers they have (an API with keys of its own). */
  readonly tokens?: TokenSource | undefined;
  readonly admission: Admission;
  readonly clock: Clock;
  readonly random: Random;
  readonly emit: Emit;
  /** What the service is called where it cannot be reached. */
  readonly address?: string | undefined;
  /** A harmless read for the breaker to try. */
  readonly probe: ApiRequest;
  /** Each request on the wire, for an adaptive limiter. */
  readonly onSample?: ((sample: RequestSample) => void) | undefined;
  readonly attempts?: number | undefined;
  /** How long a target that is down is waited for, milliseconds; default ten minutes. */
  readonly giveUpAfterMs?: number | undefined;
  /** Aborted: whoever waits for the target, and has nothing on the wire, waits no longer. */
  readonly stopping?: AbortSignal | undefined;
}

export interface Calls {
  readonly call: Call;
  /** One attempt with admission and authentication, without waiting for a target that is down. */
  readonly once: Exchange;
  readonly stats: RequestStats;
}

export function composeCalls(options: CallsOptions): Calls {
  const { transport, tokens, admission, clock, random, emit, stopping, onSample = () => {} } = options;
  const { attempts = ATTEMPTS, giveUpAfterMs = GIVE_UP_AFTER_MS } = options;
  const stats: RequestStats = { sent: 0, retried: 0, rateLimited: 0, changing: 0 };
  const observer = createObserver({ clock, emit, stats, onSample });
  const pacer = createPacer({ admission, clock, random, emit });
  const withToken = (next: Exchange, pausesMs: readonly number[]) =>
    tokens === undefined ? next : authenticated(next, tokens, { clock, emit, pausesMs });
  const once = withToken(pacedExchange(transport, { pacer, observer, clock }), []);
  const breaker = createBreaker({
    clock,
    random,
    emit,
    address: options.address,
    probe: probeWith(once, options.probe, clock),
    giveUpAfterMs,
    stopping,
  });
  const guard = createGuard(breaker, clock);
  const patient = withToken(pacedExchange(transport, { guard, pacer, observer, clock }), PAUSES_MS);
  const call = retrying(patient, { clock, random, emit, attempts, giveUpAfterMs, stopping });
  return { call, once, stats };
}
