/** What "durable" rests on: the settings of SQLite as wal-flush.ts documents them, and one flush of the log for each commit. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { openCheckpoint, openCheckpointFile } from '../../src/checkpoint/checkpoint.ts';
import { SqliteLedger } from '../../src/checkpoint/sqlite-ledger.ts';
import { powerOver } from '../support/power.ts';
import { CLOCK, INTENT, OPTIONS, PRINTS, scratchFolder, scratchPath } from './scratch.ts';

const OFF = 0;
const NORMAL = 1;
const FULL = 2;

function openedFile(path = scratchPath(), survives?: 'process') {
  const file = openCheckpointFile(path, { ...OPTIONS, ...(survives === undefined ? {} : { survives }) });
  onTestFinished(() => file.close());
  return file;
}

const synchronous = (file: ReturnType<typeof openedFile>) => file.db.pragma('synchronous', { simple: true });

describe('a checkpoint that is to survive a loss of power, which is what it is opened for where nothing else is said', () => {
  it('is opened with synchronous=FULL; its commits go by NORMAL, and a flush of their own', async () => {
    const path = scratchPath();
    const file = openedFile(path);
    expect(synchronous(file)).toBe(FULL);
    expect(file.db.pragma('journal_mode', { simple: true })).toBe('wal');
    const ledger = new SqliteLedger(file.db, path, CLOCK, 'machine');
    onTestFinished(() => ledger.release());
    expect(synchronous(file)).toBe(NORMAL);
    const power = powerOver(path, scratchFolder());
    await ledger.intend('T-1', INTENT, PRINTS);
    expect(power.synced).toEqual([`${path}-wal`]);
    await ledger.doubt('T-1', { code: 'unknown-outcome', message: 'No answer.' });
    expect(power.synced).toHaveLength(2);
    expect(synchronous(file)).toBe(NORMAL);
  });

  it('a change is not durable before the flush has returned', async () => {
    const path = scratchPath();
    const file = openedFile(path);
    const ledger = new SqliteLedger(file.db, path, CLOCK, 'machine');
    onTestFinished(() => ledger.release());
    const power = powerOver(path, scratchFolder());
    let synced = -1;
    await ledger.intend('T-1', INTENT, PRINTS).then(() => {
      synced = power.synced.length;
    });
    expect(synced).toBe(1);
  });
});

describe('a checkpoint as a run opens it', () => {
  it('flushes what it records where nothing else is said', async () => {
    const path = scratchPath();
    const checkpoint = openCheckpoint(path, OPTIONS);
    onTestFinished(() => checkpoint.close());
    const power = powerOver(path, scratchFolder());
    await checkpoint.intend('T-1', INTENT, PRINTS);
    expect(power.synced).toEqual([`${path}-wal`]);
  });

  it('a flush that fails is a write that failed: nothing counts as recorded from then on', async () => {
    const path = scratchPath();
    const checkpoint = openCheckpoint(path, OPTIONS);
    const power = powerOver(path, scratchFolder());
    power.fail();
    await expect(checkpoint.intend('T-1', INTENT, PRINTS)).rejects.toMatchObject({ code: 'disk-write' });
    await expect(checkpoint.intend('T-2', INTENT, PRINTS)).rejects.toMatchObject({ code: 'disk-write' });
    await checkpoint.close();
  });
});

describe('a checkpoint that is to survive the end of the process alone', () => {
  it('says so, and flushes nothing', async () => {
    const path = scratchPath();
    const file = openedFile(path, 'process');
    expect(synchronous(file)).toBe(OFF);
    const ledger = new SqliteLedger(file.db, path, CLOCK, 'process');
    const power = powerOver(path, scratchFolder());
    await ledger.intend('T-1', INTENT, PRINTS);
    expect(power.synced).toEqual([]);
  });
});
