/** A target restored from a backup: lost tickets are reported, and no ticket is created twice, neither at once nor by following the advice. */
import { describe, expect, it } from 'vitest';
import { hurried } from '../support/hurried-clock.ts';
import type { UnfairTarget } from '../support/unfair-target.ts';
import { expectHonest, exportTickets, type UnfairRun, unfairly } from './unfair/unfair-run.ts';

const pace = () => ({ clock: hurried(20), timeout: 20 });
const writes = ({ seen }: UnfairTarget) => seen.filter(({ method }) => method !== 'GET').length;
const reported = ({ stderr }: { stderr: string }) => stderr.replace(/\s+/g, ' ');

const advised = (refused: { stderr: string }) =>
  /"helpdesk-import ([^"]+)"/.exec(reported(refused))?.[1] ?? '';

/** So many are imported, then a backup is made, then the others; the backup is put back. */
async function restored(
  kept: number,
  all: number,
  work: (run: UnfairRun) => Promise<void>,
  total = true,
): Promise<void> {
  await unfairly(
    { total },
    async (run) => {
      run.write(exportTickets(kept));
      expect((await run.run()).code).toBe(0);
      const backup = run.target.backup();
      run.write(exportTickets(all));
      expect((await run.run()).code).toBe(0);
      expect(run.target.workspace.tickets.size).toBe(all);
      run.target.replaceWorkspace(backup);
      await work(run);
    },
    pace(),
  );
}

describe('a target without the newest tickets', () => {
  it.each([
    [3, 12],
    [1, 6],
  ])('that has %i of %i is refused before anything is written, whatever is asked for', async (kept, all) => {
    await restored(kept, all, async (run) => {
      const before = writes(run.target);
      for (const flags of [[], ['--delta'], ['--trial'], ['--limit', '1']]) {
        // One more, so that there is something to send.
        run.write(exportTickets(all + 1));
        const refused = await run.run(flags);
        expect(refused.code, `${flags}: ${refused.stderr}`).toBe(2);
        expect(reported(refused)).toMatch(/has older tickets of the checkpoint .* and none of the newest/);
        expect(advised(refused)).toMatch(/^checkpoint rebuild .*--checkpoint <new file>$/);
      }
      expect(writes(run.target)).toBe(before);
      expect(run.target.workspace.tickets.size).toBe(kept);
    });
  });

  it('gets them back by following the advice: rebuild the checkpoint, then run', async () => {
    await restored(3, 12, async (run) => {
      const tickets = exportTickets(13);
      run.write(tickets);
      const refused = await run.run();
      expect(refused.code).toBe(2);
      const made = run.join('new.sqlite');
      const rebuilt = await run.run(advised(refused).replace('<new file>', made).split(' '));
      expect(rebuilt.code, rebuilt.stderr).toBe(0);
      const before = writes(run.target);
      const again = await run.run(['--checkpoint', made]);
      expect(again.code, again.stderr).toBe(0);
      expect(again.tickets).toMatchObject({ read: 13, done: 13 });
      expectHonest(run.target, tickets, again);
      expect(run.target.workspace.tickets.size).toBe(13);
      // Ten creates with their messages; nothing to those that were there.
      expect(writes(run.target) - before).toBe(20);
    });
  });
});
