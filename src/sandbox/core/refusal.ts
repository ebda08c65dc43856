/**
 * A refused request: thrown by handlers, answered (public facts) with a sentence in `error`, further complaints in `details`, and for
 * programs `code` and `fields`.
 */
import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';

/** A field or parameter, and what is wrong with it. */
export interface RefusedField {
  path: string;
  message: string;
}

export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly status: ContentfulStatusCode;
  readonly code: string;
  readonly fields: readonly RefusedField[];
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: ContentfulStatusCode,
    code: string,
    message: string,
    more: { fields?: readonly RefusedField[]; headers?: Record<string, string> } = {},
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.fields = more.fields ?? [];
    this.headers = more.headers ?? {};
  }
}

export function answerRefusal(c: Context, { status, code, message, fields, headers }: Refusal): Response {
  const details = fields.map((field) => `${field.path}: ${field.message}`).join('\n');
  const more = fields.length === 0 ? {} : { ...(fields.length > 1 ? { details } : {}), fields };
  return c.json({ error: message, code, ...more }, status, headers);
}

/** Most complaints of an answer. */
const MOST_FIELDS = 50;

/** 400: a body or parameter of the wrong shape. */
export function invalid(
  code: 'validation_failed' | 'invalid_parameter',
  faults: readonly RefusedField[],
): Refusal {
  const [first] = faults;
  const more = faults.length > 1 ? ` (And ${faults.length - 1} more.)` : '';
  const where = first === undefined || first.path === '' ? 'The body' : first.path;
  const what = first?.message ?? 'is not valid';
  const end = /[.!?]$/.test(what) ? '' : '.';
  const fields = faults.slice(0, MOST_FIELDS);
  return new Refusal(400, code, `${where}: ${what}${end}${more}`, { fields });
}

/** 422: a body of the right shape with an impossible value, such as an unknown ID. */
export function unprocessable(path: string, message: string): Refusal {
  return new Refusal(422, 'unprocessable', `${path}: ${message}`, { fields: [{ path, message }] });
}

export function notFound(what: string, id: string): Refusal {
  return new Refusal(404, 'not_found', `There is no ${what} ${id.slice(0, 100)}.`);
}

export function notAllowed(method: string, allow: readonly string[]): Refusal {
  const headers = { allow: allow.join(', ') };
  return new Refusal(405, 'method_not_allowed', `${method} is not allowed here; ${headers.allow} is.`, {
    headers,
  });
}
