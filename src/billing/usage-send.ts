/**
 * Sends usage events in lists of 100, several at a time. A list that the target refuses is halved until the events at fault
 * are found. Sending an event again is harmless: the service counts one for each event ID.
 */
import type { Clock } from '../domain/clock.ts';
import { AppError } from '../domain/errors.ts';
import type { Limiter } from '../domain/limits.ts';
import { ApiFailure } from '../domain/ticket-api.ts';
import { type ErrorBudget, exceeded, type PushSignals, RunControl } from '../push/run-control.ts';
import { type AppApi, stopOf, type UsageEventPayload } from '../target/app-api/client.ts';
import type { ListedEvent, UsageList } from './usage-list.ts';

export const EVENTS_PER_REQUEST = 100;
/** A service that has taken no event is sent so many lists and not the whole file. */
const MOST_UNPROVEN = 5;

type Sent = 'done' | 'failed' | 'inDoubt';

export interface SendPorts {
  readonly api: Pick<AppApi, 'sendUsageEvents'>;
  readonly limiter: Limiter;
  readonly clock: Clock;
  readonly signals: PushSignals;
  /** How long lists in flight may take to finish after the soft signal, milliseconds. */
  readonly graceMs: number;
  readonly budget?: ErrorBudget | undefined;
  settled(events: readonly ListedEvent[], outcome: Sent, failure?: ApiFailure): void;
}

/** Resolves when no list is in flight any more, with the error that stopped the run where one did. */
export async function sendUsage(list: UsageList, ports: SendPorts): Promise<AppError | undefined> {
  const { api, limiter, budget } = ports;
  const control = new RunControl(ports.signals, ports.clock, ports.graceMs);
  const inFlight = new Set<Promise<void>>();
  let failed = 0;
  let isProven = false;
  let unproven = 0;

  const settle = (events: readonly ListedEvent[], outcome: Sent, failure?: ApiFailure) => {
    list.settle(events, outcome, failure?.message);
    ports.settled(events, outcome, failure);
    if (outcome === 'failed') failed++;
    const over = exceeded(budget, failed, 'usage events');
    if (over !== undefined) throw over;
  };
  /** Throws the error that stops the run. */
  const send = async (events: readonly ListedEvent[]): Promise<void> => {
    try {
      const payloads = events.map(({ body }) => JSON.parse(body ?? '') as UsageEventPayload);
      await api.sendUsageEvents(payloads, control.hard);
    } catch (error) {
      // Cut off before anything was sent: the events stay as they were.
      if (control.hard.aborted && error === control.hard.reason) return;
      if (!(error instanceof ApiFailure)) throw error;
      await failedWith(error, events);
      return;
    }
    isProven = true;
    settle(events, 'done');
  };
  const failedWith = async (failure: ApiFailure, events: readonly ListedEvent[]) => {
    const isUnknown = failure.effect === 'unknown';
    if (isUnknown) {
      settle(events, 'inDoubt', failure);
      unproven++;
    }
    const stop = stopOf(failure) ?? (isProven || unproven < MOST_UNPROVEN ? undefined : unreached(failure));
    if (stop !== undefined) throw stop;
    if (isUnknown) return;
    if (events.length === 1) return settle(events, 'failed', failure);
    const half = Math.ceil(events.length / 2);
    for (const part of [events.slice(0, half), events.slice(half)]) if (!control.isStopping) await send(part);
  };

  try {
    settle([], 'done');
    for (const events of list.lists(EVENTS_PER_REQUEST)) {
      await limiter.acquire(control.taking);
      const sending = send(events)
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

function unreached(cause: ApiFailure): AppError {
  return new AppError('unreachable', `No usage event is known to have arrived. ${cause.message}`, {
    hint: 'Check HELPDESK_APP_URL and the service there, then run the same command again: each event counts once.',
    cause,
  });
}
