/** Kills and full disks around a plan: no half of one is ever taken for a plan, and a rerun works. */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { RequestLog } from '../../src/sandbox/store/request-log.ts';
import { cli, root, startCli, startShell, temporaryFolder } from '../support/cli.ts';
import { generateExport } from '../support/generate-export.ts';
import { reportedByProcess, withServiceOfProcesses } from './service-run.ts';

const TICKETS = 2_000;
const program = join(root, 'bin/helpdesk-import.js');
const keep = ['run', 'export', '--dry-run', '--plan', 'approved.plan'];

async function exported(tickets = TICKETS) {
  const folder = temporaryFolder();
  const { files } = await generateExport({
    dir: folder.join('export'),
    tickets,
    messages: 2,
    format: 'jsonl',
  });
  return { folder, file: files[0] ?? '', [Symbol.dispose]: () => folder[Symbol.dispose]() };
}

const draftsIn = (path: string) => readdirSync(path).filter((name) => name.endsWith('.tmp'));

describe('kill -9 of a dry run that keeps its plan', () => {
  it('while it reads the export leaves no plan, and the same command makes it', async () => {
    using scene = await exported();
    const { folder, file } = scene;
    const child = spawn(process.execPath, [program, 'run', '-', '--dry-run', '--plan', 'approved.plan'], {
      cwd: folder.path,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    const ended = new Promise((done) => child.on('close', (_code, signal) => done(signal)));
    const half = readFileSync(file).subarray(0, 500_000);
    await new Promise((done) => child.stdin.write(half, done));
    child.kill('SIGKILL');
    expect(await ended).toBe('SIGKILL');
    expect(readdirSync(folder.path)).toEqual(['export']);
    const again = await cli(['run', '-', '--dry-run', '--plan', 'approved.plan', '--json'], {
      cwd: folder.path,
      input: readFileSync(file),
    });
    expect(JSON.parse(again.stdout)).toMatchObject({ tickets: { pending: TICKETS }, exitCode: 0 });
    expect(readdirSync(folder.path)).toContain('approved.plan');
  });

  it('while it maps the tickets leaves nothing of them, and the same command makes the plan', async () => {
    using scene = await exported();
    const { folder } = scene;
    const log = folder.join('run.log');
    writeFileSync(folder.join('helpdesk-import.yaml'), 'run:\n  logFile: run.log\n');
    const run = startCli(keep, { cwd: folder.path });
    const isMapping = () => existsSync(log) && readFileSync(log, 'utf8').includes('"checking"');
    let hasEnded = false;
    void run.result.then(() => {
      hasEnded = true;
    });
    while (!isMapping() && !hasEnded) await new Promise((done) => setImmediate(done));
    run.kill('SIGKILL');
    expect((await run.result).code).toBe('SIGKILL');
    expect(readdirSync(folder.path).toSorted()).toEqual(['export', 'helpdesk-import.yaml', 'run.log']);
    expect((await cli(keep, { cwd: folder.path })).code).toBe(0);
    expect(readdirSync(folder.path)).toContain('approved.plan');
  });

  it('while it writes the plan leaves a draft that is no plan, and the same command puts a whole one in its place', async () => {
    using scene = await exported();
    const { folder } = scene;
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

describe('kill -9 of a run that sends a plan', () => {
  it('loses nothing and sends nothing twice: the same command goes on', async () => {
    using scene = await exported(200);
    const { folder } = scene;
    expect((await cli(keep, { cwd: folder.path })).code).toBe(0);
    await withServiceOfProcesses({}, async (service) => {
      const args = ['run', 'approved.plan', '--yes', '--rate', '100000/1'];
      for (const at of [5, 40, 20]) {
        const run = startCli(args, { cwd: folder.path, env: service.env });
        const { log } = service.store;
        const add = RequestLog.prototype.add.bind(log);
        let left = at;
        log.add = (request) => {
          add(request);
          if (request.kind === 'create' && --left === 0) run.kill('SIGKILL');
        };
        expect((await run.result).code).toBe('SIGKILL');
      }
      const { tickets } = await reportedByProcess(args, folder.path, service.env);
      expect(tickets).toMatchObject({ read: 200, done: 200, inDoubt: 0 });
      expect(service.store.log.duplicates()).toEqual([]);
    });
  });
});

/** A disk of one's own needs a mount, and that a user namespace, which not every machine grants. */
const canMount =
  spawnSync('unshare', ['-rm', 'sh', '-c', 'mount -t tmpfs -o size=1m none /mnt'], { stdio: 'ignore' })
    .status === 0;

describe.runIf(canMount)('a full disk', () => {
  const run = (more: string, name: string, env: string) =>
    `${env} ${JSON.stringify(process.execPath)} ${JSON.stringify(program)} run ${more} --json > ${name}.json 2> ${name}.err; echo $? > ${name}.code; ls -A disk > ${name}.ls`;

  async function onDisk(megabytes: number, more: string, env = '', before = '') {
    using scene = await exported();
    const { folder, file } = scene;
    mkdirSync(folder.join('disk'));
    writeFileSync(folder.join('export.jsonl.gz'), gzipSync(readFileSync(file)));
    const script = [
      ...(before === '' ? [] : [run(before, 'before', '')]),
      `mount -t tmpfs -o size=${megabytes}m none disk || exit 9`,
      run(more, 'first', env),
      'mount -o remount,size=256m disk',
      run(more, 'second', env),
    ];
    writeFileSync(folder.join('script.sh'), `${script.join('\n')}\n`);
    const shell = await startShell(['unshare', '-rm', 'sh', 'script.sh'], { cwd: folder.path });
    expect(shell.code, shell.stderr).toBe(0);
    const read = (name: string) => readFileSync(folder.join(name), 'utf8');
    return ['first', 'second'].map((name) => ({
      code: Number(read(`${name}.code`)),
      error: JSON.parse(read(`${name}.json`)).error?.message as string | undefined,
      left: read(`${name}.ls`).trim(),
    }));
  }

  it('under the plan ends with one sentence and leaves nothing of it; with room the same command makes it', async () => {
    const [first, second] = await onDisk(1, 'export --dry-run --plan disk/approved.plan');
    expect(first).toEqual({
      code: 6,
      error: 'The plan cannot be written to disk/approved.plan: the disk is full.',
      left: '',
    });
    expect(second).toEqual({ code: 0, error: undefined, left: 'approved.plan' });
  });

  it('under the checkpoint stops the run of a plan; with room the same command sends the rest', {
    timeout: 300_000,
  }, async () => {
    const made = 'export --dry-run --plan approved.plan';
    const [first, second] = await onDisk(
      1,
      'approved.plan --yes --sandbox sandbox --checkpoint disk/c.sqlite',
      '',
      made,
    );
    expect([first?.code, second?.code]).toEqual([6, 0]);
  });

  it('under the temporary folder is known before anything is read, by the size of the export', async () => {
    const [first, second] = await onDisk(1, 'export --dry-run', 'SQLITE_TMPDIR=disk');
    expect(first).toMatchObject({
      code: 6,
      error: expect.stringMatching(
        /^The rows and the plan of this export need up to \d+ MB in disk, which has 2 MB free\.$/,
      ),
    });
    expect(second?.code).toBe(0);
  });

  it('that an export fills once it is unpacked ends with one sentence', async () => {
    const [first, second] = await onDisk(1, 'export.jsonl.gz --dry-run', 'SQLITE_TMPDIR=disk');
    expect(first).toMatchObject({
      code: 6,
      error: "The temporary file of the export's rows cannot be written: the disk is full.",
    });
    expect(second?.code).toBe(0);
  });
});
