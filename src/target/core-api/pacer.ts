/** Every request pays for admission, and a 429 stops all of them for as long as it says. */
import type { Clock, Random } from '../../domain/clock.ts';
import type { Emit } from '../../domain/run-events.ts';
import { type Answer, headerOf, type Reply } from '../http/exchange.ts';
import type { Admission } from '../pace/admission.ts';
import { type BackoffRules, steadyBackoff } from '../pace/backoff.ts';
import { retryAfterMs } from '../pace/retry-after.ts';

/** The pause after a 429 that names none. */
const UNNAMED_PAUSE: BackoffRules = { firstMs: 2_000, maxMs: 60_000 };

export interface PacerOptions {
  readonly admission: Admission;
  readonly clock: Clock;
  readonly random: Random;
  readonly emit: Emit;
}

export interface Pacer {
  /** Counts one request; a promise where it has to wait for its turn, which rejects with the signal's reason. */
  turn(signal: AbortSignal): Promise<void> | undefined;
  /** Before each attempt, when nothing has to be waited for any more. Throws where none may be sent. */
  leaving(): void;
  /** The first byte of a request that was admitted at this monotonic time is about to go out. */
  wentOut(admittedAt: number): void;
  came(reply: Reply): void;
}

export function createPacer({ admission, clock, random, emit }: PacerOptions): Pacer {
  let refusals = 0;
  return {
    turn: (signal) => (admission.tryAdmit() ? undefined : admission.admit(signal)),
    leaving: () => admission.leaving(),
    wentOut: (admittedAt) => admission.wentOut(admittedAt),
    came(reply) {
      if (reply.type !== 'answer') return;
      admission.learn(reply.headers);
      if (reply.status !== 429) {
        refusals = 0;
        return;
      }
      refusals++;
      const waitMs = askedPause(reply, clock) ?? steadyBackoff(refusals, random, UNNAMED_PAUSE);
      admission.hold(waitMs);
      emit({ type: 'rate-limited', waitMs });
    },
  };
}

/** The `Retry-After` of an answer in milliseconds, if it has a usable one. */
export function askedPause(answer: Answer, clock: Clock): number | undefined {
  return retryAfterMs(headerOf(answer, 'retry-after'), headerOf(answer, 'date'), clock.now());
}
