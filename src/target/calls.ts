/**
 * Puts an API client together: each attempt takes a token, then its turn at the pacer, then records what it is about to do,
 * and only then goes out; each reply goes to the pacer. A call is repeated where the table (meaning.ts) allows it.
 */
import type { Clock, Random } from '../domain/clock.ts';
import { AppError } from '../domain/errors.ts';
import type { Rate } from '../domain/limits.ts';
import type { Emit } from '../domain/run-events.ts';
import { ApiFailure } from '../domain/ticket-api.ts';
import { backoff, GIVE_UP_AFTER_MS, retryAfterMs, stopReason } from './backoff.ts';
import { type Answer, type ApiRequest, type Exchange, headerOf, pathOnly, type Reply } from './http.ts';
import { type Ending, MEANINGS, mayHaveArrived, mayRepeat, type ReplyKind, replyKind } from './meaning.ts';
import { type News, Pacer } from './pacer.ts';
import type { TokenSource } from './tokens.ts';

export interface CallsOptions {
  readonly transport: Exchange;
  /** Without it requests go out with the headers they have (an API with keys of its own). */
  readonly tokens?: TokenSource | undefined;
  readonly budgets: readonly Rate[];
  readonly clock: Clock;
  readonly random: Random;
  readonly emit: Emit;
  /** What the service is called where it cannot be reached. */
  readonly address?: string | undefined;
  /** A harmless read that is tried while the target is down. */
  readonly probe: ApiRequest;
  /** Called right before each request goes out. Throws where none may any more. */
  readonly aboutToSend?: (() => void) | undefined;
  /** How long a target may make no progress, milliseconds; default ten minutes. */
  readonly giveUpAfterMs?: number | undefined;
  /** When aborted: calls that have sent nothing stop waiting. */
  readonly stopping?: AbortSignal | undefined;
}

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

/**
 * Rejects with the signal's reason when the call was aborted before any attempt could have had an effect, with
 * ApiFailure `cut-off` when after that, and with ApiFailure `unreachable` when the pacer gave up.
 */
export type Call = (
  request: ApiRequest,
  readable: (answer: Answer) => boolean,
  signal: AbortSignal,
) => Promise<Ending>;

export interface Calls {
  readonly call: Call;
  /** One attempt, without repeats. */
  readonly once: Exchange;
  readonly stats: RequestStats;
}

/** How often a call is sent at most where its outcome was unclear. */
const ATTEMPTS = 6;

/**
 * The pauses before each further token after a 401. A fresh token that is refused is no proof that the right to send is gone:
 * the service that checks tokens may learn of it a moment later than the one that issues them.
 */
const RENEWALS_MS = [0, 250, 750, 1_500, 2_500];

