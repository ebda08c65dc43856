/** An unattended run: its log file. */
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { logLine, logRecord } from '../../src/commands/run/run-log.ts';
import type { RunEvent } from '../../src/domain/run-events.ts';
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
  ])('has a level and a sentence: %s', (_name, event, line) => {
    const record = logRecord(event, NOW);
    expect(`${record?.level.padEnd(5)} ${record?.message}`).toBe(line);
  });

  it('as JSON names the time, the level, the event, the ticket and the id of the request', () => {
    const line = (event: RunEvent) => JSON.parse(logLine(logRecord(event, NOW) ?? fail(), NOW));
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
  ])('events that come many times a second are not logged: $type', (event) => {
    expect(logRecord(event, NOW)).toBeUndefined();
  });
});

function fail(): never {
  throw new Error('there is no line');
}

function scene(logFile = 'run.log', count = 3) {
  const folder = temporaryFolder();
  onTestFinished(() => folder[Symbol.dispose]());
  writeFileSync(folder.join('tickets.jsonl'), tickets(count));
  writeFileSync(
    folder.join('helpdesk-import.yaml'),
    `run:
  logFile: ${logFile}
`,
  );
  return { cwd: folder.path, join: folder.join };
}

describe('run.logFile', () => {
  it('has each ticket and the end, is readable for its owner alone, and is appended to', async () => {
    const service = await running();
    const { cwd, join } = scene();
    const env = { HELPDESK_BASE_URL: service.url, HELPDESK_TOKEN: service.token };
    const run = () =>
      commandLine(['run', 'tickets.jsonl', '--yes'], {
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
    const { code } = await commandLine(['run', 'none.jsonl', '--dry-run'], { cwd });
    expect(code).toBe(2);
    expect(readFileSync(join('run.log'), 'utf8')).toMatch(/"level":"error".*none\.jsonl/);
  });

  it('that cannot be opened ends the command before anything is sent', async () => {
    const { cwd } = scene('no/run.log');
    const { code, stderr } = await commandLine(['run', 'tickets.jsonl', '--dry-run'], { cwd });
    expect(code).toBe(2);
    expect(stderr).toContain('The folder of no/run.log does not exist.');
  });
});
