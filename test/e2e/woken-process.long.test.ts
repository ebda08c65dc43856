/**
 * A process that is stopped (Ctrl-Z, a suspended machine, a frozen container) loses its place to another one and is woken
 * later. The lock files are removed, as an operator does who takes the first one for dead. The books of the service decide.
 */
import { rmSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { lockPathOf } from '../../src/checkpoint/file.ts';
import { type RunningCli, startCli, temporaryFolder } from '../support/cli.ts';
import { generateExport } from '../support/generate-export.ts';
import { count, type RunSummary, type Service, withService } from './service-run.ts';

const TICKETS = 120;
const run = ['run', 'export', '--timeout', '2', '--concurrency', '4', '--no-progress', '--json'];
const TAKEN_OVER = /Another process has taken over the checkpoint/;

const tickets = (service: Service) => count(service, 'SELECT count(*) FROM tickets');
const writes = (service: Service) =>
  service.store.log.requests().filter(({ effect }) => effect === 'created' || effect === 'replaced').length;

/** Stopped between two writes: in the middle of one it would keep the database from everybody. */
async function stop(running: RunningCli, checkpoint: string): Promise<void> {
  for (;;) {
    running.kill('SIGSTOP');
    await pause(50);
    const db = new Database(checkpoint, { timeout: 0 });
    try {
      db.exec('BEGIN IMMEDIATE; ROLLBACK');
      return;
    } catch {
      running.kill('SIGCONT');
      await pause(20);
    } finally {
      db.close();
    }
  }
}

async function overtaken(
  work: (scene: {
    service: Service;
    first: RunningCli;
    /** Another process with the same checkpoint. */
    next(rate: string): RunningCli;
  }) => Promise<void>,
): Promise<void> {
  using folder = temporaryFolder();
  const dir = folder.join('export');
  await generateExport({ dir, tickets: TICKETS, messages: 2, seed: 12, format: 'jsonl' });
  const checkpoint = folder.join('helpdesk-import.checkpoint.sqlite');
  await withService({}, async (service) => {
    const next = (rate: string) => startCli([...run, '--rate', rate], { cwd: folder.path, env: service.env });
    const first = next('40/1');
    try {
      while (tickets(service) < 20) await pause(5);
      await stop(first, checkpoint);
      expect(tickets(service)).toBeLessThan(TICKETS);
      rmSync(lockPathOf(checkpoint), { force: true });
      await work({ service, first, next });
      expect(service.store.log.duplicates()).toEqual([]);
      expect(tickets(service)).toBe(TICKETS);
      expect(count(service, 'SELECT count(*) FROM messages')).toBe(2 * TICKETS);
    } finally {
      first.kill('SIGKILL');
    }
  });
}

const reported = ({ stdout }: { stdout: string }) => JSON.parse(stdout) as RunSummary;

describe.runIf(process.platform !== 'win32')(
  'a process that was stopped and whose place another one took',
  () => {
    it('sends nothing more when it is woken after the end of the other, and says why', async () => {
      await overtaken(async ({ service, first, next }) => {
        const second = await next('10000/1').result;
        expect(second.code, second.stderr).toBe(0);
        expect(reported(second).tickets).toMatchObject({ read: TICKETS, done: TICKETS });
        const before = writes(service);
        first.kill('SIGCONT');
        const woken = await first.result;
        expect(woken.stderr).toMatch(TAKEN_OVER);
        expect(woken.code).toBe(2);
        expect(writes(service)).toBe(before);
        const last = await next('10000/1').result;
        expect(reported(last)).toMatchObject({ exitCode: 0, tickets: { done: TICKETS } });
        expect(writes(service)).toBe(before);
      });
    }, 120_000);

    it('does not get in the way of the other either, when it is woken while that one imports', async () => {
      await overtaken(async ({ service, first, next }) => {
        const second = next('40/1');
        const before = tickets(service);
        while (tickets(service) < before + 10) await pause(5);
        first.kill('SIGCONT');
        const woken = await first.result;
        expect(woken.stderr).toMatch(TAKEN_OVER);
        expect(woken.code).toBe(2);
        const ended = await second.result;
        expect(ended.code, ended.stderr).toBe(0);
        expect(reported(ended).tickets).toMatchObject({ read: TICKETS, done: TICKETS });
      });
    }, 120_000);
  },
);
