/** The way to the target, opened. A module of its own, as a dry run needs none of what it loads. */
import { type CoreApi, createCoreApi } from '../core-api/client.ts';
import type { Clock, Random } from '../domain/clock.ts';
import type { Ledger } from '../domain/ledger.ts';
import type { Limiter } from '../domain/limiter.ts';
import type { Emit } from '../domain/run-events.ts';
import { createAdmission } from '../pace/admission.ts';
import { createAdaptiveLimiter, createFixedLimiter } from '../pace/limiter.ts';
import type { RunSettings, Settings } from '../settings/settings.ts';
import type { TargetAddress } from './target.ts';

export interface Connection {
  readonly api: CoreApi;
  /** Tickets in flight. */
  readonly limiter: Limiter;
}

/** Most connections where the concurrency adapts; the limit itself finds out how many are good. */
const MOST_CONNECTIONS = 256;
/** The longest rate window of the defaults; older sends no longer matter to any budget that is shorter. */
const REMEMBERED_SECONDS = 600;

/** Opens the way to the target: rate budget (with what earlier processes sent), concurrency limit, client. */
export function connect(
  address: TargetAddress,
  settings: Pick<Settings, 'target'> & { readonly run: RunSettings },
  ports: { clock: Clock; random: Random; emit: Emit; env: Readonly<Record<string, string | undefined>> },
  ledger: Pick<Ledger, 'noteSends' | 'recentSends'> | undefined,
  userAgent: string,
): Connection {
  const { run, target } = settings;
  const { clock, random, emit } = ports;
  const budgets = run.rates;
  const longest = Math.max(REMEMBERED_SECONDS, ...budgets.map(({ seconds }) => seconds));
  const admission = createAdmission({
    budgets,
    clock,
    emit,
    ...(ledger === undefined || budgets.length === 0
      ? {}
      : {
          onSend: (second, requests) => ledger.noteSends(second, requests),
          recent: ledger.recentSends(Math.floor(clock.now() / 1000) - longest),
        }),
  });
  const adaptive = run.concurrency === 'auto' ? createAdaptiveLimiter() : undefined;
  const limiter = adaptive ?? createFixedLimiter(run.concurrency === 'auto' ? 16 : run.concurrency);
  const api = createCoreApi({
    baseUrl: address.baseUrl,
    apiPath: address.apiPath,
    credentials: address.credentials,
    timeoutMs: run.timeoutSeconds * 1000,
    connections: run.concurrency === 'auto' ? MOST_CONNECTIONS : run.concurrency,
    admission,
    clock,
    random,
    emit,
    eventsAppend: target.eventsAppend,
    giveUpAfterMs: run.giveUpAfterSeconds * 1000,
    env: ports.env,
    userAgent,
    ...(adaptive === undefined ? {} : { onSample: adaptive.observe }),
  });
  return { api, limiter };
}
