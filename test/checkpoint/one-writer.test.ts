import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openCheckpoint } from '../../src/checkpoint/checkpoint.ts';
import { readCheckpoint } from '../../src/checkpoint/read-checkpoint.ts';
import { TICKET_STATES } from '../../src/domain/ticket-state.ts';
import { INTENT, OPTIONS, opened, PRINTS, scratchFolder, scratchPath, TARGET } from './scratch.ts';

const HOLDER = join(import.meta.dirname, 'hold-checkpoint.ts');

/** Starts the other process and waits for its first line. */
async function otherProcess(path: string): Promise<{ child: ChildProcess; line: string }> {
  const child = spawn(process.execPath, [HOLDER, path, TARGET], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [chunk] = (await once(child.stdout, 'data')) as [Buffer];
  return { child, line: chunk.toString().trim() };
}

describe('two processes and one checkpoint', () => {
  it('the second writer is refused with the number of the first; a reader is not; a SIGKILL frees it', async () => {
    const path = scratchPath();
    const { child, line } = await otherProcess(path);
    expect(line).toBe('open');

    const open = () => openCheckpoint(path, OPTIONS);
    expect(open).toThrow(expect.objectContaining({ code: 'checkpoint', exitCode: 2 }));
    expect(open).toThrow(new RegExp(`is in use by process ${child.pid} since 20\\d\\d-`));
    const reader = readCheckpoint(path, TARGET);
    expect(reader.writer()?.pid).toBe(child.pid);
    expect(reader.get('from-child')?.state).toBe('creating');

    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(reader.writer()).toBeUndefined();
    reader.close();
    const checkpoint = opened(path);
    expect(checkpoint.get('from-child')).toMatchObject({ state: 'creating', intent: { subject: 'Hello' } });
  });

  it('and the other way round; closing gives it back', async () => {
    const path = scratchPath();
    const checkpoint = opened(path);
    expect((await otherProcess(path)).line).toMatch(
      new RegExp(`^refused: The checkpoint .* is in use by process ${process.pid} since`),
    );
    expect(() => openCheckpoint(path, OPTIONS)).toThrow(/is in use/);
    // A failed attempt in this process must not have dropped the lock that this process holds.
    expect((await otherProcess(path)).line).toMatch(/^refused/);
    await checkpoint.close();
    expect((await otherProcess(path)).line).toBe('open');
  });
});

describe('a loss of power', () => {
  it('a log that was cut anywhere leaves exactly what was durable up to there', async () => {
    const path = scratchPath();
    const checkpoint = opened(path, 'machine');
    const wal = `${path}-wal`;
    /** What a reader would find, by the size of the log after each commit. */
    const history: { size: number; states: (string | undefined)[] }[] = [];
    const ids = ['a', 'b', 'c'];
    const note = () =>
      history.push({ size: statSync(wal).size, states: ids.map((id) => checkpoint.get(id)?.state) });
    note();
    for (const id of ids) {
      await checkpoint.intend(id, INTENT, PRINTS);
      note();
    }
    for (const id of ids) {
      await checkpoint.created(id, `T-${id}`);
      note();
      await Promise.all([checkpoint.messagesSent(id), checkpoint.eventsSent(id)]);
      note();
    }
    const total = history.at(-1)?.size ?? 0;
    expect(total).toBe(statSync(wal).size);
    const first = history[0]?.size ?? 0;
    const cuts = [first, total, ...history.flatMap(({ size }) => [size - 1, size, size + 1, size + 2_000])];
    const folder = scratchFolder();
    for (const [i, cut] of cuts.filter((at) => at >= first && at <= total).entries()) {
      const copy = join(folder, `${i}.sqlite`);
      copyFileSync(path, copy);
      copyFileSync(wal, `${copy}-wal`);
      truncateSync(`${copy}-wal`, cut);
      const expected = history.findLast(({ size }) => size <= cut)?.states;
      const survivor = openCheckpoint(copy, OPTIONS);
      expect(
        ids.map((id) => survivor.get(id)?.state),
        `cut at ${cut}`,
      ).toEqual(expected);
      await survivor.close();
    }
  });

  it('a log whose bytes are damaged is read up to the damage', async () => {
    const path = scratchPath();
    const checkpoint = opened(path);
    for (let i = 0; i < 20; i += 1) await checkpoint.intend(`t${String(i).padStart(2, '0')}`, INTENT, PRINTS);
    const bytes = readFileSync(`${path}-wal`);
    const folder = scratchFolder();
    for (let at = 5_000, i = 0; at < bytes.length; at += 9_999, i += 1) {
      const copy = join(folder, `${i}.sqlite`);
      copyFileSync(path, copy);
      copyFileSync(`${path}-wal`, `${copy}-wal`);
      const damaged = Buffer.from(bytes);
      damaged.fill(0x5a, at, at + 64);
      writeFileSync(`${copy}-wal`, damaged);
      let found: string[];
      try {
        const survivor = openCheckpoint(copy, OPTIONS);
        found = [...survivor.inStates(TICKET_STATES)].map((record) => record.externalId);
        await survivor.close();
      } catch (error) {
        // Nothing of the first commit was left.
        expect(error).toMatchObject({ code: 'checkpoint' });
        continue;
      }
      expect(found).toEqual(Array.from({ length: found.length }, (_, n) => `t${String(n).padStart(2, '0')}`));
    }
  });
});
