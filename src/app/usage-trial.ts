/** After a trial: each event that was sent is looked for in the target, as far as the target lets itself be read. */
import type { Fields } from '../app-api/answers.ts';
import type { AppApi } from '../app-api/client.ts';
import type { UsageEventPayload } from '../app-api/usage-event.ts';
import { ApiFailure } from '../domain/ticket-api.ts';
import type { UsageState } from './usage-checkpoint.ts';
import type { UsagePick } from './usage-trial-picks.ts';

export interface UsageTrialCheck {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
}

export interface UsageTrialEvent {
  readonly eventId: string;
  readonly eventName: string;
  readonly customerId: string;
  readonly why: readonly string[];
  readonly checks: readonly UsageTrialCheck[];
}

/** Throws AppError where the whole run is stopped by what it meets. */
export async function checkUsageTrial(
  picks: readonly UsagePick[],
  stateOf: (digest: Buffer) => UsageState | undefined,
  api: Pick<AppApi, 'readCustomer' | 'listUsageEvents'>,
  signal: AbortSignal,
): Promise<UsageTrialEvent[]> {
  const events: UsageTrialEvent[] = [];
  let isListable = true;
  for (const { event, why, digest } of picks) {
    const checks: UsageTrialCheck[] = [];
    const isTaken = stateOf(digest) === 'done';
    checks.push({
      name: 'sent',
      ok: isTaken,
      detail: isTaken ? 'The target took it.' : 'The target did not take it.',
    });
    if (isTaken) {
      const found: UsageTrialCheck | undefined = isListable ? await lookFor(event, api, signal) : undefined;
      if (found === undefined) isListable = false;
      else checks.push(found);
      checks.push(await lookForCustomer(event.customerId, api, signal));
    }
    const { eventId, eventName, customerId } = event;
    events.push({ eventId, eventName, customerId, why, checks });
  }
  return events;
}

/** Undefined where the target lists no usage events. */
async function lookFor(
  event: UsageEventPayload,
  api: Pick<AppApi, 'listUsageEvents'>,
  signal: AbortSignal,
): Promise<UsageTrialCheck | undefined> {
  try {
    const { eventId, customerId } = event;
    const page = await api.listUsageEvents({ eventId, customerId, take: 1 }, signal);
    // A service that does not know the parameter answers with others.
    const found = page.events.find((one) => one['eventId'] === eventId);
    if (found === undefined)
      return page.events.length === 0
        ? { name: 'found', ok: false, detail: 'The target does not list it.' }
        : undefined;
    const wrong = differences(event, found);
    return wrong.length === 0
      ? { name: 'found', ok: true, detail: 'The target lists it as it was sent.' }
      : { name: 'found', ok: false, detail: `The target has another ${wrong.join(' and ')}.` };
  } catch (error) {
    if (error instanceof ApiFailure && error.effect === 'none' && error.code !== 'auth') return undefined;
    throw error;
  }
}

function differences(event: UsageEventPayload, found: Fields): string[] {
  const sameTime = (value: unknown) =>
    event.timestamp === undefined ||
    new Date(value as string | number).getTime() === Date.parse(event.timestamp);
  return [
    ...(found['eventName'] === event.eventName ? [] : ['event name']),
    ...(found['timestamp'] === undefined || sameTime(found['timestamp']) ? [] : ['time']),
  ];
}

async function lookForCustomer(
  customerId: string,
  api: Pick<AppApi, 'readCustomer'>,
  signal: AbortSignal,
): Promise<UsageTrialCheck> {
  try {
    const customer = await api.readCustomer(customerId, signal);
    return customer === undefined
      ? { name: 'customer', ok: false, detail: `The target knows no customer ${customerId}.` }
      : { name: 'customer', ok: true, detail: 'The target knows the customer.' };
  } catch (error) {
    if (!(error instanceof ApiFailure)) throw error;
    return { name: 'customer', ok: false, detail: error.message };
  }
}
