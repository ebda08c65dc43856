/**
 * The loop that sends usage events: one request after the other in flight, as many at once as the target takes. A request's
 * outcome is per event: where the target refuses a list, it is halved until the events that it will not have are found,
 * which is harmless, since an event counts once however often it is sent.
 */
import type { AppApi } from '../app-api/client.ts';
import { stopOf } from '../app-api/failures.ts';
import type { UsageEventPayload } from '../app-api/usage-event.ts';
import type { Clock } from '../domain/clock.ts';
import { AppError } from '../domain/errors.ts';
import type { Limiter } from '../domain/limiter.ts';
import type { Outcome } from '../domain/outcome.ts';
import type { RecordRef } from '../domain/source.ts';
import { ApiFailure } from '../domain/ticket-api.ts';
import { type ErrorBudget, exceeded } from '../push/error-budget.ts';
import { type PushSignals, RunControl } from '../push/run-control.ts';
import type { UsageOutcome } from './usage-checkpoint.ts';

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
  settled(events: readonly UsageToSend[], outcome: 'done' | 'failed' | 'inDoubt', failure?: ApiFailure): void;
}

export interface UsageSendOptions {
  /** How long requests in flight may take to finish after the soft signal, milliseconds. */
  readonly graceMs: number;
  readonly budget?: ErrorBudget;
}

/** Resolves when every request in flight has an outcome, with what stopped it where something did. */
export async function sendUsage(
  batches: AsyncIterable<readonly UsageToSend[]>,
  ports: UsageSendPorts,
  options: UsageSendOptions,
  signals: PushSignals,
): Promise<AppError | undefined> {
  const control = new RunControl(signals, ports.clock, options.graceMs);
  const sender = new UsageSender(ports, options, control);
  const inFlight = new Set<Promise<void>>();
  try {
    sender.requireBudget();
    for await (const batch of batches) {
      if (control.isStopping) break;
      await ports.limiter.acquire(control.taking);
      const sending = sender.send(batch).catch((error: unknown) => control.stop(error));
      inFlight.add(sending);
      void sending.then(() => {
        inFlight.delete(sending);
        ports.limiter.release({ outcome: 'ok' });
      });
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

/** Requests of a service that has not taken one event: after so many it is not waited for. */
const MOST_UNPROVEN = 5;

class UsageSender {
  readonly #ports: UsageSendPorts;
  readonly #options: UsageSendOptions;
  readonly #control: RunControl;
  #failed = 0;
  /** Requests of unknown outcome while none has ended well. */
  #unproven = 0;
  #isProven = false;

  constructor(ports: UsageSendPorts, options: UsageSendOptions, control: RunControl) {
    this.#ports = ports;
    this.#options = options;
    this.#control = control;
  }

  /** Throws what stops the run. */
  async send(batch: readonly UsageToSend[]): Promise<void> {
    try {
      await this.#ports.api.sendUsageEvents(
        batch.map(({ event }) => event),
        this.#control.hard,
      );
    } catch (error) {
      await this.#failedToSend(batch, error);
      return;
    }
    this.#isProven = true;
    this.#settle(batch, 'done');
  }

  async #failedToSend(batch: readonly UsageToSend[], error: unknown): Promise<void> {
    const { hard } = this.#control;
    if (!(error instanceof ApiFailure)) {
      // Aborted before anything was sent: the events stay what they were.
      if (hard.aborted && error === hard.reason) return;
      throw error;
    }
    if (error.effect === 'unknown') this.#settle(batch, 'inDoubt', error);
    const stop = stopOf(error) ?? this.#hopeless(error);
    if (stop !== undefined) throw stop;
    if (error.code !== 'refused' || error.effect === 'unknown') return;
    if (batch.length === 1) {
      this.#settle(batch, 'failed', error);
      return;
    }
    const half = Math.ceil(batch.length / 2);
    for (const part of [batch.slice(0, half), batch.slice(half)])
      if (!this.#control.isStopping) await this.send(part);
  }

  /** What does not answer as the app API is not sent the whole file, one list of events after the other. */
  #hopeless(error: ApiFailure): AppError | undefined {
    if (this.#isProven || error.effect !== 'unknown') return undefined;
    this.#unproven += 1;
    if (this.#unproven < MOST_UNPROVEN) return undefined;
    return new AppError(
      'unreachable',
      `Not one usage event is known to have arrived, so no more are sent. ${error.message}`,
      {
        hint: 'Check HELPDESK_APP_URL, and what answers there, then run the same command again: each event counts once.',
        cause: error,
      },
    );
  }

  #settle(batch: readonly UsageToSend[], outcome: 'done' | 'failed' | 'inDoubt', failure?: ApiFailure): void {
    this.#ports.record(batch.map(({ digest }) => ({ digest, state: outcome, problem: failure?.message })));
    this.#ports.settled(batch, outcome, failure);
    if (outcome !== 'failed') return;
    this.#failed += batch.length;
    this.requireBudget();
  }

  /** Throws AppError `error-budget` where more events were rejected or failed than the user allows. */
  requireBudget(): void {
    const over = exceeded(this.#options.budget, this.#failed);
    if (over === undefined) return;
    throw new AppError('error-budget', over.message.replace('tickets were', 'usage events were'), {
      ...(over.hint === undefined ? {} : { hint: over.hint }),
    });
  }
}
