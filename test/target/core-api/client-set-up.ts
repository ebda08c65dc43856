/** A client of the Core API against a service that answers as a test says; both are closed after the test. */
import { onTestFinished } from 'vitest';
import type { RunEvent } from '../../../src/domain/run-events.ts';
import { Secret } from '../../../src/domain/secret.ts';
import { ApiFailure } from '../../../src/domain/ticket-api.ts';
import { type CoreApiOptions, createCoreApi } from '../../../src/target/core-api/client.ts';
import { createAdmission } from '../../../src/target/pace/admission.ts';
import type { RequestSample } from '../../../src/target/pace/concurrency-limit.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { apiServer, type Responder } from './api-server.ts';

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

export async function setUp(
  respond: Responder,
  { aboutToSend, ...options }: Partial<CoreApiOptions> & { aboutToSend?: () => void } = {},
) {
  const server = await apiServer(respond);
  const clock = createFakeClock();
  const events: RunEvent[] = [];
  const samples: RequestSample[] = [];
  const { giveUpAfterMs, stopping } = options;
  const emit = (each: RunEvent) => void events.push(each);
  const admission = createAdmission({ budgets: [], clock, emit, giveUpAfterMs, stopping, aboutToSend });
  const api = createCoreApi({
    baseUrl: server.url,
    credentials: { kind: 'token', token: new Secret(TOKEN) },
    timeoutMs: 30_000,
    connections: 8,
    admission,
    clock,
    random: () => 1,
    emit: (each) => events.push(each),
    onSample: (sample) => samples.push(sample),
    ...options,
  });
  onTestFinished(async () => {
    await api.close();
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
      const ended = events.filter(({ type }) => type === 'request').length;
      if (!settled && admission.admitted === ended) await clock.advanceToNext();
    }
    return promise;
  };
  return { api, server, clock, settle, events, samples, admission };
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
