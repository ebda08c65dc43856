/** The commands of the app API against the sandbox: every event once, whatever goes wrong; answers and gates for scripts. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openCheckpoint } from '../../src/checkpoint/checkpoint.ts';
import type { Flags } from '../../src/cli/context.ts';
import { customerCommand, gateCommand, usageCommand } from '../../src/commands/billing/customer.ts';
import { usageEventsCommand } from '../../src/commands/billing/usage-events.ts';
import type { Clock } from '../../src/domain/clock.ts';
import { systemClock } from '../../src/system-clock.ts';
import { parseFaults } from '../support/faults.ts';
import { runCommand } from '../target/app-api/run-command.ts';
import { BILLING_FILE } from '../target/app-api/seeded-sandbox.ts';
import { usageDesk as desk, HEADER, row, rows } from './usage-desk.ts';

/** Waits between attempts are not what is tested here. */
const impatient: Clock = { ...systemClock, sleep: (ms, signal) => systemClock.sleep(ms / 50, signal) };

describe('usage-events', () => {
  it('sends every event once, and a second run sends nothing', async () => {
    await using d = await desk();
    const file = d.write('usage.csv', HEADER, ...rows(250), row(''), row(''));
    const first = await d.send(file);
    expect(first.code).toBe(0);
    expect(first.summary.events).toMatchObject({ read: 252, done: 252 });
    expect(first.summary.requests.sent).toBe(3);
    const second = await d.send(file);
    expect(second.code).toBe(0);
    expect(second.summary.events).toMatchObject({ read: 252, done: 252 });
    expect(second.summary.requests.sent).toBe(0);
    expect(d.sandbox.store.usage.count()).toBe(252);
  });

  it('without its checkpoint sends all again, and they still count once', async () => {
    await using d = await desk();
    const file = d.write('usage.csv', HEADER, ...rows(20), row(''), row(''));
    await d.send(file);
    const again = await d.send(file, { checkpoint: d.path('other.sqlite') });
    expect(again.summary.requests.sent).toBe(1);
    expect(d.sandbox.store.usage.count()).toBe(22);
  });

  it('one by one sends no lists', async () => {
    await using d = await desk();
    const { summary } = await d.send(d.write('usage.csv', HEADER, ...rows(5)), { eventsPerRequest: '1' });
    expect(summary.requests.sent).toBe(5);
    expect(d.sandbox.store.usage.count()).toBe(5);
  });

  it('a dry run sends nothing and writes nothing', async () => {
    await using d = await desk();
    const file = d.write('usage.csv', HEADER, ...rows(3), 'x,,cus_1,never,');
    const { code, summary } = await d.send(file, { dryRun: true, rejects: undefined });
    expect(code).toBe(3);
    expect(summary.events).toMatchObject({ read: 4, pending: 3, rejected: 1 });
    expect(summary.problems).toMatchObject([
      { code: 'missing-field', line: 5 },
      { code: 'invalid-time', line: 5 },
    ]);
    expect(readdirSync(d.path('.'))).toEqual(['usage.csv']);
    expect(d.sandbox.store.log.requests({ kind: 'usage-events' })).toEqual([]);
  });

  it('--quiet keeps the verdict, the counts and the errors, in a dry run and in a real one', async () => {
    await using d = await desk();
    const file = d.write('usage.csv', `${HEADER},colour`, `${row('a')},red`, `${row('b', '')},red`);
    for (const flags of [{ dryRun: true }, {}]) {
      const { code, stdout } = await d.send(file, { json: false, quiet: true, ...flags });
      expect(code).toBe(3);
      expect(stdout).toMatch(/^(?:Dry run: 1 usage event would be sent\.|1 usage event of 2 done)/);
      expect(stdout).toMatch(/\n {2}read +2 events.*\n(?: .*\n)* {2}rejected +1\n/);
      expect(stdout).toMatch(/\nErrors: [\s\S]*usage\.csv:3: /);
      expect(stdout).not.toMatch(/colour|Warnings|Next|checkpoint|order_created/);
    }
  });

  it('what is rejected stands in the rejects, and leaves them once it is corrected and sent', async () => {
    await using d = await desk();
    const file = d.write('usage.csv', HEADER, row('a'), row('b', ''), '"broken', ...[]);
    const { code, summary } = await d.send(file);
    expect(code).toBe(3);
    expect(summary.events).toMatchObject({ done: 1, rejected: 2 });
    const rejected = readFileSync(d.path('rejects/usage.csv'), 'utf8').trim().split('\n');
    expect(rejected).toEqual([
      `${HEADER},_reason`,
      expect.stringMatching(/^b,order_created,,.*,The event has no customerId/),
    ]);
    writeFileSync(d.path('rejects/usage.csv'), `${rejected[0]}\n${rejected[1]?.replace(',,', ',cus_2,')}\n`);
    expect((await d.send(d.path('rejects/usage.csv'))).summary.events).toMatchObject({ done: 1 });
    expect(readFileSync(d.path('rejects/usage.csv'), 'utf8').trim()).toBe(`${HEADER},_reason`);
    expect(readFileSync(d.path('rejects/unreadable.csv'), 'utf8')).toContain('"broken');
    writeFileSync(d.path('rejects/unreadable.csv'), `${HEADER}\n${row('c')}\n`);
    expect((await d.send(d.path('rejects'))).summary.events).toMatchObject({ done: 1 });
    expect(existsSync(d.path('rejects'))).toBe(false);
    expect(d.sandbox.store.usage.count()).toBe(3);
  });

  it('speaks of events, says what is wrong with them and what to do', async () => {
    await using d = await desk();
    const file = d.write('usage.csv', HEADER, row('a'), row('b', ''), row('a'));
    const { code, stdout, stderr } = await d.send(file, { json: false });
    expect(code).toBe(3);
    const text = (stdout + stderr).replaceAll(/\s+/g, ' ');
    for (const words of [
      '1 usage event of 3 done',
      'rejected 1',
      'skipped 1 (1 same event id as an earlier row)',
      'A needed field is empty (customerId)',
      'usage.csv:3: The event has no customerId; every usage event needs one.',
      'Correct the events in',
    ])
      expect(text).toContain(words);
    expect(text).not.toMatch(/ticket/i);
  });

  it('rows that say the same again are left out with a warning', async () => {
    await using d = await desk();
    const { code, summary } = await d.send(
      d.write('usage.csv', HEADER, row('a'), row('a', 'cus_2'), row('b', ''), row('b')),
    );
    expect(summary.events).toMatchObject({ done: 2, skipped: 1, rejected: 1 });
    expect(summary.problems.map(({ code: found }) => found)).toContain('duplicate-event');
    expect(code).toBe(3);
  });

  it('a trial sends a few representative events and looks for them; the run goes on from there', async () => {
    await using d = await desk();
    const file = d.write('usage.csv', HEADER, ...rows(50), row('other', 'cus_2', 'api_call'));
    const trial = await d.send(file, { trial: '6' });
    expect(trial.code).toBe(0);
    expect(trial.summary.events).toMatchObject({ done: 6, pending: 45 });
    expect(trial.summary.trial?.events.flatMap(({ checks }) => checks.map(({ ok }) => ok))).toEqual(
      Array(18).fill(true),
    );
    expect(d.sandbox.store.usage.count({ eventName: 'api_call' })).toBe(1);
    expect((await d.send(file)).summary.events).toMatchObject({ done: 51 });
    expect(d.sandbox.store.usage.count()).toBe(51);
  });

  it('of a list that is refused only the events at fault fail', async () => {
    const taken: string[] = [];
    const server = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => {
        body += chunk.toString();
      });
      request.on('end', () => {
        const isBad = body.includes('poison');
        if (!isBad) taken.push(...[...body.matchAll(/"eventId":"([^"]+)"/g)].map((match) => match[1] ?? ''));
        response.writeHead(isBad ? 422 : 200, { 'content-type': 'application/json' });
        response.end(JSON.stringify(isBad ? { error: 'no such customer' } : { success: true }));
      });
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    try {
      await using d = await desk({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
      const lines = rows(120);
      lines[17] = row('e17', 'poison-1');
      lines[99] = row('e99', 'poison-2');
      const { code, summary } = await d.send(d.write('usage.csv', HEADER, ...lines));
      expect(code).toBe(3);
      expect(summary.events).toMatchObject({ read: 120, done: 118, failed: 2 });
      expect(summary.problems.map(({ code: found, line }) => [found, line])).toEqual([
        ['refused', 19],
        ['refused', 101],
      ]);
      expect(new Set(taken).size).toBe(118);
      expect(readFileSync(d.path('rejects/usage.csv'), 'utf8').split('\n').slice(1, 3)).toEqual([
        expect.stringContaining('no such customer'),
        expect.stringContaining('poison-2'),
      ]);
    } finally {
      server.close();
    }
  });

  it('events of unknown outcome are in doubt, and the next run sends them again, each counting once', async () => {
    await using d = await desk({ faults: parseFaults(['500-after:100@usage-events'], 1) });
    const file = d.write('usage.csv', HEADER, ...rows(10));
    const first = await d.send(file, {}, undefined, impatient);
    expect(first.code).toBe(4);
    expect(first.summary.events).toMatchObject({ inDoubt: 10 });
    d.sandbox.setFaults({ rules: [], seed: 0 });
    const second = await d.send(file);
    expect(second.summary.events).toMatchObject({ done: 10, inDoubt: 0 });
    expect(d.sandbox.store.usage.count()).toBe(10);
  }, 120_000);

  it('too many rejected events stop it before anything is sent', async () => {
    await using d = await desk();
    const file = d.write('usage.csv', HEADER, row('a', ''), row('b', ''), ...rows(3));
    const { code, stderr, summary } = await d.send(file, { maxErrors: '1' });
    expect(code).toBe(6);
    expect(stderr).toMatch(
      /2 usage events were rejected or failed, more than the 1\s+allowed by --max-errors/,
    );
    expect(summary.events).toMatchObject({ rejected: 2, pending: 3 });
    expect(d.sandbox.store.usage.count()).toBe(0);
    expect((await d.send(file, { maxErrors: '2' })).summary.events).toMatchObject({ done: 3, rejected: 2 });
  });

  it('a wrong key ends with 5, nothing counted', async () => {
    await using d = await desk();
    const file = d.write('usage.csv', HEADER, ...rows(3));
    const { code, stderr } = await runCommand(
      usageEventsCommand,
      [file],
      { checkpoint: d.path('c.sqlite'), json: true },
      {
        cwd: d.path('.'),
        env: { HELPDESK_APP_URL: d.sandbox.url, HELPDESK_APP_ID: 'x', HELPDESK_APP_KEY: 'wrong-key' },
      },
    );
    expect(code).toBe(5);
    expect(stderr).toContain('HELPDESK_APP_KEY');
    expect(stderr).not.toContain('wrong-key');
    expect(d.sandbox.store.usage.count()).toBe(0);
  });

  it('without address or key ends with 2 and says what to set', async () => {
    await using d = await desk();
    const file = d.write('usage.csv', HEADER, ...rows(1));
    const { code, stderr } = await runCommand(usageEventsCommand, [file], {}, { cwd: d.path('.'), env: {} });
    expect(code).toBe(2);
    expect(stderr).toMatch(/HELPDESK_APP_URL[\s\S]*HELPDESK_APP_ID and HELPDESK_APP_KEY/);
  });

  it('a checkpoint of another app, or of tickets, is refused', async () => {
    await using d = await desk();
    const file = d.write('usage.csv', HEADER, ...rows(1));
    await openCheckpoint(d.path('c.sqlite'), {
      target: 'https://desk.example',
      clock: systemClock,
      programVersion: '1',
    }).close();
    const { code, stderr } = await d.send(file);
    expect(code).toBe(2);
    expect(stderr).toMatch(/belongs to the target\s+https:\/\/desk\.example/);
    expect(d.sandbox.store.usage.count()).toBe(0);
  });

  it('Ctrl-C finishes what is in flight and ends with 130; the next run does the rest', async () => {
    await using d = await desk({ faults: parseFaults(['slow=20:100@usage-events'], 1) });
    const file = d.write('usage.csv', HEADER, ...rows(400));
    let interrupt: (() => void) | undefined;
    const watch = setInterval(() => {
      if (d.sandbox.store.usage.count() > 20) interrupt?.();
    }, 1);
    const stopped = await d.send(file, { eventsPerRequest: '10', concurrency: '1' }, (listener) => {
      let isDone = false;
      interrupt = () => {
        if (!isDone) listener('SIGINT');
        isDone = true;
      };
      return () => undefined;
    });
    clearInterval(watch);
    expect(stopped.code).toBe(130);
    expect(stopped.summary.events['inDoubt']).toBe(0);
    expect(stopped.summary.events['done']).toBe(d.sandbox.store.usage.count());
    expect(stopped.summary.events['pending']).toBeGreaterThan(0);
    d.sandbox.setFaults({ rules: [], seed: 0 });
    expect((await d.send(file)).summary.events).toMatchObject({ read: 400, done: 400 });
    expect(d.sandbox.store.usage.count()).toBe(400);
  });

  it('goes into an embedded sandbox, whose billing.json says what is sold', async () => {
    await using d = await desk();
    const file = d.write('usage.csv', HEADER, ...rows(5));
    const dir = d.path('box');
    const { mkdirSync, copyFileSync } = await import('node:fs');
    mkdirSync(dir);
    copyFileSync(BILLING_FILE, join(dir, 'billing.json'));
    const sent = await d.run(usageEventsCommand, [file], { sandbox: dir, json: true });
    expect(sent.code).toBe(0);
    expect(readdirSync(dir)).toContain('usage.sqlite');
    const read = await d.run(customerCommand, ['cus_1'], { sandbox: dir, json: true });
    expect(JSON.parse(read.stdout)).toMatchObject({
      name: 'Blue Bottle Shop',
      usage: { order_created: { allTimeValue: 5 } },
    });
    expect((await d.run(usageEventsCommand, [file], { sandbox: dir, json: true })).stdout).toContain(
      '"sent": 0',
    );
  });

  it('lists what the target has, newest first', async () => {
    await using d = await desk();
    await d.send(d.write('usage.csv', HEADER, ...rows(130), row('x', 'cus_2')));
    const all = await d.run(usageEventsCommand, ['list'], { json: true, limit: '120' });
    expect(JSON.parse(all.stdout).events).toHaveLength(120);
    const one = await d.run(usageEventsCommand, ['list'], { customer: 'cus_2' });
    expect(one.stdout).toMatch(/order_created\s+cus_2\s+x\s+\{"total":"12"\}/);
    expect((await d.run(usageEventsCommand, ['list'], { event: 'none' })).stdout).toContain(
      'No usage event matches.',
    );
  });
});

describe('customer and usage', () => {
  it('show status, plan, features and usage; with --json everything that was answered', async () => {
    await using d = await desk();
    await d.send(d.write('usage.csv', HEADER, ...rows(3)));
    const { code, stdout } = await d.run(customerCommand, ['cus_1']);
    expect(code).toBe(0);
    for (const text of [
      'Blue Bottle Shop · cus_1',
      'active',
      'Pro, Live chat',
      'unlimited',
      'limit with overage',
      'order_created',
      'Further fields:',
      'myshopifyDomain',
    ])
      expect(stdout).toContain(text);
    const whole = JSON.parse((await d.run(customerCommand, ['cus_1'], { json: true })).stdout);
    expect(whole).toMatchObject({ id: 'cus_1', myshopifyDomain: 'blue-bottle.example.com' });
    const usage = await d.run(usageCommand, ['cus_1']);
    expect(usage.stdout).toMatch(/metric\s+now\s+month/);
    expect(
      JSON.parse((await d.run(usageCommand, [], { json: true })).stdout).usage.order_created.allTimeValue,
    ).toBe(3);
  });

  it('a customer that nobody knows ends with 2', async () => {
    await using d = await desk();
    const { code, stderr } = await d.run(customerCommand, ['nobody']);
    expect(code).toBe(2);
    expect(stderr).toContain('knows no customer nobody');
  });
});

describe('gate', () => {
  it.each<[string, Flags, number, string]>([
    ['cus_1', { feature: ['reports'] }, 0, 'Allowed. The feature reports is on.'],
    [
      'cus_1',
      { feature: ['seats'], count: '25' },
      3,
      'Not allowed. The feature seats has 25 of 25 used: its limit is reached.',
    ],
    ['cus_1', { feature: ['orders'], count: '5000' }, 0, 'more is charged as overage'],
    ['cus_2', { feature: ['reports'] }, 3, 'Not allowed. The feature reports is off.'],
    ['cus_2', { status: 'active,trialing' }, 0, 'Allowed. The subscription status is trialing.'],
    ['cus_3', { plan: 'Pro' }, 3, 'but the subscription status is frozen'],
    ['cus_4', { status: 'active' }, 3, 'The subscription status is canceled, and not active.'],
    ['cus_1', { usage: ['order_created < 3'] }, 0, 'The usage of order_created is 2, which is < 3.'],
    ['cus_1', { usage: ['order_created.allTime < 2'], plan: 'Pro' }, 3, 'Not allowed.'],
    ['nobody', { status: 'active' }, 3, 'The service does not know this customer.'],
  ])('%s %j → %i', async (customer, flags, code, text) => {
    await using d = await desk();
    await d.send(d.write('usage.csv', HEADER, ...rows(2)));
    const result = await d.run(gateCommand, [customer], flags);
    expect(result.stdout.replaceAll(/\s+/g, ' ')).toContain(text);
    expect(result.code).toBe(code);
    const quiet = await d.run(gateCommand, [customer], { ...flags, quiet: true });
    expect([quiet.code, quiet.stdout]).toEqual([code, '']);
    const json = JSON.parse((await d.run(gateCommand, [customer], { ...flags, json: true })).stdout);
    expect(json).toMatchObject({ version: 1, customer, allowed: code === 0 });
  });

  it('never allows when it cannot ask: 5 for a wrong key, 2 for a rule that is none', async () => {
    await using d = await desk();
    const env = { HELPDESK_APP_URL: d.sandbox.url, HELPDESK_APP_ID: 'x', HELPDESK_APP_KEY: 'wrong' };
    expect(
      (await runCommand(gateCommand, ['cus_1'], { status: 'active' }, { cwd: d.path('.'), env })).code,
    ).toBe(5);
    expect((await d.run(gateCommand, ['cus_1'], { usage: ['orders'] })).code).toBe(2);
    expect((await d.run(gateCommand, ['cus_1'])).code).toBe(2);
  });
});
