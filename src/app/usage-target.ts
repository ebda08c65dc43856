/** The app API that commands talk to: the service of the settings, or the embedded sandbox. Built in one visible place. */
import { randomUUID } from 'node:crypto';
import { type AppApi, createAppApi } from '../app-api/client.ts';
import type { Clock, Random } from '../domain/clock.ts';
import { AppError } from '../domain/errors.ts';
import type { Limiter } from '../domain/limiter.ts';
import type { Emit } from '../domain/run-events.ts';
import { Secret } from '../domain/secret.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { AppApiSettings, AppKeys } from '../settings/app-api-settings.ts';
import type { RunSettings, Settings } from '../settings/settings.ts';
import { createPacing, type SendMemory } from './pacing.ts';

export interface AppTarget {
  readonly baseUrl: string;
  /** What the checkpoint is bound to: the same in every run against the same app. */
  readonly key: string;
  readonly keys: AppKeys;
  /** The embedded service, where it is one; closed by its owner. */
  readonly sandbox?: Sandbox;
}

export interface AppPorts {
  readonly clock: Clock;
  readonly random: Random;
  readonly emit: Emit;
  /** Proxy settings are read from here. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Version of the program, for the User-Agent. */
  readonly version: string;
}

/** The section of the settings that these commands ask for; its absence is a defect. */
export function appApiOf({ appApi }: Settings): AppApiSettings {
  if (appApi === undefined)
    throw new AppError('internal', 'The settings were read without those of the app API.');
  return appApi;
}

/** Throws AppError `configuration` where the address or the keys are missing. */
export async function openAppTarget(settings: Settings, clock: Clock): Promise<AppTarget> {
  if (settings.sandbox !== undefined) return await openAppSandbox(settings.sandbox, clock);
  const { baseUrl, apiPath, keys } = appApiOf(settings);
  if (baseUrl === undefined || keys === undefined)
    throw new AppError('configuration', 'There is no app API to talk to.', {
      hint: 'Set HELPDESK_APP_URL, HELPDESK_APP_ID and HELPDESK_APP_KEY; or try it out with --sandbox.',
    });
  return { baseUrl, keys, key: `app API ${baseUrl}${apiPath} of the app ${keys.appId}` };
}

/** Its port changes from run to run, so the folder's own id is the key. */
async function openAppSandbox(dir: string, clock: Clock): Promise<AppTarget> {
  const { startSandbox } = await import('../sandbox/sandbox.ts');
  const sandbox = await startSandbox({ dir, clock, inventAgents: true });
  return {
    baseUrl: sandbox.url,
    key: `app API sandbox ${sandbox.store.settings.getOrMake('id', randomUUID)}`,
    keys: { appId: sandbox.app.id, apiKey: new Secret(sandbox.app.key) },
    sandbox,
  };
}

export interface AppConnection {
  readonly api: AppApi;
  /** Requests in flight. */
  readonly limiter: Limiter;
}

export function connectApp(
  target: AppTarget,
  settings: Settings & { readonly run: RunSettings },
  ports: AppPorts,
  memory?: SendMemory,
): AppConnection {
  const { clock, random, emit, env } = ports;
  const { limiter, client } = createPacing(settings.run, ports, memory);
  const { apiPath, usageEventsPath, customerPath, usagePath, appIdHeader, apiKeyHeader } = appApiOf(settings);
  const api = createAppApi({
    baseUrl: target.baseUrl,
    apiPath,
    usageEventsPath,
    customerPath,
    usagePath,
    appIdHeader,
    apiKeyHeader,
    appId: target.keys.appId,
    apiKey: target.keys.apiKey,
    ...client,
    clock,
    random,
    emit,
    env,
    userAgent: `helpdesk-import/${ports.version}`,
  });
  return { api, limiter };
}
