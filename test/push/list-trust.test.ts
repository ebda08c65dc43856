import { describe, expect, it } from 'vitest';
import type { Ledger } from '../../src/domain/ledger.ts';
import type { Snapshot } from '../../src/domain/ticket-api.ts';
import { ListTrust } from '../../src/push/list-trust.ts';

const DAY = '2024-03-01T10:00:00.000Z';
const EMPTY = { inStates: () => [].values() } as unknown as Ledger;
const intentAt = (at: number) => ({ subject: `s${at}`, createdAt: DAY, at });

/** A list that shows only tickets created before `upTo`, and counts how often it is asked. */
function listUpTo(upTo: () => number) {
  const asked: string[] = [];
  return {
    asked,
    search: async (text: string): Promise<Snapshot[]> => {
      asked.push(text);
      const at = Number(text.slice(1));
      return at < upTo() ? [{ id: `T${at}`, subject: text, createdAt: DAY }] : [];
    },
    read: async () => undefined,
  };
}

describe('a list', () => {
  it('is believed for what was sent before a ticket that it shows, and asked once', async () => {
    const trust = new ListTrust();
    for (const at of [1_000, 5_000, 9_000]) trust.created(`T${at}`, intentAt(at));
    const list = listUpTo(() => 99_000);
    expect(await trust.covers(4_000, list, EMPTY)).toBe(true);
    expect(list.asked).toEqual(['s5000']);
    expect(await trust.covers(4_500, list, EMPTY)).toBe(true);
    expect(list.asked).toHaveLength(1);
    expect(await trust.covers(8_000, list, EMPTY)).toBe(true);
    expect(list.asked).toEqual(['s5000', 's9000']);
  });

  it('that lags is believed when it has caught up with the moment in question, though not with the present', async () => {
    const trust = new ListTrust();
    for (const at of [1_000, 5_000, 9_000]) trust.created(`T${at}`, intentAt(at));
    let upTo = 3_000;
    const list = listUpTo(() => upTo);
    expect(await trust.covers(4_000, list, EMPTY)).toBe(false);
    upTo = 6_000;
    expect(await trust.covers(4_000, list, EMPTY)).toBe(true);
    expect(await trust.covers(8_000, list, EMPTY)).toBe(false);
  });

  it('is held against the last ticket where none was created later', async () => {
    const trust = new ListTrust();
    trust.created('T1000', intentAt(1_000));
    const list = listUpTo(() => 500);
    expect(await trust.covers(4_000, list, EMPTY)).toBe(false);
    const whole = listUpTo(() => 2_000);
    expect(await trust.covers(4_000, whole, EMPTY)).toBe(true);
    expect(await trust.covers(4_000, whole, EMPTY)).toBe(true);
    expect(whole.asked).toHaveLength(1);
  });

  it('has nothing to be doubted with where no ticket was ever created', async () => {
    expect(
      await new ListTrust().covers(
        1,
        listUpTo(() => 0),
        EMPTY,
      ),
    ).toBe(true);
  });

  it('is held against a bounded number of tickets', async () => {
    const trust = new ListTrust();
    for (let at = 0; at < 200_000; at += 100) trust.created(`T${at}`, intentAt(at));
    const list = listUpTo(() => Number.POSITIVE_INFINITY);
    expect(await trust.covers(0, list, EMPTY)).toBe(true);
    expect(list.asked).toEqual(['s140000']);
  });
});
