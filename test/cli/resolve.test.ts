import { describe, expect, it } from 'vitest';
import { readCheckpoint } from '../../src/checkpoint/read-checkpoint.ts';
import { adoption, type Decision, openExisting, readDecisions, settle } from '../../src/commands/resolve.ts';
import type { AppError } from '../../src/domain/errors.ts';
import { temporaryFolder } from '../support/cli.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { type Fate, makeCheckpoint } from './checkpoints.ts';

const PORTS = { clock: createFakeClock(), version: '0.1.0' };
const context = { cwd: process.cwd() };

const act = (externalId: string, action: Decision['action'], ticketId?: string): Decision => ({
  externalId,
  action,
  ...(ticketId === undefined ? {} : { ticketId }),
  where: `--${action}`,
});
const adopt = (externalId: string, ticketId: string) => act(externalId, 'adopt', ticketId);
const retry = (externalId: string) => act(externalId, 'retry');
const skip = (externalId: string) => act(externalId, 'skip');

describe('what a decision makes of a ticket in doubt', () => {
  it.each<[Fate, Decision, string, string | undefined]>([
    ['inDoubt', adopt('a', 'T1'), 'created', 'T1'],
    ['creating', adopt('a', 'T1'), 'created', 'T1'],
    ['skipped', adopt('a', 'T1'), 'created', 'T1'],
    ['inDoubt', retry('a'), 'pending', undefined],
    ['creating', retry('a'), 'pending', undefined],
    ['skipped', retry('a'), 'pending', undefined],
    ['inDoubt', skip('a'), 'skipped', undefined],
    ['creating', skip('a'), 'skipped', undefined],
    ['skipped', skip('a'), 'skipped', undefined],
  ])('%s and %o: it is %s', async (fate, action, state, ticketId) => {
    using folder = temporaryFolder();
    const path = folder.join('c.sqlite');
    await makeCheckpoint(path, { tickets: { a: fate, other: 'inDoubt' } });
    const checkpoint = openExisting(path, PORTS);
    await settle([action], checkpoint);
    await checkpoint.close();
    const reader = readCheckpoint(path);
    const record = reader.get('a');
    expect(record?.state).toBe(state);
    expect(record?.ticketId).toBe(ticketId);
    // What identified it is not kept once it is settled.
    expect(record?.sent).toBeUndefined();
    expect(reader.get('other')?.state).toBe('inDoubt');
    reader.close();
  });
});

