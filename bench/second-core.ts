/**
 * Would a thread of its own for reading and mapping pay? The processor time of each thread, so that a busy machine does not
 * decide: with two threads a dry run takes as long as the busier of them.
 */
import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { CheckResult } from '../src/domain/ticket.ts';
import { createSurvey } from '../src/plan/survey.ts';
import { createContactNames } from '../src/source/join/contact-names.ts';
import { type Checked, checkedChunks } from './support/checked-chunks.ts';
import { exportOf, ORDINARY_BODY, type Shape } from './support/exports.ts';
import { median } from './support/rounds.ts';
import { fixed, printTable, title } from './support/table.ts';

const TICKETS = 20_000;
const ROUNDS = 5;

export async function secondCore(): Promise<void> {
  title('Reading, mapping and checking in a thread of its own: processor time, ms');
  const rows: (string | number)[][] = [];
  const shapes: readonly (readonly [string, Shape])[] = [
    ['JSONL', { tickets: TICKETS, bodyLength: ORDINARY_BODY }],
    [
      'CSV trio, rows shuffled',
      { tickets: TICKETS, bodyLength: ORDINARY_BODY, format: 'csv', shuffle: true },
    ],
  ];
  for (const [name, shape] of shapes) {
    const { files } = await exportOf(shape);
    const rounds = [];
    for (let round = -1; round < ROUNDS; round++) {
      const one = await inOneThread(files);
      const two = await inTwoThreads(files);
      if (round >= 0) rounds.push({ one, ...two });
    }
    rows.push([
      name,
      fixed(median(rounds.map(({ one }) => one)), 0),
      fixed(median(rounds.map(({ reader }) => reader)), 0),
      fixed(median(rounds.map(({ main }) => main)), 0),
      fixed(median(rounds.map(({ one, reader, main }) => one / Math.max(reader, main)))),
      fixed(median(rounds.map(({ one, reader, main }) => (reader + main) / one))),
    ]);
  }
  printTable(['', 'one thread', 'reader', 'main', 'faster at most', 'processor time over one thread'], rows);
}

async function inOneThread(files: readonly string[]): Promise<number> {
  const begun = threadMs();
  using take = taker();
  for await (const chunk of checkedChunks(files)) take.chunk(chunk);
  return threadMs() - begun;
}

async function inTwoThreads(files: readonly string[]): Promise<{ reader: number; main: number }> {
  const begun = threadMs();
  using take = taker();
  const worker = new Worker(join(import.meta.dirname, 'support/checking-thread.ts'), { workerData: files });
  let reader = Number.NaN;
  worker.on('message', (message: readonly Checked[] | { readonly cpuMs: number }) => {
    if ('cpuMs' in message) reader = message.cpuMs;
    else {
      take.chunk(message);
      worker.postMessage('more');
    }
  });
  await once(worker, 'exit');
  return { reader, main: threadMs() - begun };
}

/** What the survey does with each ticket, without the trial. */
function taker(): Disposable & { chunk(chunk: readonly Checked[]): void } {
  const survey = createSurvey();
  const names = createContactNames();
  return {
    chunk: (chunk) => {
      for (const result of chunk) {
        survey.ticket({ result: result as CheckResult, outcome: 'pending', action: { do: 'create' } });
        for (const email of result.contacts) names.offer(email, undefined, 0);
        for (const { email, name, at } of result.names) names.offer(email, name, at);
      }
    },
    [Symbol.dispose]: () => names[Symbol.dispose](),
  };
}

function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
