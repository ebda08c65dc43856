/** A run that nobody watches: its log file, and the notice at its end. */
import { createHmac } from 'node:crypto';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { sendNotice } from '../../src/commands/run/notice.ts';
import { logLine, logRecord } from '../../src/commands/run/run-log.ts';
import type { RunEvent } from '../../src/domain/run-events.ts';
import { Secret } from '../../src/domain/secret.ts';
import { systemClock } from '../../src/system-clock.ts';
import { tickets } from '../library/tickets.ts';
import { running } from '../sandbox/running-sandbox.ts';
import { temporaryFolder } from '../support/cli.ts';
import { commandLine } from '../support/command-line.ts';

const NOW = Date.UTC(2026, 2, 31, 10, 5);
const request: RunEvent = {
  type: 'request',
  method: 'POST',
  path: '/tickets',
  status: 201,
  milliseconds: 84.4,
  attempt: 1,
};

describe('a line of the log', () => {
  it.each<[string, RunEvent, string]>([
    ['a stage', { type: 'stage', stage: 'reading' }, 'info  reading'],
    [
      'a ticket',
      { type: 'ticket', externalId: '41', outcome: 'done', ticketId: 't_9' },
      'info  ticket 41: done (t_9)',
    ],
    [
      'a ticket that failed, with why',
      { type: 'ticket', externalId: '41', outcome: 'failed', problem: { code: 'refused', message: 'No.' } },
      'error ticket 41: failed; No.',
    ],
    ['a doubt', { type: 'ticket', externalId: '41', outcome: 'inDoubt' }, 'warn  ticket 41: in doubt'],
    ['a request', { ...request, requestId: 'r-1' }, 'debug POST /tickets: 201 in 84 ms [r-1]'],
    [
      'a retry',
      { type: 'retry', reason: '502', waitMs: 800, attempt: 2 },
      'warn  again in 800 ms (attempt 2): 502',
    ],
    [
      'a problem',
      {
        type: 'problem',
        problem: {
          severity: 'error',
          code: 'invalid-email',
          file: 'a.csv',
          line: 3,
          message: 'No.',
          count: 1,
        },
      },
      'error invalid-email a.csv:3: No.',
    ],
    ['control characters', { type: 'note', message: 'a\u001b[2Jb\nc' }, 'info  a�[2Jb c'],
  ])('as text: %s', (_name, event, line) => {
    const record = logRecord(event, NOW);
    expect(record && logLine(record, 'text', NOW)).toBe(`2026-03-31T10:05:00Z ${line}`);
  });

  it('as JSON names the time, the level, the event, the ticket and the id of the request', () => {
    const line = (event: RunEvent) => JSON.parse(logLine(logRecord(event, NOW) ?? fail(), 'json', NOW));
    expect(line({ ...request, requestId: 'r-1' })).toEqual({
      time: '2026-03-31T10:05:00Z',
      level: 'debug',
      event: 'request',
      method: 'POST',
      path: '/tickets',
      status: 201,
      milliseconds: 84,
      attempt: 1,
      requestId: 'r-1',
      message: 'POST /tickets: 201 in 84 ms [r-1]',
    });
    expect(line({ type: 'ticket', externalId: '41', outcome: 'done', ticketId: 't_9' })).toMatchObject({
      event: 'ticket',
      ticket: '41',
      ticketId: 't_9',
      outcome: 'done',
    });
  });

  it.each<RunEvent>([
    { type: 'read', bytes: 1, totalBytes: 2, records: 3 },
    { type: 'waiting', reason: 'rate-budget', untilMs: NOW + 5 },
  ])('there is none for what comes many times a second: $type', (event) => {
    expect(logRecord(event, NOW)).toBeUndefined();
  });
});

function fail(): never {
  throw new Error('there is no line');
}

function scene(count = 3) {
  const folder = temporaryFolder();
  onTestFinished(() => folder[Symbol.dispose]());
  writeFileSync(folder.join('tickets.jsonl'), tickets(count));
  return { cwd: folder.path, join: folder.join };
}

