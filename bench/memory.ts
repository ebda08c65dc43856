/** Peak memory of a dry run, small export and large one; and of a ticket of 50 MB. As the kernel counts it (Linux). */
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CLI, runNode } from './support/child.ts';
import { BENCH_DIR, exportOf, type Shape } from './support/exports.ts';
import { median } from './support/rounds.ts';
import { fixed, mib, printTable, title } from './support/table.ts';

const SMALL = 20_000;
/** 2,000,000 with `BENCH_LARGE=2000000`: gigabytes on disk, and minutes. */
const LARGE = Number(process.env['BENCH_LARGE'] ?? 400_000);

export async function memory(): Promise<void> {
  title('Peak memory (resident) of a dry run');
  const rows: (string | number)[][] = [];
  const shapes: readonly (readonly [string, Omit<Shape, 'tickets'>])[] = [
    ['JSONL', { messages: 2 }],
    ['CSV trio, rows shuffled', { messages: 2, format: 'csv', shuffle: true }],
  ];
  for (const [name, shape] of shapes) {
    const small = await peakOf(await exportOf({ ...shape, tickets: SMALL }), 5);
    const large = await peakOf(await exportOf({ ...shape, tickets: LARGE }), 3);
    rows.push([
      name,
      SMALL.toLocaleString('en'),
      mib(small),
      LARGE.toLocaleString('en'),
      mib(large),
      fixed(large / small),
    ]);
  }
  printTable(['', 'tickets', 'peak', 'tickets', 'peak', 'ratio'], rows);
  const big = await bigTicket();
  console.log(`One ticket with a body of 50 MB: ${mib(await peakOf({ files: [big] }, 1))}\n`);
}

async function peakOf({ files }: { readonly files: readonly string[] }, rounds: number): Promise<number> {
  const peaks: number[] = [];
  for (let round = 0; round < rounds; round++)
    peaks.push((await runNode(CLI, ['run', ...files, '--dry-run', '--json'], {}, false)).peakBytes);
  return median(peaks);
}

async function bigTicket(): Promise<string> {
  await mkdir(BENCH_DIR, { recursive: true });
  const file = join(BENCH_DIR, 'one-large-ticket.jsonl');
  if (existsSync(file)) return file;
  const content = 'All work and no play makes a dull ticket. '.repeat(1_250_000);
  const contact = { email: 'ann@example.com' };
  const at = '2024-05-06T07:08:09Z';
  const messages = [{ actorType: 'customer', contact, content, occurredAt: at }];
  await writeFile(file, `${JSON.stringify({ id: 1, subject: 'Large', contact, createdAt: at, messages })}\n`);
  return file;
}
