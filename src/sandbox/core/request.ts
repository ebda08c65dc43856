/** What every call works with: the kind of a request, its variables and services, and how it is refused. */
import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { Clock } from '../../domain/clock.ts';
import type { Contacts } from '../store/people.ts';
import type { RequestEffect } from '../store/request-log.ts';
import type { SandboxStore } from '../store/store.ts';

/** Kinds of requests, for faults and the log. */
export const REQUEST_KINDS = [
  'create',
  'update',
  'messages',
  'events',
  'list',
  'read',
  'agents',
  'contacts',
  'attachments',
  'workspace',
  'upload',
  'download',
  'usage-events',
  'billing',
  'token',
  'page',
  'other',
] as const;
export type RequestKind = (typeof REQUEST_KINDS)[number];

/** The specification's prefix of the Core API, and that of deployed hosts (public facts). */
export const CORE_PREFIXES = ['/api/core/v1', '/v1'] as const;
export const APP_PREFIX = '/v1';
export const TOKEN_PATH = '/oauth/token';
export const UPLOAD_PREFIX = '/uploads';
export const DOWNLOAD_PREFIX = '/files';
/** Files of an import in a folder (`--files`). */
export const KEPT_PREFIX = '/kept-files';

/** The effect of a handler, for the log. */
interface Effect {
  effect: RequestEffect;
  ticketId?: string | undefined;
  subject?: string | undefined;
}

export interface SandboxEnv {
  Bindings: HttpBindings;
  Variables: {
    /** Set by a handler with an effect. */
    effect: Effect | undefined;
    /** Set by faults: conditions of hidden tickets. */
    hidden: readonly string[] | undefined;
    /** Set by a fault: a PUT of events adds them. */
    appendsEvents: boolean | undefined;
    /** Set by a fault: another way to match contacts. */
    contacts: Contacts | undefined;
    /** The body, if it was read before the handler. */
    body: Buffer | undefined;
  };
}

export interface Service {
  readonly store: SandboxStore;
  readonly clock: Clock;
  /** Aborts when the sandbox closes. */
  readonly closing: AbortSignal;
  readonly maxBodyBytes: number;
  /** Refuses what the specification does not name. */
  readonly isStrict: boolean;
  /** `GET /agents?email=` makes up an agent for an unknown address. */
  readonly inventAgents: boolean;
  /** The service's own address, for signed URLs. */
  origin(): string;
}

/** A field or parameter, and what is wrong with it. */
export interface RefusedField {
  path: string;
  message: string;
}

/**
 * A refused request: thrown by handlers, answered (public facts) with a sentence in `error`, further complaints in `details`, and for
 * programs `code` and `fields`.
 */
export class Refusal extends Error {
  readonly status: ContentfulStatusCode;
  readonly code: string;
  readonly more: { readonly fields?: readonly RefusedField[]; readonly headers?: Record<string, string> };

  constructor(status: ContentfulStatusCode, code: string, message: string, more: Refusal['more'] = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.more = more;
  }
}

export function answerRefusal(c: Context, { status, code, message, more: extra }: Refusal): Response {
  const { fields = [], headers } = extra;
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