describe('--log-file', () => {
  it('tells each ticket and the end, is readable for its owner alone, and is appended to', async () => {
    const service = await running();
    const { cwd, join } = scene();
    const env = { HELPDESK_BASE_URL: service.url, HELPDESK_TOKEN: service.token };
    const run = () =>
      commandLine(['run', 'tickets.jsonl', '--yes', '--log-file', 'run.log', '--log-format', 'json'], {
        cwd,
        env,
      });
    expect((await run()).code).toBe(0);
    const log = join('run.log');
    expect(statSync(log).mode & 0o777).toBe(0o600);
    const lines = () =>
      readFileSync(log, 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
    expect(
      lines()
        .filter(({ event }) => event === 'ticket')
        .map(({ outcome }) => outcome),
    ).toEqual(['done', 'done', 'done']);
    expect(lines().filter(({ event }) => event === 'request')).toEqual([]);
    expect(lines().at(-1)).toMatchObject({
      event: 'end',
      level: 'info',
      exitCode: 0,
      tickets: { done: 3 },
      message: 'run ended with 0: 3 read, 3 done, 0 rejected, 0 failed, 0 in doubt, 0 skipped, 0 pending',
    });
    expect(readFileSync(log, 'utf8')).not.toContain(service.token);
    expect((await run()).code).toBe(0);
    expect(lines().filter(({ event }) => event === 'end')).toHaveLength(2);
  });

  it('says why a run ended without a result', async () => {
    const { cwd, join } = scene();
    const { code } = await commandLine(['run', 'none.jsonl', '--dry-run', '--log-file', 'run.log'], { cwd });
    expect(code).toBe(2);
    expect(readFileSync(join('run.log'), 'utf8')).toMatch(/ error .*none\.jsonl/);
  });

  it('that cannot be opened ends the command before anything is sent', async () => {
    const { cwd } = scene();
    const { code, stderr } = await commandLine(
      ['run', 'tickets.jsonl', '--dry-run', '--log-file', 'no/run.log'],
      { cwd },
    );
    expect(code).toBe(2);
    expect(stderr).toContain('The log file');
    expect(stderr).toContain('no/run.log cannot be written (ENOENT).');
  });
});

interface Received {
  readonly request: IncomingMessage;
  readonly body: string;
}

/** A receiver of notices that answers with these statuses, the last one from then on. */
async function receiver(...statuses: number[]) {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => {
      body += text;
    });
    request.on('end', () => {
      received.push({ request, body });
      response.writeHead(statuses[Math.min(received.length, statuses.length) - 1] ?? 200).end();
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => void server.close());
  return { received, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook?key=hidden-key` };
}

describe('--notify', () => {
  it('posts the summary that --json prints', async () => {
    const { cwd } = scene();
    const { received, url } = await receiver(204);
    const ended = await commandLine(['run', 'tickets.jsonl', '--dry-run', '--json', '--notify', url], {
      cwd,
    });
    expect(ended.code).toBe(0);
    expect(received).toHaveLength(1);
    expect(received[0]?.request).toMatchObject({ method: 'POST', url: '/hook?key=hidden-key' });
    expect(JSON.parse(received[0]?.body ?? '')).toEqual(JSON.parse(ended.stdout));
  });

  it('is signed with the secret of the environment', async () => {
    const { cwd } = scene();
    const { received, url } = await receiver(200);
    const env = { HELPDESK_NOTIFY_SECRET: 'a signing key' };
    await commandLine(['run', 'tickets.jsonl', '--dry-run', '--notify', url], { cwd, env });
    const { request, body } = received[0] ?? fail();
    const time = request.headers['x-helpdesk-import-time'];
    const digest = createHmac('sha256', 'a signing key').update(`${time}.${body}`).digest('hex');
    expect(request.headers['x-helpdesk-import-signature']).toBe(`sha256=${digest}`);
  });

  it('posts the error of a run that ended without a result', async () => {
    const { cwd } = scene();
    const { received, url } = await receiver(200);
    const { code } = await commandLine(['run', 'none.jsonl', '--dry-run', '--notify', url], { cwd });
    expect(code).toBe(2);
    expect(JSON.parse(received[0]?.body ?? '')).toMatchObject({ mode: 'dry-run', exitCode: 2 });
  });

  /** Pauses between tries take no time; time-outs are as they are. */
  const hurried = {
    ...systemClock,
    sleep: async (ms: number, signal?: AbortSignal) => {
      if (ms > 5_000) await systemClock.sleep(ms, signal);
    },
  };
  const send = (url: string, signal = new AbortController().signal) =>
    sendNotice({ exitCode: 0 }, { url, secret: new Secret('s'), clock: hurried, env: {}, signal });

  it.each<[string, number[], number, string | undefined]>([
    ['is tried three times', [500, 503, 200], 3, undefined],
    ['and then given up', [500], 3, 'was not notified: it answered 500.'],
  ])('%s', async (_name, statuses, times, sentence) => {
    const { received, url } = await receiver(...statuses);
    const problem = await send(url);
    expect(received).toHaveLength(times);
    if (sentence === undefined) expect(problem).toBeUndefined();
    else expect(problem).toContain(sentence);
    expect(problem ?? '').not.toContain('hidden-key');
  });

  it('changes nothing about how a run ended, and names the host alone', async () => {
    const problem = await send('http://127.0.0.1:1/hook?key=hidden-key');
    expect(problem).toMatch(/^127\.0\.0\.1:1 was not notified: /);
    expect(problem).not.toContain('hidden-key');
  });
});
