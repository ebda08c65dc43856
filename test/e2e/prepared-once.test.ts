/** No statement is compiled again for each ticket: reading, planning and the local service prepare theirs once. */
import { writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { running } from '../sandbox/running-sandbox.ts';
import { temporaryFolder } from '../support/cli.ts';
import { runImport } from '../support/engine.ts';
import { tickets } from '../support/tickets.ts';

/** better-sqlite3 makes the function that builds the rows of a statement each time SQLite has compiled it. */
async function compiledWhile(work: () => Promise<unknown>): Promise<number> {
  const original = globalThis.Function;
  let count = 0;
  globalThis.Function = new Proxy(original, {
    apply: (target, self, given) => {
      count++;
      return Reflect.apply(target, self, given);
    },
  });
  try {
    await work();
  } finally {
    globalThis.Function = original;
  }
  return count;
}

async function importOf(count: number): Promise<void> {
  using folder = temporaryFolder();
  const service = await running();
  writeFileSync(folder.join('tickets.jsonl'), tickets(count));
  const { facts } = await runImport({
    files: folder.join('tickets.jsonl'),
    checkpoint: folder.join('checkpoint.sqlite'),
    settings: { run: { rate: ['100000/1'] } },
    target: { baseUrl: service.url, credentials: { token: service.token } },
  });
  expect(facts.tickets.done).toBe(count);
}

it('120 tickets compile as many statements as 20', async () => {
  const few = await compiledWhile(() => importOf(20));
  const many = await compiledWhile(() => importOf(120));
  expect(few).toBeGreaterThan(10);
  expect(many - few).toBeLessThan(20);
});
