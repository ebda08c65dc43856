/** A disk that is full in the middle of an import: the run ends with 6, and goes on once there is room. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root, startShell, temporaryFolder } from '../support/cli.ts';
import { generateExport } from '../support/generate-export.ts';
import { count, type RunSummary, withServiceOfProcesses } from './service-run.ts';

const TICKETS = 250;

/** A disk of one's own needs a mount, and that a user namespace, which not every machine grants. */
const canMount =
  spawnSync('unshare', ['-rm', 'sh', '-c', 'mount -t tmpfs -o size=1m none /mnt'], { stdio: 'ignore' })
    .status === 0;
const hasShell = process.platform !== 'win32';

/** Runs the script in a folder with an export and a service; it leaves `first` and `second` `.json`, `.err` and `.code`. */
async function twoRuns(script: (run: (name: string) => string) => string, inNamespace: boolean) {
  using folder = temporaryFolder();
  mkdirSync(folder.join('disk'));
  writeFileSync(folder.join('helpdesk-import.yaml'), 'run: { timeout: 3 }');
  await generateExport({
    dir: folder.join('export'),
    tickets: TICKETS,
    messages: 1,
    seed: 4,
    format: 'jsonl',
  });
  return await withServiceOfProcesses({}, async (service) => {
    const run = (name: string) =>
      `${JSON.stringify(process.execPath)} ${JSON.stringify(join(root, 'bin/helpdesk-import.js'))} run export ` +
      `--checkpoint disk/c.sqlite --rate 100000/1 --json > ${name}.json 2> ${name}.err; echo $? > ${name}.code`;
    writeFileSync(folder.join('script.sh'), `${script(run)}\n`);
    const command = inNamespace ? ['unshare', '-rm', 'sh', 'script.sh'] : ['sh', 'script.sh'];
    const shell = await startShell(command, { cwd: folder.path, env: service.env });
    expect(shell.code, shell.stderr).toBe(0);
    const read = (name: string) => readFileSync(folder.join(name), 'utf8');
    const end = (name: string) => ({
      code: Number(read(`${name}.code`)),
      stderr: read(`${name}.err`),
      reported: JSON.parse(read(`${name}.json`)) as RunSummary,
    });
    return {
      first: end('first'),
      second: end('second'),
      created: count(service, 'SELECT count(*) FROM tickets'),
      duplicates: service.store.log.duplicates(),
    };
  });
}

function expectResumed({ first, second, created, duplicates }: Awaited<ReturnType<typeof twoRuns>>): void {
  expect(first.code).toBe(6);
  expect(first.stderr).toContain('The checkpoint disk/c.sqlite cannot be written');
  expect(first.stderr).toContain('run the same command again');
  expect(first.stderr).not.toMatch(/\n\s+at .*\.js:/);
  const {
    read,
    done = 0,
    rejected = 0,
    failed = 0,
    inDoubt = 0,
    skipped = 0,
    pending = 0,
  } = first.reported.tickets;
  expect(done).toBeLessThan(TICKETS);
  expect(done + rejected + failed + inDoubt + skipped + pending).toBe(read);
  expect(second).toMatchObject({
    code: 0,
    reported: { tickets: { read: TICKETS, done: TICKETS, inDoubt: 0 } },
  });
  expect(created).toBe(TICKETS);
  expect(duplicates).toEqual([]);
}

describe('a disk that is full', () => {
  it.runIf(canMount)(
    'ends the run with exit 6, and with room again it continues where it stopped',
    async () => {
      const script = (run: (name: string) => string) =>
        [
          'mount -t tmpfs -o size=1m none disk || exit 9',
          'head -c 800000 /dev/zero > disk/ballast',
          run('first'),
          'rm disk/ballast && mount -o remount,size=64m disk',
          run('second'),
        ].join('\n');
      const runs = await twoRuns(script, true);
      expectResumed(runs);
      expect(runs.first.stderr).toContain('the disk is full');
    },
    60_000,
  );

  it.runIf(hasShell)(
    'and so does a file that must not grow any more',
    async () => {
      // 512-byte blocks: room for the empty checkpoint, and for part of what is recorded.
      const script = (run: (name: string) => string) =>
        [`(ulimit -f 300; ${run('first')})`, run('second')].join('\n');
      expectResumed(await twoRuns(script, false));
    },
    60_000,
  );
});
