/** The one way to an API: each attempt takes a token, waits for its turn, records what it is about to do, and goes out. */

import { AppError } from '../domain/errors.ts';
import type { Rate } from '../domain/limits.ts';
import type { Clock, Emit, Random } from '../domain/ports.ts';
import type { Secret } from '../domain/secret.ts';
import { ApiFailure } from '../domain/ticket-api.ts';
import { askedPause, backoff, causeOf, GIVE_UP_AFTER_MS, stopReason } from './backoff.ts';
import { type Answer, type ApiRequest, type Exchange, headerOf, pathOnly, type Reply } from './http.ts';
import { type Ending, MEANINGS, mayHaveArrived, mayRepeat, type ReplyKind, replyKind } from './meaning.ts';
import { type News, Pacer } from './pacer.ts';
import type { TokenSource } from './tokens.ts';

export interface SenderOptions {
  readonly transport: Exchange;
  /** Without it requests keep the headers they have. */
  readonly tokens?: TokenSource | undefined;
  readonly budgets: readonly Rate[];
  readonly clock: Clock;
  readonly random: Random;
  readonly emit: Emit;
  readonly address?: string | undefined;
  /** Rejects if a token from elsewhere may not be used; its own requests have `isCheck`. */
  readonly checkToken?: ((signal: AbortSignal) => Promise<void>) | undefined;
  readonly probe: ApiRequest;
  /** Throws if no request may go out. */
  readonly aboutToSend?: (() => void) | undefined;
  readonly giveUpAfterMs?: number | undefined;
  readonly stopping?: AbortSignal | undefined;
}

/** Requests to this API, with reads and repeats, without those that found no connection. */
export interface RequestStats {
  sent: number;
  retried: number;
  rateLimited: number;
  changing: number;
}

const ATTEMPTS = 6;

/** Pauses before each further token after a 401: the service may learn of a new token late. */
const RENEWALS_MS = [0, 250, 750, 1_500, 2_500];

export class Sender {
  readonly stats: RequestStats = { sent: 0, retried: 0, rateLimited: 0, changing: 0 };
  readonly #options: SenderOptions;
  readonly #pacer: Pacer;
  #hasAnswered = false;
  #trusted: string | undefined;
  #checking: Promise<void> | undefined;

  constructor(options: SenderOptions) {
    this.#options = options;
    this.#pacer = new Pacer({ ...options, probe: (signal) => this.once(options.probe, signal, true) });
  }

