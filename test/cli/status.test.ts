import { describe, expect, it } from 'vitest';
import { openCheckpoint } from '../../src/checkpoint/checkpoint.ts';
import { type CheckpointReader, readCheckpoint } from '../../src/checkpoint/read-checkpoint.ts';
import { checkpointStatus } from '../../src/checkpoint/status.ts';
import { failureReasons, listDoubts, listFailed, statusSteps } from '../../src/commands/checkpoint-view.ts';
import { commandLines } from '../../src/view/command-line.ts';
import { temporaryFolder } from '../support/cli.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { intend } from '../support/ledger-steps.ts';
import { type CheckpointPlan, type Fate, makeCheckpoint, TARGET } from './checkpoints.ts';
import { inProcess } from './in-process.ts';

async function withCheckpoints<T>(
  plans: readonly CheckpointPlan[],
  use: (readers: readonly CheckpointReader[]) => T | Promise<T>,
): Promise<T> {
  using folder = temporaryFolder();
  const readers: CheckpointReader[] = [];
  try {
    for (const [at, plan] of plans.entries()) {
      const path = folder.join(`${at}.sqlite`);
      await makeCheckpoint(path, plan);
      readers.push(readCheckpoint(path));
    }
    return await use(readers);
  } finally {
    for (const reader of readers) reader.close();
  }
}

const one = <T>(plan: CheckpointPlan, use: (reader: CheckpointReader) => T | Promise<T>) =>
  withCheckpoints([plan], ([reader]) => use(reader as CheckpointReader));

const ALL: Record<string, Fate> = {
  a: 'done',
  b: 'created',
  c: 'failed',
  d: 'failedLater',
  e: 'inDoubt',
  f: 'creating',
  g: 'rejected',
  h: 'skipped',
  i: 'pending',
};

describe('the status of a checkpoint', () => {
  it('counts what was undone, and a stopped undo comes first', async () => {
    using folder = temporaryFolder();
    const path = folder.join('undone.sqlite');
    await makeCheckpoint(path, { tickets: { a: 'done', b: 'done', c: 'done' }, run: { exitCode: 0 } });
    const checkpoint = openCheckpoint(path, {
      target: TARGET,
      clock: createFakeClock('2025-06-03T08:00:00.000Z'),
      programVersion: '0.1.0',
    });
    const run = 'run-20250602-080000';
    await checkpoint.undos.set({ ticketId: 'T-a', externalId: 'a', run });
    await checkpoint.put({ externalId: 'a', state: 'pending' });
    const shown = { status: 'open', tags: [run] };
    await checkpoint.undos.set({ ticketId: 'T-b', externalId: 'b', run, begun: shown });
    await checkpoint.close();
    const reader = readCheckpoint(path);
    const status = checkpointStatus(reader);
    reader.close();
    expect(status.undo).toEqual({ undone: 1, begun: 1, unfinished: [run] });
    const commands = commandLines({ command: 'status', files: [], options: [] });
    expect(statusSteps(status, { commands, folder: folder.path, isNamed: false })).toMatchObject([
      { command: `helpdesk-import undo --run ${run}` },
    ]);
    const { stdout } = await inProcess('status', [path], {}, { cwd: folder.path });
    expect(stdout).toContain('1 ticket closed and emptied in the helpdesk (1 begun)');
  });

  it('every ticket has exactly one outcome, and an interrupted create is in doubt', () =>
    one({ tickets: ALL, run: { exitCode: 4 } }, (reader) => {
      const status = checkpointStatus(reader);
      expect(status.tickets).toEqual({
        known: 9,
        done: 1,
        rejected: 1,
        failed: 2,
        inDoubt: 2,
        skipped: 1,
        pending: 2,
      });
      expect(status.target).toBe(TARGET);
      expect(status.writer).toBeUndefined();
      expect(status.runs).toMatchObject([{ mode: 'run', exitCode: 4, isGoingOn: false }]);
    }));

  it('while a process writes, a create under way is not in doubt', async () => {
    using folder = temporaryFolder();
    const path = folder.join('c.sqlite');
    const clock = createFakeClock('2025-06-02T08:00:00.000Z');
    const checkpoint = openCheckpoint(path, { target: TARGET, clock, programVersion: '0.1.0' });
    await checkpoint.startRun('run');
    await intend(checkpoint, 'a');
    const reader = readCheckpoint(path);
    const status = checkpointStatus(reader);

    expect(status.tickets).toMatchObject({ known: 1, pending: 1, inDoubt: 0 });
    expect(status.writer).toEqual({ pid: process.pid, since: '2025-06-02T08:00:00.000Z' });
    expect(status.runs).toMatchObject([{ isGoingOn: true }]);
    expect(listDoubts([reader], 10)).toEqual([]);
    reader.close();
    await checkpoint.close();
  });

  it('lists who failed and why, with the reasons counted', () =>
    one({ tickets: ALL }, (reader) => {
      const first = listFailed([reader], 2);
      expect(first.map(({ externalId, outcome, ticketId }) => [externalId, outcome, ticketId])).toEqual([
        ['c', 'failed', undefined],
        ['d', 'failed', 'T-d'],
      ]);
      expect(listFailed([reader], 9, ['rejected'])).toEqual([
        { externalId: 'g', outcome: 'rejected', code: 'invalid-email', reason: 'The address is none.' },
      ]);
      expect(failureReasons([reader, reader]).map(({ code, count }) => [code, count])).toEqual([
        ['refused', 2],
        ['refused', 2],
        ['invalid-email', 2],
      ]);
    }));

  it('says what to look for in the target', () =>
    one({ tickets: ALL }, (reader) => {
      const [doubt, interrupted] = listDoubts([reader], 10);
      expect(doubt).toEqual({
        externalId: 'e',
        tag: 'src-e',
        sentAt: '2025-06-02T08:00:00.000Z',
        reason: 'No answer within 30 s.',
      });
      expect(interrupted?.reason).toMatch(/An earlier run ended/);
    }));
});
