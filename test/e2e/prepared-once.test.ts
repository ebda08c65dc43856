/** No statement is compiled again for each ticket: reading, planning and the local service prepare theirs once. */
import { expect, it } from 'vitest';
import { importDesk } from '../support/engine.ts';
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
  const { facts } = await (await importDesk({ 'tickets.jsonl': tickets(count) })).run();
  expect(facts.tickets.done).toBe(count);
}

it('120 tickets compile as many statements as 20', async () => {
  const few = await compiledWhile(() => importOf(20));
  const many = await compiledWhile(() => importOf(120));
  expect(few).toBeGreaterThan(10);
  expect(many - few).toBeLessThan(20);
});
