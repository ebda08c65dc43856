/**
 * The app API (docs/core-api.md, 4.4) over HTTP, with the transport, pacing, breaker and retry of the Core API.
 *
 * Every call may be repeated: reads, and usage events too, because each carries an `eventId` under which the service
 * counts it once. So a failure that comes out is final for this call, and sending the same events again is harmless.
 */
import { AppError } from '../../domain/errors.ts';
import { printable } from '../../domain/printable.ts';
import type { Emit } from '../../domain/run-events.ts';
import type { Secret } from '../../domain/secret.ts';
import { ApiFailure } from '../../domain/ticket-api.ts';
import { json, noPage } from '../core-api/answers.ts';
import { type CallsOptions, composeCalls } from '../core-api/calls.ts';
import { errorBody } from '../core-api/error-body.ts';
import { type FailureContext, failureOf } from '../core-api/failures.ts';
import type { RequestStats } from '../core-api/paced-exchange.ts';
import type { Ending } from '../core-api/retry.ts';
import { normalizeApiPath, parseBaseUrl } from '../http/dispatcher.ts';
import type { Answer, Exchange } from '../http/exchange.ts';
import { createTransport, type TransportOptions } from '../http/transport.ts';

export interface AppApiOptions
  extends Omit<TransportOptions, 'origin'>,
    Omit<CallsOptions, 'transport' | 'tokens' | 'probe' | 'emit'> {
  readonly baseUrl: string;
  /** Below the address; each of the other paths stands below it. */
  readonly apiPath: string;
  readonly appIdHeader: string;
  readonly apiKeyHeader: string;
  readonly appId: string;
  readonly apiKey: Secret;
  readonly emit?: Emit | undefined;
}

/** A usage event as it goes over the wire (docs/core-api.md, 2.6 and 4.4). */
export interface UsageEventPayload {
  readonly eventName: string;
  /** The customer's id, or whatever else the service knows the customer by (a shop's domain). */
  readonly customerId: string;
  /** Makes sending idempotent: of several events with one id the service counts one. */
  readonly eventId: string;
  /** UTC ISO-8601; absent: the service takes the time of the request. */
  readonly timestamp?: string | undefined;
  readonly properties?: Readonly<Record<string, unknown>> | undefined;
}

export interface UsageEventQuery {
  readonly customerId?: string | undefined;
  readonly eventName?: string | undefined;
  readonly eventId?: string | undefined;
  /** Events of a page, where the service heeds it. */
  readonly take?: number | undefined;
  readonly cursor?: string | undefined;
}

/** All methods throw ApiFailure, or the signal's reason when aborted before anything was sent. */
export interface AppApi {
  /**
   * POST /usage_events: one event goes alone, several as `{events}`. Resolves when the service took all of them. ApiFailure
   * `refused` says that it took none, or that it does not say which: then sending any of them again is harmless.
   */
  sendUsageEvents(events: readonly UsageEventPayload[], signal: AbortSignal): Promise<void>;
  /** GET /customer?id=: all fields as they were answered; undefined where the service knows no such customer. */
  readCustomer(id: string, signal: AbortSignal): Promise<Fields | undefined>;
  /** GET /usage: whatever JSON it is. */
  readUsage(query: Readonly<Record<string, string>>, signal: AbortSignal): Promise<unknown>;
  /** GET /usage_events. ApiFailure `target-unreadable` where the service does not offer it. */
  listUsageEvents(query: UsageEventQuery, signal: AbortSignal): Promise<UsageEventPage>;
  readonly stats: Readonly<RequestStats>;
  /** Ends all connections. Calls under way break down. */
  close(): Promise<void>;
}

