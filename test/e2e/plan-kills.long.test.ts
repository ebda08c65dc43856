/** Kills around a plan: no half of one is ever taken for a plan, and the same command goes on. */
import { readdirSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { cli, startCli, temporaryFolder } from '../support/cli.ts';
import { generateExport } from '../support/generate-export.ts';

const keep = ['run', 'export', '--dry-run', '--plan', 'approved.plan'];

async function exported(tickets: number) {
  const folder = temporaryFolder();
  await generateExport({ dir: folder.join('export'), tickets, messages: 2, format: 'jsonl' });
  return folder;
}

const draftsIn = (path: string) => readdirSync(path).filter((name) => name.endsWith('.tmp'));

describe('kill -9', () => {
  it('while the plan is written leaves a draft that is no plan, and the same command puts a whole one in its place', async () => {
    using folder = await exported(2_000);
    const run = startCli(keep, { cwd: folder.path });
    while (draftsIn(folder.path).length === 0) await new Promise((done) => setImmediate(done));
    run.kill('SIGKILL');
    expect((await run.result).code).toBe('SIGKILL');
    const [draft = ''] = draftsIn(folder.path);
    // SQLite leaves a journal too if it dies early enough.
    writeFileSync(folder.join(`${draft}-journal`), '');
    expect(readdirSync(folder.path)).not.toContain('approved.plan');
    const taken = await cli(['run', draft, '--dry-run'], { cwd: folder.path });
    expect(taken.code, taken.stderr).toBe(2);
    const again = await cli(keep, { cwd: folder.path });
    expect(again.code, again.stderr).toBe(0);
    expect(readdirSync(folder.path).toSorted()).toEqual(['approved.plan', 'export']);
  });
});
