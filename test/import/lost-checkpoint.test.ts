/** A checkpoint that goes while a run uses it: nothing more is sent, and the run says why. */
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { RunEvent } from '../../src/domain/ports.ts';
import { running } from '../sandbox/running-sandbox.ts';
import { temporaryFolder } from '../support/cli.ts';
import { type EngineOptions, runImport } from '../support/engine.ts';
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
  using folder = temporaryFolder();
  const service = await running();
  writeFileSync(folder.join('export.jsonl'), tickets(COUNT));
  const checkpoint = folder.join('checkpoint.sqlite');
  const sent = () => service.log.requests().length;
  let before = COUNT;
  const options: EngineOptions = {
    files: folder.join('export.jsonl'),
    checkpoint,
    rejects: folder.join('rejects'),
    settings: { run: { batchSize: 1, rate: ['50/1'] } },
    target: { baseUrl: service.url, credentials: { token: service.token } },
    onEvent: (event: RunEvent) => {
      if (event.type !== 'ticket' || before < COUNT) return;
      change(checkpoint);
      before = sent();
    },
  };
  const { facts, stoppedBy } = await runImport(options);
  expect(facts.exitCode).toBe(2);
  expect(stoppedBy?.message).toMatch(/was deleted, moved or replaced while it was in use/);
  expect(facts.tickets.done).toBeLessThan(COUNT);
  expect(sent() - before).toBeLessThanOrEqual(2);
});
