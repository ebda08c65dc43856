/** Counts, measures and tells each request on the wire. */
import type { Clock } from '../../domain/clock.ts';
import type { Emit } from '../../domain/run-events.ts';
import { type ApiRequest, pathOnly, type Reply } from '../http/exchange.ts';
import type { RequestSample } from '../pace/concurrency-limit.ts';
import { loadOf, type Sign } from './classify.ts';

/** Requests to this API, reads and repeats included, without those that found no connection. */
export interface RequestStats {
  sent: number;
  /** Of them, how many were not the first attempt of their call. */
  retried: number;
  /** How many were answered with 429. */
  rateLimited: number;
}

export interface ObserverOptions {
  readonly clock: Clock;
  readonly emit: Emit;
  readonly stats: RequestStats;
  readonly onSample: (sample: RequestSample) => void;
}

export interface Observer {
  /** A request is sent; gives how many are on the wire, itself included. */
  sent(): number;
  /** Its reply came. `sentAt` by the monotonic clock; `together` is what `sent` gave. */
  came(request: ApiRequest, reply: Reply, sign: Sign, sentAt: number, together: number): void;
  /** It is over, whether a reply came or not. */
  over(): void;
}

export function createObserver({ clock, emit, stats, onSample }: ObserverOptions): Observer {
  let inFlight = 0;
  return {
    sent: () => ++inFlight,
    came(request, reply, sign, sentAt, together) {
      const milliseconds = clock.monotonic() - sentAt;
      if (sign !== 'not-connected' && sign !== 'hopeless') {
        stats.sent++;
        if (request.attempt > 1) stats.retried++;
        if (sign === 'rate-limited') stats.rateLimited++;
      }
      onSample({ milliseconds, inFlight: together, outcome: loadOf(sign) });
      const { method, attempt } = request;
      const path = pathOnly(request);
      emit(
        reply.type === 'answer'
          ? { type: 'request', method, path, milliseconds, attempt, status: reply.status }
          : { type: 'request', method, path, milliseconds, attempt },
      );
    },
    over() {
      inFlight--;
    },
  };
}
