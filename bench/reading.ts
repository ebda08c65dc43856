/** A dry run as a user starts it, against reading the same bytes with the usual libraries and doing nothing with them. */
import { join } from 'node:path';
import { CLI, runNode, type Usage } from './support/child.ts';
import { exportOf, ORDINARY_BODY, type Shape } from './support/exports.ts';
import { median, ratio, sideBySide } from './support/rounds.ts';
import { fixed, mib, printTable, title } from './support/table.ts';

const TICKETS = Number(process.env['BENCH_TICKETS'] ?? 50_000);

const CASES: readonly (readonly [string, Shape, 'readline-alone.ts' | 'csv-parse-alone.ts'])[] = [
  ['JSONL, bodies of 600 characters', { tickets: TICKETS, bodyLength: ORDINARY_BODY }, 'readline-alone.ts'],
  ['JSONL, bodies of 160 characters', { tickets: TICKETS }, 'readline-alone.ts'],
  [
    'CSV trio, rows shuffled, 600 characters',
    { tickets: TICKETS, bodyLength: ORDINARY_BODY, format: 'csv', shuffle: true },
    'csv-parse-alone.ts',
  ],
  [
    'CSV trio, in order, 600 characters',
    { tickets: TICKETS, bodyLength: ORDINARY_BODY, format: 'csv' },
    'csv-parse-alone.ts',
  ],
];

export async function reading(): Promise<void> {
  title('A dry run over readline + JSON.parse, or csv-parse, alone on the same bytes (whole processes)');
  const rows: (string | number)[][] = [];
  for (const [name, shape, alone] of CASES) {
    const { files, bytes } = await exportOf(shape);
    const cpu: Record<'ours' | 'alone', number[]> = { ours: [], alone: [] };
    let peak = 0;
    const run = (who: 'ours' | 'alone', start: () => Promise<Usage>) => async () => {
      const usage = await start();
      cpu[who].push(usage.cpuMs);
      if (who === 'ours') peak = Math.max(peak, usage.peakBytes);
      return bytes / 1e6 / (usage.wallMs / 1000);
    };
    const [own, library] = await sideBySide([
      { name: 'dry run', run: run('ours', () => runNode(CLI, ['run', ...files, '--dry-run', '--json'])) },
      { name: alone, run: run('alone', () => runNode(join(import.meta.dirname, 'support', alone), files)) },
    ]);
    rows.push([
      name,
      `${fixed(bytes / 1e6, 0)} MB`,
      fixed(own?.median ?? 0, 1),
      fixed(library?.median ?? 0, 1),
      fixed(ratio(own, library)),
      fixed(median(cpu.alone) / median(cpu.ours)),
      mib(peak),
    ]);
  }
  printTable(['', 'size', 'MB/s', 'alone, MB/s', 'ratio', 'ratio by CPU', 'peak memory'], rows);
}
