/** What only a process of its own can show: it is killed, or the reader of its output goes. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readCheckpoint } from '../../src/checkpoint/read-checkpoint.ts';
import { root, startCli, startShell, temporaryFolder } from '../support/cli.ts';
import { commandLine } from '../support/command-line.ts';
import { hurried } from '../support/hurried-clock.ts';
import { tickets } from '../support/tickets.ts';
import { count, withServiceOfProcesses } from './service-run.ts';

const COUNT = 30;
const RUN = ['run', 'export.jsonl', '--set', 'run.rate=100000/1', '--set', 'run.timeout=60'];

it('a rerun after a kill between a create and its answer creates no ticket twice, and finishes all', async () => {
  using folder = temporaryFolder();
  writeFileSync(folder.join('export.jsonl'), tickets(COUNT));
  await withServiceOfProcesses({}, async (service) => {
    const killed = startCli([...RUN, '--set', 'run.batchSize=4'], { cwd: folder.path, env: service.env });
    let creates = 0;
    service.log.onRequest = ({ kind, effect }) => {
      if (kind === 'create' && effect !== 'none' && ++creates === 9) killed.kill('SIGKILL');
    };
    expect((await killed.result).code).toBe('SIGKILL');
    const checkpoint = readCheckpoint(folder.join('helpdesk-import.checkpoint.sqlite'));
    const inDoubt = [...checkpoint.inStates(['creating'])].length;
    checkpoint.close();
    expect(inDoubt).toBeGreaterThan(0);
    const ended = await commandLine([...RUN, '--json'], {
      ...{ cwd: folder.path, env: service.env, clock: hurried(50) },
    });
    expect([ended.code, JSON.parse(ended.stdout).tickets], ended.stderr).toMatchObject([0, { done: COUNT }]);
    expect([count(service, 'SELECT count(*) FROM tickets'), service.log.duplicates()]).toEqual([COUNT, []]);
    expect(count(service, 'SELECT count(*) FROM messages')).toBe(COUNT);
  });
});

it.skipIf(process.platform === 'win32')(
  'a run continues when the reader of its output has gone',
  async () => {
    using folder = temporaryFolder();
    writeFileSync(folder.join('export.jsonl'), tickets(COUNT));
    await withServiceOfProcesses({}, async (service) => {
      const program = `"${process.execPath}" "${join(root, 'bin/helpdesk-import.js')}"`;
      const line = `${program} ${RUN.join(' ')} | head -n 1; echo "code $?"`;
      const options = { cwd: folder.path, env: service.env };
      const { stdout } = await startShell(['bash', '-o', 'pipefail', '-c', line], options);
      expect(stdout).toContain('code 0');
      expect(count(service, 'SELECT count(*) FROM messages')).toBe(COUNT);
    });
  },
);
