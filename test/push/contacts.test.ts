import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ContactLine, type HeldContacts } from '../../src/push/contacts.ts';

describe('who may start', () => {
  it('no more contacts are remembered than there is room for', () => {
    const line = new ContactLine<string>(2);
    line.offer('a', []);
    const held = line.take()?.held;
    for (const email of ['x', 'y', 'z']) held?.know(email);
    expect(['x', 'y', 'z'].filter((email) => line.isKnown(email))).toEqual(['z']);
  });

  it('in any order of offers and ends: no shared contact in flight, first come first served, and each gets a turn', () => {
    const ALL = ['p', 'q', 'r', 's', 't'];
    const contact = fc.constantFrom(...ALL);
    const offers = fc.array(fc.array(contact, { maxLength: 3 }), { minLength: 1, maxLength: 30 });
    const steps = fc.array(fc.record({ what: fc.constantFrom('offer', 'end', 'know'), pick: fc.nat() }), {
      maxLength: 120,
    });
    fc.assert(
      fc.property(offers, steps, (contactsOf, script) => {
        const line = new ContactLine<number>();
        const inFlight = new Map<number, HeldContacts>();
        const gone: HeldContacts[] = [];
        const started: number[] = [];
        let offered = 0;
        const unknownOf = (item: number) => (contactsOf[item] ?? []).filter((email) => !line.isKnown(email));
        const offerNext = () => {
          if (offered < contactsOf.length) line.offer(offered, contactsOf[offered++] ?? []);
        };
        const takeReady = () => {
          for (let next = line.take(); next !== undefined; next = line.take()) {
            const mine = new Set(unknownOf(next.item));
            const shares = (other: number) => unknownOf(other).some((email) => mine.has(email));
            expect([...inFlight.keys()].filter(shares)).toEqual([]);
            const earlier = Array.from({ length: next.item }, (_, at) => at);
            expect(started).toEqual(expect.arrayContaining(earlier.filter(shares)));
            started.push(next.item);
            inFlight.set(next.item, next.held);
          }
          // Nobody waits unless somebody has the contact, or an earlier one waits for it.
          for (let item = 0; item < offered; item += 1) {
            if (started.includes(item)) continue;
            const isBefore = (other: number) =>
              inFlight.has(other) || (other < item && !started.includes(other));
            const earlier = contactsOf.flatMap((_, other) => (isBefore(other) ? unknownOf(other) : []));
            expect(unknownOf(item).some((email) => earlier.includes(email))).toBe(true);
          }
        };
        const end = (pick: number, makesKnown: boolean) => {
          const item = [...inFlight.keys()][pick % Math.max(1, inFlight.size)];
          if (item === undefined) return;
          const held = inFlight.get(item) as HeldContacts;
          // Also one that another ticket holds.
          if (makesKnown)
            for (const email of [...(contactsOf[item] ?? []), ALL[pick % 5] ?? '']) held.know(email);
          gone.push(held);
          for (const each of gone) each.release();
          inFlight.delete(item);
        };
        for (const { what, pick } of script) {
          if (what === 'offer') offerNext();
          else end(pick, what === 'know');
          takeReady();
        }
        while (offered < contactsOf.length) offerNext();
        takeReady();
        for (let left = 200; left > 0 && inFlight.size > 0; left -= 1) {
          end(0, false);
          takeReady();
        }
        expect(started.toSorted((a, b) => a - b)).toEqual(contactsOf.map((_, at) => at));
        expect(line.waiting).toBe(0);
      }),
      { numRuns: 300 },
    );
  });
});
