import Database from 'better-sqlite3';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Checkpoint, openCheckpoint } from '../../src/checkpoint/checkpoint.ts';
import { readCheckpoint } from '../../src/checkpoint/read-checkpoint.ts';
import { AppError } from '../../src/domain/errors.ts';
import { TICKET_STATES, type TicketState } from '../../src/domain/ticket-state.ts';
import { complete, INTENT, OPTIONS, opened, PRINTS, PROBLEM, scratchPath } from './scratch.ts';

describe('the ledger', () => {
  it('a promise that resolves means that another process can read the change', async () => {
    const path = scratchPath();
    const checkpoint = opened(path, 'machine');
    const reader = readCheckpoint(path);
    const durable = checkpoint.intend('a', INTENT, PRINTS);
    expect(checkpoint.get('a')?.state).toBe('creating');
    expect(reader.get('a')).toBeUndefined();
    await durable;
    expect(reader.get('a')).toEqual({
      externalId: 'a',
      state: 'creating',
      reached: 'nothing',
      fingerprints: PRINTS,
      intent: INTENT,
    });
    reader.close();
  });

  it('changes of one turn share a commit, and each turn has its own', async () => {
    const path = scratchPath();
    const checkpoint = opened(path, 'machine');
    const watcher = new Database(path, { readonly: true });
    const version = () => watcher.pragma('data_version', { simple: true }) as number;
    const before = version();
    const all = Array.from({ length: 50 }, (_, i) => checkpoint.intend(`t${i}`, INTENT, PRINTS));
    expect(new Set(all).size).toBe(1);
    await Promise.all(all);
    const afterOne = version();
    expect(afterOne - before).toBe(1);
    await checkpoint.created('t0', 'T0');
    expect(version() - afterOne).toBe(1);
    watcher.close();
  });

  it('several changes of one ticket in one turn arrive in their order', async () => {
    const path = scratchPath();
    const checkpoint = opened(path);
    const steps = [
      checkpoint.intend('a', INTENT, PRINTS),
      checkpoint.created('a', 'T1'),
      checkpoint.messagesSent('a'),
      checkpoint.eventsSent('a'),
    ];
    expect(checkpoint.get('a')).toMatchObject({ state: 'done', ticketId: 'T1' });
    await Promise.all(steps);
    const reader = readCheckpoint(path);
    expect(reader.get('a')).toEqual({
      externalId: 'a',
      state: 'done',
      reached: 'done',
      ticketId: 'T1',
      fingerprints: PRINTS,
    });
    reader.close();
  });

  it('an impossible change is refused and leaves no trace', async () => {
    const checkpoint = opened();
    await expect(checkpoint.doubt('a', PROBLEM)).rejects.toMatchObject({ code: 'internal' });
    expect(checkpoint.get('a')).toBeUndefined();
    await complete(checkpoint, 'a', 'T1');
    await expect(checkpoint.intend('a', INTENT, PRINTS)).rejects.toBeInstanceOf(AppError);
    expect(checkpoint.get('a')?.state).toBe('done');
    expect(checkpoint.counts().done).toBe(1);
  });

  it('counts follow every change and agree with the file', async () => {
    const path = scratchPath();
    const checkpoint = opened(path);
    await complete(checkpoint, 'a', 'T1');
    void checkpoint.intend('b', INTENT, PRINTS);
    void checkpoint.doubt('b', PROBLEM);
    void checkpoint.rejected('c', PROBLEM);
    expect(checkpoint.counts()).toMatchObject({ done: 1, inDoubt: 1, rejected: 1, creating: 0 });
    expect(checkpoint.size()).toBe(3);
    await checkpoint.flush();
    const reader = readCheckpoint(path);
    expect(reader.counts()).toEqual(checkpoint.counts());
    expect(reader.size()).toBe(3);
    reader.close();
  });

  it('tickets in some states are listed by external id across pages, changes of this turn included', async () => {
    const checkpoint = opened();
    const ids = Array.from({ length: 1_203 }, (_, i) => `t${String(i).padStart(5, '0')}`);
    for (const id of ids) void checkpoint.intend(id, INTENT, PRINTS);
    for (const id of ids.filter((_, i) => i % 3 !== 0)) void checkpoint.doubt(id, PROBLEM);
    const listed = [...checkpoint.inStates(['inDoubt'])].map((record) => record.externalId);
    expect(listed).toEqual(ids.filter((_, i) => i % 3 !== 0));
    expect([...checkpoint.inStates(['creating', 'inDoubt'])]).toHaveLength(ids.length);
  });

  it('a listing may be changed while it is read', async () => {
    const checkpoint = opened();
    for (let i = 0; i < 1_100; i += 1) void checkpoint.intend(`t${i}`, INTENT, PRINTS);
    let seen = 0;
    for (const record of checkpoint.inStates(['creating'])) {
      seen += 1;
      await checkpoint.doubt(record.externalId, PROBLEM);
      if (seen > 3) break;
    }
    expect(checkpoint.counts().inDoubt).toBe(4);
  });

  it('knows whose a ticket of the target is, durable or not', async () => {
    const checkpoint = opened();
    await complete(checkpoint, 'a', 'T1');
    void checkpoint.intend('b', INTENT, PRINTS);
    void checkpoint.created('b', 'T2');
    expect([checkpoint.ownerOf('T1'), checkpoint.ownerOf('T2'), checkpoint.ownerOf('T3')]).toEqual([
      'a',
      'b',
      undefined,
    ]);
  });

  it('external ids that differ only in what UTF-8 cannot hold stay different tickets', async () => {
    const path = scratchPath();
    const checkpoint = opened(path);
    const ids = [
      'x\ud800',
      'x\udfff',
      'x\ufffd',
      'x',
      'x\u0000y',
      '\u0000json:"x\\ud800"',
      '',
      ' ',
      '__proto__',
    ];
    for (const [i, id] of ids.entries()) await complete(checkpoint, id, `T${i}`);
    await checkpoint.close();
    const reader = readCheckpoint(path);
    for (const [i, id] of ids.entries())
      expect(reader.get(id)).toMatchObject({ externalId: id, ticketId: `T${i}` });
    expect(reader.size()).toBe(ids.length);
    reader.close();
  });

  it('any history of legal changes reads the same from memory, from the open file and after reopening', async () => {
    const step = fc.record({ id: fc.integer({ min: 0, max: 4 }), pick: fc.nat(), wait: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const path = scratchPath();
        const checkpoint = opened(path);
        for (const { id, pick, wait } of steps) {
          const key = `t${id}`;
          const tries = [
            () => checkpoint.intend(key, INTENT, PRINTS),
            () => checkpoint.created(key, `T${id}`),
            () => checkpoint.messagesSent(key),
            () => checkpoint.eventsSent(key),
            () => checkpoint.refused(key, PROBLEM),
            () => checkpoint.notCreated(key),
            () => checkpoint.doubt(key, PROBLEM),
            () => checkpoint.resumed(key),
            () => checkpoint.reopened(key, PRINTS),
            () => checkpoint.left(key),
          ];
          const change = tries[pick % tries.length]?.() ?? Promise.resolve();
          if (wait) await change.catch(() => undefined);
        }
        const ids = [0, 1, 2, 3, 4].map((id) => `t${id}`);
        const inMemory = ids.map((id) => checkpoint.get(id));
        const counts = checkpoint.counts();
        await checkpoint.close();
        const reader = readCheckpoint(path);
        expect(ids.map((id) => reader.get(id))).toEqual(inMemory);
        expect(reader.counts()).toEqual(counts);
        reader.close();
      }),
      { numRuns: 20 },
    );
  });
});

