import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/sandbox/store/database.ts';
import { running } from './running-sandbox.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'sandbox-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

describe('the data folder', () => {
  it('brings everything back after a stop: tickets, threads, contacts, agents, credentials, ledger', async () => {
    const first = await running({ dir: join(dir, 'a', 'b'), agents: [{ email: 'kim@desk.example' }] });
    const id = await first.create({ subject: 'Kept', contact: { email: 'ann@example.com' } });
    await first.call('PUT', `/tickets/${id}/messages`, [{ actorType: 'system', content: 'Hello' }]);
    await first.close();
    const second = await running({ dir: join(dir, 'a', 'b') });
    expect(second.token).toBe(first.token);
    expect((await second.call('GET', `/tickets/${id}/messages`)).body.messages).toMatchObject([
      { content: 'Hello' },
    ]);
    expect((await second.call('GET', '/tickets?search=kept')).body.total).toBe(1);
    expect((await second.call('GET', '/agents')).body.agents).toHaveLength(1);
    const next = await second.create({ subject: 'Next', contact: { email: 'ann@example.com' } });
    expect(next > id).toBe(true);
    expect((await second.call('GET', '/contacts')).body.total).toBe(1);
  });

  it('is one file that only its owner reads, once it is at rest', async () => {
    const sandbox = await running({ dir });
    await sandbox.create({ subject: 'One' });
    expect(statSync(join(dir, 'service.sqlite')).mode & 0o777).toBe(0o600);
    await sandbox.close();
    await sandbox.close();
    expect(readdirSync(dir)).toEqual(['service.sqlite']);
  });

  it('is used by one sandbox at a time', async () => {
    await running({ dir });
    await expect(running({ dir })).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining('in use by another process'),
    });
  });

  it('is refused with a reason when it has other tables, is no database, or no folder', async () => {
    const older = new Database(join(dir, 'service.sqlite'));
    older.pragma('user_version = 1');
    older.pragma(`application_id = ${0x68_64_69_73}`);
    older.close();
    await expect(running({ dir })).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining('another version'),
    });
    writeFileSync(join(dir, 'service.sqlite'), 'not a database, but long enough to be looked at as one');
    await expect(running({ dir })).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining('damaged'),
    });
    await expect(running({ dir: join(dir, 'service.sqlite') })).rejects.toMatchObject({ code: 'usage' });
  });

  it('every answered write survives a SIGKILL of the process', () => {
    const script = `
      import { startSandbox } from '${resolve(import.meta.dirname, '../../src/sandbox/sandbox.ts')}';
      const clock = { now: () => Date.now(), monotonic: () => performance.now(), sleep: async () => {} };
      const sandbox = await startSandbox({ clock, dir: process.argv[1] });
      const headers = { authorization: 'Bearer ' + sandbox.token, 'content-type': 'application/json' };
      const create = (n) => fetch(sandbox.url + '/v1/tickets', { method: 'POST', headers, body: JSON.stringify({ subject: 'T' + n }) })
        .then((answer) => answer.json()).then(({ ticket }) => process.stdout.write(ticket.id + '\\n'));
      setTimeout(() => process.kill(process.pid, 'SIGKILL'), 60_000);
      let n = 0;
      await Promise.all(Array.from({ length: 8 }, async () => {
        for (;;) { await create(n++); if (n > 60) process.kill(process.pid, 'SIGKILL'); }
      }));`;
    const child = spawnSync(process.execPath, ['--input-type=module', '-e', script, dir], {
      encoding: 'utf8',
    });
    expect(child.signal, child.stderr).toBe('SIGKILL');
    const answered = child.stdout.split('\n').filter((line) => line.length === 16);
    expect(answered.length).toBeGreaterThan(20);
    const database = openDatabase(dir);
    const kept = database.prepare('SELECT seq FROM tickets').pluck().all().map(Number);
    expect(answered.filter((id) => !kept.includes(Number(id.slice(4))))).toEqual([]);
    database.close();
  });
});
