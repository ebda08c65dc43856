/**
 * Sends lists of 100, several at a time. A refused list is halved until the events at fault are found. Repeats are harmless:
 * the service counts an ID once.
 */
import type { Readable } from 'node:stream';
import { AppError } from '../domain/errors.ts';
import type { ProblemSink } from '../domain/problem.ts';
import { ApiFailure } from '../domain/ticket-api.ts';
import type { Options } from '../import/options.ts';
import type { ProcessPorts } from '../import/target.ts';
import { allowedErrors, exceeded, RunControl } from '../push/run-control.ts';
import { stopOf, type UsageEventPayload } from '../target/app-api.ts';
import type { OpenApp } from './app-target.ts';
import type { ListedEvent, UsageList } from './usage-list.ts';
import type { UsageRows } from './usage-rows.ts';

export interface UsagePorts extends ProcessPorts {
  readonly stdin?: Readable | undefined;
  readonly soft: AbortSignal;
  readonly hard: AbortSignal;
  readonly confirm: (events: number, requests: number) => Promise<boolean>;
}

export interface UsageJob extends Pick<Options, 'helpdesk' | 'selection' | 'pace' | 'maxErrors'> {
  readonly ports: UsagePorts;
  readonly rows: UsageRows;
  readonly list: UsageList;
  readonly tell: ProblemSink;
}

const EVENTS_PER_REQUEST = 100;
/** Lists sent to a service that has taken no event yet. */
const MOST_UNPROVEN = 5;

/** Resolves with the error that stopped the run. */
export async function sendUsage(
  { pace, maxErrors, ports, rows, list, tell }: UsageJob,
  { api }: Pick<OpenApp, 'api'>,
): Promise<AppError | undefined> {
  const { pending: events, rejected: already } = list.counts();
  const requests = Math.ceil(events / EVENTS_PER_REQUEST);
  if (events > 0 && !(await ports.confirm(events, requests))) {
    ports.soft.throwIfAborted();
    throw new AppError('usage', 'Cancelled. Nothing was sent.', { hint: 'Check the events with --dry-run.' });
  }
  ports.emit({ type: 'start-import', tickets: events, alreadyDone: 0, requests });
  const budget = maxErrors && { allowed: allowedErrors(maxErrors, events + already), already };
  const control = new RunControl(ports, ports.clock, pace.timeoutMs);
  let failed = 0;
  let isProven = false;
  let unproven = 0;

  const settle = (
    settled: readonly ListedEvent[],
    outcome: 'done' | 'failed' | 'inDoubt',
    failure?: ApiFailure,
  ) => {
    list.settle(settled, outcome, failure?.message);
    for (const { id, file, line } of settled) {
      ports.emit({ type: 'ticket', externalId: id ?? '', outcome });
      if (failure === undefined) continue;
      const severity = outcome === 'failed' ? 'error' : 'warning';
      const { code, message } = failure;
      tell({ severity, code, file: rows.files[file]?.name, line, message, count: 1 });
    }
    if (outcome === 'failed') failed++;
    const over = exceeded(budget, failed, 'usage events');
    if (over !== undefined) throw over;
  };
  const send = async (part: readonly ListedEvent[]): Promise<void> => {
    if (control.isStopping) return;
    try {
      await api.sendUsageEvents(
        part.map(({ body }) => JSON.parse(body ?? '') as UsageEventPayload),
        control.hard,
      );
    } catch (error) {
      if (control.hard.aborted && error === control.hard.reason) return;
      if (!(error instanceof ApiFailure)) throw error;
      await failedWith(error, part);
      return;
    }
    isProven = true;
    settle(part, 'done');
  };
  const failedWith = async (failure: ApiFailure, part: readonly ListedEvent[]) => {
    const isUnknown = failure.effect === 'unknown';
    if (isUnknown) {
      settle(part, 'inDoubt', failure);
      unproven++;
    }
    const stop = stopOf(failure) ?? (isProven || unproven < MOST_UNPROVEN ? undefined : unreached(failure));
    if (stop !== undefined) throw stop;
    if (isUnknown) return;
    if (part.length === 1) return settle(part, 'failed', failure);
    const half = Math.ceil(part.length / 2);
    await send(part.slice(0, half));
    await send(part.slice(half));
  };

  const lists = list.lists(EVENTS_PER_REQUEST);
  const worker = async () => {
    for (const part of lists) {
      await send(part);
      if (control.isStopping) return;
    }
  };
  const stop = (error: unknown) => control.stop(error);
  try {
    settle([], 'done');
    await Promise.all(Array.from({ length: pace.connections }, () => worker().catch(stop)));
  } catch (error) {
    stop(error);
  } finally {
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