/** Throws AppError `configuration` when the address or a path cannot be right. Opens no connection. */
export function createAppApi(options: AppApiOptions): AppApi {
  const { apiKey } = options;
  const base = parseBaseUrl(options.baseUrl, 'address of the app API');
  const root = base.prefix + normalizeApiPath(options.apiPath);
  const paths = {
    events: `${root}/usage_events`,
    customer: `${root}/customer`,
    usage: `${root}/usage`,
  };
  const transport = createTransport({ ...options, origin: base.origin });
  const identified: Exchange = (request, signal, onBegun) => {
    const headers = {
      ...request.headers,
      [options.appIdHeader.toLowerCase()]: options.appId,
      [options.apiKeyHeader.toLowerCase()]: apiKey.reveal(),
    };
    return transport.exchange({ ...request, headers }, signal, onBegun);
  };
  const { call, stats } = composeCalls({
    ...options,
    transport: identified,
    emit: options.emit ?? (() => {}),
    probe: { kind: 'read', method: 'GET', path: paths.usage, attempt: 1 },
  });
  const secrets = [apiKey.reveal()];

  async function get<T>(
    path: string,
    query: Readonly<Record<string, string | undefined>>,
    what: string,
    read: (answer: Answer) => T | undefined,
    signal: AbortSignal,
  ): Promise<T | 'not-found'> {
    const parameters = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) if (value !== undefined) parameters.set(name, value);
    const text = parameters.toString();
    let value: T | undefined;
    const ending = await call(
      { kind: 'read', method: 'GET', path: text === '' ? path : `${path}?${text}`, attempt: 1 },
      (answer) => {
        value = read(answer);
        return value !== undefined;
      },
      signal,
    );
    if (ending.responseKind === 'success' && value !== undefined) return value;
    const { reply } = ending;
    if (reply.type === 'answer' && reply.status === 404 && isFromApi(reply)) return 'not-found';
    throw appFailureOf(ending, { kind: 'read', what, secrets });
  }

  return {
    async sendUsageEvents(events, signal) {
      const [first] = events;
      if (first === undefined) return;
      const body = JSON.stringify(events.length === 1 ? first : { events });
      const what = events.length === 1 ? 'the usage event' : `${events.length} usage events`;
      const ending = await call(
        // It may be repeated like a PUT: the event ids make it idempotent.
        { kind: 'put', method: 'POST', path: paths.events, body, attempt: 1 },
        noPage,
        signal,
      );
      const answer = ending.reply.type === 'answer' ? ending.reply : undefined;
      if (answer !== undefined && isNowhere(answer)) throw nothingAt(paths.events, answer.status);
      if (ending.responseKind !== 'success') throw appFailureOf(ending, { kind: 'put', what, secrets });
      const refusal = answer === undefined ? undefined : refusalIn(answer);
      if (answer === undefined || refusal === undefined) return;
      const detail = errorBody(answer, secrets).detail ?? printable(refusal);
      throw new ApiFailure('refused', 'none', `The target refused ${what} (${detail}).`, {
        status: answer.status,
        detail,
      });
    },

    async readCustomer(id, signal) {
      const customer = await get(paths.customer, { id }, `the customer ${id}`, customerIn, signal);
      return customer === 'not-found' ? undefined : customer;
    },

    async readUsage(query, signal) {
      const usage = await get(paths.usage, query, 'usage metrics', anyJson, signal);
      if (usage === 'not-found') throw notFound('usage metrics');
      return usage.value;
    },

    async listUsageEvents({ customerId, eventName, eventId, take, cursor }, signal) {
      const query = { customerId, eventName, eventId, take: take?.toString(), cursor };
      const page = await get(paths.events, query, 'the list of usage events', usageEventsIn, signal);
      if (page === 'not-found') throw notFound('the list of usage events');
      return page;
    },

    stats,
    close: () => transport.close(),
  };
}

/** A web server without the app API, and not the app API that does not know a customer. */
function isNowhere(answer: Answer): boolean {
  return (answer.status === 404 || answer.status === 405) && !isFromApi(answer);
}

function nothingAt(path: string, status: number): ApiFailure {
  return new ApiFailure('unreachable', 'none', `The target has no usage events at ${path} (${status}).`, {
    status,
  });
}

function notFound(what: string): ApiFailure {
  return new ApiFailure('target-unreadable', 'none', `The target does not let ${what} be read (404).`, {
    status: 404,
  });
}

