/** The app API (docs/core-api.md, 4.4). Every call may be repeated: the service counts usage events once for each `eventId`. */

import { AppError } from '../domain/errors.ts';
import { printable } from '../domain/printable.ts';
import type { Secret } from '../domain/secret.ts';
import { isJsonObject } from '../domain/source-file.ts';
import { say } from '../domain/text/problem-words.ts';
import { ApiFailure } from '../domain/ticket-api.ts';
import { parseBaseUrl } from '../helpdesk/address.ts';
import { errorBody, json, noPage } from '../helpdesk/answers.ts';
import { type Answer, createTransport, type Exchange, type TransportOptions } from '../helpdesk/http.ts';
import { type Ending, failureOf } from '../helpdesk/meaning.ts';
import { type RequestStats, Sender, type SenderOptions } from '../helpdesk/send.ts';

export interface AppApiOptions
  extends Omit<TransportOptions, 'origin'>,
    Omit<SenderOptions, 'transport' | 'tokens' | 'probe'> {
  /** With or without the `/v1` of the API. */
  readonly baseUrl: string;
  readonly appIdHeader: string;
  readonly apiKeyHeader: string;
  readonly appId: string;
  readonly apiKey: Secret;
}

/** docs/core-api.md, 2.6 and 4.4. */
export interface UsageEventPayload {
  readonly eventName: string;
  readonly customerId: string;
  readonly eventId: string;
  readonly timestamp?: string | undefined;
  readonly properties?: Readonly<Record<string, unknown>> | undefined;
}

type Fields = Readonly<Record<string, unknown>>;

export interface AppApi extends AsyncDisposable {
  /** Resolves when the service took all events. ApiFailure `refused`: it took none, or does not say which. */
  sendUsageEvents(events: readonly UsageEventPayload[], signal: AbortSignal): Promise<void>;
  readCustomer(id: string, signal: AbortSignal): Promise<Fields | undefined>;
  readUsage(customerId: string | undefined, signal: AbortSignal): Promise<unknown>;
  readonly stats: Readonly<RequestStats>;
}

const VERSION = '/v1';

export function createAppApi(options: AppApiOptions): AppApi {
  const { appId, apiKey } = options;
  const base = parseBaseUrl(options.baseUrl, 'address of the app API');
  const root = base.prefix.endsWith(VERSION) ? base.prefix : `${base.prefix}${VERSION}`;
  const identity = {
    [options.appIdHeader.toLowerCase()]: appId,
    [options.apiKeyHeader.toLowerCase()]: apiKey.reveal(),
  };
  const wire = createTransport({ ...options, origin: base.origin });
  const transport: Exchange = (request, ...more) => wire.exchange({ ...request, headers: identity }, ...more);
  const probe = { kind: 'read', method: 'GET', path: `${root}/usage`, attempt: 1 } as const;
  const sender = new Sender({ ...options, transport, probe });
  const secrets = [apiKey.reveal()];

  async function get<T>(
    path: string,
    query: Readonly<Record<string, string>>,
    what: string,
    read: (answer: Answer) => T | undefined,
    signal: AbortSignal,
  ): Promise<T | undefined> {
    const request = { ...probe, path: `${root}${path}?${new URLSearchParams(query)}`.replace(/\?$/, '') };
    const ending = await sender.call(request, (answer) => read(answer) !== undefined, signal);
    const { reply } = ending;
    if (ending.responseKind === 'success' && reply.type === 'answer') return read(reply);
    if (reply.type === 'answer' && reply.status === 404 && isFromApi(reply)) return undefined;
    throw failureFor(ending, 'read', what, secrets);
  }

  return {
    async sendUsageEvents(list, signal) {
      const [first] = list;
      if (first === undefined) return;
      const body = JSON.stringify(list.length === 1 ? first : { events: list });
      const what = say('{count|the usage event|# usage events}', { count: list.length });
      const path = `${root}/usage_events`;
      const ending = await sender.call(
        { kind: 'repeatable', method: 'POST', path, body, attempt: 1 },
        noPage,
        signal,
      );
      const { reply, responseKind } = ending;
      const status = reply.type === 'answer' ? reply.status : undefined;
      if (reply.type === 'answer' && (status === 404 || status === 405) && !isFromApi(reply)) {
        const message = `The app API has no usage events at ${path} (${status}).`;
        throw new ApiFailure('unreachable', 'none', message, { status });
      }
      if (responseKind !== 'success' || reply.type !== 'answer')
        throw failureFor(ending, 'repeatable', what, secrets);
      const refusal = refusalIn(reply);
      if (refusal === undefined) return;
      const detail = errorBody(reply, secrets).detail ?? printable(refusal);
      throw new ApiFailure('refused', 'none', `The app API refused ${what} (${detail}).`, { status, detail });
    },
    readCustomer: (id, signal) => get('/customer', { id }, `the customer ${id}`, customerIn, signal),
    async readUsage(customerId, signal) {
      const query: Record<string, string> = customerId === undefined ? {} : { customerId };
      const read = (answer: Answer) => {
        const value = json(answer);
        return value === undefined ? undefined : { value };
      };
      const found = await get('/usage', query, 'usage metrics', read, signal);
      if (found !== undefined) return found.value;
      const message = 'The app API has no usage metrics (404).';
      throw new ApiFailure('target-unreadable', 'none', message, { status: 404 });
    },
    stats: sender.stats,
    [Symbol.asyncDispose]: () => wire.close(),
  };
}

