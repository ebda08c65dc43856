import { describe, expect, it } from 'vitest';
import { GroupCommit } from '../../src/checkpoint/group-commit.ts';
import { AppError } from '../../src/domain/errors.ts';

const nextTurn = () => new Promise<void>((resolve) => void setImmediate(resolve));

/** A disk that flushes when it is told to. */
function disk() {
  const written: string[][] = [];
  const flushes: { resolve: () => void; reject: (error: Error) => void }[] = [];
  let pending: string[] = [];
  let isBroken = false;
  const commits = new GroupCommit({
    write: () => {
      if (isBroken) throw new Error('no space');
      if (pending.length > 0) written.push(pending);
      pending = [];
    },
    flush: () => new Promise<void>((resolve, reject) => void flushes.push({ resolve, reject })),
    failureOf: (cause) => new AppError('disk-write', 'The disk is full.', { cause }),
  });
  const durable: string[] = [];
  const ask = (change: string) => {
    pending.push(change);
    const promise = commits.request();
    promise.then(() => durable.push(change)).catch(() => undefined);
    return promise;
  };
  const breakDown = () => {
    isBroken = true;
  };
  return { commits, written, flushes, durable, ask, breakDown };
}

describe('group commit', () => {
  it('a single change is written at the end of its own turn', async () => {
    const { ask, written } = disk();
    void ask('a');
    expect(written).toEqual([]);
    await nextTurn();
    expect(written).toEqual([['a']]);
  });

  it('a turn that brings several changes is followed by the ones of the next turn, up to the first quiet one', async () => {
    const { ask, written } = disk();
    for (const [first, second] of ['ab', 'cd', 'ef']) {
      void ask(first ?? '');
      void ask(second ?? '');
      await nextTurn();
      expect(written).toEqual([]);
    }
    await nextTurn();
    expect(written).toEqual([['a', 'b', 'c', 'd', 'e', 'f']]);
  });

  it('changes that never stop coming do not put a commit off for ever', async () => {
    const { ask, written } = disk();
    for (let turn = 0; turn < 20 && written.length === 0; turn++) {
      void ask(`${turn} a`);
      void ask(`${turn} b`);
      await nextTurn();
    }
    expect(written).toHaveLength(1);
    expect(written[0]?.length).toBeLessThanOrEqual(16);
  });

  it('what is written survives the process at once, whatever flush is under way', async () => {
    const { ask, commits, written, durable } = disk();
    void ask('a');
    await nextTurn();
    let survives = false;
    void commits.requestWritten().then(() => {
      survives = true;
    });
    await nextTurn();
    expect(survives).toBe(true);
    expect([written.length, durable]).toEqual([1, []]);
  });

  it('what is asked for in one turn is written together, and durable only when it was flushed', async () => {
    const { ask, written, flushes, durable } = disk();
    void ask('a');
    void ask('b');
    expect(written).toEqual([]);
    await nextTurn();
    await nextTurn();
    expect(written).toEqual([['a', 'b']]);
    expect(durable).toEqual([]);
    flushes[0]?.resolve();
    await nextTurn();
    expect(durable).toEqual(['a', 'b']);
  });

  it('a second flush begins beside the first, and what is written meanwhile shares the third', async () => {
    const { ask, written, flushes, durable } = disk();
    for (const change of ['a', 'b', 'c', 'd']) {
      void ask(change);
      await nextTurn();
    }
    expect(written).toEqual([['a'], ['b'], ['c'], ['d']]);
    expect(flushes).toHaveLength(2);
    flushes[0]?.resolve();
    await nextTurn();
    expect(durable).toEqual(['a']);
    expect(flushes).toHaveLength(3);
    flushes[1]?.resolve();
    await nextTurn();
    expect(durable).toEqual(['a', 'b']);
    flushes[2]?.resolve();
    await nextTurn();
    expect(durable).toEqual(['a', 'b', 'c', 'd']);
    expect(flushes).toHaveLength(3);
  });

  it('a flush makes durable what was written before it began, whichever returns first', async () => {
    const { ask, commits, flushes, durable } = disk();
    void ask('a');
    await nextTurn();
    void ask('b');
    await nextTurn();
    flushes[1]?.resolve();
    await nextTurn();
    expect(durable).toEqual(['a', 'b']);
    await commits.settled();
    flushes[0]?.resolve();
    await nextTurn();
    expect([durable, flushes.length]).toEqual([['a', 'b'], 2]);
  });

  it('a flush that fails fails what the other one is for, and what that one says then changes nothing', async () => {
    const { ask, commits, flushes, durable } = disk();
    const first = ask('a');
    await nextTurn();
    const second = ask('b');
    await nextTurn();
    flushes[0]?.reject(new Error('input/output error'));
    await expect(first).rejects.toMatchObject({ code: 'disk-write' });
    flushes[1]?.resolve();
    await expect(second).rejects.toBe(commits.failure);
    expect(durable).toEqual([]);
  });

  it('what is written early for a reader is not durable early', async () => {
    const { ask, commits, written, flushes, durable } = disk();
    void ask('a');
    await nextTurn();
    void ask('b');
    commits.writeNow();
    expect(written).toEqual([['a'], ['b']]);
    flushes[0]?.resolve();
    await nextTurn();
    expect(durable).toEqual(['a']);
    await nextTurn();
    flushes[1]?.resolve();
    await nextTurn();
    expect(durable).toEqual(['a', 'b']);
  });

  it('settled waits for all that was asked for, and for nothing when there is nothing', async () => {
    const { ask, commits, flushes, durable } = disk();
    await commits.settled();
    void ask('a');
    await nextTurn();
    void ask('b');
    let isSettled = false;
    void commits.settled().then(() => {
      isSettled = true;
    });
    flushes[0]?.resolve();
    await nextTurn();
    await nextTurn();
    expect([durable, isSettled]).toEqual([['a'], false]);
    flushes[1]?.resolve();
    await nextTurn();
    expect([durable, isSettled]).toEqual([['a', 'b'], true]);
  });

  it('a flush that fails fails what it was for, what waits behind it, and all that follows', async () => {
    const { ask, commits, written, flushes } = disk();
    const first = ask('a');
    await nextTurn();
    const second = ask('b');
    flushes[0]?.reject(new Error('input/output error'));
    const failure = { code: 'disk-write', cause: expect.objectContaining({ message: 'input/output error' }) };
    await expect(first).rejects.toMatchObject(failure);
    await expect(second).rejects.toMatchObject(failure);
    await expect(ask('c')).rejects.toBe(commits.failure);
    await expect(commits.settled()).rejects.toBe(commits.failure);
    expect(() => commits.writeNow()).toThrow(commits.failure);
    await nextTurn();
    expect(written).toEqual([['a']]);
    expect(flushes).toHaveLength(1);
  });

  it('a write that fails does the same, and is not flushed', async () => {
    const { ask, commits, flushes, breakDown } = disk();
    breakDown();
    await expect(ask('a')).rejects.toMatchObject({ code: 'disk-write' });
    await expect(ask('b')).rejects.toBe(commits.failure);
    expect(flushes).toEqual([]);
  });
});
