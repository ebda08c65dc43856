/**
 * The loop that sends usage events: one request after the other in flight, as many at once as the target takes. A request's
 * outcome is per event: where the target refuses a list, it is halved until the events that it will not have are found,
 * which is harmless, since an event counts once however often it is sent.
 */

import type { Clock } from '../domain/clock.ts';
import { AppError } from '../domain/errors.ts';
import type { Limiter } from '../domain/limits.ts';
import type { RecordRef } from '../domain/source.ts';
import { ApiFailure } from '../domain/ticket-api.ts';
import type { Outcome } from '../domain/ticket-state.ts';
import { type ErrorBudget, exceeded, type PushSignals, RunControl } from '../push/run-control.ts';
import { type AppApi, stopOf, type UsageEventPayload } from '../target/app-api/client.ts';
import type { UsageOutcome, UsageState } from './usage-checkpoint.ts';

export interface UsageToSend {
  readonly event: UsageEventPayload;
  readonly digest: Buffer;
  readonly ref: RecordRef;
  /** What it counts as until it has been sent. */
  readonly outcome: Outcome;
}

export interface UsageSendPorts {
  readonly api: Pick<AppApi, 'sendUsageEvents'>;
  readonly limiter: Limiter;
  readonly clock: Clock;
  /** Throws AppError `disk-write`. */
  record(outcomes: readonly UsageOutcome[]): void;
  /** Told of events that have an outcome now; `failure` is why it is not `done`. */
  settled(events: readonly UsageToSend[], outcome: UsageState, failure?: ApiFailure): void;
}

export interface UsageSendOptions {
  /** How long requests in flight may take to finish after the soft signal, milliseconds. */
  readonly graceMs: number;
  readonly budget?: ErrorBudget | undefined;
}

/** Requests of a service that has not taken one event: after so many it is not waited for. */
const MOST_UNPROVEN = 5;

/** Resolves when every request in flight has an outcome, with what stopped it where something did. */
export async function sendUsage(
  batches: AsyncIterable<readonly UsageToSend[]>,
  { api, limiter, clock, record, settled }: UsageSendPorts,
  { graceMs, budget }: UsageSendOptions,
  signals: PushSignals,
): Promise<AppError | undefined> {
  const control = new RunControl(signals, clock, graceMs);
  const inFlight = new Set<Promise<void>>();
  let failed = 0;
  /** Requests of unknown outcome while none has ended well. */
  let unproven = 0;
  let isProven = false;

  const requireBudget = () => {
    const over = exceeded(budget, failed, 'usage events');
    if (over !== undefined) throw over;
  };
  const settle = (batch: readonly UsageToSend[], outcome: UsageState, failure?: ApiFailure) => {
    record(batch.map(({ digest }) => ({ digest, state: outcome, problem: failure?.message })));
    settled(batch, outcome, failure);
    if (outcome !== 'failed') return;
    failed += batch.length;
    requireBudget();
  };
  /** What does not answer as the app API is not sent the whole file, one list of events after the other. */
  const hopeless = (failure: ApiFailure) => {
    if (isProven || failure.effect !== 'unknown' || ++unproven < MOST_UNPROVEN) return undefined;
    return new AppError(
      'unreachable',
      `No usage event is known to have arrived, so sending stopped. ${failure.message}`,
      {
        hint: 'Check HELPDESK_APP_URL, and what answers there, then run the same command again: each event counts once.',
        cause: failure,
      },
    );
  };
  /** Throws what stops the run. */
  const send = async (batch: readonly UsageToSend[]): Promise<void> => {
    const failure = await failureOf(batch);
    if (failure === 'cut off') return;
    if (failure === undefined) {
      isProven = true;
      settle(batch, 'done');
      return;
    }
    if (failure.effect === 'unknown') settle(batch, 'inDoubt', failure);
    const stop = stopOf(failure) ?? hopeless(failure);
    if (stop !== undefined) throw stop;
    if (failure.code !== 'refused' || failure.effect === 'unknown') return;
    if (batch.length === 1) {
      settle(batch, 'failed', failure);
      return;
    }
    const half = Math.ceil(batch.length / 2);
    for (const part of [batch.slice(0, half), batch.slice(half)]) if (!control.isStopping) await send(part);
  };
  /** `cut off`: aborted before anything was sent, so the events stay what they were. */
  const failureOf = async (batch: readonly UsageToSend[]): Promise<ApiFailure | 'cut off' | undefined> => {
    try {
      await api.sendUsageEvents(
        batch.map(({ event }) => event),
        control.hard,
      );
      return undefined;
    } catch (error) {
      if (error instanceof ApiFailure) return error;
      if (control.hard.aborted && error === control.hard.reason) return 'cut off';
      throw error;
    }
  };

  try {
    requireBudget();
    for await (const batch of batches) {
      if (control.isStopping) break;
      await limiter.acquire(control.taking);
      const sending = send(batch)
        .catch((error: unknown) => control.stop(error))
        .then(() => {
          inFlight.delete(sending);
          limiter.release({ outcome: 'ok' });
        });
      inFlight.add(sending);
    }
  } catch (error) {
    control.stop(error);
  } finally {
    await Promise.all(inFlight);
    control.end();
  }
  const { reason } = control;
  if (reason === undefined || reason instanceof AppError) return reason;
  throw reason;
}

/** A row as it was examined; only some have an event to send. */
type Candidate = Pick<UsageToSend, 'ref' | 'outcome'> & {
  readonly [K in 'event' | 'digest']?: UsageToSend[K] | undefined;
};

/**
 * Events that are to be sent, put together into requests of a size.
 * @param only digests of the events that are meant (a trial), hexadecimal; the pass ends with the last of them
 */
export async function* batchesOf(
  chunks: AsyncIterable<readonly Candidate[]>,
  size: number,
  only: ReadonlySet<string> | undefined,
): AsyncGenerator<readonly UsageToSend[]> {
  let batch: UsageToSend[] = [];
  let left = only?.size ?? Number.POSITIVE_INFINITY;
  for await (const chunk of chunks) {
    for (const one of chunk) {
      if (!isToSend(one) || only?.has(one.digest.toString('hex')) === false) continue;
      left--;
      batch.push(one);
      if (batch.length < size) continue;
      yield batch;
      batch = [];
    }
    if (left <= 0) break;
  }
  if (batch.length > 0) yield batch;
}

function isToSend(one: Candidate): one is UsageToSend {
  return one.event !== undefined && one.digest !== undefined;
}
