/**
 * A trial: which events it sends, the most representative ones, each with its reason; and afterwards each event looked for in the
 * target, as far as the target lets itself be read.
 */

import { ApiFailure } from '../domain/ticket-api.ts';
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

/** What makes an event telling, the most telling first; the greatest score stands, of equals the first one. */
const FEATURES: readonly {
  readonly why: (offered: OfferedUsageEvent) => string;
  readonly score: (offered: OfferedUsageEvent) => number | undefined;
}[] = [
  {
    why: ({ event }) => `the oldest: ${event.timestamp ?? ''}`,
    score: ({ atMs }) => (atMs === undefined ? undefined : -atMs),
  },
  { why: ({ event }) => `the newest: ${event.timestamp ?? ''}`, score: ({ atMs }) => atMs },
  {
    why: ({ event }) => `the most properties: ${sizeOf(event)}`,
    score: ({ event }) => (sizeOf(event) === 0 ? undefined : sizeOf(event)),
  },
  { why: () => 'without a time', score: ({ atMs }) => (atMs === undefined ? 1 : undefined) },
  {
    why: () => 'names in other scripts',
    score: ({ event }) => (/[^\x20-\x7e]/.test(event.eventName + event.customerId) ? 1 : undefined),
  },
];

function sizeOf({ properties = {} }: UsageEventPayload): number {
  return Object.keys(properties).length;
}

/** Sees every event once; memory does not grow with the export. */
export function createUsagePicker(size: number) {
  const best: ({ readonly score: number; readonly offered: OfferedUsageEvent } | undefined)[] = [];
  /** The first event of each name, and the first of all, as many as are needed. */
  const byName = new Map<string, OfferedUsageEvent>();
  const first: OfferedUsageEvent[] = [];
  return {
    offer(offered: OfferedUsageEvent): void {
      for (const [index, { score: scoreOf }] of FEATURES.entries()) {
        const score = scoreOf(offered);
        if (score !== undefined && score > (best[index]?.score ?? Number.NEGATIVE_INFINITY))
          best[index] = { score, offered };
      }
      const { eventName } = offered.event;
      if (byName.size < size && !byName.has(eventName)) byName.set(eventName, offered);
      if (first.length < size) first.push(offered);
    },
    picks(): UsagePick[] {
      const chosen = new Map<string, { offered: OfferedUsageEvent; why: string[] }>();
      const add = (offered: OfferedUsageEvent, why: string, isReason = true) => {
        const key = offered.digest.toString('hex');
        const known = chosen.get(key);
        if (known === undefined && chosen.size < size) chosen.set(key, { offered, why: [why] });
        else if (isReason) known?.why.push(why);
      };
      for (const [name, offered] of byName) add(offered, `the first "${name}"`);
      for (const [index, { why }] of FEATURES.entries()) {
        const offered = best[index]?.offered;
        if (offered !== undefined) add(offered, why(offered));
      }
      for (const offered of first) add(offered, 'one of the first', false);
      return [...chosen.values()].map(({ offered, why }) => ({ ...offered, why }));
    },
  };
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
