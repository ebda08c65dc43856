/**
 * What a person waits for, as ratios of processor time to the usual libraries doing the least of the same work, all in one run,
 * and what each may be. Whole processes, start-up included.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CLI, runNode, type Usage } from './support/child.ts';
import { exportOf } from './support/exports.ts';
import { median } from './support/rounds.ts';
import { fixed, mib, printTable, title } from './support/table.ts';

const TICKETS = Number(process.env['BENCH_TICKETS'] ?? 20_000);
const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 3);
const SHAPE = { bodyLength: 300, format: 'csv' } as const;

const script = (name: string) => join(import.meta.dirname, 'support', name);

export async function goals(): Promise<void> {
  title(
    `What a person waits for (${TICKETS.toLocaleString('en')} tickets in three tables, median of ${ROUNDS})`,
  );
  const folder = mkdtempSync(join(tmpdir(), 'helpdesk-import-bench-'));
  try {
    const { files } = await exportOf({ ...SHAPE, tickets: TICKETS });
    const few = await exportOf({ ...SHAPE, tickets: TICKETS / 5 });
    const unknown = join(folder, 'unknown.csv');
    const row = (id: number) => `${id},Lampe ${id},${'all work and no play '.repeat(30)},2024-03-01 10:00\n`;
    writeFileSync(
      unknown,
      `Nr,Worum,Was,Wann\n${Array.from({ length: 5 * TICKETS }, (_, id) => row(id)).join('')}`,
    );
    const dry = (from: readonly string[]) =>
      runNode(CLI, ['run', ...from, '--dry-run', '--json'], { cwd: folder });
    let nr = 0;
    const rehearsal = () =>
      runNode(
        CLI,
        [
          'run',
          ...few.files,
          '--sandbox',
          join(folder, `desk${nr}`),
          '--checkpoint',
          `${nr++}.sqlite`,
          '--json',
        ],
        { cwd: folder },
      );
    const ways: Readonly<Record<string, () => Promise<Usage>>> = {
      parse: () => runNode(script('csv-parse-alone.ts'), files),
      sqlite: () => runNode(script('sqlite-alone.ts'), files),
      dry: () => dry(files),
      few: () => dry(few.files),
      rehearsal,
      bare: () => runNode(script('bare-import.ts'), [String(TICKETS / 5)]),
      refusal: () => dry([unknown]),
      status: () => runNode(CLI, ['status', '--checkpoint', '0.sqlite'], { cwd: folder }),
    };
    const rounds: Record<string, Usage>[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const used: Record<string, Usage> = {};
      for (const [name, run] of Object.entries(ways)) used[name] = await run();
      rounds.push(used);
    }
    const of = (figure: (used: Record<string, Usage>) => number) => median(rounds.map(figure));
    const cpu = (used: Record<string, Usage>, name: string) => used[name]?.cpuMs ?? Number.NaN;
    const seconds = (name: string) => of((used) => (used[name]?.wallMs ?? Number.NaN) / 1000);
    const requests = (used: Record<string, Usage>) => {
      const { plan } = JSON.parse(used['few']?.stdout ?? '{}') as { plan: { requests: { total: number } } };
      return plan.requests.total;
    };
    printTable(
      ['', 'found', 'goal'],
      [
        [
          'dry run ÷ csv-parse alone',
          fixed(
            of((used) => cpu(used, 'dry') / cpu(used, 'parse')),
            1,
          ),
          '4.5',
        ],
        [
          'dry run ÷ csv-parse, SQLite, JSON',
          fixed(
            of((used) => cpu(used, 'dry') / cpu(used, 'sqlite')),
            1,
          ),
          '2.8',
        ],
        [
          'sending into the sandbox ÷ bare undici and server',
          fixed(
            of(
              (used) =>
                (cpu(used, 'rehearsal') - cpu(used, 'few')) / requests(used) / Number(used['bare']?.stdout),
            ),
            1,
          ),
          '2.5',
        ],
        [`dry run of ${TICKETS.toLocaleString('en')} tickets, s`, fixed(seconds('dry'), 1), ''],
        [`rehearsal of ${(TICKETS / 5).toLocaleString('en')} tickets, s`, fixed(seconds('rehearsal'), 1), ''],
        [
          `refusal of an unknown layout of ${(5 * TICKETS).toLocaleString('en')} rows, s`,
          fixed(seconds('refusal'), 2),
          '1',
        ],
        ['status, s', fixed(seconds('status'), 2), '0.25'],
        ['peak memory of the dry run', mib(of((used) => used['dry']?.peakBytes ?? Number.NaN)), '210 MiB'],
        [
          'peak memory of the rehearsal',
          mib(of((used) => used['rehearsal']?.peakBytes ?? Number.NaN)),
          '210 MiB',
        ],
      ],
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
