/**
 * One attempt: what it may have to wait for, the exchange, and who hears of the reply.
 *
 * The guard, the pacer and the observer could each be an Exchange around the next one. But nearly always there is nothing to
 * wait for, and three promises more for each request, kept until its answer comes, cost more than all that these do.
 */
import type { Clock, Random } from '../../domain/clock.ts';
import type { Emit } from '../../domain/run-events.ts';
import {
  type Answer,
  type ApiRequest,
  type Exchange,
  headerOf,
  pathOnly,
  type Reply,
} from '../http/exchange.ts';
import type { Admission } from '../pace/admission.ts';
import { type BackoffRules, retryAfterMs, steadyBackoff } from '../pace/backoff.ts';
import type { Breaker, ProbeResult } from '../pace/breaker.ts';
import type { RequestSample } from '../pace/concurrency-limit.ts';
import { effectOf, loadOf, type ResponseKind, responseKindOf, saysDown } from './classify.ts';

interface WireOptions {
  /** Without it requests go out even while the target is down. */
  readonly guard?: Guard | undefined;
  readonly pacer: Pacer;
  readonly observer: Observer;
  readonly clock: Clock;
}

export function pacedExchange(transport: Exchange, { guard, pacer, observer, clock }: WireOptions): Exchange {
  return async (request, signal) => {
    signal.throwIfAborted();
    const opened = guard?.pass(signal);
    if (opened !== undefined) {
      await opened;
      signal.throwIfAborted();
    }
    const turn = pacer.turn(signal);
    if (turn !== undefined) await turn;
    const { wire } = request;
    const admittedAt = clock.monotonic();
    if (wire?.beforeSending !== undefined) {
      await wire.beforeSending();
      signal.throwIfAborted();
    }
    pacer.leaving();
    const sentAt = wire?.beforeSending === undefined ? admittedAt : clock.monotonic();
    const together = observer.sent();
    try {
      const reply = await transport(request, signal, () => {
        if (wire !== undefined) wire.mayHaveArrived = true;
        pacer.wentOut(admittedAt);
      });
      const responseKind = responseKindOf(reply, request.kind);
      if (wire !== undefined && effectOf(responseKind, request.kind) === 'none') wire.mayHaveArrived = false;
      observer.came(request, reply, responseKind, sentAt, together);
      pacer.came(reply, sentAt);
      return guard === undefined ? reply : guard.came(reply, responseKind);
    } finally {
      observer.over();
    }
  };
}

// Every request pays for admission, and a 429 stops all of them for as long as it says.

/** The pause after a 429 that names none, or one of no length: a date in the past, a zero, something that is no time. */
const UNNAMED_PAUSE: BackoffRules = { firstMs: 2_000, maxMs: 60_000 };
const SHORTEST_PAUSE_MS = 1_000;

interface PacerOptions {
  readonly admission: Admission;
  readonly clock: Clock;
  readonly random: Random;
  readonly emit: Emit;
}

interface Pacer {
  /** Counts one request; a promise where it has to wait for its turn, which rejects with the signal's reason. */
  turn(signal: AbortSignal): Promise<void> | undefined;
  /** Before each attempt, when nothing has to be waited for any more. Throws where none may be sent. */
  leaving(): void;
  /** The first byte of a request that was admitted at this monotonic time is about to go out. */
  wentOut(admittedAt: number): void;
  /** Its reply came; it was admitted at this monotonic time. */
  came(reply: Reply, admittedAt: number): void;
}

export function createPacer({ admission, clock, random, emit }: PacerOptions): Pacer {
  let refusals = 0;
  let heldAt = Number.NEGATIVE_INFINITY;
  return {
    turn: (signal) => (admission.tryAdmit() ? undefined : admission.admit(signal)),
    leaving: () => admission.leaving(),
    wentOut: (admittedAt) => admission.wentOut(admittedAt),
    came(reply, admittedAt) {
      if (reply.type !== 'answer') return;
      if (reply.status !== 429) {
        refusals = 0;
        admission.letThrough();
        admission.learn(reply.headers);
        return;
      }
      admission.learn(reply.headers);
      // Those that were under way together are refused together, and counted as one.
      if (admittedAt >= heldAt) refusals++;
      heldAt = clock.monotonic();
      const asked = askedPause(reply, clock) ?? 0;
      const waitMs = asked < SHORTEST_PAUSE_MS ? steadyBackoff(refusals, random, UNNAMED_PAUSE) : asked;
      admission.hold(waitMs);
      emit({ type: 'rate-limited', waitMs });
    },
  };
}

