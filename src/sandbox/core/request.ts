/** What every call works with, and how it is refused. */
import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { Clock } from '../../domain/clock.ts';
import type { Contacts } from '../store/people.ts';
import type { RequestEffect } from '../store/request-log.ts';
import type { SandboxStore } from '../store/store.ts';

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

/** The specification's, and that of deployed hosts (public facts). */
export const CORE_PREFIXES = ['/api/core/v1', '/v1'] as const;
export const APP_PREFIX = '/v1';
export const TOKEN_PATH = '/oauth/token';
export const UPLOAD_PREFIX = '/uploads';
export const DOWNLOAD_PREFIX = '/files';
export const KEPT_PREFIX = '/kept-files';

interface Effect {
  effect: RequestEffect;
  ticketId?: string | undefined;
  subject?: string | undefined;
}

export interface SandboxEnv {
  Bindings: HttpBindings;
  Variables: {
    effect: Effect | undefined;
    hidden: readonly string[] | undefined;
    appendsEvents: boolean | undefined;
    contacts: Contacts | undefined;
    body: Buffer | undefined;
  };
}

export interface Service {
  readonly store: SandboxStore;
  readonly clock: Clock;
  readonly closing: AbortSignal;
  readonly maxBodyBytes: number;
  readonly isStrict: boolean;
  /** `GET /agents?email=` makes up an agent. */
  readonly inventAgents: boolean;
  origin(): string;
}

export interface RefusedField {
  path: string;
  message: string;
}

/** Answered (public facts) with a sentence in `error`, further complaints in `details`, and `code` and `fields` for programs. */
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

const MOST_FIELDS = 50;

/** Wrong shape. */
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

/** Right shape, impossible value, such as an unknown ID. */
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
