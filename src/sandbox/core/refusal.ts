/**
 * A request that the service refuses: thrown by handlers, answered as `{error, message, details?}` (public facts).
 * `error` is a word for programs, `message` a sentence for people.
 */
import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';

export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly status: ContentfulStatusCode;
  readonly error: string;
  readonly details: unknown;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: ContentfulStatusCode,
    error: string,
    message: string,
    more: { details?: unknown; headers?: Record<string, string> } = {},
  ) {
    super(message);
    this.status = status;
    this.error = error;
    this.details = more.details;
    this.headers = more.headers ?? {};
  }
}

export function answerRefusal(c: Context, refusal: Refusal): Response {
  const { status, error, message, details, headers } = refusal;
  return c.json({ error, message, ...(details === undefined ? {} : { details }) }, status, headers);
}

/** One row of `details`: which field, and what is wrong with it. */
export interface RefusedField {
  path: string;
  message: string;
}

/** A body that has the right shape and says something impossible (an id that does not exist). */
export function unprocessable(path: string, message: string): Refusal {
  const details: RefusedField[] = [{ path, message }];
  return new Refusal(422, 'unprocessable', `${path}: ${message}`, { details });
}

export function notFound(what: string, id: string): Refusal {
  return new Refusal(404, 'not_found', `There is no ${what} ${id.slice(0, 100)}.`);
}
