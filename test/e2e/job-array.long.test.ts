/** An array of jobs, `--shard auto`, some of them killed: processes with the variables of Slurm. */
import { expect, it } from 'vitest';
import { startCli, temporaryFolder } from '../support/cli.ts';
import { generateExport } from '../support/generate-export.ts';
import { count, type Service, withServiceOfProcesses } from './service-run.ts';

const PARTS = 4;
const SHAPE = { tickets: 60, contacts: 30, messages: 2, events: true, seed: 19 };
const ARGS = ['run', 'export', '--shard', 'auto', '--rate', '120/6', '--yes', '--no-progress'];

/** One array of tasks that take a part each. */
interface Array {
  kill(task: number): Promise<void>;
  ended(): Promise<void>;
}

async function imports(
  folder: ReturnType<typeof temporaryFolder>,
  service: Service,
  start: () => Promise<Array>,
) {
  const tickets = () => count(service, 'SELECT count(*) FROM tickets');
  const first = await start();
  // So early that each of the two still has tickets to create, whichever task came first: a create in doubt is settled by a later one.
  for (const [task, after] of [
    [2, 8],
    [3, 16],
  ] as const) {
    await expect.poll(tickets, { interval: 20, timeout: 60_000 }).toBeGreaterThan(after);
    await first.kill(task);
  }
  await first.ended();
  expect(tickets()).toBeLessThan(SHAPE.tickets);

  const checkpoints = Array.from({ length: PARTS }, (_, at) => `${at + 1}.sqlite`);
  const whole = async () => {
    const cli = startCli(['status', ...checkpoints, '--json'], { cwd: folder.path, env: {} });
    return JSON.parse((await cli.result).stdout);
  };
  expect((await whole()).total.done).toBeLessThan(SHAPE.tickets);
  // A ticket that was in flight at the kill may need a second look: exit code 4 says "run it again". Where no other ticket was left
  // to be created after it, nothing proves that it is not there, and a person says so.
  for (let again = 0; again < 3; again++) {
    await (await start()).ended();
    if ((await whole()).total.done === SHAPE.tickets) break;
    for (const checkpoint of again === 0 ? [] : checkpoints)
      await startCli(['resolve', '--retry', '--all', '--checkpoint', checkpoint], {
        cwd: folder.path,
        env: {},
      }).result;
  }
  const { total } = await whole();
  expect(total).toMatchObject({ known: SHAPE.tickets, done: SHAPE.tickets, inDoubt: 0, failed: 0 });
  expect(tickets()).toBe(SHAPE.tickets);
}

it('processes with the variables of an array, two of them killed: run again, and what nothing can prove settled by hand, they make one whole', {
  timeout: 600_000,
}, async () => {
  using folder = temporaryFolder();
  await generateExport({ ...SHAPE, dir: folder.join('export'), format: 'jsonl' });
  await withServiceOfProcesses({}, async (service) => {
    await imports(folder, service, async () => {
      // Slurm counts from where its user says.
      const runs = Array.from({ length: PARTS }, (_, at) =>
        startCli([...ARGS, '--checkpoint', `${at + 1}.sqlite`], {
          cwd: folder.path,
          env: {
            ...service.env,
            SLURM_ARRAY_TASK_ID: `${at + 1}`,
            SLURM_ARRAY_TASK_COUNT: `${PARTS}`,
            SLURM_ARRAY_TASK_MIN: '1',
          },
        }),
      );
      return {
        kill: async (task) => void runs[task - 1]?.kill('SIGKILL'),
        ended: async () => void (await Promise.all(runs.map(({ result }) => result))),
      };
    });
  });
});
