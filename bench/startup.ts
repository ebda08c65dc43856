/** From the start of the process to the first byte that a person sees, and to the end. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ONE_TICKET } from '../test/support/one-ticket.ts';
import { CLI, runNode } from './support/child.ts';
import { median } from './support/rounds.ts';
import { fixed, printTable, title } from './support/table.ts';

const ROUNDS = 7;

export async function startup(): Promise<void> {
  title('Start-up');
  const folder = mkdtempSync(join(tmpdir(), 'helpdesk-import-bench-'));
  try {
    const file = join(folder, 'one.jsonl');
    writeFileSync(file, `${JSON.stringify(ONE_TICKET)}\n`);
    const empty = join(folder, 'empty.js');
    writeFileSync(empty, 'process.stdout.write("x")');
    const ways: readonly (readonly [string, string, readonly string[]])[] = [
      ['node alone', empty, []],
      ['--version', CLI, ['--version']],
      ['--help', CLI, ['--help']],
      ['run --dry-run of one ticket', CLI, ['run', file, '--dry-run']],
    ];
    const figures = ways.map(() => ({ first: [] as number[], wall: [] as number[] }));
    for (let round = -1; round < ROUNDS; round++) {
      for (const [index, [, script, args]] of ways.entries()) {
        const { firstByteMs, wallMs } = await runNode(script, args, { cwd: folder }, false);
        if (round < 0) continue;
        figures[index]?.first.push(firstByteMs);
        figures[index]?.wall.push(wallMs);
      }
    }
    printTable(
      ['', 'first byte, ms', 'end, ms'],
      ways.map(([name], index) => [
        name,
        fixed(median(figures[index]?.first ?? []), 0),
        fixed(median(figures[index]?.wall ?? []), 0),
      ]),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
