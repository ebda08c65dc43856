/** The body of a call, and its refusal. */
import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { z } from 'zod';
import type { Clock } from '../../domain/ports.ts';
import type { Contacts } from '../store/people.ts';
import type { SandboxStore } from '../store/store.ts';

/** The specification's, and that of deployed hosts (public facts). */
export const CORE_PREFIXES = ['/api/core/v1', '/v1'] as const;
export const UPLOAD_PREFIX = '/uploads';
export const DOWNLOAD_PREFIX = '/files';
export const KEPT_PREFIX = '/kept-files';

export interface SandboxEnv {
  Bindings: HttpBindings;
  Variables: {
    contacts: Contacts | undefined;
  };
}

export interface Service {
  readonly store: SandboxStore;
  readonly clock: Clock;
  readonly closing: AbortSignal;
  readonly maxBodyBytes: number;
  /** `GET /agents?email=` makes up an agent. */
  readonly inventAgents: boolean;
  origin(): string;
  /** Throws Refusal. A test replaces it. */
  authorize(c: Context<SandboxEnv>): void;
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

const UTF8 = new TextDecoder('utf-8', { fatal: true });

/** Throws Refusal 413 beyond `limit` bytes, and 400 if the client went away. May be called again. */
export async function bodyOf(c: Context<SandboxEnv>, limit: number): Promise<Buffer> {
  if (Number(c.req.header('content-length') ?? 0) > limit) throw tooLarge(limit);
  const bytes = await c.req.arrayBuffer().catch((): never => {
    throw new Refusal(400, 'incomplete_body', 'The request ended before its body was complete.');
  });
  if (bytes.byteLength > limit) throw tooLarge(limit);
  return Buffer.from(bytes);
}

/** Throws Refusal 415 for another media type, 400 if it is not UTF-8 or not JSON, 413 as above. */
export async function readJson(c: Context<SandboxEnv>, limit: number): Promise<unknown> {
  const type = c.req.header('content-type') ?? '';
  if (!/^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(type)) {
    throw new Refusal(415, 'unsupported_media_type', 'The body must be sent as application/json.');
  }
  const bytes = await bodyOf(c, limit);
  let text: string;
  try {
    text = UTF8.decode(bytes);
  } catch {
    throw new Refusal(400, 'invalid_json', 'The body is not valid UTF-8.');
  }
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new Refusal(400, 'invalid_json', 'The body is not valid JSON.');
  }
}

function tooLarge(limit: number): Refusal {
  return new Refusal(413, 'payload_too_large', `The body is larger than ${limit} bytes.`, {
    // The rest stays unread.
    headers: { connection: 'close' },
  });
}

/** Throws Refusal 400 with everything that is wrong. */
export function valid<Schema extends z.ZodType>(
  schema: Schema,
  sent: unknown,
  code: 'validation_failed' | 'invalid_parameter' = 'validation_failed',
): z.output<Schema> {
  const result = schema.safeParse(sent);
  if (result.success) return result.data;
  const { issues } = result.error;
  if (code === 'validation_failed')
    throw invalid(
      code,
      issues.map(({ path, message }) => ({ path: fieldPath(path), message })),
    );
  throw invalid(
    code,
    issues.flatMap((issue) =>
      issue.code === 'unrecognized_keys'
        ? issue.keys.map((path) => ({ path, message: 'Unknown parameter.' }))
        : [{ path: String(issue.path[0]), message: issue.message }],
    ),
  );
}

/** `[1].contact.email`. */
function fieldPath(path: readonly PropertyKey[]): string {
  let text = '';
  for (const part of path) {
    if (typeof part === 'number') text += `[${part}]`;
    else text += text === '' ? String(part) : `.${String(part)}`;
  }
  return text;
}
