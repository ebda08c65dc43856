/** Transports with a clock of their own, closed after the test that opened them, and the requests that they carry. */
import { onTestFinished } from 'vitest';
import { type ApiRequest, createTransport, type TransportOptions } from '../../src/helpdesk/http.ts';
import { createFakeClock } from '../support/fake-clock.ts';

/** Of a run that is never stopped. */
export const { signal } = new AbortController();

export function transportTo(origin: string, options: Partial<TransportOptions> = {}) {
  const clock = createFakeClock();
  const transport = createTransport({ origin, timeoutMs: 30_000, connections: 4, clock, ...options });
  onTestFinished(() => transport.close());
  return { clock, ...transport };
}

export const create = (body = '{"subject":"Hi"}'): ApiRequest => ({
  kind: 'create',
  method: 'POST',
  path: '/tickets',
  body,
  attempt: 1,
});
export const read: ApiRequest = { kind: 'read', method: 'GET', path: '/tickets?take=1', attempt: 1 };
/** More than any socket buffer takes. */
export const huge = () => create(JSON.stringify({ subject: 'x'.repeat(16 * 1024 * 1024) }));

/** Until the condition holds; for what other sides of a socket do. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}

export function afterTurns(turns: number, then: () => void): void {
  setImmediate(() => (turns > 1 ? afterTurns(turns - 1, then) : then()));
}
