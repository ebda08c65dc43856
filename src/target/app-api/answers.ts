/**
 * What the app API answers, read tolerantly (public facts): bare or in an envelope, unknown fields kept. Undefined means
 * that the answer is not what the call needs.
 */
import { json } from '../core-api/answers.ts';
import type { Answer } from '../http/exchange.ts';

export type Fields = Readonly<Record<string, unknown>>;

export interface UsageEventPage {
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
export function refusalIn(answer: Answer): string | undefined {
  const body = fieldsOf(json(answer));
  if (body === undefined) return undefined;
  const { success, error, message } = body;
  if (success !== false && (error === undefined || error === null || error === false)) return undefined;
  const said = [error, message].filter((part) => typeof part === 'string' && part !== '').join(': ');
  return said === '' ? 'it answers that it did not take them' : said;
}

/** A customer, in an envelope or bare. An object without any field that a customer has is none. */
export function customerIn(answer: Answer): Fields | undefined {
  const body = fieldsOf(json(answer));
  const customer = fieldsOf(body?.['customer']) ?? body;
  return customer !== undefined && CUSTOMER_FIELDS.some((field) => field in customer) ? customer : undefined;
}

const CUSTOMER_FIELDS = ['id', 'subscription', 'features', 'usage', 'billingStatus', 'plans'];

/** Any JSON: the shape of usage metrics is not specified. */
export function anyJson(answer: Answer): { readonly value: unknown } | undefined {
  const value = json(answer);
  return value === undefined ? undefined : { value };
}

export function usageEventsIn(answer: Answer): UsageEventPage | undefined {
  const value = json(answer);
  const body = fieldsOf(value);
  const list = Array.isArray(value) ? value : (body?.['events'] ?? body?.['usageEvents']);
  if (!Array.isArray(list)) return undefined;
  const events: Fields[] = [];
  for (const element of list) {
    const event = fieldsOf(element);
    if (event === undefined) return undefined;
    events.push(event);
  }
  const { cursor, hasNextPage } = body ?? {};
  const isText = typeof cursor === 'string' || typeof cursor === 'number';
  const isMore = isText && cursor !== '' && hasNextPage !== false;
  return { events, cursor: isMore ? String(cursor) : undefined };
}

/** Whether a refusal comes from the API itself and not from some web server at a wrong address. */
export function isFromApi(answer: Answer): boolean {
  const body = fieldsOf(json(answer));
  return body !== undefined && ('error' in body || 'errors' in body);
}
