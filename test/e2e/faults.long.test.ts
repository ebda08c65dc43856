/** The real program, real kills, and a service that fails on purpose: its ledger is asked what happened. */
import { describe, expect, it } from 'vitest';
import { everyFault, faultRun } from './fault-run.ts';

describe('an import through faults of every kind', () => {
  it('killed twice: every ticket once, its thread to the letter, and of each process at most its last create is left to a person', async () => {
    const account = await faultRun({ tickets: 120, contacts: 30, faults: everyFault(10), seed: 3, kills: 2 });
    const { tickets, problems } = account.last;
    expect(tickets, JSON.stringify(problems)).toMatchObject({
      ...{ read: 120, done: 120, inDoubt: 0, failed: 0, pending: 0 },
    });
    expect(account).toMatchObject({ created: 120, duplicates: 0, wrongThreads: [] });
    expect(account.leftToPerson).toBeLessThan(account.processes);
    expect(account.contacts).toBe(account.contactsInExport);
    expect(account.faultsPlayed).toBeGreaterThan(12);
  }, 120_000);

  it('of a helpdesk that cannot be read: no ticket twice, and every doubt is listed', async () => {
    const faults = ['reset-after:6@create', '504-after:4@create', 'no-answer-before:2@create', '429=1:1'];
    const account = await faultRun({
      tickets: 80,
      contacts: 20,
      faults,
      seed: 5,
      kills: 2,
      readable: false,
    });
    const { last } = account;
    const { done = 0, inDoubt = 0 } = last.tickets;
    expect(done + inDoubt).toBe(80);
    expect(inDoubt).toBeGreaterThan(0);
    expect(last.exitCode).toBe(4);
    const held = last.problems.filter(
      ({ code }) => code === 'target-unreadable' || code === 'unknown-outcome',
    );
    const listed = new Set(held.map(({ ticket }) => ticket));
    expect(listed.size).toBe(inDoubt);
    expect(account).toMatchObject({ duplicates: 0, wrongThreads: [] });
    // Some of them exist, some do not: as that is unknown, no ticket was created again.
    expect(account.created).toBeGreaterThanOrEqual(done);
    expect(account.created).toBeLessThanOrEqual(80);
  }, 120_000);
});
