/** A checkpoint that goes while a run uses it: nothing more is sent, and the run says why. */
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { RunEvent } from '../../src/domain/ports.ts';
import { importDesk } from '../support/engine.ts';
import { tickets } from '../support/tickets.ts';

const COUNT = 40;

it.each<[what: string, change: (path: string) => void]>([
  ['deleted', (path) => rmSync(path)],
  ['moved', (path) => renameSync(path, `${path}.moved`)],
  [
    'replaced by a copy',
    (path) => {
      writeFileSync(`${path}.copy`, readFileSync(path));
      renameSync(`${path}.copy`, path);
    },
  ],
])('%s: nothing more is sent, exit 2', async (_, change) => {
  const { path, run, service } = await importDesk({ 'export.jsonl': tickets(COUNT) });
  const sent = () => service.log.requests().length;
  let before = COUNT;
  const { facts, stoppedBy } = await run({
    settings: { run: { batchSize: 1, rate: ['50/1'] } },
    onEvent: (event: RunEvent) => {
      if (event.type !== 'ticket' || before < COUNT) return;
      change(path('checkpoint.sqlite'));
      before = sent();
    },
  });
  expect(facts.exitCode).toBe(2);
  expect(stoppedBy?.message).toMatch(/was deleted, moved or replaced while it was in use/);
  expect(facts.tickets.done).toBeLessThan(COUNT);
  expect(sent() - before).toBeLessThanOrEqual(2);
});