/** The `Retry-After` of an answer in milliseconds, if it has a usable one. */
export function askedPause(answer: Answer, clock: Clock): number | undefined {
  return retryAfterMs(headerOf(answer, 'retry-after'), headerOf(answer, 'date'), clock.now());
}

// While the target is down nothing goes out but a probe (pace/breaker.ts).

interface Guard {
  /** A promise to wait for while the target is down, which rejects as the breaker's does; else nothing. */
  pass(signal: AbortSignal): Promise<void> | undefined;
  /** A reply came. Gives what it is to the caller. */
  came(reply: Reply, responseKind: ResponseKind): Reply;
}

export function createGuard(breaker: Breaker, clock: Clock): Guard {
  let answered = false;
  return {
    pass: (signal) => (breaker.open ? breaker.pass(signal) : undefined),
    came(reply, responseKind) {
      if (reply.type === 'answer') answered = true;
      // A name that has never been found is a slip of the pen, and waiting for it helps nobody.
      else if (reply.code === 'ENOTFOUND' && !answered) return { ...reply, reason: 'hopeless' };
      if (saysDown(responseKind)) breaker.down(causeOf(reply), pauseOf(reply, clock));
      else if (reply.type === 'answer') breaker.up();
      return reply;
    },
  };
}

/** A probe that sends this read. Whatever answers is up, even if it refuses; only "down" is down. */
export function probeWith(exchange: Exchange, request: ApiRequest, clock: Clock) {
  return async (signal: AbortSignal): Promise<ProbeResult> => {
    const reply = await exchange(request, signal);
    if (reply.type === 'answer' && !saysDown(responseKindOf(reply, request.kind))) return { up: true };
    return { up: false, cause: causeOf(reply), notBeforeMs: pauseOf(reply, clock) };
  };
}

function causeOf(reply: Reply): string {
  return reply.type === 'answer' ? `it answers with ${reply.status}` : reply.message;
}

function pauseOf(reply: Reply, clock: Clock): number {
  return reply.type === 'answer' ? (askedPause(reply, clock) ?? 0) : 0;
}

// Counts, measures and tells each request on the wire.

/** Requests to this API, reads and repeats included, without those that found no connection. */
export interface RequestStats {
  sent: number;
  /** Of them, how many were not the first attempt of their call. */
  retried: number;
  /** How many were answered with 429. */
  rateLimited: number;
  /** How many could change something. */
  changing: number;
}

/** A service that echoes what it was sent could put the token into its answer; that is no id. */
function requestIdOf(answer: Answer, { authorization = '' }: ApiRequest): string | undefined {
  const id = headerOf(answer, 'x-request-id') ?? '';
  return /^[\w.:=+/-]{1,100}$/.test(id) && !authorization.includes(id) && !id.includes(tokenIn(authorization))
    ? id
    : undefined;
}

/** `Bearer x` → `x`; of no header what is in no id. */
function tokenIn(authorization: string): string {
  return authorization.slice(authorization.indexOf(' ') + 1) || ' ';
}

interface ObserverOptions {
  readonly clock: Clock;
  readonly emit: Emit;
  readonly stats: RequestStats;
  readonly onSample: (sample: RequestSample) => void;
}

interface Observer {
  /** A request is sent; gives how many are on the wire, itself included. */
  sent(): number;
  /** Its reply came. `sentAt` by the monotonic clock; `together` is what `sent` gave. */
  came(request: ApiRequest, reply: Reply, responseKind: ResponseKind, sentAt: number, together: number): void;
  /** It is over, whether a reply came or not. */
  over(): void;
}

export function createObserver({ clock, emit, stats, onSample }: ObserverOptions): Observer {
  let inFlight = 0;
  return {
    sent: () => ++inFlight,
    came(request, reply, responseKind, sentAt, together) {
      const milliseconds = clock.monotonic() - sentAt;
      if (responseKind !== 'not-connected' && responseKind !== 'hopeless') {
        stats.sent++;
        if (request.attempt > 1) stats.retried++;
        if (responseKind === 'rate-limited') stats.rateLimited++;
        if (request.kind !== 'read') stats.changing++;
      }
      onSample({ milliseconds, inFlight: together, outcome: loadOf(responseKind) });
      const { method, attempt } = request;
      const path = pathOnly(request);
      emit(
        reply.type === 'answer'
          ? {
              type: 'request',
              method,
              path,
              milliseconds,
              attempt,
              status: reply.status,
              requestId: requestIdOf(reply, request),
            }
          : { type: 'request', method, path, milliseconds, attempt },
      );
    },
    over() {
      inFlight--;
    },
  };
}
