/**
 * A trial: which events it sends, the most representative ones, each with its reason; and afterwards each event looked for in the
 * target, as far as the target lets itself be read.
 */

import { ApiFailure } from '../domain/ticket-api.ts';
import { createPicker } from '../plan/trial.ts';
import type { AppApi, Fields, UsageEventPayload } from '../target/app-api/client.ts';
import type { UsageState } from './usage-checkpoint.ts';

export interface OfferedUsageEvent {
  readonly event: UsageEventPayload;
  readonly digest: Buffer;
  readonly atMs: number | undefined;
}

export interface UsagePick extends OfferedUsageEvent {
  readonly why: readonly string[];
}

/** Sees every event once; memory does not grow with the export. */
export function createUsagePicker(size: number) {
  const { offer, picks } = createPicker(size, {
    features: ({ event, atMs }: OfferedUsageEvent) => {
      const features = new Map([[event.eventName, `an event "${event.eventName}"`]]);
      if (atMs === undefined) features.set('timeless', 'without a time');
      if (/[^\x20-\x7e]/.test(event.eventName + event.customerId))
        features.set('script', 'names in other scripts');
      return features;
    },
    extremes: [
      {
        key: 'oldest',
        measure: ({ atMs }) => (atMs === undefined ? undefined : -atMs),
        words: (measure) => `the oldest: ${new Date(-measure).toISOString()}`,
      },
      {
        key: 'newest',
        measure: ({ atMs }) => atMs,
        words: (measure) => `the newest: ${new Date(measure).toISOString()}`,
      },
      {
        key: 'fullest',
        measure: ({ event }) => Object.keys(event.properties ?? {}).length || undefined,
        words: (measure) => `the most properties: ${measure}`,
      },
    ],
    keep: (offered) => offered,
    ordinary: 'one more ordinary event',
  });
  return { offer, picks: (): UsagePick[] => picks().map(({ kept, why }) => ({ ...kept, why })) };
}

interface UsageTrialCheck {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
}

export interface UsageTrialEvent extends Pick<UsageEventPayload, 'eventId' | 'eventName' | 'customerId'> {
  readonly why: readonly string[];
  readonly checks: readonly UsageTrialCheck[];
}

type ReadingApi = Pick<AppApi, 'readCustomer' | 'listUsageEvents'>;

/** Throws AppError and ApiFailure where the whole run is stopped by what it meets. */
export async function checkUsageTrial(
  picks: readonly UsagePick[],
  stateOf: (digest: Buffer) => UsageState | undefined,
  api: ReadingApi,
  signal: AbortSignal,
): Promise<UsageTrialEvent[]> {
  const events: UsageTrialEvent[] = [];
  let isListable = true;
  for (const { event, why, digest } of picks) {
    const checks: UsageTrialCheck[] = [];
    const check = (name: string, ok: boolean, detail: string) => checks.push({ name, ok, detail });
    const isTaken = stateOf(digest) === 'done';
    check('sent', isTaken, isTaken ? 'The target took it.' : 'The target did not take it.');
    if (isTaken) {
      const wrong: string | undefined = isListable ? await differences(event, api, signal) : undefined;
      isListable = wrong !== undefined;
      if (wrong === '') check('found', true, 'The target lists it as it was sent.');
      else if (wrong !== undefined) check('found', false, wrong);
      const unknown = await customerMissing(event, api, signal);
      check('customer', unknown === undefined, unknown ?? 'The target knows the customer.');
    }
    const { eventId, eventName, customerId } = event;
    events.push({ eventId, eventName, customerId, why, checks });
  }
  return events;
}

/** How the target lists an event otherwise than it was sent; undefined where it lists no usage events. */
async function differences(
  { eventId, customerId, eventName, timestamp }: UsageEventPayload,
  api: ReadingApi,
  signal: AbortSignal,
): Promise<string | undefined> {
  let listed: readonly Fields[];
  try {
    listed = (await api.listUsageEvents({ eventId, customerId, take: 1 }, signal)).events;
  } catch (error) {
    if (error instanceof ApiFailure && error.effect === 'none' && error.code !== 'auth') return undefined;
    throw error;
  }
  const found = listed.find((one) => one['eventId'] === eventId);
  // A service that does not know the parameter answers with others.
  if (found === undefined) return listed.length === 0 ? 'The target does not list it.' : undefined;
  const at = found['timestamp'];
  const isSameTime =
    timestamp === undefined ||
    at === undefined ||
    new Date(at as string | number).getTime() === Date.parse(timestamp);
  const wrong = [
    ...(found['eventName'] === eventName ? [] : ['event name']),
    ...(isSameTime ? [] : ['time']),
  ];
  return wrong.length === 0 ? '' : `The target has another ${wrong.join(' and ')}.`;
}

async function customerMissing(
  { customerId }: UsageEventPayload,
  api: ReadingApi,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    const customer = await api.readCustomer(customerId, signal);
    return customer === undefined ? `The target knows no customer ${customerId}.` : undefined;
  } catch (error) {
    if (error instanceof ApiFailure) return error.message;
    throw error;
  }
}
