/** The large run of docs/reliability.md: its table is printed by this test. */
import { describe, expect, it } from 'vitest';
import { type Account, EVERY_FAULT, everyFault, faultRun } from './fault-run.ts';

function row(name: string, account: Account): string {
  const { last, processes, requests, faultsPlayed, duplicates, contacts, contactsInExport, seconds } =
    account;
  const { read = 0, done = 0, inDoubt = 0, failed = 0 } = last.tickets;
  const lost = read - done - inDoubt - failed + account.wrongThreads.length;
  const cells = [
    name,
    read,
    processes,
    requests,
    faultsPlayed,
    duplicates,
    lost,
    inDoubt,
    failed,
    `${contacts} of ${contactsInExport}`,
    Math.round(seconds),
  ];
  return `| ${cells.join(' | ')} |`;
}

function expectWhole(account: Account, tickets: number): void {
  expect(account.last.tickets).toMatchObject({
    read: tickets,
    done: tickets,
    failed: 0,
    pending: 0,
    inDoubt: 0,
  });
  expect(account).toMatchObject({ created: tickets, duplicates: 0, wrongThreads: [] });
  expect(account.contacts).toBe(account.contactsInExport);
}

describe('2,000 tickets, ten kills, faults in one request of ten', () => {
  it('of every kind: none twice, none lost, none in doubt', async () => {
    const account = await faultRun({
      tickets: 2000,
      contacts: 300,
      faults: everyFault(10),
      seed: 11,
      kills: 10,
    });
    process.stdout.write(
      `${row('every kind, 10 % of all requests', account)}\n${JSON.stringify(account.faultsByKind)}\n`,
    );
    expectWhole(account, 2000);
    expect(Object.keys(account.faultsByKind)).toEqual(expect.arrayContaining(EVERY_FAULT.map(String)));
  });

  // Where nothing can be read, a history of unknown outcome is not sent again.
  it('the same, the target cannot be read: none twice, and every one that is not known to be whole is listed', async () => {
    const account = await faultRun({
      tickets: 2000,
      contacts: 300,
      faults: everyFault(10),
      seed: 12,
      kills: 10,
      readable: false,
    });
    process.stdout.write(`${row('the same, the target cannot be read', account)}\n`);
    const { done = 0, inDoubt = 0, failed = 0 } = account.last.tickets;
    expect(done + inDoubt + failed).toBe(2000);
    expect(account).toMatchObject({ duplicates: 0, wrongThreads: [] });
    const held = account.last.problems.filter(({ code }) =>
      ['target-unreadable', 'unknown-outcome', 'history-held'].includes(code),
    );
    expect(new Set(held.map(({ ticket }) => ticket)).size).toBe(inDoubt + failed);
  });
});

/** A token that is refused right after its renewal is refused for good and ends the run: at 10 % that would be every run. */
const percentOf = (fault: string) => (fault === 'token-expired' ? 2 : 10);

describe('one request of ten meets one kind of fault, a kill on the way', () => {
  it.each(EVERY_FAULT)('%s', async (fault) => {
    const account = await faultRun({
      tickets: 200,
      contacts: 40,
      faults: [`${fault}:${percentOf(fault)}`],
      seed: 21,
      kills: 1,
    });
    process.stdout.write(`${row(`\`${fault}\`, ${percentOf(fault)} %`, account)}\n`);
    expectWhole(account, 200);
  });
});

describe('a hundred kills', () => {
  it.each(Array.from({ length: 10 }, (_, seed) => seed + 100))(
    'ten at random moments, seed %d',
    async (seed) => {
      const faults = ['reset-after:1@create', 'no-answer-after:1@create'];
      const account = await faultRun({ tickets: 1000, contacts: 150, faults, seed, kills: 10 });
      process.stdout.write(`${row(`ten kills, seed ${seed}`, account)}\n`);
      expectWhole(account, 1000);
    },
  );
});
