/**
 * What a person waits for, as ratios of processor time to the usual libraries doing the least of the same work, all in one run,
 * and what each may be. Whole processes, start-up included; the least of several runs, as other work on the machine only adds.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CLI, runNode, type Usage } from './support/child.ts';
import { exportOf } from './support/exports.ts';
import { fixed, mib, printTable, title } from './support/table.ts';
import { zendeskExport } from './support/zendesk.ts';

const TICKETS = Number(process.env['BENCH_TICKETS'] ?? 20_000);
const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 3);
const SHAPE = { bodyLength: 300, format: 'csv' } as const;

const script = (name: string) => join(import.meta.dirname, 'support', name);

export async function goals(): Promise<void> {
  title(
    `What a person waits for (${TICKETS.toLocaleString('en')} tickets in three tables, least of ${ROUNDS})`,
  );
  const folder = mkdtempSync(join(tmpdir(), 'helpdesk-import-bench-'));
  try {
    const { files, bytes } = await exportOf({ ...SHAPE, tickets: TICKETS });
    const few = await exportOf({ ...SHAPE, tickets: TICKETS / 5 });
    const unknown = join(folder, 'unknown.csv');
    const row = (id: number) => `${id},Lampe ${id},${'all work and no play '.repeat(30)},2024-03-01 10:00\n`;
    writeFileSync(
      unknown,
      `Nr,Worum,Was,Wann\n${Array.from({ length: 5 * TICKETS }, (_, id) => row(id)).join('')}`,
    );
    const zendesk = await zendeskExport(folder, TICKETS);
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
      lines: () => runNode(script('json-parse-alone.ts'), zendesk.slice(0, 2)),
      zendesk: () => dry(zendesk),
      rehearsal,
      bare: () => runNode(script('bare-import.ts'), [String(TICKETS / 5)]),
      refusal: () => dry([unknown]),
      status: () => runNode(CLI, ['status', '--checkpoint', '0.sqlite'], { cwd: folder }),
    };
    const used: Record<string, Usage[]> = {};
    for (let round = 0; round < ROUNDS; round++)
      for (const [name, run] of Object.entries(ways)) used[name] = [...(used[name] ?? []), await run()];
    const least = (name: string, figure: (usage: Usage) => number) =>
      Math.min(...(used[name] ?? []).map(figure));
    const cpu = (name: string) => least(name, ({ cpuMs }) => cpuMs);
    const seconds = (name: string) => fixed(least(name, ({ wallMs }) => wallMs / 1000));
    const peak = (name: string) => mib(least(name, ({ peakBytes }) => peakBytes));
    const { plan } = JSON.parse(used['few']?.[0]?.stdout ?? '{}') as {
      plan: { requests: { total: number } };
    };
    const perRequest = (cpu('rehearsal') - cpu('few')) / plan.requests.total;
    const bare = least('bare', ({ stdout }) => Number(stdout));
    const many = (count: number) => count.toLocaleString('en');
    printTable(
      ['', 'found', 'goal'],
      [
        ['dry run ÷ csv-parse alone', fixed(cpu('dry') / cpu('parse'), 1), '4.5'],
        ['dry run of a Zendesk export ÷ JSON.parse alone', fixed(cpu('zendesk') / cpu('lines'), 1), ''],
        ['dry run of a Zendesk export, processor time, s', fixed(cpu('zendesk') / 1000), ''],
        ['dry run ÷ csv-parse, SQLite, JSON', fixed(cpu('dry') / cpu('sqlite'), 1), '2.8'],
        ['sending into the sandbox ÷ bare undici and server', fixed(perRequest / bare, 1), '2.5'],
        [`dry run of ${many(TICKETS)} tickets, s`, seconds('dry'), ''],
        [`rehearsal of ${many(TICKETS / 5)} tickets, s`, seconds('rehearsal'), '8'],
        [`refusal of an unknown layout of ${many(5 * TICKETS)} rows, s`, seconds('refusal'), '1'],
        ['status, s', seconds('status'), '0.25'],
        ['temporary disk ÷ export', fixed(least('dry', ({ diskBytes }) => diskBytes) / bytes, 1), '2.2'],
        ['peak memory of the dry run', peak('dry'), '210 MiB'],
        ['peak memory of the rehearsal', peak('rehearsal'), '210 MiB'],
      ],
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
