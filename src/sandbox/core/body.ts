/**
 * A request's body: read with a bound, decoded and parsed strictly, and held against what it must be. Read from the socket's
 * stream directly, which spares the web streams on the way and costs a third.
 */
import type { IncomingMessage } from 'node:http';
import type { Context } from 'hono';
import type { z } from 'zod';
import type { Definition } from '../../check/definition.ts';
import { Refusal, type RefusedField } from './refusal.ts';
import type { SandboxEnv } from './sandbox-env.ts';

const UTF8 = new TextDecoder('utf-8', { fatal: true });

/**
 * All bytes of the body. Throws Refusal 413 beyond `limit` bytes (at once where the length is announced), and 400 where
 * the client went away halfway.
 */
export function readBytes(incoming: IncomingMessage, limit: number): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  if (Number(incoming.headers['content-length'] ?? 0) > limit) return Promise.reject(tooLarge(limit));
  const chunks: Buffer[] = [];
  let length = 0;
  const onData = (chunk: Buffer) => {
    length += chunk.length;
    chunks.push(chunk);
    if (length > limit) settle(() => reject(tooLarge(limit)));
  };
  const onEnd = () => {
    const [only] = chunks;
    const bytes = chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks, length);
    settle(() => resolve(bytes));
  };
  const onGone = () => settle(() => reject(incomplete()));
  const settle = (then: () => void) => {
    incoming.off('data', onData).off('end', onEnd).off('error', onGone).off('close', onGone);
    then();
  };
  if (incoming.destroyed) return Promise.reject(incomplete());
  incoming.on('data', onData).on('end', onEnd).on('error', onGone).on('close', onGone);
  return promise;
}

/** The body as JSON. Throws Refusal 415 for another media type, 400 for what is not UTF-8 or not JSON, 413 as above. */
export async function readJson(c: Context<SandboxEnv>, limit: number): Promise<unknown> {
  const { incoming } = c.env;
  const type = incoming.headers['content-type'] ?? '';
  if (!/^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(type)) {
    throw new Refusal(415, 'unsupported_media_type', 'The body must be sent as application/json.');
  }
  const bytes = c.get('body') ?? (await readBytes(incoming, limit));
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
    // What is still on its way is not read: the connection ends here.
    headers: { connection: 'close' },
  });
}

function incomplete(): Refusal {
  return new Refusal(400, 'incomplete_body', 'The request ended before its body was complete.');
}

/** A body with a thousand faults is told the first of them. */
const MOST_DETAILS = 50;

/** A body of the Core API. Throws Refusal 400 that names every field that is wrong. */
export function coreBody<Body>(definition: Definition<Body>, body: unknown): Body {
  const judged = definition.judge(body);
  if ('record' in judged) return judged.record;
  throw refusal(judged.faults);
}

/** A body of any other service, by its schema. Throws Refusal 400 that names every field that is wrong. */
export function validBody<Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> {
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  throw refusal(result.error.issues.map(({ path, message }) => ({ path: fieldPath(path), message })));
}

function refusal(faults: readonly RefusedField[]): Refusal {
  const details = faults.slice(0, MOST_DETAILS).map(({ path, message }) => ({ path, message }));
  const [first] = details;
  const more = faults.length > 1 ? ` (and ${faults.length - 1} more)` : '';
  const where = first === undefined || first.path === '' ? 'The body' : first.path;
  return new Refusal(400, 'validation_failed', `${where}: ${first?.message ?? 'is not valid.'}${more}`, {
    details,
  });
}

/** `[1].contact.email`, as programs write paths. */
function fieldPath(path: readonly PropertyKey[]): string {
  let text = '';
  for (const part of path) {
    if (typeof part === 'number') text += `[${part}]`;
    else text += text === '' ? String(part) : `.${String(part)}`;
  }
  return text;
}
