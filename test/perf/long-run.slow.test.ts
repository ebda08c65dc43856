/** A day of importing in a minute: everything but the wire and the clock is real. */
import { getEventListeners } from 'node:events';
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openCheckpoint } from '../../src/checkpoint/checkpoint.ts';
import { Secret } from '../../src/domain/secret.ts';
import type { PlannedTicket } from '../../src/domain/ticket.ts';
import type { TicketApi } from '../../src/domain/ticket-api.ts';
import { push } from '../../src/push/push.ts';
import { composeCalls } from '../../src/target/calls.ts';
import type { ApiRequest, Exchange, Reply } from '../../src/target/http.ts';
import { oauthTokens } from '../../src/target/tokens.ts';
import { createFakeClock } from '../support/fake-clock.ts';

const HOUR = 3_600_000;
const BUDGET = { requests: 100, seconds: 60 };
/** Three calls each, so that the budget makes them last a little more than a day. */
const TICKETS = 48_000;
const TOKEN_SECONDS = 3600;
const LATENCY_MS = 80;

const DIGESTS = { ticket: '1'.repeat(16), messages: '2'.repeat(16), events: '3'.repeat(16) };

function ticket(seq: number): PlannedTicket {
  const email = `c${seq % 9000}@example.com`;
  const at = '2024-03-01T10:00:00.000Z';
  return {
    seq,
    externalId: `zendesk-${seq}`,
    action: { do: 'create' },
    ticket: { subject: `Subject ${seq}`, createdAt: at, contact: { email } },
    messages: [{ actorType: 'customer', contact: { email }, content: 'Hello', occurredAt: at }],
    events: [{ type: 'status_change', actorType: 'system', occurredAt: at }],
    fingerprints: DIGESTS,
    contacts: [email],
    batch: Math.floor(seq / 100) + 1,
  };
}

async function* plan(onTicket: (seq: number) => void): AsyncGenerator<PlannedTicket> {
  for (let seq = 0; seq < TICKETS; seq++) {
    onTicket(seq);
    yield ticket(seq);
  }
}

