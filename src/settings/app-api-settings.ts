/**
 * The app API in the settings (specification, 4.4; public facts): where it is, what its headers are called, and how usage
 * events are sent. Its keys come from the environment only.
 */
import { join } from 'node:path';
import { Secret } from '../domain/secret.ts';
import type { Complaint } from './complaint.ts';
import { type Environment, variable } from './environment.ts';
import { wholeNumber } from './parse-numbers.ts';
import { isLoopback, nonEmpty, oneOf, parsePath, parseServiceUrl } from './parse-text.ts';
import { bad, good, type Parsed, quoted } from './parsed.ts';
import type { SettingsFile } from './settings-file.ts';
import type { Lookup, SettingName } from './sources.ts';

/** What to do about a usage event without a time: `reject` it, or `send` it, and the service takes the time of the request. */
export const MISSING_TIMESTAMPS = ['reject', 'send'] as const;
export type MissingTimestamp = (typeof MISSING_TIMESTAMPS)[number];

export interface AppApiSettings {
  /** Without a slash at its end; absent in a dry run without a target, and for the sandbox. */
  readonly baseUrl?: string;
  /** Without a slash at its end; each of the other paths stands below it. */
  readonly apiPath: string;
  readonly usageEventsPath: string;
  readonly customerPath: string;
  readonly usagePath: string;
  readonly appIdHeader: string;
  readonly apiKeyHeader: string;
  readonly keys?: AppKeys;
  /** From 1; with 1 an event is sent alone, not as a list. */
  readonly eventsPerRequest: number;
  readonly missingTimestamp: MissingTimestamp;
  readonly checkpoint: string;
  readonly rejects: string;
  /** Whether the user named the rejects folder: a dry run writes none otherwise. */
  readonly rejectsAsked: boolean;
  /** The mapping of usage events as it was written, not checked yet. */
  readonly usageEvents?: unknown;
}

/** Which app this is, and the key that proves it. */
export interface AppKeys {
  readonly appId: string;
  readonly apiKey: Secret;
}

export const APP_API_DEFAULTS = {
  apiPath: '/v1',
  usageEventsPath: '/usage_events',
  customerPath: '/customer',
  usagePath: '/usage',
  appIdHeader: 'X-Mantle-App-Id',
  apiKeyHeader: 'X-Mantle-App-Api-Key',
  eventsPerRequest: 100,
  missingTimestamp: 'reject',
  checkpoint: 'helpdesk-import.usage.sqlite',
  rejects: 'helpdesk-import.usage-rejects',
  sandboxCheckpoint: 'usage.sqlite',
  sandboxRejects: 'usage-rejects',
} as const satisfies Record<string, unknown>;

/** No service is known to take more; a request of this many is about a megabyte. */
const MOST_EVENTS = 5_000;

export function appApiSettings(
  lookup: Lookup,
  sandbox: string | undefined,
  file: SettingsFile | undefined,
): Omit<AppApiSettings, 'keys'> {
  const isSandbox = sandbox !== undefined;
  const own = { flagOnly: isSandbox };
  const defaults = APP_API_DEFAULTS;
  const apiPath = lookup.one('appApi.apiPath', parsePath, own) ?? defaults.apiPath;
  const address = lookup.one('appApi.baseUrl', parseServiceUrl, own);
  // People paste the address of the API itself.
  const baseUrl =
    address !== undefined && apiPath !== '' && address.endsWith(apiPath)
      ? address.slice(0, -apiPath.length)
      : address;
  const place = (name: SettingName) => {
    const found = lookup.one(name, nonEmpty, own);
    return found !== undefined && lookup.origins[name]?.from === 'file' ? file?.resolve(found) : found;
  };
  const inSandbox = (name: string, otherwise: string) =>
    sandbox === undefined ? otherwise : join(sandbox, name);
  const usageEvents: unknown = file?.value.appApi?.usageEvents;
  return {
    ...(baseUrl === undefined ? {} : { baseUrl }),
    apiPath,
    usageEventsPath: lookup.one('appApi.usageEventsPath', parsePath, own) ?? defaults.usageEventsPath,
    customerPath: lookup.one('appApi.customerPath', parsePath, own) ?? defaults.customerPath,
    usagePath: lookup.one('appApi.usagePath', parsePath, own) ?? defaults.usagePath,
    appIdHeader: lookup.one('appApi.appIdHeader', headerName, own) ?? defaults.appIdHeader,
    apiKeyHeader: lookup.one('appApi.apiKeyHeader', headerName, own) ?? defaults.apiKeyHeader,
    eventsPerRequest:
      lookup.one('appApi.eventsPerRequest', wholeNumber(1, MOST_EVENTS)) ?? defaults.eventsPerRequest,
    missingTimestamp:
      lookup.one('appApi.missingTimestamp', oneOf(MISSING_TIMESTAMPS)) ?? defaults.missingTimestamp,
    checkpoint: place('appApi.checkpoint') ?? inSandbox(defaults.sandboxCheckpoint, defaults.checkpoint),
    rejects: place('appApi.rejects') ?? inSandbox(defaults.sandboxRejects, defaults.rejects),
    rejectsAsked: lookup.origins['appApi.rejects']?.from === 'flag',
    ...(usageEvents === undefined ? {} : { usageEvents }),
  };
}

/** A name as HTTP allows it, and none that the program or the connection sets itself. */
function headerName(text: string): Parsed<string> {
  const name = text.trim();
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) return bad(`must be the name of a header, and is ${quoted(text)}`);
  if (TAKEN_HEADERS.has(name.toLowerCase()))
    return bad(`must not be ${name}, which is sent for another purpose`);
  return good(name);
}

const TAKEN_HEADERS = new Set([
  'host',
  'content-type',
  'content-length',
  'accept',
  'connection',
  'user-agent',
]);

/** HELPDESK_APP_ID and HELPDESK_APP_KEY. No value of theirs is ever repeated. */
export function appKeysFrom(env: Environment): {
  readonly keys?: AppKeys;
  readonly complaints: readonly Complaint[];
} {
  const appId = variable(env, 'HELPDESK_APP_ID');
  const apiKey = variable(env, 'HELPDESK_APP_KEY');
  const complaints: Complaint[] = [];
  // Whatever is outside of printable ASCII cannot stand in a header.
  for (const [name, value] of [
    ['HELPDESK_APP_ID', appId],
    ['HELPDESK_APP_KEY', apiKey],
  ] as const)
    if (/[^\x21-\x7e]/.test(value ?? ''))
      complaints.push({ message: `${name} has a space, a line break or another character that no key has.` });
  if (appId === undefined || apiKey === undefined || complaints.length > 0) return { complaints };
  return { keys: { appId, apiKey: new Secret(apiKey) }, complaints };
}

export function missingAppApi(appApi: AppApiSettings | undefined): Complaint[] {
  const complaints: Complaint[] = [];
  if (appApi?.baseUrl === undefined)
    complaints.push({
      message:
        'There is no app API: set HELPDESK_APP_URL (or --app-url, or appApi.baseUrl in the settings file), or use a local service with --sandbox.',
    });
  if (appApi?.keys === undefined)
    complaints.push({
      message: 'There is no key for the app API: set HELPDESK_APP_ID and HELPDESK_APP_KEY.',
    });
  return complaints;
}

export function unwiseAppApi(appApi: AppApiSettings | undefined): string[] {
  const url = appApi?.baseUrl;
  if (url?.startsWith('http:') !== true || isLoopback(url)) return [];
  return [
    `The app API ${url} is not https: the key of the app and all events cross the network unencrypted.`,
  ];
}
