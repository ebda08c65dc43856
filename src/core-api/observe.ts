/** Counts, measures and tells each request on the wire. Innermost, so that it sees what really went out. */
import type { Clock } from '../domain/clock.ts';
import type { Emit } from '../domain/run-events.ts';
import type { RequestSample } from '../pace/concurrency-limit.ts';
import { loadOf } from './classify.ts';
import { type Exchange, pathOnly } from './exchange.ts';
import { signOf } from './sign-of.ts';

/** Requests to this API, reads and repeats included, without those that found no connection. */
export interface RequestStats {
  sent: number;
  /** Of them, how many were not the first attempt of their call. */
  retried: number;
  /** How many were answered with 429. */
  rateLimited: number;
}

export interface ObserveOptions {
  readonly clock: Clock;
  readonly emit: Emit;
  readonly stats: RequestStats;
  readonly onSample: (sample: RequestSample) => void;
}

export function observe(next: Exchange, { clock, emit, stats, onSample }: ObserveOptions): Exchange {
  let inFlight = 0;
  return async (request, signal) => {
    const begun = clock.monotonic();
    const together = ++inFlight;
    try {
      const reply = await next(request, signal);
      const milliseconds = clock.monotonic() - begun;
      const sign = signOf(reply, request.kind, () => true);
      if (sign !== 'not-connected' && sign !== 'hopeless') {
        stats.sent++;
        if (request.attempt > 1) stats.retried++;
        if (sign === 'rate-limited') stats.rateLimited++;
      }
      onSample({ milliseconds, inFlight: together, outcome: loadOf(sign) });
      const { method, attempt } = request;
      const told = { type: 'request', method, path: pathOnly(request), milliseconds, attempt } as const;
      emit(reply.type === 'answer' ? { ...told, status: reply.status } : told);
      return reply;
    } finally {
      inFlight--;
    }
  };
}