  async #attempt(request: ApiRequest, signal: AbortSignal, isProbe: boolean): Promise<Reply> {
    signal.throwIfAborted();
    const given = isProbe ? undefined : this.#pacer.turn(signal);
    const turn = typeof given === 'object' ? await given : given;
    const { wire, kind } = request;
    if (wire?.beforeSending !== undefined) {
      await wire.beforeSending();
      signal.throwIfAborted();
    }
    this.#options.aboutToSend?.();
    if (turn !== undefined) this.#pacer.left(turn);
    const sentAt = this.#options.clock.monotonic();
    let reply = await this.#options.transport(request, signal, () => {
      if (wire !== undefined) wire.mayHaveArrived = true;
    });
    if (reply.type === 'answer') this.#hasAnswered = true;
    else if (reply.code === 'ENOTFOUND' && !this.#hasAnswered) reply = { ...reply, reason: 'hopeless' };
    const is = replyKind(reply, kind);
    if (wire !== undefined && is !== 'success' && !mayHaveArrived(is, kind)) wire.mayHaveArrived = false;
    this.#count(request, reply, is, this.#options.clock.monotonic() - sentAt);
    const news = this.#newsIn(reply, is, sentAt);
    if (news !== undefined) this.#pacer.came(news);
    return reply;
  }

  /** Every request but the check waits until a new token has proved itself. */
  async #trust(token: Secret, { isCheck }: ApiRequest, signal: AbortSignal): Promise<void> {
    const text = token.reveal();
    this.#trusted ??= text;
    while (isCheck !== true && text !== this.#trusted) {
      this.#checking ??= (this.#options.checkToken?.(signal) ?? Promise.resolve())
        .then(() => {
          this.#trusted = text;
        })
        .finally(() => {
          this.#checking = undefined;
        });
      await this.#checking;
    }
  }

  /** A 401 proves that nothing happened. */
  async once(
    request: ApiRequest,
    signal: AbortSignal,
    isProbe = false,
    pausesMs: readonly number[] = [0],
  ): Promise<Reply> {
    if (this.#options.tokens === undefined) return this.#attempt(request, signal, isProbe);
    const isGuarded = this.#options.tokens.isForeign === true && !isProbe;
    const held = this.#options.tokens.current(signal);
    let token = 'then' in held ? await held : held;
    if (isGuarded && token.reveal() !== this.#trusted) await this.#trust(token, request, signal);
    let reply = await this.#attempt(withToken(request, token.reveal()), signal, isProbe);
    let nth = request.attempt;
    for (const waitMs of pausesMs) {
      if (reply.type !== 'answer' || reply.status !== 401) return reply;
      if (waitMs > 0) {
        this.#options.emit({ type: 'retry', reason: 'status 401 for a new token', waitMs, attempt: nth });
        await this.#pause(waitMs, signal);
      }
      const fresh = await this.#options.tokens.renew(token, signal);
      if (fresh === undefined) return reply;
      token = fresh;
      if (isGuarded) await this.#trust(token, request, signal);
      nth += 1;
      reply = await this.#attempt(withToken({ ...request, attempt: nth }, token.reveal()), signal, isProbe);
    }
    return reply;
  }

  #pause(ms: number, signal: AbortSignal): Promise<void> {
    return this.#options.clock.sleep(
      ms,
      this.#options.stopping === undefined ? signal : AbortSignal.any([signal, this.#options.stopping]),
    );
  }

  #count(request: ApiRequest, reply: Reply, is: ReplyKind, milliseconds: number): void {
    const { method, attempt, kind } = request;
    if (is !== 'not-connected' && is !== 'hopeless') {
      this.stats.sent += 1;
      if (attempt > 1) this.stats.retried += 1;
      if (is === 'rate-limited') this.stats.rateLimited += 1;
      if (kind !== 'read') this.stats.changing += 1;
    }
    const event = { type: 'request', method, path: pathOnly(request), milliseconds, attempt } as const;
    if (reply.type === 'breakdown') this.#options.emit(event);
    else this.#options.emit({ ...event, status: reply.status, requestId: requestIdOf(reply, request) });
  }

  #newsIn(reply: Reply, is: ReplyKind, sentAt: number): News | undefined {
    if (is === 'aborted' || is === 'hopeless') return undefined;
    const isAnswer = reply.type === 'answer';
    const askedMs = askedPause(reply, this.#options.clock.now());
    if (is === 'rate-limited') return { is: 'limited', sentAt, askedMs };
    if (is === 'not-connected') return { is: 'down', cause: causeOf(reply), askedMs };
    if (isAnswer && reply.status === 503) return { is: 'down', cause: 'it answers with 503', askedMs };
    if (MEANINGS[is].fault !== 'target') return { is: 'good' };
    return { is: isAnswer ? 'answering' : 'silent', cause: causeOf(reply) };
  }

  /** Rejects with the signal's reason before any effect, later with ApiFailure `cut-off`; with `unreachable` if the pacer gave up. */
  async call(
    request: ApiRequest,
    readable: (answer: Answer) => boolean,
    signal: AbortSignal,
  ): Promise<Ending> {
    const { kind } = request;
    let isOpen = false;
    let unclear = 0;
    try {
      for (let nth = 1; ; nth++) {
        const reply = await this.once(
          nth === 1 ? request : { ...request, attempt: nth },
          signal,
          false,
          RENEWALS_MS,
        );
        const is = replyKind(reply, kind, readable);
        isOpen = is !== 'success' && (isOpen || mayHaveArrived(is, kind));
        if (MEANINGS[is].again === 'few') unclear += 1;
        if (!mayRepeat(is, kind) || unclear >= ATTEMPTS)
          return { reply, responseKind: is, mayHaveArrived: isOpen, attempts: nth };
        if (this.#pacer.gaveUp !== undefined) throw this.#pacer.gaveUp;
        if (is === 'rate-limited') continue;
        const asked = Math.min(
          askedPause(reply, this.#options.clock.now()),
          this.#options.giveUpAfterMs ?? GIVE_UP_AFTER_MS,
        );
        const waitMs =
          is === 'not-connected' ? 0 : Math.ceil(Math.max(asked, backoff(nth, this.#options.random)));
        this.#options.emit({ type: 'retry', reason: causeOf(reply), waitMs, attempt: nth });
        if (this.#options.stopping?.aborted === true) throw stopReason(this.#options.stopping);
        if (waitMs > 0) await this.#pause(waitMs, signal);
      }
    } catch (cause) {
      const effect = isOpen ? 'unknown' : 'none';
      if (cause instanceof AppError && cause.code === 'unreachable')
        throw new ApiFailure('unreachable', effect, cause.message, { cause });
      const message =
        'The request was cut off while it was about to be sent again; an earlier attempt may have had its effect.';
      if (signal.aborted && isOpen) throw new ApiFailure('cut-off', effect, message, { cause });
      throw this.#options.stopping?.aborted === true && cause === this.#options.stopping.reason
        ? stopReason(this.#options.stopping)
        : cause;
    }
  }
}

function withToken(request: ApiRequest, token: string): ApiRequest {
  return { ...request, headers: { ...request.headers, authorization: `Bearer ${token}` } };
}

/** An echoed token is no request ID. */
function requestIdOf(answer: Answer, { headers }: ApiRequest): string | undefined {
  const id = headerOf(answer, 'x-request-id') ?? '';
  const authorization = headers?.['authorization'] ?? '';
  const token = authorization.slice(authorization.indexOf(' ') + 1) || ' ';
  return /^[\w.:=+/-]{1,100}$/.test(id) && !authorization.includes(id) && !id.includes(token)
    ? id
    : undefined;
}
