import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  linkSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openCheckpoint } from '../../src/checkpoint/checkpoint.ts';
import { lockPathOf } from '../../src/checkpoint/file.ts';
import { readCheckpoint } from '../../src/checkpoint/read-checkpoint.ts';
import { TICKET_STATES } from '../../src/domain/ticket-state.ts';
import { created, intend } from '../support/ledger-steps.ts';
import { complete, OPTIONS, opened, scratchFolder, scratchPath, TARGET } from './scratch.ts';

const HOLDER = join(import.meta.dirname, 'hold-checkpoint.ts');

/** Starts the other process and waits for its first line. */
async function otherProcess(path: string): Promise<{ child: ChildProcess; line: string }> {
  const child = spawn(process.execPath, [HOLDER, path, TARGET], { stdio: ['pipe', 'pipe', 'inherit'] });
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
    expect(checkpoint.get('from-child')).toMatchObject({
      state: 'creating',
      sent: { tag: 'src-from-child' },
    });
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

describe('a checkpoint with two names', () => {
  it.runIf(process.platform !== 'win32')('by a link is one checkpoint', () => {
    const path = scratchPath();
    opened(path);
    symlinkSync(path, `${path}.link`);
    expect(() => openCheckpoint(`${path}.link`, OPTIONS)).toThrow(/is in use by process/);
  });

  it('by a hard link is refused', async () => {
    const path = scratchPath();
    await opened(path).close();
    linkSync(path, `${path}.other`);
    for (const name of [path, `${path}.other`])
      expect(() => openCheckpoint(name, OPTIONS)).toThrow(/cannot be opened: it has a second name/);
  });
});

describe('a process that was stopped', () => {
  it.runIf(process.platform !== 'win32')(
    'and whose place another one took, records and sends nothing more',
    async () => {
      const path = scratchPath();
      const { child } = await otherProcess(path);
      child.kill('SIGSTOP');
      rmSync(lockPathOf(path));
      const second = opened(path);
      await created(second, 'from-child', 'T-of-the-second');
      await complete(second, 'other', 'T2');
      child.kill('SIGCONT');
      child.stdin?.write('go on\n');
      const [chunk] = (await once(child.stdout ?? child, 'data')) as [Buffer];
      const refused = `Another process has taken over the checkpoint ${path}.`;
      expect(JSON.parse(chunk.toString())).toEqual([refused, refused]);
      await once(child, 'exit');
      await complete(second, 'third', 'T3');
      await second.close();
      const after = opened(path);
      expect(after.get('from-child')?.ticketId).toBe('T-of-the-second');
      expect(after.counts()).toMatchObject({ created: 1, done: 2 });
    },
  );
});

describe('a copy of the main file alone', () => {
  it('of a run that was killed is refused, to write and to read; with its log it is whole', async () => {
    const path = scratchPath();
    const { child } = await otherProcess(path);
    child.kill('SIGKILL');
    await once(child, 'exit');
    const alone = scratchPath();
    copyFileSync(path, alone);
    const bytes = readFileSync(alone);
    for (const open of [() => readCheckpoint(alone), () => openCheckpoint(alone, OPTIONS)]) {
      expect(open).toThrow(expect.objectContaining({ code: 'checkpoint', exitCode: 2 }));
      expect(open).toThrow(/is incomplete: .*-wal, which holds the newest records, is missing/);
      expect(open).toThrow(expect.objectContaining({ hint: expect.stringContaining('checkpoint rebuild') }));
    }
    expect(readFileSync(alone).equals(bytes)).toBe(true);
    expect(readdirSync(dirname(alone)).filter((name) => /-(wal|shm)$/.test(name))).toEqual([]);
    const whole = scratchPath();
    for (const part of ['', '-wal']) copyFileSync(path + part, whole + part);
    expect(readCheckpoint(whole).get('from-child')?.state).toBe('creating');
    expect(opened(whole).get('from-child')?.state).toBe('creating');
    expect(opened(path).get('from-child')?.state).toBe('creating');
  });

  it('is not missed if the close itself failed', async () => {
    const path = scratchPath();
    const { child } = await otherProcess(path);
    child.kill('SIGKILL');
    await once(child, 'exit');
    const other = { ...OPTIONS, target: 'https://other.example.org' };
    expect(() => openCheckpoint(path, other)).toThrow(/belongs to the helpdesk/);
    expect(opened(path).get('from-child')?.state).toBe('creating');
  });

  it('reading a closed one leaves no other file', async () => {
    const path = scratchPath();
    const checkpoint = opened(path);
    await complete(checkpoint, 'a', 'T1');
    await checkpoint.close();
    const before = readdirSync(dirname(path));
    const reader = readCheckpoint(path);
    expect(reader.get('a')?.ticketId).toBe('T1');
    expect(readdirSync(dirname(path))).toEqual(before);
    reader.close();
    expect(readdirSync(dirname(path))).toEqual(before);
  });
});

describe('a loss of power', () => {
  it('a log whose bytes are damaged is read up to the damage', async () => {
    const path = scratchPath();
    const checkpoint = opened(path);
    for (let i = 0; i < 20; i += 1) await intend(checkpoint, `t${String(i).padStart(2, '0')}`);
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