export function composeCalls(options: CallsOptions): Calls {
  const { transport, tokens, clock, random, emit, stopping, giveUpAfterMs = GIVE_UP_AFTER_MS } = options;
  const stats: RequestStats = { sent: 0, retried: 0, rateLimited: 0, changing: 0 };
  const pacer = new Pacer({
    ...options,
    // The pacer lets it out itself.
    probe: (signal) => withToken(options.probe, signal, () => undefined),
  });
  const turnOfPacer = (signal: AbortSignal): number | Promise<number> | undefined => pacer.turn(signal);
  let hasAnswered = false;

  async function send(request: ApiRequest, signal: AbortSignal, turnOf: typeof turnOfPacer): Promise<Reply> {
    signal.throwIfAborted();
    const given = turnOf(signal);
    const turn = typeof given === 'object' ? await given : given;
    const { wire } = request;
    if (wire?.beforeSending !== undefined) {
      await wire.beforeSending();
      signal.throwIfAborted();
    }
    options.aboutToSend?.();
    if (turn !== undefined) pacer.left(turn);
    const sentAt = clock.monotonic();
    let reply = await transport(request, signal, () => {
      if (wire !== undefined) wire.mayHaveArrived = true;
    });
    if (reply.type === 'answer') hasAnswered = true;
    // A name that was never found is a typing error: waiting does not help.
    else if (reply.code === 'ENOTFOUND' && !hasAnswered) reply = { ...reply, reason: 'hopeless' };
    const is = replyKind(reply, request.kind);
    if (wire !== undefined && !mayHaveArrived(is, request.kind) && is !== 'success')
      wire.mayHaveArrived = false;
    count(request, reply, is, clock.monotonic() - sentAt);
    const news = newsIn(reply, is, sentAt);
    if (news !== undefined) pacer.came(news);
    return reply;
  }

  /** After a 401, which proves that nothing happened, again with a fresh token, where there is one. */
  async function withToken(
    request: ApiRequest,
    signal: AbortSignal,
    turnOf = turnOfPacer,
    pausesMs: readonly number[] = [0],
  ): Promise<Reply> {
    if (tokens === undefined) return send(request, signal, turnOf);
    const held = tokens.current(signal);
    let token = 'then' in held ? await held : held;
    let { attempt } = request;
    let reply = await send(withHeader(request, token.reveal()), signal, turnOf);
    for (const waitMs of pausesMs) {
      if (reply.type !== 'answer' || reply.status !== 401) return reply;
      if (waitMs > 0) {
        emit({ type: 'retry', reason: 'status 401 for a new token', waitMs, attempt });
        await clock.sleep(waitMs, either(signal, stopping));
      }
      const fresh = await tokens.renew(token, signal);
      if (fresh === undefined) return reply;
      token = fresh;
      attempt += 1;
      reply = await send(withHeader({ ...request, attempt }, token.reveal()), signal, turnOf);
    }
    return reply;
  }

  function count(request: ApiRequest, reply: Reply, is: ReplyKind, milliseconds: number): void {
    if (is !== 'not-connected' && is !== 'hopeless') {
      stats.sent += 1;
      if (request.attempt > 1) stats.retried += 1;
      if (is === 'rate-limited') stats.rateLimited += 1;
      if (request.kind !== 'read') stats.changing += 1;
    }
    const { method, attempt } = request;
    const told = { type: 'request', method, path: pathOnly(request), milliseconds, attempt } as const;
    if (reply.type === 'breakdown') emit(told);
    else emit({ ...told, status: reply.status, requestId: requestIdOf(reply, request) });
  }

  function newsIn(reply: Reply, is: ReplyKind, sentAt: number): News | undefined {
    if (is === 'aborted' || is === 'hopeless') return undefined;
    if (is === 'rate-limited') return { is: 'limited', sentAt, askedMs: askedPause(reply) };
    if (is === 'not-connected' || (reply.type === 'answer' && reply.status === 503)) {
      const cause = reply.type === 'answer' ? `it answers with ${reply.status}` : reply.message;
      return { is: 'down', cause, askedMs: askedPause(reply) };
    }
    if (MEANINGS[is].fault !== 'target') return { is: 'good' };
    return { is: reply.type === 'answer' ? 'answering' : 'silent', cause: causeOf(reply) };
  }

  /** What `Retry-After` asks for, milliseconds. */
  function askedPause(reply: Reply): number {
    if (reply.type === 'breakdown') return 0;
    return retryAfterMs(headerOf(reply, 'retry-after'), headerOf(reply, 'date'), clock.now()) ?? 0;
  }

  const call: Call = async (request, readable, signal) => {
    let isOpen = false;
    let unclear = 0;
    try {
      for (let attempt = 1; ; attempt++) {
        const next = attempt === 1 ? request : { ...request, attempt };
        const reply = await withToken(next, signal, turnOfPacer, RENEWALS_MS);
        const is = replyKind(reply, request.kind, readable);
        isOpen = is !== 'success' && (isOpen || mayHaveArrived(is, request.kind));
        if (MEANINGS[is].again === 'few') unclear += 1;
        if (!mayRepeat(is, request.kind) || unclear >= ATTEMPTS)
          return { reply, responseKind: is, mayHaveArrived: isOpen, attempts: attempt };
        if (pacer.gaveUp !== undefined) throw pacer.gaveUp;
        // Whoever waits for a 429 waits at the pacer, with everybody else.
        if (is === 'rate-limited') continue;
        // Likewise for a connection.
        const asked = Math.min(askedPause(reply), giveUpAfterMs);
        const waitMs = is === 'not-connected' ? 0 : Math.ceil(Math.max(asked, backoff(attempt, random)));
        emit({ type: 'retry', reason: causeOf(reply), waitMs, attempt });
        if (stopping?.aborted === true) throw stopReason(stopping);
        if (waitMs > 0) await clock.sleep(waitMs, either(signal, stopping));
      }
    } catch (error) {
      throw interrupted(
        stopping?.aborted === true && error === stopping.reason ? stopReason(stopping) : error,
      );
    }

    function interrupted(error: unknown): unknown {
      if (error instanceof AppError && error.code === 'unreachable')
        return new ApiFailure('unreachable', isOpen ? 'unknown' : 'none', error.message, { cause: error });
      if (!signal.aborted || !isOpen) return error;
      return new ApiFailure(
        'cut-off',
        'unknown',
        'The request was cut off while it was about to be sent again; an earlier attempt may have had its effect.',
        { cause: error },
      );
    }
  };

  return { call, once: (request, signal) => withToken(request, signal), stats };
}

function withHeader(request: ApiRequest, token: string): ApiRequest {
  return { ...request, headers: { ...request.headers, authorization: `Bearer ${token}` } };
}

function either(signal: AbortSignal, stopping: AbortSignal | undefined): AbortSignal {
  return stopping === undefined ? signal : AbortSignal.any([signal, stopping]);
}

function causeOf(reply: Reply): string {
  return reply.type === 'answer' ? `status ${reply.status}` : reply.message;
}

/** A service that echoes what it was sent could put the token into its answer; that is no id. */
function requestIdOf(answer: Answer, { headers }: ApiRequest): string | undefined {
  const id = headerOf(answer, 'x-request-id') ?? '';
  const authorization = headers?.['authorization'] ?? '';
  const token = authorization.slice(authorization.indexOf(' ') + 1) || ' ';
  return /^[\w.:=+/-]{1,100}$/.test(id) && !authorization.includes(id) && !id.includes(token)
    ? id
    : undefined;
}
