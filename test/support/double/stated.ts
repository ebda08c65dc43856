/** A service that has the writes and fields of the specification alone (2.1 to 2.4, section 4). */
import type { Context } from 'hono';
import {
  bodyOf,
  invalid,
  notAllowed,
  notFound,
  type SandboxEnv,
  type Service,
} from '../../../src/sandbox/core/request.ts';
import type { RequestKind } from './kinds.ts';

const UNNAMED: Readonly<Record<string, readonly string[]>> = {
  create: ['channelId'],
  messages: ['id', 'messageId', 'inReplyToId', 'referencesIds'],
  events: ['contactId'],
};

/** Throws Refusal. */
export async function requireStated(
  c: Context<SandboxEnv>,
  { maxBodyBytes }: Service,
  kind: RequestKind,
): Promise<void> {
  if (kind === 'update') throw notAllowed('PUT', ['GET']);
  if (kind === 'attachments') throw notFound('path', '/attachments');
  const unnamed = UNNAMED[kind];
  if (unnamed === undefined) return;
  const body = parsed(await bodyOf(c, maxBodyBytes));
  const records: unknown[] = kind === 'create' ? [body] : Array.isArray(body) ? body : [];
  const faults = records.flatMap((record, index) => {
    const place = kind === 'create' ? '' : `[${index}].`;
    const fields = Object.keys(Object(record)).filter((name) => unnamed.includes(name));
    const unsaid = kind === 'messages' && Object(record)['actorType'] === undefined ? ['actorType'] : [];
    return [...fields, ...unsaid].map((name) => ({
      path: place + name,
      message: 'The specification says otherwise.',
    }));
  });
  if (faults.length > 0) throw invalid('validation_failed', faults);
}

/** What is no JSON is refused by the call itself. */
function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return [];
  }
}
