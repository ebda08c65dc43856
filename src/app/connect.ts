/** The way to the target, opened. A module of its own, as a dry run needs none of what it loads. */
import { type CoreApi, createCoreApi } from '../core-api/client.ts';
import type { Clock, Random } from '../domain/clock.ts';
import type { Limiter } from '../domain/limiter.ts';
import type { Emit } from '../domain/run-events.ts';
import type { RunSettings, Settings } from '../settings/settings.ts';
import { createPacing, type SendMemory } from './pacing.ts';
import type { TargetAddress } from './target.ts';

export interface Connection {
  readonly api: CoreApi;
  /** Tickets in flight. */
  readonly limiter: Limiter;
}

/** Opens the way to the target: rate budget (with what earlier processes sent), concurrency limit, client. */
export function connect(
  address: TargetAddress,
  settings: Pick<Settings, 'target'> & { readonly run: RunSettings },
  ports: { clock: Clock; random: Random; emit: Emit; env: Readonly<Record<string, string | undefined>> },
  ledger: SendMemory | undefined,
  userAgent: string,
): Connection {
  const { clock, random, emit, env } = ports;
  const { limiter, client } = createPacing(settings.run, ports, ledger);
  const api = createCoreApi({
    baseUrl: address.baseUrl,
    apiPath: address.apiPath,
    credentials: address.credentials,
    eventsAppend: settings.target.eventsAppend,
    ...client,
    clock,
    random,
    emit,
    env,
    userAgent,
  });
  return { api, limiter };
}
