/** A checkpoint that is lost, incomplete or of another source, and a target that has more than it was sent. */
import { copyFileSync, existsSync, readdirSync, rmSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { UnfairTarget } from '../../support/unfair-target.ts';
import { expectHonest, exportTickets, quiet, unfairly } from './unfair-run.ts';

const creates = ({ seen }: UnfairTarget) => seen.filter(({ method }) => method === 'POST').length;
const CHECKPOINT = 'helpdesk-import.checkpoint.sqlite';

describe('a checkpoint that is not there', () => {
  it('is not begun anew where the target holds tickets of this source; a rebuilt one has nothing left to do', async () => {
    await unfairly({}, async (run) => {
      const tickets = exportTickets(6);
      run.write(tickets);
      expect((await run.run()).code).toBe(0);
      for (const name of readdirSync(run.join())) if (name.startsWith(CHECKPOINT)) rmSync(run.join(name));
      const refused = await run.run();
      expect(refused.code, refused.stderr).toBe(2);
      expect(creates(run.target)).toBe(6);
      const rebuilt = await run.run(['checkpoint', 'rebuild', 'export.jsonl']);
      expect(rebuilt.code, rebuilt.stderr).toBe(0);
      const again = await run.run();
      expect(again, again.stderr).toMatchObject({ code: 0, tickets: { done: 6 } });
      expect(creates(run.target)).toBe(6);
    });
  });
});

describe('a checkpoint that was copied without its log', () => {
  it('after a kill: refused, and no ticket is created again', async () => {
    await unfairly({}, async (run) => {
      const tickets = exportTickets(60);
      run.write(tickets);
      await run.killed(() => creates(run.target) >= 30, ['--concurrency', '2']);
      expect(existsSync(run.join(`${CHECKPOINT}-wal`))).toBe(true);
      copyFileSync(run.join(CHECKPOINT), run.join('copy.sqlite'));
      const before = creates(run.target);
      const ended = await run.run(['--checkpoint', 'copy.sqlite']);
      expect(ended.code, ended.stderr).toBe(2);
      expect(creates(run.target)).toBe(before);
      // With all of it the import goes on.
      const whole = await run.run();
      expectHonest(run.target, tickets, whole);
      expect(whole.code, whole.stderr).toBe(0);
    });
  });
});

describe('a process that dies while the target still works on its creates', () => {
  it.each([700, 1_200])(
    'killed and started again at once, creates that take %i ms are there once',
    async (lateMs) => {
      await unfairly({}, async (run) => {
        const tickets = exportTickets(12);
        run.write(tickets);
        run.target.ways.create = (nth) => (nth < 4 ? undefined : { reported: 'truth', effect: lateMs });
        await run.killed(() => run.target.outstanding >= 3, ['--concurrency', '6']);
        run.target.ways.create = undefined;
        expectHonest(run.target, tickets, await run.run());
        await quiet(run.target);
        const last = await run.run();
        expectHonest(run.target, tickets, last);
        expect(last.code, last.stderr).toBe(0);
      });
    },
  );
});
