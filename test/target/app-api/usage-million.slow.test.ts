/** A million usage events, killed on the way: what the sandbox adds up is what SQL over the source says, customer by customer. */
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { parseBillingSeed } from '../../../src/sandbox/app-api/catalog.ts';
import { customerAnswer } from '../../../src/sandbox/app-api/customer-answer.ts';
import { startSandbox } from '../../../src/sandbox/sandbox.ts';
import { systemClock } from '../../../src/system-clock.ts';
import { temporaryFolder } from '../../support/cli.ts';
import { generateUsage, NOW, WINDOW_BEGINS } from './generated-usage.ts';
import { spawnUsageEvents } from './spawn-usage-events.ts';

const EVENTS = 1_000_000;

it('killed twice on the way, a million events end in exactly the aggregates of the source', async () => {
  using folder = temporaryFolder();
  const truth = new DatabaseSync(folder.join('truth.sqlite'));
  const { rows, customers } = await generateUsage(folder.join('usage.csv'), EVENTS, truth);
  expect(rows).toBeGreaterThan(EVENTS);
  const sandbox = await startSandbox({
    // Windows have edges: the service's time stands still, so that they can be looked at.
    clock: { ...systemClock, now: () => NOW },
    dir: folder.join('service'),
    billing: parseBillingSeed(
      {
        metrics: [
          { key: 'orders', eventName: 'order_created' },
          { key: 'revenue', eventName: 'order_created', aggregate: 'sum', property: 'total' },
        ],
      },
      'test',
    ),
  });
  try {
    const env = {
      HELPDESK_APP_URL: sandbox.url,
      HELPDESK_APP_ID: sandbox.app.id,
      HELPDESK_APP_KEY: sandbox.app.key,
    };
    const flags = { rate: ['1000000/1'], json: true, progress: false };
    const start = () => spawnUsageEvents(['usage.csv'], flags, { cwd: folder.path, env });
    for (const at of [200_000, 600_000]) {
      const run = start();
      while (sandbox.store.usage.count() < at) await pause(50);
      run.kill('SIGKILL');
      expect((await run.result).code).toBe('SIGKILL');
      expect(sandbox.store.usage.count()).toBeLessThan(EVENTS);
    }
    const last = await start().result;
    expect(last.stderr).not.toContain('Error');
    const summary = JSON.parse(last.stdout) as { events: Record<string, number> };
    expect(summary.events).toMatchObject({
      read: rows,
      done: EVENTS,
      skipped: rows - EVENTS,
      failed: 0,
      pending: 0,
    });
    expect(last.code).toBe(0);
    expect(sandbox.store.usage.count()).toBe(EVENTS);

    const names = ['api_call', 'page_view', 'email "sent", ok'];
    let compared = 0;
    for (let index = 0; index < customers; index++) {
      const customer = `shop-${index}.example.com`;
      const answer = customerAnswer(sandbox.store, customer, NOW);
      const metrics = [
        ['orders', 'order_created', 'count(*)'],
        ['revenue', 'order_created', 'coalesce(sum(total), 0)'],
        ...names.map((name) => [name, name, 'count(*)']),
      ] as [key: string, name: string, expression: string][];
      for (const [key, name, expression] of metrics) {
        const sum = truth.prepare(
          `SELECT ${expression} AS value FROM events WHERE customer = ? AND name = ? AND at >= ? AND at <= ?`,
        );
        for (const [field, begin] of Object.entries(WINDOW_BEGINS)) {
          const expected = sum.get(customer, name, begin, NOW)?.['value'];
          const found = answer?.usage[key]?.[field as 'allTimeValue'] ?? 0;
          expect(found, `${customer} ${key} ${field}`).toBe(expected);
          compared++;
        }
      }
    }
    expect(compared).toBe(customers * 5 * 8);
  } finally {
    truth.close();
    await sandbox.close();
  }
}, 3_600_000);
