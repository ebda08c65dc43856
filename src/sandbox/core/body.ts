/** Reads a request's body, limited. Reading the socket takes a third of the time of web streams. */
import type { IncomingMessage } from 'node:http';
import type { Context } from 'hono';
import type { z } from 'zod';
import { invalid, Refusal, type SandboxEnv } from './request.ts';

const UTF8 = new TextDecoder('utf-8', { fatal: true });

/** Throws Refusal 413 beyond `limit` bytes, and 400 if the client went away. */
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

export async function bodyOf(c: Context<SandboxEnv>, limit: number): Promise<Buffer> {
  const bytes = c.get('body') ?? (await readBytes(c.env.incoming, limit));
  c.set('body', bytes);
  return bytes;
}

export async function readForm(c: Context<SandboxEnv>): Promise<URLSearchParams> {
  return new URLSearchParams((await readBytes(c.env.incoming, 64 * 1024)).toString('utf8'));
}

/** Throws Refusal 415 for another media type, 400 if it is not UTF-8 or not JSON, 413 as above. */
export async function readJson(c: Context<SandboxEnv>, limit: number): Promise<unknown> {
  const { incoming } = c.env;
  const type = incoming.headers['content-type'] ?? '';
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

function incomplete(): Refusal {
  return new Refusal(400, 'incomplete_body', 'The request ended before its body was complete.');
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
