/** A disk that is full in the middle of the work: one sentence and exit 6, nothing half is left, and with room the same command goes on. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root, startShell, temporaryFolder } from '../support/cli.ts';
import { generateExport } from '../support/generate-export.ts';

/** A disk of one's own needs a mount, and that a user namespace, which not every machine grants. */
const canMount =
  spawnSync('unshare', ['-rm', 'sh', '-c', 'mount -t tmpfs -o size=1m none /mnt'], { stdio: 'ignore' })
    .status === 0;

/** Runs the command on a disk of one megabyte, and again on a larger one. */
async function twice(command: string, env: string, ballastBytes: number) {
  using folder = temporaryFolder();
  mkdirSync(folder.join('disk'));
  writeFileSync(folder.join('helpdesk-import.yaml'), 'run: { timeout: 3 }');
  const shape = { tickets: 2_000, messages: 2, format: 'jsonl' } as const;
  await generateExport({ ...shape, dir: folder.join('export') });
  const program = `${env} "${process.execPath}" "${join(root, 'bin/helpdesk-import.js')}"`;
  const run = (name: string) =>
    `${program} run ${command} --json > ${name}.json 2> ${name}.err; echo $? > ${name}.code; ls disk > ${name}.ls`;
  const script = [
    'mount -t tmpfs -o size=1m none disk || exit 9',
    `head -c ${ballastBytes} /dev/zero > disk/ballast && [ -s disk/ballast ] || rm disk/ballast`,
    run('first'),
    'rm -f disk/ballast && mount -o remount,size=256m disk',
    run('second'),
  ];
  writeFileSync(folder.join('script.sh'), `${script.join('\n')}\n`);
  const shell = await startShell(['unshare', '-rm', 'sh', 'script.sh'], { cwd: folder.path });
  expect(shell.code, shell.stderr).toBe(0);
  const read = (name: string) => readFileSync(folder.join(name), 'utf8');
  return ['first', 'second'].map((name) => ({
    code: Number(read(`${name}.code`)),
    said: `${read(`${name}.json`)} ${read(`${name}.err`)}`.replace(/\s+/g, ' '),
    tickets: JSON.parse(read(`${name}.json`)).tickets as Record<string, number> | undefined,
    left: read(`${name}.ls`).trim(),
  }));
}

describe.runIf(canMount)('a disk that is full', () => {
  it.each<[what: string, command: string, env: string, says: RegExp, left: string]>([
    [
      'under the plan',
      'export --dry-run --plan disk/approved.plan',
      '',
      /The plan cannot be written to disk\/approved\.plan: the disk is full\./,
      'approved.plan',
    ],
    [
      'under the temporary folder',
      'export --dry-run',
      'SQLITE_TMPDIR=disk',
      /The temporary file of the export's rows cannot be written: the disk is full\./,
      '',
    ],
  ])('%s ends with one sentence and leaves nothing; with room the same command works', async (...row) => {
    const [, command, env, says, left] = row;
    const [first, second] = await twice(command, env, 0);
    expect(first).toMatchObject({ code: 6, said: expect.stringMatching(says), left: '' });
    expect(second).toMatchObject({ code: 0, left });
  });

  it('under the checkpoint stops the run; with room the same command sends the rest', async () => {
    const command = 'export --limit 250 --sandbox --checkpoint disk/c.sqlite --set run.rate=100000/1';
    const [first, second] = await twice(command, '', 800_000);
    expect(first?.code).toBe(6);
    expect(first?.said).toMatch(/The checkpoint disk\/c\.sqlite cannot be written.*the disk is full/);
    expect(first?.said).toContain('run the same command again');
    expect(first?.said).not.toMatch(/ at .*\.js:/);
    const { read, ...outcomes } = first?.tickets ?? {};
    expect(outcomes['done']).toBeLessThan(250);
    const all = ['done', 'rejected', 'failed', 'inDoubt', 'skipped', 'pending'];
    expect(all.reduce((sum, name) => sum + (outcomes[name] ?? 0), 0)).toBe(read);
    expect(second).toMatchObject({ code: 0, tickets: { done: 250, inDoubt: 0 } });
  });
});