describe('decisions that cannot be carried out', () => {
  const TICKETS = {
    doubt: 'inDoubt',
    second: 'inDoubt',
    done: 'done',
    created: 'created',
    failed: 'failed',
    failedLater: 'failedLater',
    rejected: 'rejected',
    pending: 'pending',
  } as const;

  it.each<[string, Decision[], RegExp]>([
    ['an unknown id', [retry('nobody')], /has no ticket nobody/],
    ['a ticket that is done', [retry('done')], /done is not in doubt: it is in the target as T-done\./],
    [
      'a ticket that is half done',
      [skip('created')],
      /created is not in doubt: it is in the target as T-created/,
    ],
    ['a ticket that failed', [retry('failed')], /failed is not in doubt: the target refused it/],
    ['a ticket that failed half way', [retry('failedLater')], /in the target as T-failedLater/],
    ['a ticket that was rejected', [adopt('rejected', 'T1')], /rejected is not in doubt: it was rejected/],
    ['a ticket that is pending', [skip('pending')], /pending is not in doubt: nothing of it was sent/],
    [
      'a ticket of the target that is another one',
      [adopt('doubt', 'T-done')],
      /T-done of the target is ticket done already/,
    ],
    [
      'one ticket of the target for two',
      [adopt('doubt', 'T1'), adopt('second', 'T1')],
      /T1 of the target cannot be both doubt and second/,
    ],
    [
      'two decisions on one ticket',
      [retry('doubt'), skip('doubt')],
      /doubt was decided otherwise before \(--retry\)/,
    ],
    ['two adoptions of one ticket', [adopt('doubt', 'T1'), adopt('doubt', 'T2')], /decided otherwise/],
  ])('%s: nothing is changed', async (_, actions, message) => {
    using folder = temporaryFolder();
    const path = folder.join('c.sqlite');
    await makeCheckpoint(path, { tickets: TICKETS });
    const checkpoint = openExisting(path, PORTS);
    const before = checkpoint.counts();
    await expect(settle([...actions, skip('second')], checkpoint)).rejects.toMatchObject({
      code: 'usage',
      lines: [expect.stringMatching(message)],
    });
    await checkpoint.flush();
    expect(checkpoint.counts()).toEqual(before);
    await checkpoint.close();
  });

  it('of 1,000 the first fifty, and how many more there are', async () => {
    using folder = temporaryFolder();
    const path = folder.join('c.sqlite');
    await makeCheckpoint(path, { tickets: TICKETS });
    const checkpoint = openExisting(path, PORTS);
    const unknown = Array.from({ length: 1_000 }, (_, n) => retry(`nobody-${n}`));
    const error: unknown = await settle(unknown, checkpoint).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ message: '1000 decisions cannot be carried out.' });
    expect((error as AppError).lines).toHaveLength(51);
    expect((error as AppError).lines.at(-1)).toBe('… and 950 more like these.');
    await checkpoint.close();
  });

  it('the same decision twice is one decision', async () => {
    using folder = temporaryFolder();
    const path = folder.join('c.sqlite');
    await makeCheckpoint(path, { tickets: TICKETS });
    const checkpoint = openExisting(path, PORTS);
    expect(await settle([adopt('doubt', 'T1'), adopt('doubt', 'T1')], checkpoint)).toEqual([
      { externalId: 'doubt', action: 'adopt', ticketId: 'T1' },
    ]);
    await checkpoint.close();
  });

  it('a checkpoint that is not there is not made', () => {
    using folder = temporaryFolder();
    const path = folder.join('none.sqlite');
    expect(() => openExisting(path, PORTS)).toThrow(/There is no checkpoint/);
    expect(() => readCheckpoint(path)).toThrow(/There is no checkpoint/);
  });
});

describe('where --adopt is cut', () => {
  it.each([
    ['4711=T1', [], '4711', 'T1'],
    ['a=b=T1', ['a=b'], 'a=b', 'T1'],
    ['a=T=1', ['a'], 'a', 'T=1'],
    // The complaint about an unknown ticket names what was most likely meant.
    ['a=b=T1', [], 'a=b', 'T1'],
    ['a=T1==', ['a'], 'a', 'T1=='],
    ['a= T1 ', ['a'], 'a', 'T1'],
  ])('%s, with %j known', (text, known, externalId, ticketId) => {
    expect(adoption(text, (id) => (known as string[]).includes(id))).toEqual({ externalId, ticketId });
  });
});

describe('the flags of resolve', () => {
  const ledger = {
    get: () => undefined,
    inStates: () => [{ externalId: 'x', state: 'inDoubt' }],
  } as unknown as Parameters<typeof readDecisions>[1];

  it('ids with commas between, and all of them', async () => {
    const decisions = await readDecisions({ retry: 'a, b', skip: true, all: true }, ledger, context);
    expect(decisions.map(({ externalId, action }) => `${action} ${externalId}`)).toEqual([
      'skip x',
      'retry a',
      'retry b',
    ]);
  });

  it.each([
    [{ retry: true }, '--retry names no ticket'],
    [{ skip: true }, '--skip names no ticket'],
    [{ all: true }, '--all goes with --retry or with --skip, and without ids.'],
    [{ all: true, retry: true, skip: true }, '--all goes with --retry or with --skip'],
    [{ adopt: ['4711'] }, '--adopt must be an external id, = and a ticket id'],
    [{ adopt: ['=T1'] }, '--adopt must be'],
    [{ adopt: ['4711='] }, '--adopt must be'],
    [{ retry: ',' }, '--retry names no ticket'],
  ])('%j is refused', async (flags, sentence) => {
    await expect(readDecisions(flags, ledger, context)).rejects.toMatchObject({
      code: 'usage',
      lines: [expect.stringContaining(sentence)],
    });
  });
});
