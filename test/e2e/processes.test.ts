/** What only a process of its own can show: it is killed, or the reader of its output goes. */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readCheckpoint } from '../../src/checkpoint/read-checkpoint.ts';
import { systemClock } from '../../src/system-clock.ts';
import { root, startCli, startShell } from '../support/cli.ts';
import { openDesk } from '../support/desk.ts';
import { hurried } from '../support/hurried-clock.ts';
import { tickets } from '../support/tickets.ts';

const COUNT = 30;
const RUN = ['run', 'export.jsonl', '--set', 'run.rate=100000/1', '--set', 'run.timeout=60'];

async function withExport() {
  const desk = await openDesk({ clock: systemClock }, hurried(50));
  desk.write('export.jsonl', tickets(COUNT));
  return desk;
}

it('a rerun after a kill between a create and its answer creates no ticket twice, and finishes all', async () => {
  const { where, sandbox, checkpoint, run, count } = await withExport();
  const killed = startCli([...RUN, '--set', 'run.batchSize=4'], where);
  let creates = 0;
  sandbox.log.onRequest = ({ kind, effect }) => {
    if (kind === 'create' && effect !== 'none' && ++creates === 9) killed.kill('SIGKILL');
  };
  expect((await killed.result).code).toBe('SIGKILL');
  const reader = readCheckpoint(checkpoint);
  const inDoubt = [...reader.inStates(['creating'])].length;
  reader.close();
  expect(inDoubt).toBeGreaterThan(0);
  expect(await run(...RUN)).toMatchObject({ code: 0, tickets: { done: COUNT } });
  expect([count('tickets'), sandbox.log.duplicates(), count('messages')]).toEqual([COUNT, [], COUNT]);
});

it.skipIf(process.platform === 'win32')(
  'a run continues when the reader of its output has gone',
  async () => {
    const { where, count } = await withExport();
    const program = `"${process.execPath}" "${join(root, 'bin/helpdesk-import.js')}"`;
    const line = `${program} ${RUN.join(' ')} | head -n 1; echo "code $?"`;
    const { stdout } = await startShell(['bash', '-o', 'pipefail', '-c', line], where);
    expect(stdout).toContain('code 0');
    expect(count('messages')).toBe(COUNT);
  },
);