/** A 401 or 403 is about the app's key, so it concerns the whole run. */
function failureFor(
  ending: Ending,
  kind: 'read' | 'repeatable',
  what: string,
  secrets: readonly string[],
): ApiFailure {
  const { reply } = ending;
  if (reply.type !== 'answer' || (reply.status !== 401 && reply.status !== 403))
    return failureOf(ending, { kind, what, secrets });
  const { status } = reply;
  const { detail } = errorBody(reply, secrets);
  const said = detail === undefined ? String(status) : `${status}: ${detail}`;
  const message =
    status === 401
      ? `The app API refuses the key (${said}). Check HELPDESK_APP_ID, HELPDESK_APP_KEY and the names of their headers.`
      : `The key may not be used for ${what} (${said}).`;
  return new ApiFailure('auth', 'none', message, { status, detail });
}

/** The error that stops a run; undefined for a failure of one request. */
export function stopOf(failure: ApiFailure): AppError | undefined {
  if (failure.code !== 'auth' && failure.code !== 'unreachable') return undefined;
  const hint =
    failure.code === 'auth'
      ? 'Set HELPDESK_APP_ID and HELPDESK_APP_KEY, then run the same command again.'
      : 'Check HELPDESK_APP_URL and the network, then run the same command again.';
  return new AppError(failure.code, failure.message, { hint, cause: failure });
}

export function asAppError(failure: ApiFailure): AppError {
  const hint = 'Check HELPDESK_APP_URL.';
  return stopOf(failure) ?? new AppError('unreachable', failure.message, { hint, cause: failure });
}

/** A success status may carry `{success: false}` or `{error}`. */
function refusalIn(answer: Answer): string | undefined {
  const body = json(answer);
  if (!isJsonObject(body)) return undefined;
  const { success, error, message } = body;
  if (success !== false && (error === undefined || error === null || error === false)) return undefined;
  const said = [error, message].filter((part) => typeof part === 'string' && part !== '').join(': ');
  return said === '' ? 'it answers that it did not take them' : said;
}

const CUSTOMER_FIELDS = ['id', 'subscription', 'features', 'usage', 'billingStatus', 'plans'];

/** In an envelope or bare. An object without a field of a customer is none. */
function customerIn(answer: Answer): Fields | undefined {
  const body = json(answer);
  if (!isJsonObject(body)) return undefined;
  const customer = isJsonObject(body['customer']) ? body['customer'] : body;
  return CUSTOMER_FIELDS.some((field) => field in customer) ? customer : undefined;
}

function isFromApi(answer: Answer): boolean {
  const body = json(answer);
  return isJsonObject(body) && ('error' in body || 'errors' in body);
}
