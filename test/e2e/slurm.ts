/** Slurm on this machine alone, started for one test, and an array of jobs on it. Debian: slurmctld slurmd slurm-client munge. */
import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { hostname } from 'node:os';
import { promisify } from 'node:util';
import type { temporaryFolder } from '../support/cli.ts';

const run = promisify(execFile);

export const hasSlurm =
  process.getuid?.() === 0 &&
  ['/usr/sbin/slurmctld', '/usr/sbin/slurmd', '/usr/sbin/munged', '/usr/bin/sbatch'].every((file) =>
    existsSync(file),
  );

/** Of a question that takes some ten milliseconds. */
const MOST_TRIES = 3000;

export interface Slurm extends AsyncDisposable {
  /** Tasks 1 to `count` of `script`; resolves with the id of the array. */
  submit(script: string, count: number, env: Record<string, string>): Promise<string>;
  kill(task: string): Promise<void>;
  /** Until no task of the array waits or runs. */
  ended(array: string): Promise<void>;
}

export async function startSlurm(folder: ReturnType<typeof temporaryFolder>): Promise<Slurm> {
  const at = (name: string) => folder.join(`slurm/${name}`);
  for (const name of ['slurm', 'slurm/state', 'slurm/spool']) mkdirSync(folder.join(name), { mode: 0o711 });
  const [control, daemon] = [await freePort(), await freePort()];
  writeFileSync(at('munge.key'), Buffer.alloc(128, 'a key of a test'), { mode: 0o600 });
  const host = hostname();
  writeFileSync(
    at('slurm.conf'),
    `ClusterName=test
SlurmctldHost=${host}
SlurmctldPort=${control}
SlurmdPort=${daemon}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=${at('munge.socket')}
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/linear
StateSaveLocation=${at('state')}
SlurmdSpoolDir=${at('spool')}
SlurmctldPidFile=${at('slurmctld.pid')}
SlurmdPidFile=${at('slurmd.pid')}
SlurmctldLogFile=${at('slurmctld.log')}
SlurmdLogFile=${at('slurmd.log')}
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SchedulerParameters=sched_interval=1
SlurmdParameters=config_overrides
NodeName=${host} CPUs=8 State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES State=UP OverSubscribe=FORCE:8
`,
  );
  execFileSync('/usr/sbin/munged', [
    '--force',
    `--key-file=${at('munge.key')}`,
    `--socket=${at('munge.socket')}`,
    `--pid-file=${at('munged.pid')}`,
    `--log-file=${at('munged.log')}`,
    `--seed-file=${at('munged.seed')}`,
  ]);
  execFileSync('/usr/sbin/slurmctld', ['-f', at('slurm.conf')]);
  const env = { PATH: process.env['PATH'] ?? '', SLURM_CONF: at('slurm.conf') };
  const ask = async (command: string, args: readonly string[], more: Record<string, string> = {}) =>
    (await run(command, args, { env: { ...env, ...more }, cwd: folder.path })).stdout;
  const until = async (answer: RegExp, command: string, args: readonly string[]) => {
    for (let tries = 0; !answer.test(await ask(command, args).catch(() => '')); tries++)
      if (tries > MOST_TRIES)
        throw new Error(
          ['slurmctld', 'slurmd'].map((name) => readFileSync(at(`${name}.log`), 'utf8')).join('\n'),
        );
  };
  // A daemon that finds no controller, or a job that finds no node, waits for a minute before it looks again.
  await until(/\bUP\b/, 'scontrol', ['ping']);
  execFileSync('/usr/sbin/slurmd', ['-f', at('slurm.conf')]);
  await until(/^idle\s*$/, 'sinfo', ['-h', '-o', '%T']);
  return {
    async submit(script, count, given) {
      writeFileSync(at('job.sh'), script);
      const out = await ask(
        'sbatch',
        [
          '--parsable',
          `--array=1-${count}`,
          `--output=${folder.join('%a.out')}`,
          '--export=ALL',
          at('job.sh'),
        ],
        given,
      );
      return out.trim();
    },
    kill: async (task) => void (await ask('scancel', ['--full', '--signal=KILL', task])),
    async ended(array) {
      // A task that has ended is not listed any more, or as completing.
      while (
        /\b(PENDING|RUNNING|COMPLETING|CONFIGURING)\b/.test(
          await ask('squeue', ['-h', '-o', '%T', '-j', array]),
        )
      );
    },
    async [Symbol.asyncDispose]() {
      for (const name of ['slurmd', 'slurmctld', 'munged']) {
        try {
          process.kill(Number(readFileSync(at(`${name}.pid`), 'utf8')));
        } catch {
          // it is gone
        }
      }
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, () => resolve()));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}
