/**
 * What to do while the target is down.
 *
 * Closed: requests pass. An answer that says "down" (no connection, 503) opens it. Open: every request waits, and after
 * a pause one probe goes out; while probes fail, the pause grows; the first sign of life, from a probe or from any
 * request that was still in flight, closes it and lets everyone go on, in order. If that takes longer than
 * `giveUpAfterMs`, all who wait, and all who come later, get AppError `unreachable`: the run stops and can be resumed.
 *
 * The probe is a harmless request of its own and not the first one of the line: a create may be answered with a 503
 * that leaves its outcome open, and an outage would turn one ticket after the other into a ticket in doubt.
 * Nobody waits, nobody probes: the loop runs only while the line is not empty, and leaves no timer.
 */
import type { Clock, Random } from '../../domain/clock.ts';
import { AppError } from '../../domain/errors.ts';
import type { Emit } from '../../domain/run-events.ts';
import { WaitQueue } from './admission.ts';
import { type BackoffRules, GIVE_UP_AFTER_MS, inTimeUnits, steadyBackoff, stopReason } from './backoff.ts';

/** What a probe saw: a sign of life, or why there is none and how long the service wants to be left alone. */
export type ProbeResult =
  | { readonly up: true }
  | { readonly up: false; readonly cause: string; readonly notBeforeMs?: number };

export interface BreakerOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly emit?: Emit | undefined;
  /** What cannot be reached, for a person. */
  readonly address?: string | undefined;
  /** One harmless request. A rejection counts as down, unless the signal aborted. */
  readonly probe: (signal: AbortSignal) => Promise<ProbeResult>;
  /** Default: ten minutes. */
  readonly giveUpAfterMs?: number | undefined;
  readonly pauses?: BackoffRules | undefined;
  /** Aborted: nobody waits for a target that is down any more; whoever would, gets its reason. */
  readonly stopping?: AbortSignal | undefined;
}

export interface Breaker {
  /** Resolves when requests may go. Rejects with the signal's reason, or with AppError `unreachable`. */
  pass(signal: AbortSignal): Promise<void>;
  /** A request found the target down. `cause` is a phrase for a person, `notBeforeMs` the pause that the target asked for. */
  down(cause: string, notBeforeMs?: number): void;
  /** A request got an answer that is none of "down". */
  up(): void;
  readonly open: boolean;
}

const PAUSES: BackoffRules = { firstMs: 500, maxMs: 30_000 };
const LONGEST_SLEEP_MS = 3_600_000;

interface Outage {
  readonly since: number;
  cause: string;
  probes: number;
  nextProbe: number;
}

export function createBreaker(options: BreakerOptions): Breaker {
  const { clock, random, emit = () => {}, probe, pauses = PAUSES, stopping } = options;
  const { address = 'the target' } = options;
  const giveUpAfterMs = options.giveUpAfterMs ?? GIVE_UP_AFTER_MS;
  let outage: Outage | undefined;
  let gaveUp: AppError | undefined;
  let loop: AbortController | undefined;
  const line = new WaitQueue(() => loop?.abort());
  stopping?.addEventListener('abort', () => line.failAll(stopReason(stopping)), { once: true });

  const up = () => {
    if (outage === undefined || gaveUp !== undefined) return;
    outage = undefined;
    loop?.abort();
    line.all();
  };

  const scheduleProbe = (current: Outage, notBeforeMs: number) => {
    const pause = steadyBackoff(current.probes + 1, random, pauses);
    const now = clock.monotonic();
    current.nextProbe = Math.max(current.nextProbe, now + Math.max(pause, notBeforeMs));
  };

  const down = (cause: string, notBeforeMs = 0) => {
    const now = clock.monotonic();
    if (outage === undefined) {
      outage = { since: now, cause, probes: 0, nextProbe: now };
      scheduleProbe(outage, notBeforeMs);
      return;
    }
    // Requests that were under way when it went down are no news, but what they were asked is.
    outage.nextProbe = Math.max(outage.nextProbe, now + notBeforeMs);
  };

  const giveUp = (current: Outage) => {
    gaveUp = new AppError(
      'unreachable',
      `The target could not be reached for ${inTimeUnits(clock.monotonic() - current.since)}: ${current.cause}.`,
      {
        hint: 'Check the base URL and the network, then run the same command again: it continues where it stopped.',
      },
    );
    line.failAll(gaveUp);
  };

  const probeOnce = async (current: Outage, signal: AbortSignal) => {
    current.probes++;
    const result = await probe(signal).catch((error: unknown): ProbeResult => {
      if (signal.aborted) throw error;
      return { up: false, cause: error instanceof Error ? error.message : String(error) };
    });
    if (result.up) return up();
    current.cause = result.cause;
    scheduleProbe(current, result.notBeforeMs ?? 0);
  };

  const watch = async () => {
    const controller = new AbortController();
    loop = controller;
    let reported = Number.NEGATIVE_INFINITY;
    try {
      for (let current = outage; current !== undefined && line.length > 0; current = outage) {
        const now = clock.monotonic();
        const end = current.since + giveUpAfterMs;
        if (now >= end) return giveUp(current);
        const wait = Math.min(current.nextProbe, end) - now;
        if (wait <= 0) {
          await probeOnce(current, controller.signal);
          continue;
        }
        if (current.nextProbe > reported) {
          reported = current.nextProbe;
          emit({
            type: 'waiting',
            reason: 'target-down',
            untilMs: clock.now() + wait,
            outage: { address, cause: current.cause, givesUpMs: end - now },
          });
        }
        await clock.sleep(Math.min(wait, LONGEST_SLEEP_MS), controller.signal);
      }
    } catch (error) {
      if (!controller.signal.aborted) line.failAll(error);
    } finally {
      loop = undefined;
      // Someone may have come while this loop was being ended.
      if (line.length > 0 && gaveUp === undefined) void watch();
    }
  };

  return {
    pass(signal) {
      if (signal.aborted) return Promise.reject(signal.reason);
      if (gaveUp !== undefined) return Promise.reject(gaveUp);
      if (outage === undefined) return Promise.resolve();
      if (stopping?.aborted === true) return Promise.reject(stopReason(stopping));
      const turn = line.enter(signal);
      if (loop === undefined) void watch();
      return turn;
    },
    down,
    up,
    get open() {
      return outage !== undefined;
    },
  };
}
