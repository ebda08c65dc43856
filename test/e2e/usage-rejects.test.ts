/** Rejects of usage events: none ever leaves but by being sent, no correction is overwritten, and none counts twice. */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { openUsageCheckpoint } from '../../src/billing/usage-checkpoint.ts';
import { digestOf } from '../../src/billing/usage-event.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { HEADER, row, usageDesk } from './usage-desk.ts';

const bad = (id: string) => row(id, '');
const read = (path: string) => readFileSync(path, 'utf8').trim().split('\n').slice(1);
const first = (line: string) => line.split(',')[0];

describe('rejects of usage events', () => {
  it('a file of ones own with one of three takes that one out, and leaves the other two', async () => {
    await using d = await usageDesk();
    await d.send(d.write('usage.csv', HEADER, row('a'), bad('b'), bad('c'), bad('d')));
    const { code } = await d.send(d.write('own.csv', HEADER, row('c')));
    expect(code).toBe(0);
    expect(read(d.path('rejects/usage.csv')).map(first)).toEqual(['b', 'd']);
    expect(d.sandbox.store.usage.count()).toBe(2);
  });

  it('another file, --only and a run that sends nothing leave them as they are', async () => {
    await using d = await usageDesk();
    const file = d.write('usage.csv', HEADER, row('a'), bad('b'), bad('c'));
    await d.send(file);
    const before = readFileSync(d.path('rejects/usage.csv'), 'utf8');
    await d.send(d.write('new.csv', HEADER, row('n')));
    await d.send(file, { only: 'b' });
    await d.send(file, { only: 'a' });
    await d.send(file);
    expect(readFileSync(d.path('rejects/usage.csv'), 'utf8')).toBe(before);
  });

  it('what a person corrected stands when the file is sent again, and is sent from the folder', async () => {
    await using d = await usageDesk();
    const file = d.write('usage.csv', HEADER, bad('b'), bad('c'));
    await d.send(file);
    const path = d.path('rejects/usage.csv');
    writeFileSync(path, readFileSync(path, 'utf8').replace('b,order_created,,', 'b,order_created,cus_2,'));
    const again = await d.send(file);
    expect(again.summary.problems.map(({ code }) => code)).toContain('corrected-in-rejects');
    expect(read(path)[0]).toContain('b,order_created,cus_2,');
    expect((await d.send(d.path('rejects'))).summary.events).toMatchObject({ done: 1, rejected: 1 });
    expect(read(path).map(first)).toEqual(['c']);
    expect(d.sandbox.store.usage.count()).toBe(1);
  });

  it('two rows with one id: the second stays until it has an id of its own, however often the folder is sent', async () => {
    await using d = await usageDesk();
    await d.send(d.write('usage.csv', HEADER, bad('b'), row('b', '', 'api_call')));
    const path = d.path('rejects/usage.csv');
    writeFileSync(path, readFileSync(path, 'utf8').replaceAll(',,2026', ',cus_1,2026'));
    for (let times = 0; times < 3; times++) await d.send(d.path('rejects'));
    expect(read(path)).toHaveLength(1);
    expect(read(path)[0]).toContain('its own id');
    writeFileSync(path, readFileSync(path, 'utf8').replace('\nb,', '\nb2,'));
    expect((await d.send(d.path('rejects'))).code).toBe(0);
    expect(existsSync(d.path('rejects'))).toBe(false);
    expect(d.sandbox.store.usage.count()).toBe(2);
  });

  it('a moved folder gives back what was sent, and only that', async () => {
    await using d = await usageDesk();
    await d.send(d.write('usage.csv', HEADER, bad('b'), bad('c')));
    renameSync(d.path('rejects'), d.path('later'));
    const path = d.path('later/usage.csv');
    writeFileSync(path, readFileSync(path, 'utf8').replace('b,order_created,,', 'b,order_created,cus_2,'));
    await d.send(d.path('later'));
    expect(read(path).map(first)).toEqual(['c']);
    expect(d.sandbox.store.usage.count()).toBe(1);
  });

  it('a row without an id that was sent from the folder before a kill is not sent a second time', async () => {
    await using d = await usageDesk();
    await d.send(d.write('usage.csv', HEADER, row(''), row('', '')));
    const path = d.path('rejects/usage.csv');
    const corrected = readFileSync(path, 'utf8').replace(',order_created,,', ',order_created,cus_2,');
    writeFileSync(path, corrected);
    const folder = readFileSync(d.path('rejects/.helpdesk-import-rejects'));
    await d.send(d.path('rejects'));
    expect(d.sandbox.store.usage.count()).toBe(2);
    // The folder as a kill leaves it: what was sent still stands there.
    mkdirSync(d.path('rejects'), { recursive: true });
    writeFileSync(path, corrected);
    writeFileSync(d.path('rejects/.helpdesk-import-rejects'), folder);
    expect((await d.send(d.path('rejects'))).summary.events).toMatchObject({ done: 1 });
    expect(d.sandbox.store.usage.count()).toBe(2);
    expect(existsSync(d.path('rejects'))).toBe(false);
  });

  it('a process that was overtaken sends nothing more', async () => {
    await using d = await usageDesk();
    const path = d.path('c.sqlite');
    const clock = createFakeClock();
    const stopped = openUsageCheckpoint(path, { target: 't', clock, programVersion: '1' });
    stopped.startRun('run');
    stopped.aboutToSend();
    // As another process does that opens it, whatever became of the lock.
    const other = new Database(path);
    other.exec("UPDATE meta SET value = CAST(value AS INTEGER) + 1 WHERE key = 'epoch'");
    other.close();
    await clock.advance(1000);
    expect(() => stopped.aboutToSend()).toThrow(/Another process has taken over/);
    expect(() => stopped.record([{ digest: digestOf('a'), state: 'done' }])).toThrow(/taken over/);
    expect(() => stopped.close()).toThrow(/taken over/);
  });
});
