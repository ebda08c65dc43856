/** The example of the documentation does what the documentation says. */
import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { customerCommand } from '../../src/commands/billing/customer.ts';
import { usageEventsCommand } from '../../src/commands/billing/usage-events.ts';
import { fixtures, temporaryFolder } from '../support/cli.ts';
import { runCommand } from '../target/app-api/run-command.ts';
import { BILLING_FILE } from '../target/app-api/seeded-sandbox.ts';

it('the example goes into the sandbox, equal rows as events of their own, numbers in texts added up', async () => {
  using folder = temporaryFolder();
  const sandbox = folder.join('box');
  mkdirSync(sandbox);
  copyFileSync(BILLING_FILE, join(sandbox, 'billing.json'));
  const options = { cwd: folder.path };
  for (const sent of [1, 0]) {
    const { code, stdout } = await runCommand(
      usageEventsCommand,
      [join(fixtures, 'usage-events/usage.csv')],
      { sandbox, json: true },
      options,
    );
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ events: { read: 6, done: 6 }, requests: { sent } });
  }
  const { stdout } = await runCommand(customerCommand, ['cus_1'], { sandbox, json: true }, options);
  expect(JSON.parse(stdout).usage).toMatchObject({
    orders: { allTimeValue: 2 },
    revenue: { allTimeValue: 61.9 },
    api_calls: { allTimeValue: 2 },
  });
});
