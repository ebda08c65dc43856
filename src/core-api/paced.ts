/** Every request pays for admission, and a 429 stops all of them for as long as it says. */
import type { Clock, Random } from '../domain/clock.ts';
import type { Emit } from '../domain/run-events.ts';
import type { Admission } from '../pace/admission.ts';
import { type BackoffRules, steadyBackoff } from '../pace/backoff.ts';
import { retryAfterMs } from '../pace/retry-after.ts';
import { type Answer, type Exchange, headerOf } from './exchange.ts';

/** The pause after a 429 that names none. */
const UNNAMED_PAUSE: BackoffRules = { firstMs: 2_000, maxMs: 60_000 };

export interface PacedOptions {
  readonly admission: Admission;
  readonly clock: Clock;
  readonly random: Random;
  readonly emit: Emit;
}

export function paced(next: Exchange, { admission, clock, random, emit }: PacedOptions): Exchange {
  let refusals = 0;
  return async (request, signal) => {
    await admission.admit(signal);
    const admittedAt = clock.monotonic();
    const reply = await next({ ...request, onBegun: () => admission.wentOut(admittedAt) }, signal);
    if (reply.type !== 'answer') return reply;
    admission.learn(reply.headers);
    if (reply.status !== 429) {
      refusals = 0;
      return reply;
    }
    refusals++;
    const waitMs = askedPause(reply, clock) ?? steadyBackoff(refusals, random, UNNAMED_PAUSE);
    admission.hold(waitMs);
    emit({ type: 'rate-limited', waitMs });
    return reply;
  };
}

/** The `Retry-After` of an answer in milliseconds, if it has a usable one. */
export function askedPause(answer: Answer, clock: Clock): number | undefined {
  return retryAfterMs(headerOf(answer, 'retry-after'), headerOf(answer, 'date'), clock.now());
}
