/** The app API that commands talk to: the service of the settings, or the embedded sandbox. Built in one visible place. */

import type { Clock } from '../domain/clock.ts';
import { AppError } from '../domain/errors.ts';
import type { Limiter } from '../domain/limits.ts';
import { Secret } from '../domain/secret.ts';
import { ApiFailure } from '../domain/ticket-api.ts';
import { createPacing, openSandbox, type ProcessPorts, type SendMemory } from '../import/target.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { AppKeys } from '../settings/credentials.ts';
import type { AppApiSettings, Settings } from '../settings/settings.ts';
import {
  type AppApi,
  asAppError,
  createAppApi,
  type Fields,
  type UsageEventQuery,
} from '../target/app-api/client.ts';

export interface AppTarget {
  readonly baseUrl: string;
  /** What the checkpoint is bound to: the same in every run against the same app. */
  readonly key: string;
  readonly keys: AppKeys;
  /** The embedded service, where it is one; closed by its owner. */
  readonly sandbox?: Sandbox | undefined;
}

/** The section of the settings that these commands ask for; its absence is a defect. */
export function appApiOf({ appApi }: Settings): AppApiSettings {
  if (appApi !== undefined) return appApi;
  throw new AppError('internal', 'The settings were read without those of the app API.');
}

/** Throws AppError `configuration` where the address or the keys are missing. */
export async function openAppTarget(settings: Settings, clock: Clock): Promise<AppTarget> {
  if (settings.sandbox !== undefined) {
    const { baseUrl, key, sandbox } = await openSandbox(settings.sandbox, settings, clock);
    const keys = { appId: sandbox.app.id, apiKey: new Secret(sandbox.app.key, true) };
    return { baseUrl, key: `app API ${key}`, keys, sandbox };
  }
  const { baseUrl, apiPath, keys } = appApiOf(settings);
  if (baseUrl === undefined || keys === undefined)
    throw new AppError('configuration', 'No app API is configured.', {
      hint: 'Set HELPDESK_APP_URL, HELPDESK_APP_ID and HELPDESK_APP_KEY; or try it out with --sandbox.',
    });
  return { baseUrl, keys, key: `app API ${baseUrl}${apiPath} of the app ${keys.appId}` };
}

export function connectApp(
  target: AppTarget,
  settings: Settings,
  ports: ProcessPorts,
  memory?: SendMemory,
): { readonly api: AppApi; readonly limiter: Limiter } {
  const { limiter, client } = createPacing(settings.run, ports, memory);
  const api = createAppApi({
    ...appApiOf(settings),
    ...target.keys,
    ...client,
    ...ports,
    baseUrl: target.baseUrl,
    userAgent: `helpdesk-import/${ports.version}`,
  });
  return { api, limiter };
}

/**
 * One question to the app API: opened, asked, closed. Throws AppError `configuration`, `auth` or `unreachable`, or the
 * signal's reason.
 */
export async function askAppApi<T>(
  settings: Settings,
  ports: ProcessPorts,
  ask: (api: AppApi) => Promise<T>,
): Promise<T> {
  const target = await openAppTarget(settings, ports.clock);
  try {
    const { api } = connectApp(target, settings, ports);
    try {
      return await ask(api);
    } catch (error) {
      throw error instanceof ApiFailure ? asAppError(error) : error;
    } finally {
      await api.close();
    }
  } finally {
    await target.sandbox?.close();
  }
}

const PAGE_SIZE = 100;

/** At most `limit`, in the target's order. Throws ApiFailure `target-unreadable` where the target lists none. */
export async function listUsageEvents(
  api: AppApi,
  query: Pick<UsageEventQuery, 'customerId' | 'eventName'>,
  limit: number,
  signal: AbortSignal,
): Promise<Fields[]> {
  const events: Fields[] = [];
  const seen = new Set<string | undefined>([undefined]);
  let cursor: string | undefined;
  do {
    const take = Math.min(PAGE_SIZE, limit - events.length);
    const page = await api.listUsageEvents({ ...query, take, cursor }, signal);
    events.push(...page.events.slice(0, take));
    cursor = page.cursor;
    // A service that does not know cursors answers with the same page for ever.
    if (seen.has(cursor) || page.events.length === 0) break;
    seen.add(cursor);
  } while (events.length < limit);
  return events;
}
