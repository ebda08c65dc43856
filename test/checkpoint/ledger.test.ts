import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { openCheckpoint } from '../../src/checkpoint/checkpoint.ts';
import { readCheckpoint } from '../../src/checkpoint/read-checkpoint.ts';
import type { AppError } from '../../src/domain/errors.ts';
import { recordOf, releasedRecord, type TicketRecord } from '../../src/domain/ledger.ts';
import { TICKET_STATES, type TicketState } from '../../src/domain/ticket-state.ts';
import * as steps from '../support/ledger-steps.ts';
import { complete, OPTIONS, opened, PRINTS, PROBLEM, scratchPath } from './scratch.ts';

const { created, doubted, failed, finished, intend, SENT_AT } = steps;

describe('the ledger', () => {
  it('a promise that resolves means that another process can read the change', async () => {
    const path = scratchPath();
    const checkpoint = opened(path, 'machine');
    const reader = readCheckpoint(path);
    const durable = intend(checkpoint, 'a');
    expect(checkpoint.get('a')?.state).toBe('creating');
    expect(reader.get('a')).toBeUndefined();
    await durable;
    expect(reader.get('a')).toEqual({
      externalId: 'a',
      state: 'creating',
      fingerprints: PRINTS,
      sent: { at: SENT_AT, tag: 'src-a' },
    });
    reader.close();
  });

  it('changes of one turn share a commit, and each turn has its own', async () => {
    const path = scratchPath();
    const checkpoint = opened(path, 'machine');
    const watcher = new Database(path, { readonly: true });
    const version = () => watcher.pragma('data_version', { simple: true }) as number;
    const before = version();
    const all = Array.from({ length: 50 }, (_, i) => intend(checkpoint, `t${i}`));
    expect(new Set(all).size).toBe(1);
    await Promise.all(all);
    const afterOne = version();
    expect(afterOne - before).toBe(1);
    await created(checkpoint, 't0', 'T0');
    expect(version() - afterOne).toBe(1);
    watcher.close();
  });

  it('several changes of one ticket in one turn arrive in their order', async () => {
    const path = scratchPath();
    const checkpoint = opened(path);
    const steps = [intend(checkpoint, 'a'), created(checkpoint, 'a', 'T1'), finished(checkpoint, 'a')];
    expect(checkpoint.get('a')).toMatchObject({ state: 'done', ticketId: 'T1' });
    await Promise.all(steps);
    const reader = readCheckpoint(path);
    expect(reader.get('a')).toEqual({
      externalId: 'a',
      state: 'done',
      ticketId: 'T1',
      fingerprints: PRINTS,
    });
    reader.close();
  });

  it('tickets in some states are listed by external id across pages, changes of this turn included', async () => {
    const checkpoint = opened();
    const ids = Array.from({ length: 1_203 }, (_, i) => `t${String(i).padStart(5, '0')}`);
    for (const id of ids) void intend(checkpoint, id);
    for (const id of ids.filter((_, i) => i % 3 !== 0)) void doubted(checkpoint, id, PROBLEM);
    const listed = [...checkpoint.inStates(['inDoubt'])].map((record) => record.externalId);
    expect(listed).toEqual(ids.filter((_, i) => i % 3 !== 0));
    expect([...checkpoint.inStates(['creating', 'inDoubt'])]).toHaveLength(ids.length);
  });

  it('a listing may be changed while it is read', async () => {
    const checkpoint = opened();
    for (let i = 0; i < 1_100; i += 1) void intend(checkpoint, `t${i}`);
    let seen = 0;
    for (const record of checkpoint.inStates(['creating'])) {
      seen += 1;
      await doubted(checkpoint, record.externalId, PROBLEM);
      if (seen > 3) break;
    }
    expect(checkpoint.counts().inDoubt).toBe(4);
  });

  it('finds the owner of a ticket of the helpdesk, durable or not', async () => {
    const checkpoint = opened();
    await complete(checkpoint, 'a', 'T1');
    void intend(checkpoint, 'b');
    void created(checkpoint, 'b', 'T2');
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
});

describe('a disk that is full', () => {
  it('fails waiting and later writes with disk-write, keeps durable ones, and can be opened again', async () => {
    const path = scratchPath();
    await opened(path).close();
    const ledger = openCheckpoint(path, { ...OPTIONS, survives: 'process' });
    const pages = ledger.db.pragma('page_count', { simple: true }) as number;
    ledger.db.pragma(`max_page_count = ${pages + 4}`);
    const durable: string[] = [];
    let failure: unknown;
    for (let i = 0; failure === undefined && i < 1_000; i += 1) {
      const pair = [`a${i}`, `b${i}`].map((id) => intend(ledger, id));
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
    await expect(created(ledger, 'a0', 'T0')).rejects.toBe(failure);
    await expect(ledger.flush()).rejects.toBe(failure);
    expect([...ledger.inStates(['creating'])].map((record) => record.externalId).sort()).toEqual(
      durable.sort(),
    );
    await ledger.close();

    const again = opened(path);
    expect(again.counts().creating).toBe(durable.length);
    await created(again, 'a0', 'T0');
    expect(again.get('a0')?.ticketId).toBe('T0');
  });
});

it('a file whose upload only began is nowhere, and a stored one is found in any store', async () => {
  const { files } = opened();
  const content = {
    hash: 'f'.repeat(64),
    size: 3,
    type: 'text/plain',
    address: 'https://files.example.com/1',
  };
  await files.begin('one', content);
  expect(files.anywhere(content.hash)).toBeUndefined();
  await files.begin('two', content);
  await files.stored('two', content);
  expect(files.anywhere(content.hash)).toMatchObject({ store: 'two' });
});

describe('the record of a ticket', () => {
  const REJECTING = expect.objectContaining({ code: 'internal' });
  const IN_TARGET: readonly TicketState[] = ['created', 'done', 'incomplete'];

  function recordIn(state: TicketState): TicketRecord {
    const isThere = IN_TARGET.includes(state);
    return {
      externalId: 't',
      state,
      fingerprints: PRINTS,
      ...(isThere ? { ticketId: 'T1' } : {}),
      ...(state === 'creating' ? { sent: { at: SENT_AT, tag: 'src-t' } } : {}),
    };
  }

  async function inState(state: TicketState) {
    const checkpoint = opened();
    if (state !== 'pending') {
      const before = { refused: 'creating', incomplete: 'created', done: 'created' } as const;
      const first = state in before ? before[state as keyof typeof before] : undefined;
      if (first !== undefined) await checkpoint.put(recordIn(first));
    }
    await checkpoint.put(recordIn(state));
    return checkpoint;
  }

  /** From each state to these and no others. */
  const TABLE: Record<TicketState, string> = {
    pending: 'pending creating created rejected inDoubt skipped',
    creating: 'pending creating created refused inDoubt skipped',
    created: 'pending created done incomplete inDoubt',
    done: 'pending done incomplete inDoubt',
    rejected: 'pending creating created rejected inDoubt skipped',
    refused: 'pending creating created rejected inDoubt skipped',
    incomplete: 'pending created incomplete inDoubt skipped',
    inDoubt: 'pending created inDoubt skipped',
    skipped: 'pending created',
  };

  it.each(TICKET_STATES)('%s may be left for these states and no others', async (state) => {
    for (const to of TICKET_STATES) {
      const checkpoint = await inState(state);
      const before = checkpoint.get('t');
      const error = await checkpoint.put(recordIn(to)).catch((refused: unknown) => refused);
      const isAllowed = TABLE[state].split(' ').includes(to);
      expect(error, `${state} → ${to}`).toEqual(isAllowed ? undefined : REJECTING);
      expect(checkpoint.get('t'), `${state} → ${to}`).toEqual(
        isAllowed ? expect.objectContaining({ state: to }) : before,
      );
    }
  });

  it('a ticket that exists in the helpdesk is never created again, nor another one of the helpdesk', async () => {
    const checkpoint = await inState('created');
    await failed(checkpoint, 't');
    await expect(intend(checkpoint, 't')).rejects.toEqual(REJECTING);
    await expect(created(checkpoint, 't', 'T2')).rejects.toEqual(REJECTING);
    await created(checkpoint, 't', 'T1');
    expect(checkpoint.get('t')).toMatchObject({ state: 'created', ticketId: 'T1' });
  });

  it('a ticket has an ID only if the helpdesk has it', async () => {
    const checkpoint = await inState('creating');
    const { ticketId: _, ...without } = recordIn('created');
    await expect(checkpoint.put(without)).rejects.toEqual(REJECTING);
    await expect(checkpoint.put({ ...recordIn('inDoubt'), ticketId: 'T1' })).rejects.toEqual(REJECTING);
    expect(checkpoint.get('t')?.state).toBe('creating');
  });

  it('a delta is marked until it is done', async () => {
    const checkpoint = await inState('done');
    const done = recordOf(checkpoint, 't');
    await expect(checkpoint.put({ ...done, state: 'created' })).rejects.toEqual(REJECTING);
    await checkpoint.put({ ...done, state: 'created', reopened: true });
    expect(checkpoint.get('t')).toMatchObject({ state: 'created', reopened: true });
    await checkpoint.put({ ...done, thread: 'abcd' });
    expect(checkpoint.get('t')).toEqual({ ...done, thread: 'abcd' });
  });

  it('a ticket whose ID is taken back is in doubt, in every state', async () => {
    const checkpoint = await inState('done');
    await checkpoint.put(releasedRecord(checkpoint, 't'));
    expect(checkpoint.get('t')).toEqual({
      externalId: 't',
      state: 'inDoubt',
      fingerprints: PRINTS,
      problem: { code: 'released', message: 'It was ticket T1 of the helpdesk until the link was undone.' },
    });
  });

  it('a long answer of the helpdesk is cut, also in the middle of a character', async () => {
    const checkpoint = await inState('creating');
    await failed(checkpoint, 't', { ...PROBLEM, message: `${'x'.repeat(298)}😀${'y'.repeat(100)}` });
    const message = checkpoint.get('t')?.problem?.message;
    expect(message?.length).toBe(300);
    expect(message?.isWellFormed()).toBe(true);
  });
});
