/**
 * Sends a call again where the table (classify.ts) allows it, and gives back how it ended.
 *
 * Outermost: each attempt asks the breaker and pays for admission like any other request, and a call that backs off
 * holds neither. What bounds the attempts: after time-outs, broken connections and 5xx, `attempts`; without a
 * connection, the breaker, which gives up after its time; after a 429, admission, which does likewise. And whatever it is: after
 * `giveUpAfterMs` in which no call had an answer that could be used, the target counts as unreachable.
 */
import type { Clock, Random } from '../../domain/clock.ts';
import { AppError } from '../../domain/errors.ts';
import type { Emit } from '../../domain/run-events.ts';
import { ApiFailure } from '../../domain/ticket-api.ts';
import type { Answer, ApiRequest, CallKind, Exchange, Reply } from '../http/exchange.ts';
import { backoff, inTimeUnits, stopReason } from '../pace/backoff.ts';
import { type Effect, effectOf, type ResponseKind, resendOf, responseKindOf } from './classify.ts';
import { askedPause } from './paced-exchange.ts';

export interface RetryOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly emit: Emit;
  /** How often a call is sent at most where attempts are bounded. */
  readonly attempts: number;
  /** No pause that a service asks for is longer than this, milliseconds; then the breaker or the next attempt decides. */
  readonly giveUpAfterMs: number;
  /** Aborted: nothing is waited for to be sent again. */
  readonly stopping?: AbortSignal | undefined;
}

export const ATTEMPTS = 6;

/** How a call ended. */
export interface Ending {
  readonly reply: Reply;
  readonly responseKind: ResponseKind;
  /** Of all attempts together: one unknown attempt makes the call unknown, unless a later one is done. */
  readonly effect: Effect;
  readonly attempts: number;
}

/**
 * Rejects with the signal's reason when the call was aborted before any attempt could have had an effect, with
 * ApiFailure `cut-off` when after that, and with ApiFailure `unreachable` when the breaker gave up.
 */
export type Call = (
  request: ApiRequest,
  readable: (answer: Answer) => boolean,
  signal: AbortSignal,
) => Promise<Ending>;

export function retrying(exchange: Exchange, options: RetryOptions): Call {
  const { clock, random, emit, stopping, giveUpAfterMs } = options;

  /**
   * Since when no call of this target had an answer that could be used; and since when no write of a kind: reads that
   * are answered carry nothing out.
   */
  let uselessSince: number | undefined;
  const undoneSince = new Map<CallKind, number>();

  const progressed = ({ kind }: ApiRequest) => {
    uselessSince = undefined;
    if (undoneSince.size > 0) undoneSince.delete(kind);
  };

  const requireProgress = (request: ApiRequest, reply: Reply, unknown: boolean) => {
    if (isAnswered(reply)) return progressed(request);
    const now = clock.monotonic();
    uselessSince ??= now;
    const { kind } = request;
    if (kind !== 'read' && !undoneSince.has(kind)) undoneSince.set(kind, now);
    if (now - (undoneSince.get(kind) ?? uselessSince) < giveUpAfterMs) return;
    throw new ApiFailure(
      'unreachable',
      unknown ? 'unknown' : 'none',
      `The target has given no answer that can be used for ${inTimeUnits(giveUpAfterMs)}: ${reasonOf(reply)}.`,
    );
  };

  // Nearly every call succeeds at once: then there is no loop, and no frame of one is kept until the answer comes.
  return (request, readable, signal) =>
    exchange(request, signal).then(
      (reply) => {
        if (responseKindOf(reply, request.kind, readable) !== 'success')
          return goOn(request, readable, signal, reply);
        progressed(request);
        return { reply, responseKind: 'success', effect: 'done', attempts: 1 };
      },
      (error) => {
        throw interrupted(error, false, signal);
      },
    );

  /** From the reply to the first attempt on. */
  async function goOn(
    request: ApiRequest,
    readable: (answer: Answer) => boolean,
    signal: AbortSignal,
    first: Reply,
  ): Promise<Ending> {
    let unknown = false;
    let counted = 0;
    for (let attempt = 1; ; attempt++) {
      try {
        const reply = attempt === 1 ? first : await exchange({ ...request, attempt }, signal);
        const responseKind = responseKindOf(reply, request.kind, readable);
        const effect = effectOf(responseKind, request.kind);
        unknown ||= effect === 'unknown';
        const resend = resendOf(responseKind, request.kind);
        if (resend === 'bounded') counted++;
        const isLast = resend === 'never' || counted >= options.attempts;
        if (responseKind !== 'aborted' && (!isLast || request.kind !== 'create'))
          requireProgress(request, reply, unknown);
        if (isLast)
          return {
            reply,
            responseKind,
            effect: unknown && effect === 'none' ? 'unknown' : effect,
            attempts: attempt,
          };
        // Whoever waits for a 429 waits in admission, with everybody else.
        if (responseKind === 'rate-limited') continue;
        const waitMs = Math.ceil(pause(reply, responseKind, attempt));
        emit({ type: 'retry', reason: reasonOf(reply), waitMs, attempt });
        if (stopping?.aborted === true) throw stopReason(stopping);
        if (waitMs > 0)
          await clock.sleep(waitMs, stopping === undefined ? signal : AbortSignal.any([signal, stopping]));
      } catch (error) {
        throw interrupted(
          stopping !== undefined && error === stopping.reason ? stopReason(stopping) : error,
          unknown,
          signal,
        );
      }
    }
  }

  function pause(reply: Reply, responseKind: ResponseKind, attempt: number): number {
    // The breaker holds it back, and lets it go as soon as there is a connection.
    if (responseKind === 'not-connected') return 0;
    const asked = reply.type === 'answer' ? (askedPause(reply, clock) ?? 0) : 0;
    return Math.max(Math.min(asked, giveUpAfterMs), backoff(attempt, random));
  }
}

function interrupted(error: unknown, unknown: boolean, signal: AbortSignal): unknown {
  if (error instanceof AppError && error.code === 'unreachable')
    return new ApiFailure('unreachable', unknown ? 'unknown' : 'none', error.message, { cause: error });
  if (signal.aborted && unknown)
    return new ApiFailure(
      'cut-off',
      'unknown',
      'The request was cut off while it was about to be sent again; an earlier attempt may have had its effect.',
      { cause: error },
    );
  return error;
}

/** A sign that the target does its work, whatever it says. A 429 is bounded by admission. */
function isAnswered(reply: Reply): boolean {
  return reply.type === 'answer' && reply.cut === undefined && reply.status < 500;
}

function reasonOf(reply: Reply): string {
  return reply.type === 'answer' ? `status ${reply.status}` : reply.message;
}
