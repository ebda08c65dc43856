/** The same tickets sent by this program and by what one might write instead. Each resolves with tickets a second. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Pool } from 'undici';
import { openCheckpoint } from '../../src/checkpoint/checkpoint.ts';
import type { Rate } from '../../src/domain/limits.ts';
import { Secret } from '../../src/domain/secret.ts';
import type { PlannedTicket } from '../../src/domain/ticket.ts';
import { createCoreApi } from '../../src/helpdesk/api.ts';
import { type PushResult, push } from '../../src/push/push.ts';
import { systemClock } from '../../src/system-clock.ts';

const ROOT = '/api/core/v1/tickets';
const HEADERS = {
  'content-type': 'application/json',
  authorization: 'Bearer secret',
  accept: 'application/json',
};

/** A loop over an undici pool, with nothing kept: no checkpoint, no pace, no retry. */
export async function bareLoop(
  url: string,
  tickets: readonly PlannedTicket[],
  inFlight: number,
): Promise<number> {
  const pool = new Pool(url, { connections: inFlight, pipelining: 1 });
  const call = async (method: 'POST' | 'PUT', path: string, body: unknown) => {
    const answer = await pool.request({ method, path, headers: HEADERS, body: JSON.stringify(body) });
    const text = await answer.body.text();
    if (answer.statusCode >= 300) throw new Error(`status ${answer.statusCode}`);
    return text;
  };
  const begun = performance.now();
  let next = 0;
  const worker = async () => {
    for (let ticket = tickets[next++]; ticket !== undefined; ticket = tickets[next++]) {
      const { id } = (JSON.parse(await call('POST', ROOT, ticket.ticket)) as { ticket: { id: string } })
        .ticket;
      await call('PUT', `${ROOT}/${id}/messages`, ticket.messages);
      await call('PUT', `${ROOT}/${id}/events`, ticket.events);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, worker));
  const rate = rateOf(tickets, begun);
  await pool.close();
  return rate;
}

export interface SendOptions {
  /** `machine`: survives a loss of power. `process`: survives the end of the process. */
  readonly durable: 'machine' | 'process';
  readonly budgets?: readonly Rate[];
}

/** This program's push, client and checkpoint, without reading and without a rate budget. */
export async function ours(
  url: string,
  tickets: readonly PlannedTicket[],
  inFlight: number,
  { durable, budgets = [] }: SendOptions = { durable: 'machine' },
): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'helpdesk-import-bench-'));
  const ledger = openCheckpoint(join(folder, 'checkpoint.sqlite'), {
    target: url,
    clock: systemClock,
    programVersion: 'bench',
    survives: durable,
  });
  const api = createCoreApi({
    baseUrl: url,
    credentials: { kind: 'token', token: new Secret('secret') },
    timeoutMs: 30_000,
    connections: inFlight,
    budgets,
    clock: systemClock,
    random: Math.random,
  });
  try {
    const begun = performance.now();
    const result = await push(
      work(tickets),
      {
        api,
        ledger,
        names: { nameOf: () => undefined },
        clock: systemClock,
        random: Math.random,
        emit: () => {},
      },
      {
        concurrency: inFlight,
        timeoutMs: 30_000,
        source: 'import',
        settleMs: 2000,
        giveUpAfterMs: 600_000,
      },
      { soft: new AbortController().signal, hard: new AbortController().signal },
    );
    const rate = rateOf(tickets, begun);
    requireAll(result, tickets);
    return rate;
  } finally {
    await api[Symbol.asyncDispose]();
    await ledger.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function* work(tickets: readonly PlannedTicket[]): AsyncGenerator<PlannedTicket> {
  yield* tickets;
}

function requireAll({ tickets: { done } }: PushResult, tickets: readonly PlannedTicket[]): void {
  if (done !== tickets.length) throw new Error(`${done} of ${tickets.length} tickets are done`);
}

function rateOf(tickets: readonly PlannedTicket[], begun: number): number {
  return (tickets.length / (performance.now() - begun)) * 1000;
}
