/** What "durable" rests on: the settings of SQLite that turn-commit.ts documents, and a flush of the log before a promise resolves. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Checkpoint, openCheckpoint } from '../../src/checkpoint/checkpoint.ts';
import { doubted, intend } from '../support/ledger-steps.ts';
import { powerOver } from '../support/power.ts';
import { OPTIONS, PROBLEM, scratchFolder, scratchPath } from './scratch.ts';

function openedFile(survives?: 'process') {
  const path = scratchPath();
  const options = { ...OPTIONS, survives };
  const checkpoint = openCheckpoint(path, options);
  onTestFinished(() => checkpoint.close());
  return { path, checkpoint };
}

/** Some turns of the event loop: what was written is committed, and is being flushed. */
async function committed(): Promise<void> {
  for (let turns = 0; turns < 4; turns += 1) await new Promise((resolve) => setImmediate(resolve));
}

const settings = ({ db }: Checkpoint) =>
  ['journal_mode', 'synchronous'].map((name) => db.pragma(name, { simple: true }));
const [OFF, NORMAL] = [0, 1];

describe('a checkpoint as a run opens it', () => {
  it('is flushed with each commit, by SQLite before its log is put into the file', async () => {
    const { path, checkpoint } = openedFile();
    expect(settings(checkpoint)).toEqual(['wal', NORMAL]);
    const power = powerOver(path, scratchFolder());
    await intend(checkpoint, 'T-1');
    expect(power.synced).toEqual([`${path}-wal`]);
    await doubted(checkpoint, 'T-1', PROBLEM);
    expect(power.synced).toHaveLength(2);
  });

  it('a change is on the disk when its promise resolves, also one made during the last flush', async () => {
    const { path, checkpoint } = openedFile();
    const power = powerOver(path, scratchFolder());
    power.slow(20);
    const first = intend(checkpoint, 'T-0');
    await committed();
    await intend(checkpoint, 'T-1');
    const left = openCheckpoint(power.lost(), OPTIONS);
    onTestFinished(() => left.close());
    expect(left.get('T-1')?.state).toBe('creating');
    await first;
  });

  it('flushes once for all that is written while the last flush goes on', async () => {
    const { path, checkpoint } = openedFile();
    const power = powerOver(path, scratchFolder());
    power.slow(20);
    const changes: Promise<void>[] = [];
    for (let at = 0; at < 3; at += 1) {
      changes.push(intend(checkpoint, `T-${at}`));
      await committed();
    }
    await Promise.all(changes);
    expect(power.synced).toHaveLength(2);
    await checkpoint.flush();
  });

  it('a flush that fails is a write that failed: nothing counts as recorded from then on', async () => {
    const { path, checkpoint } = openedFile();
    const power = powerOver(path, scratchFolder());
    power.fail();
    await expect(intend(checkpoint, 'T-1')).rejects.toMatchObject({ code: 'disk-write' });
    await expect(intend(checkpoint, 'T-2')).rejects.toMatchObject({ code: 'disk-write' });
  });
});

it('a checkpoint that is to survive the end of the process alone flushes nothing', async () => {
  const { path, checkpoint } = openedFile('process');
  expect(settings(checkpoint)).toEqual(['wal', OFF]);
  const power = powerOver(path, scratchFolder());
  await intend(checkpoint, 'T-1');
  expect(power.synced).toEqual([]);
});