it('a day of importing: the budget used and never exceeded, tokens renewed in time, nothing left behind', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'helpdesk-import-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'checkpoint.sqlite');
  const clock = createFakeClock();
  const checkpoint = openCheckpoint(path, {
    target: 'https://desk.example.com',
    clock,
    programVersion: '0',
    survives: 'process',
  });

  const arrivals: number[] = [];
  const seen = { unauthorized: 0, grants: 0, creates: new Map<string, number>() };
  /** Tokens and when each of them expires, by the service's own clock, which no jump of ours moves. */
  const valid = new Map<string, number>();
  const service: Exchange = async (request, signal, onBegun) => {
    onBegun?.();
    arrivals.push(clock.monotonic());
    await clock.sleep(LATENCY_MS, signal);
    const token = request.headers?.['authorization']?.replace('Bearer ', '') ?? '';
    if (clock.monotonic() >= (valid.get(token) ?? 0)) {
      seen.unauthorized++;
      return answer(401, { error: 'token_expired' });
    }
    if (request.method !== 'POST') return answer(200, {});
    const { subject } = JSON.parse(request.body ?? '{}') as { subject: string };
    seen.creates.set(subject, (seen.creates.get(subject) ?? 0) + 1);
    return answer(201, { ticket: { id: `t-${seen.creates.size}` } });
  };
  const tokens = oauthTokens(
    { kind: 'oauth', tokenUrl: 'https://tokens.example', clientId: 'app' },
    { clock, random: () => 0.5, emit: () => {}, timeoutMs: 30_000 },
    {
      grant: async () => {
        await clock.sleep(LATENCY_MS);
        seen.grants++;
        const token = `token-${seen.grants}`;
        valid.set(token, clock.monotonic() + TOKEN_SECONDS * 1000);
        return { accessToken: new Secret(token), seconds: TOKEN_SECONDS };
      },
      close: () => undefined,
    },
  );
  const { call, stats } = composeCalls({
    transport: service,
    tokens,
    budgets: [BUDGET],
    clock,
    random: () => 0.5,
    emit: () => {},
    probe: { kind: 'read', method: 'GET', path: '/tickets', attempt: 1 },
  });
  const soft = new AbortController();
  const hard = new AbortController();
  // The wall clock is set forth and back, and once the machine sleeps for two hours.
  const jumps = new Map([
    [6000, HOUR],
    [12_000, -2 * HOUR],
    [30_000, 2 * HOUR],
  ]);
  let largestLog = 0;
  const result = await clock.settle(
    push(
      plan((seq) => {
        clock.jump(jumps.get(seq) ?? 0);
        if (seq % 1000 === 0) largestLog = Math.max(largestLog, statSync(`${path}-wal`).size);
      }),
      {
        api: apiOver(call),
        ledger: checkpoint,
        names: { nameOf: () => undefined },
        clock,
        random: () => 0.5,
        emit: () => {},
      },
      {
        concurrency: 16,
        batchSize: 100,
        timeoutMs: 30_000,
        settleMs: 2000,
        giveUpAfterMs: 600_000,
      },
      { soft: soft.signal, hard: hard.signal },
    ),
  );
  tokens.close();

  expect(result.tickets).toEqual({ done: TICKETS, failed: 0, inDoubt: 0, pending: 0 });
  expect([...seen.creates.values()].every((times) => times === 1)).toBe(true);
  expect(seen.creates.size).toBe(TICKETS);
  expect(stats).toEqual({ sent: 3 * TICKETS, retried: 0, rateLimited: 0, changing: 3 * TICKETS });

  // The budget: never more than allowed in any window, and hardly less.
  const hours = (arrivals.at(-1) ?? 0) / HOUR;
  expect(hours).toBeGreaterThan(24);
  expect(arrivals.length / ((hours * HOUR) / 1000 / BUDGET.seconds) / BUDGET.requests).toBeGreaterThan(0.99);
  expect(mostWithin(arrivals, BUDGET.seconds * 1000)).toBeLessThanOrEqual(BUDGET.requests);

  // Tokens: each renewed a minute before its end; a jump of the wall clock may cost one renewal, and never a 401.
  expect(seen.unauthorized).toBe(0);
  expect(seen.grants).toBeGreaterThanOrEqual(24);
  expect(seen.grants).toBeLessThanOrEqual(24 + 1 + jumps.size);

  // Nothing is left behind, and nothing grew.
  expect(clock.sleeping()).toBe(0);
  expect(getEventListeners(soft.signal, 'abort')).toEqual([]);
  expect(getEventListeners(hard.signal, 'abort')).toEqual([]);
  expect(largestLog).toBeLessThan(9 * 1024 * 1024);
  await checkpoint.close();
  expect(existsSync(`${path}-wal`)).toBe(false);
  expect(statSync(path).size / TICKETS).toBeLessThan(300);
});

function apiOver(call: ReturnType<typeof composeCalls>['call']): TicketApi {
  const send = async (request: Omit<ApiRequest, 'attempt'>, signal: AbortSignal) => {
    const { reply } = await call({ ...request, attempt: 1 }, () => true, signal);
    if (reply.type !== 'answer' || reply.status >= 300)
      throw new Error(`not answered: ${JSON.stringify(reply)}`);
    return JSON.parse(reply.body.toString()) as { ticket: { id: string } };
  };
  const unused = () => Promise.reject(new Error('nothing is read in this test'));
  return {
    createTicket: async (body, signal, wire) => {
      const { ticket: made } = await send(
        { kind: 'create', method: 'POST', path: '/tickets', body: JSON.stringify(body), wire },
        signal,
      );
      return { id: made.id, ticket: made };
    },
    replaceMessages: async (id, body, signal) => {
      await send(
        { kind: 'put', method: 'PUT', path: `/tickets/${id}/messages`, body: JSON.stringify(body) },
        signal,
      );
      return { confirmed: true };
    },
    replaceEvents: async (id, body, signal) => {
      await send(
        { kind: 'put', method: 'PUT', path: `/tickets/${id}/events`, body: JSON.stringify(body) },
        signal,
      );
      return { confirmed: true };
    },
    updateTicket: unused,
    findTickets: unused,
    readTicket: unused,
    readMessages: unused,
    readMessage: unused,
    readEvents: unused,
    countTickets: () => Promise.resolve(undefined),
    whoIs: () => Promise.resolve(undefined),
    findAgent: unused,
  };
}

function answer(status: number, body: unknown): Reply {
  return { type: 'answer', status, headers: {}, body: Buffer.from(JSON.stringify(body)) };
}

function mostWithin(times: readonly number[], windowMs: number): number {
  let most = 0;
  let oldest = 0;
  for (const [index, at] of times.entries()) {
    while ((times[oldest] ?? 0) <= at - windowMs) oldest++;
    most = Math.max(most, index - oldest + 1);
  }
  return most;
}
