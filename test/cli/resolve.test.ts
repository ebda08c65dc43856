/** The command resolve: what a decision makes of a ticket in doubt, and what is refused before anything is changed. */
import { describe, expect, it } from 'vitest';
import { readCheckpoint } from '../../src/checkpoint/read-checkpoint.ts';
import type { Flags } from '../../src/cli/context.ts';
import { adoption } from '../../src/commands/resolve.ts';
import { temporaryFolder } from '../support/cli.ts';
import { makeCheckpoint, type Outcome } from './checkpoints.ts';
import { inProcess } from './in-process.ts';

/** The command with these flags, and what the checkpoint holds then. */
async function resolve(tickets: Record<string, Outcome>, flags: Flags) {
  using folder = temporaryFolder();
  const checkpoint = folder.join('c.sqlite');
  await makeCheckpoint(checkpoint, { tickets });
  const ended = await inProcess('resolve', [], { checkpoint, ...flags }, { cwd: folder.path });
  const reader = readCheckpoint(checkpoint);
  const states = Object.fromEntries(
    Object.keys(tickets).map((id) => {
      const { state, ticketId, sent } = reader.get(id) ?? {};
      return [id, [state, ticketId, sent?.tag].filter((part) => part !== undefined).join(' ')];
    }),
  );
  reader.close();
  return { ...ended, states };
}

describe('resolve', () => {
  it('lists the tickets in doubt and what to look for, and ends with 4', async () => {
    const { code, stdout } = await resolve({ e1: 'inDoubt', e2: 'creating', e3: 'inDoubt', e4: 'done' }, {});
    expect(code).toBe(4);
    expect(stdout).toMatch(/3 tickets in doubt/);
    expect(stdout).toMatch(/e1 +src-e1 +2025-06-02 08:00 UTC +No answer/);
    expect(stdout).toMatch(/e2 +src-e2 .+ An earlier run ended while this ticket was being created/);
    expect(stdout).toMatch(/resolve --checkpoint \S+ --adopt e1=<ticket id>/);
  });

  it('carries every decision out: what identified a ticket is not kept once it is settled', async () => {
    const tickets: Record<string, Outcome> = {
      ...{ a1: 'inDoubt', a2: 'creating', a3: 'skipped' },
      ...{ r1: 'inDoubt', r2: 'creating', r3: 'skipped' },
      ...{ s1: 'inDoubt', s2: 'creating', s3: 'skipped', other: 'inDoubt' },
    };
    const adopt = ['a1=T1', 'a2=T2', 'a3=T3', 'a1=T1'];
    const { code, states, stdout } = await resolve(tickets, { adopt, retry: 'r1, r2,r3', skip: 's1,s2,s3' });
    expect(code).toBe(4);
    expect(stdout).toMatch(/3 tickets adopted/);
    expect(states).toEqual({
      ...{ a1: 'created T1', a2: 'created T2', a3: 'created T3' },
      ...{ r1: 'pending', r2: 'pending', r3: 'pending' },
      ...{ s1: 'skipped', s2: 'skipped', s3: 'skipped', other: 'inDoubt src-other' },
    });
  });

  it('--retry --all leaves no ticket in doubt and warns of duplicates', async () => {
    const { code, stdout, states } = await resolve(
      { a: 'inDoubt', b: 'creating' },
      { retry: true, all: true },
    );
    expect([code, states]).toEqual([0, { a: 'pending', b: 'pending' }]);
    expect(stdout).toMatch(/2 tickets to be created/);
    expect(stdout).toMatch(/will be created\s+twice/);
  });

  it('changes nothing if one decision cannot be carried out, and names each', async () => {
    const tickets: Record<string, Outcome> = {
      ...{ doubt: 'inDoubt', second: 'inDoubt', third: 'inDoubt', done: 'done', created: 'created' },
      ...{ failed: 'failed', failedLater: 'failedLater', rejected: 'rejected', pending: 'pending' },
    };
    const adopt = ['rejected=T9', 'doubt=T-done', 'second=T1', 'third=T1', 'second=T2'];
    const flags = { adopt, retry: 'nobody,done,failed,failedLater,third', skip: 'created,pending,second' };
    const before = await resolve(tickets, {});
    const { code, stderr, states } = await resolve(tickets, flags);
    expect(code).toBe(2);
    expect(states).toEqual(before.states);
    for (const sentence of [
      'has no ticket nobody',
      'done is not in doubt: it is in the helpdesk as T-done.',
      'created is not in doubt: it is in the helpdesk as T-created',
      'failed is not in doubt: the helpdesk refused it',
      'in the helpdesk as T-failedLater',
      'rejected is not in doubt: it was rejected',
      'pending is not in doubt: nothing of it was sent',
      'T-done of the helpdesk is ticket done already',
      'T1 of the helpdesk cannot be both second and third',
      'ticket second was decided otherwise before (--adopt)',
    ])
      expect(stderr).toContain(sentence);
  });

  it('of 1,000 complaints names the first fifty, and how many more there are', async () => {
    const retry = Array.from({ length: 1_000 }, (_, n) => `nobody-${n}`).join(',');
    const { stderr } = await resolve({ a: 'inDoubt' }, { retry });
    expect(stderr).toContain('1000 decisions cannot be carried out.');
    expect(stderr).toContain('… and 950 more like these.');
  });

  it.each<[Flags, string]>([
    [{ retry: true }, '--retry names no ticket'],
    [{ skip: true }, '--skip names no ticket'],
    [{ all: true }, '--all goes with --retry or with --skip, and without ids.'],
    [{ all: true, retry: true, skip: true }, '--all goes with --retry or with --skip'],
    [{ adopt: ['4711'] }, '--adopt must be an external id, = and a ticket id'],
    [{ adopt: ['=T1'] }, '--adopt must be'],
    [{ adopt: ['4711='] }, '--adopt must be'],
    [{ retry: ',' }, '--retry names no ticket'],
  ])('%j is refused', async (flags, sentence) => {
    const { code, stderr } = await resolve({ x: 'inDoubt' }, flags);
    expect([code, stderr]).toEqual([2, expect.stringContaining(sentence)]);
  });

  it('does not make a missing checkpoint', async () => {
    const { code, stderr } = await inProcess('resolve', [], { retry: 'a' }, { cwd: '/nowhere' });
    expect([code, stderr]).toEqual([2, expect.stringContaining('There is no checkpoint')]);
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
