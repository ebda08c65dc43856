/**
 * `--notify`: the JSON summary by POST when a run has ended, for whoever waits for it elsewhere. It is tried three times and
 * changes nothing about how the run ended.
 */
import { createHmac } from 'node:crypto';
import type { Clock } from '../../domain/clock.ts';
import { hideSecrets, type Secret } from '../../domain/secret.ts';
import type { Environment } from '../../target/http/dispatcher.ts';
import { createTransport } from '../../target/http/transport.ts';

const TRIES = 3;
const PAUSE_MS = 2_000;
const TIMEOUT_MS = 10_000;

export interface NoticeOptions {
  readonly url: string;
  /** Signs the body: `X-Helpdesk-Import-Signature: sha256=…`, an HMAC of the time in `X-Helpdesk-Import-Time`, a dot and the body. */
  readonly secret?: Secret | undefined;
  readonly clock: Clock;
  readonly env: Environment;
  readonly signal: AbortSignal;
}

/** A sentence where it did not arrive; undefined where it did. The address is named by its host alone: often it is a secret. */
export async function sendNotice(body: object, options: NoticeOptions): Promise<string | undefined> {
  const { clock, env, signal } = options;
  const { origin, pathname, search, host } = new URL(options.url);
  const text = hideSecrets(JSON.stringify(body));
  const transport = createTransport({ origin, timeoutMs: TIMEOUT_MS, connections: 1, clock, env });
  try {
    let why = '';
    for (let attempt = 1; attempt <= TRIES; attempt++) {
      const request = { kind: 'put', method: 'POST', path: pathname + search, body: text, attempt } as const;
      const reply = await transport.exchange({ ...request, headers: signatureOf(text, options) }, signal);
      if (reply.type === 'answer' && reply.status >= 200 && reply.status < 300) return undefined;
      why = reply.type === 'answer' ? `it answered ${reply.status}` : reply.message;
      if (attempt < TRIES) await clock.sleep(PAUSE_MS * attempt, signal);
    }
    return `${host} was not notified: ${why}.`;
  } catch (error) {
    if (signal.aborted) return `${host} was not notified: the run was stopped.`;
    throw error;
  } finally {
    await transport.close();
  }
}

function signatureOf(text: string, { secret, clock }: NoticeOptions): Record<string, string> {
  if (secret === undefined) return {};
  const time = String(Math.floor(clock.now() / 1000));
  const digest = createHmac('sha256', secret.reveal()).update(`${time}.${text}`).digest('hex');
  return { 'x-helpdesk-import-time': time, 'x-helpdesk-import-signature': `sha256=${digest}` };
}