describe('a disk that is full', () => {
  it('fails what waits and all that follows with disk-write, keeps what was durable, and can be gone on with', async () => {
    const path = scratchPath();
    await opened(path).close();
    const ledger = openCheckpoint(path, { ...OPTIONS, survives: 'process' });
    const pages = ledger.db.pragma('page_count', { simple: true }) as number;
    ledger.db.pragma(`max_page_count = ${pages + 4}`);
    const durable: string[] = [];
    let failure: unknown;
    for (let i = 0; failure === undefined && i < 1_000; i += 1) {
      const pair = [`a${i}`, `b${i}`].map((id) => ledger.intend(id, INTENT, PRINTS));
      const results = await Promise.allSettled(pair);
      if (results.every((result) => result.status === 'fulfilled')) durable.push(`a${i}`, `b${i}`);
      else {
        expect(results.map((result) => result.status)).toEqual(['rejected', 'rejected']);
        failure = results.map((result) => (result as PromiseRejectedResult).reason)[0];
      }
    }
    expect(durable.length).toBeGreaterThan(10);
    expect(failure).toMatchObject({ code: 'disk-write', exitCode: 6 });
    expect((failure as AppError).message).toContain('the disk is full');
    await expect(ledger.created('a0', 'T0')).rejects.toBe(failure);
    await expect(ledger.flush()).rejects.toBe(failure);
    expect([...ledger.inStates(['creating'])].map((record) => record.externalId).sort()).toEqual(
      durable.sort(),
    );
    await ledger.close();

    const again = opened(path);
    expect(again.counts().creating).toBe(durable.length);
    await again.created('a0', 'T0');
    expect(again.get('a0')?.ticketId).toBe('T0');
  });
});

