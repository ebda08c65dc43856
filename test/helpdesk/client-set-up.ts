/** A client of the Core API against a service that answers as a test says; both are closed after the test. */
import { onTestFinished } from 'vitest';
import type { RunEvent } from '../../src/domain/ports.ts';
import { Secret } from '../../src/domain/secret.ts';
import { ApiFailure } from '../../src/domain/ticket-api.ts';
import { type CoreApiOptions, createCoreApi } from '../../src/helpdesk/api.ts';
import { canned, type Responder } from '../support/canned.ts';
import { createFakeClock, type FakeClock } from '../support/fake-clock.ts';

export const TOKEN = 'secret-token-0123456789';
export const ticket = {
  subject: 'Hi',
  createdAt: '2024-01-01T00:00:00.000Z',
  contact: { email: 'a@b.example' },
};
export const message = { actorType: 'system' as const, content: 'x', occurredAt: '2024-01-01T00:00:00.000Z' };
export const event = {
  type: 'status_change',
  actorType: 'system' as const,
  occurredAt: '2024-01-01T00:00:00.000Z',
};
export const { signal } = new AbortController();

/** How long an answer may take; no pause of a test is as long. */
const TIMEOUT_MS = 29_999;

export async function setUp(respond: Responder, options: Partial<CoreApiOptions> = {}) {
  const server = await canned(respond);
  const fake = createFakeClock();
  let onWire = 0;
  const clock: FakeClock = {
    ...fake,
    sleep(ms, until) {
      if (ms !== TIMEOUT_MS) return fake.sleep(ms, until);
      onWire += 1;
      return fake.sleep(ms, until).finally(() => {
        onWire -= 1;
      });
    },
  };
  const events: RunEvent[] = [];
  const api = createCoreApi({
    baseUrl: server.url,
    credentials: { kind: 'token', token: new Secret(TOKEN) },
    timeoutMs: TIMEOUT_MS,
    connections: 8,
    budgets: [],
    clock,
    random: () => 1,
    emit: (each) => events.push(each),
    ...options,
  });
  onTestFinished(async () => {
    await api[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });
  /** Moves the clock on, but only while no request is on the wire: answers take no time here. */
  const settle = async <T>(promise: Promise<T>): Promise<T> => {
    let settled = false;
    const mark = () => {
      settled = true;
    };
    promise.then(mark, mark);
    while (!settled) {
      for (let turns = 0; turns < 3; turns++) await new Promise((resolve) => setImmediate(resolve));
      if (!settled && onWire === 0) await clock.advanceToNext();
    }
    return promise;
  };
  return { api, server, clock, settle, events };
}

/** What the client failed with; anything else is thrown on. */
export const failure = (promise: Promise<unknown>): Promise<ApiFailure> =>
  promise.then(
    () => {
      throw new Error('it did not fail');
    },
    (error: unknown) => {
      if (!(error instanceof ApiFailure)) throw error;
      return error;
    },
  );
