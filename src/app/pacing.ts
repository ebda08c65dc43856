/** How fast requests may go to a target, whichever API it has: rate budget, concurrency, and how long an answer may take. */
import type { Clock } from '../domain/clock.ts';
import type { Limiter } from '../domain/limiter.ts';
import type { Emit } from '../domain/run-events.ts';
import { type Admission, createAdmission } from '../pace/admission.ts';
import type { RequestSample } from '../pace/concurrency-limit.ts';
import { createAdaptiveLimiter, createFixedLimiter } from '../pace/limiter.ts';
import type { RunSettings } from '../settings/settings.ts';

/** What remembers the requests of earlier processes, so that a restart keeps to the rate budget. */
export interface SendMemory {
  noteSends(secondsSinceEpoch: number, requests: number): void;
  recentSends(sinceSecond: number): { second: number; requests: number }[];
  /** Right before a request goes out; throws where none may any more. */
  aboutToSend?(): void;
}

export interface Pacing {
  /** Tickets, or lists of events, in flight. */
  readonly limiter: Limiter;
  /** What a client of an API takes as it is. */
  readonly client: {
    readonly admission: Admission;
    readonly connections: number;
    readonly timeoutMs: number;
    readonly giveUpAfterMs: number;
    readonly onSample?: (sample: RequestSample) => void;
  };
}

/** Most connections where the concurrency adapts; the limit itself finds out how many are good. */
const MOST_CONNECTIONS = 256;
/** The longest rate window of the defaults; older sends no longer matter to any budget that is shorter. */
const REMEMBERED_SECONDS = 600;

export function createPacing(
  { rates, concurrency, timeoutSeconds, giveUpAfterSeconds }: RunSettings,
  { clock, emit }: { readonly clock: Clock; readonly emit: Emit },
  memory: SendMemory | undefined,
): Pacing {
  const longest = Math.max(REMEMBERED_SECONDS, ...rates.map(({ seconds }) => seconds));
  const admission = createAdmission({
    budgets: rates,
    clock,
    emit,
    aboutToSend: memory?.aboutToSend === undefined ? undefined : () => memory.aboutToSend?.(),
    ...(memory === undefined || rates.length === 0
      ? {}
      : {
          onSend: (second, requests) => memory.noteSends(second, requests),
          recent: memory.recentSends(Math.floor(clock.now() / 1000) - longest),
        }),
  });
  const patience = { timeoutMs: timeoutSeconds * 1000, giveUpAfterMs: giveUpAfterSeconds * 1000 };
  if (concurrency !== 'auto')
    return {
      limiter: createFixedLimiter(concurrency),
      client: { admission, connections: concurrency, ...patience },
    };
  const limiter = createAdaptiveLimiter();
  return {
    limiter,
    client: { admission, connections: MOST_CONNECTIONS, ...patience, onSample: limiter.observe },
  };
}
