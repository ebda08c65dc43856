/** A sandbox for one test, and a client that hides nothing. */
import { onTestFinished } from 'vitest';
import { createFakeClock, type FakeClock } from '../support/fake-clock.ts';
import type { DoubleOptions } from '../support/logged-sandbox.ts';
import { type LoggedSandbox, startLogged } from '../support/logged-sandbox.ts';

/** What the clock of every sandbox begins with. */
export const START = Date.parse('2026-03-01T12:00:00.000Z');

/** That of every sandbox of a test, unless it brings its own; browsers of tests carry it. */
export const TOKEN = 'sandbox_token_of_the_tests';

/** A page of a sandbox, as seen with its token. */
export const look = (address: string) => fetch(address, { headers: { authorization: `Bearer ${TOKEN}` } });

export interface Answer {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
  body: any;
}

export interface RunningSandbox extends LoggedSandbox {
  clock: FakeClock;
  /** A Core API call with the sandbox's token; the path is below `/api/core/v1`. */
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  create(ticket: Record<string, unknown>): Promise<string>;
}

/** Closed when the test is over, which fails where the sandbox had defects. */
export async function running(options: Partial<DoubleOptions> = {}): Promise<RunningSandbox> {
  const sandbox = await runningOn(options);
  onTestFinished(() => sandbox.close());
  return sandbox;
}

/** For tests that share one sandbox: they close it themselves, and that throws where it had defects. */
export async function runningOn(options: Partial<DoubleOptions> = {}): Promise<RunningSandbox> {
  const clock = createFakeClock(START);
  const defects: unknown[] = [];
  const sandbox = await startLogged({
    clock,
    // What the specification does not name is refused, unless a test is about just that.
    strict: true,
    auth: { token: TOKEN },
    onDefect: (error) => defects.push(error),
    ...options,
  });
  const call: RunningSandbox['call'] = async (method, path, body, headers = {}) => {
    const response = await fetch(`${sandbox.url}/api/core/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${sandbox.token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const json = (response.headers.get('content-type') ?? '').includes('json');
    return { status: response.status, headers: response.headers, body: json ? JSON.parse(text) : text };
  };
  const create = async (ticket: Record<string, unknown>) => {
    const answer = await call('POST', '/tickets', ticket);
    if (answer.status !== 201) throw new Error(`not created: ${JSON.stringify(answer.body)}`);
    return (answer.body.ticket ?? answer.body).id as string;
  };
  const close = async () => {
    await sandbox.close();
    const found = defects.splice(0);
    if (found.length > 0) throw new AggregateError(found, 'the sandbox had defects');
  };
  return { ...sandbox, clock, call, create, close };
}