describe('the record of a ticket', () => {
  const REJECTING = expect.objectContaining({ code: 'internal' });

  /** Takes a ticket to a state as an import does. */
  async function inState(state: TicketState) {
    const checkpoint = opened();
    const steps: Record<TicketState, () => Promise<void>> = {
      pending: async () => {
        await checkpoint.intend('t', INTENT, PRINTS);
        await checkpoint.notCreated('t');
      },
      creating: () => checkpoint.intend('t', INTENT, PRINTS),
      created: () => checkpoint.adopted('t', 'T1'),
      messaged: async () => {
        await checkpoint.adopted('t', 'T1');
        await checkpoint.messagesSent('t');
      },
      done: () => complete(checkpoint, 't', 'T1'),
      rejected: () => checkpoint.rejected('t', PROBLEM),
      failed: async () => {
        await checkpoint.intend('t', INTENT, PRINTS);
        await checkpoint.refused('t', PROBLEM);
      },
      inDoubt: async () => {
        await checkpoint.intend('t', INTENT, PRINTS);
        await checkpoint.doubt('t', PROBLEM);
      },
      skipped: () => checkpoint.left('t'),
    };
    await steps[state]();
    expect(checkpoint.get('t')?.state).toBe(state);
    return checkpoint;
  }

  const STEPS = {
    intend: (c: Checkpoint) => c.intend('t', INTENT, PRINTS),
    created: (c: Checkpoint) => c.created('t', 'T2'),
    messagesSent: (c: Checkpoint) => c.messagesSent('t'),
    eventsSent: (c: Checkpoint) => c.eventsSent('t'),
    refused: (c: Checkpoint) => c.refused('t', PROBLEM),
    notCreated: (c: Checkpoint) => c.notCreated('t'),
    doubt: (c: Checkpoint) => c.doubt('t', PROBLEM),
    rejected: (c: Checkpoint) => c.rejected('t', PROBLEM),
    reopened: (c: Checkpoint) => c.reopened('t', PRINTS),
    left: (c: Checkpoint) => c.left('t'),
    undone: (c: Checkpoint) => c.undone('t'),
  };
  const names = Object.keys(STEPS) as (keyof typeof STEPS)[];

  /** State × step → the new state; '-' where it is refused. */
  const TABLE: Record<TicketState, string> = {
    //        intend created messagesSent eventsSent refused notCreated doubt rejected reopened left undone
    pending: 'creating created - - - - - rejected - skipped -',
    creating: '- created - - failed pending inDoubt - - - pending',
    created: '- - messaged done failed - - - - - pending',
    messaged: '- - - done failed - - - - - pending',
    done: '- - - done - - - - created - pending',
    rejected: 'creating created - - - pending inDoubt rejected - skipped pending',
    failed: 'creating created - - failed pending inDoubt rejected - skipped pending',
    inDoubt: '- created - - failed pending inDoubt - - skipped pending',
    skipped: '- created - - - pending - - - - pending',
  };

  it.each(TICKET_STATES)('%s allows these steps and no others', async (state) => {
    const expected = TABLE[state].split(' ');
    expect(expected).toHaveLength(names.length);
    for (const [at, name] of names.entries()) {
      const checkpoint = await inState(state);
      const before = checkpoint.get('t');
      const error = await STEPS[name](checkpoint).catch((refused: unknown) => refused);
      const after = checkpoint.get('t');
      if (expected[at] === '-') {
        expect(error, name).toEqual(REJECTING);
        expect(after).toEqual(before);
        continue;
      }
      expect(after?.state, name).toBe(expected[at]);
      expect(after?.intent !== undefined, name).toBe(
        after?.state === 'creating' || (after?.state === 'inDoubt' && before?.intent !== undefined),
      );
      expect(after?.ticketId !== undefined, name).toBe(after?.reached !== 'nothing');
    }
  });

  it('a ticket that exists in the target is never created again, nor another one of the target', async () => {
    const checkpoint = await inState('created');
    await checkpoint.refused('t', PROBLEM);
    await expect(checkpoint.intend('t', INTENT, PRINTS)).rejects.toEqual(REJECTING);
    await expect(checkpoint.adopted('t', 'T2')).rejects.toEqual(REJECTING);
    await checkpoint.resumed('t');
    expect(checkpoint.get('t')).toMatchObject({ state: 'created', ticketId: 'T1', reached: 'created' });
    await expect((await inState('failed')).resumed('t')).rejects.toEqual(REJECTING);
  });

  it('a failed ticket that exists in the target keeps its id when its data is rejected later', async () => {
    const checkpoint = await inState('created');
    await checkpoint.refused('t', PROBLEM);
    await checkpoint.rejected('t', PROBLEM);
    expect(checkpoint.get('t')).toMatchObject({ state: 'rejected', ticketId: 'T1', reached: 'created' });
  });

  it('a reopened ticket is marked until it is done, and a changed export is seen as changed until then', async () => {
    const checkpoint = await inState('done');
    const other = { ticket: 'a'.repeat(16), messages: 'b'.repeat(16), events: 'c'.repeat(16) };
    await checkpoint.reopened('t', other);
    expect(checkpoint.get('t')).toMatchObject({ state: 'created', reopened: true, fingerprints: PRINTS });
    await checkpoint.messagesSent('t', other, 'abcd');
    expect(checkpoint.get('t')).toMatchObject({ reopened: true, thread: 'abcd' });
    await checkpoint.eventsSent('t', other);
    const done = checkpoint.get('t');
    expect(done).toMatchObject({ fingerprints: { ...other, ticket: PRINTS.ticket }, thread: 'abcd' });
    expect(done).not.toHaveProperty('reopened');
  });

  it('a ticket whose id is taken back is in doubt, whatever it had reached', async () => {
    const checkpoint = await inState('done');
    await checkpoint.released('t');
    expect(checkpoint.get('t')).toEqual({
      externalId: 't',
      state: 'inDoubt',
      reached: 'nothing',
      fingerprints: PRINTS,
      problem: { code: 'released', message: 'It was ticket T1 of the target until that was taken back.' },
    });
  });

  it('a long answer of the target is cut, also in the middle of a character', async () => {
    const checkpoint = await inState('creating');
    await checkpoint.refused('t', { ...PROBLEM, message: `${'x'.repeat(298)}😀${'y'.repeat(100)}` });
    const message = checkpoint.get('t')?.problem?.message;
    expect(message?.length).toBe(300);
    expect(message?.isWellFormed()).toBe(true);
  });
});