/** How a call that did not succeed is told, in the words of the Core API. A 401 or 403 is about the app's key, whatever was asked for: of the whole run. */
function appFailureOf(ending: Ending, context: FailureContext): ApiFailure {
  const { reply } = ending;
  const status = reply.type === 'answer' ? reply.status : undefined;
  if (reply.type !== 'answer' || (status !== 401 && status !== 403)) return failureOf(ending, context);
  const { detail } = errorBody(reply, context.secrets);
  const said = detail === undefined ? String(status) : `${status}: ${detail}`;
  const message =
    status === 401
      ? `The app API refuses the key (${said}); check HELPDESK_APP_ID and HELPDESK_APP_KEY, and the names of their headers.`
      : `The key may not be used for ${context.what} (${said}); use one that may.`;
  return new ApiFailure('auth', 'none', message, { status, detail });
}

/** What stops a run, as the exception that does it; undefined for a failure that is about one request only. */
export function stopOf(failure: ApiFailure): AppError | undefined {
  if (failure.code === 'auth')
    return new AppError('auth', failure.message, {
      hint: 'Set HELPDESK_APP_ID and HELPDESK_APP_KEY, then run the same command again.',
      cause: failure,
    });
  if (failure.code === 'unreachable')
    return new AppError('unreachable', failure.message, {
      hint: `Check HELPDESK_APP_URL and ${failure.status === undefined ? 'the network' : 'the paths under appApi in the settings file'}, then run the same command again: it continues where it stopped.`,
      cause: failure,
    });
  return undefined;
}

/** For commands that ask one thing: whatever failed is what stops them. */
export function asAppError(failure: ApiFailure): AppError {
  return (
    stopOf(failure) ??
    new AppError('unreachable', failure.message, {
      hint: 'Check HELPDESK_APP_URL and the paths under appApi in the settings file.',
      cause: failure,
    })
  );
}

// What the app API answers, read tolerantly (docs/core-api.md, 4.4): bare or in an envelope, unknown fields kept. Undefined means
// that the answer is not what the call needs.

export type Fields = Readonly<Record<string, unknown>>;

interface UsageEventPage {
  readonly events: readonly Fields[];
  /** Where the next page begins; absent on the last one. */
  readonly cursor?: string | undefined;
}

export function fieldsOf(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
}

/**
 * Why a service that answered with success did not take the events after all: `{success: false}` or `{error}`. Undefined
 * where it took them; whatever else is in the body does not matter.
 */
function refusalIn(answer: Answer): string | undefined {
  const body = fieldsOf(json(answer));
  if (body === undefined) return undefined;
  const { success, error, message } = body;
  if (success !== false && (error === undefined || error === null || error === false)) return undefined;
  const said = [error, message].filter((part) => typeof part === 'string' && part !== '').join(': ');
  return said === '' ? 'it answers that it did not take them' : said;
}

/** A customer, in an envelope or bare. An object without any field that a customer has is none. */
function customerIn(answer: Answer): Fields | undefined {
  const body = fieldsOf(json(answer));
  const customer = fieldsOf(body?.['customer']) ?? body;
  return customer !== undefined && CUSTOMER_FIELDS.some((field) => field in customer) ? customer : undefined;
}

const CUSTOMER_FIELDS = ['id', 'subscription', 'features', 'usage', 'billingStatus', 'plans'];

/** Any JSON: the shape of usage metrics is not specified. */
function anyJson(answer: Answer): { readonly value: unknown } | undefined {
  const value = json(answer);
  return value === undefined ? undefined : { value };
}

function usageEventsIn(answer: Answer): UsageEventPage | undefined {
  const value = json(answer);
  const body = fieldsOf(value);
  const list = Array.isArray(value) ? value : (body?.['events'] ?? body?.['usageEvents']);
  if (!Array.isArray(list)) return undefined;
  const events = list.map(fieldsOf).filter((event) => event !== undefined);
  if (events.length < list.length) return undefined;
  const { cursor, hasNextPage } = body ?? {};
  const isText = typeof cursor === 'string' || typeof cursor === 'number';
  const isMore = isText && cursor !== '' && hasNextPage !== false;
  return { events, cursor: isMore ? String(cursor) : undefined };
}

/** Whether a refusal comes from the API itself and not from some web server at a wrong address. */
function isFromApi(answer: Answer): boolean {
  const body = fieldsOf(json(answer));
  return body !== undefined && ('error' in body || 'errors' in body);
}
