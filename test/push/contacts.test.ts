import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ContactLine, type HeldContacts } from '../../src/push/contacts.ts';

/** Takes all tickets that are ready. */
function takeAll(line: ContactLine<string>): { readonly item: string; readonly held: HeldContacts }[] {
  const taken = [];
  for (let next = line.take(); next !== undefined; next = line.take()) taken.push(next);
  return taken;
}

const itemsOf = (taken: readonly { readonly item: string }[]) => taken.map(({ item }) => item).join(' ');

function lineOf(offers: Record<string, string>): ContactLine<string> {
  const line = new ContactLine<string>();
  for (const [item, contacts] of Object.entries(offers))
    line.offer(item, contacts === '' ? [] : contacts.split(' '));
  return line;
}

describe('who may start', () => {
  it.each<[what: string, offers: Record<string, string>, ready: string]>([
    ['without contacts no ticket waits', { a: '', b: '' }, 'a b'],
    ['strangers go past each other', { a: 'x', b: 'y', c: 'z' }, 'a b c'],
    ['the same unknown contact waits', { a: 'x', b: 'x', c: 'y' }, 'a c'],
    ['a contact of a message counts too', { a: 'x m', b: 'y m', c: 'y' }, 'a'],
    ['all contacts at once', { a: 'x', b: 'x y', c: 'y' }, 'a'],
    ['a contact named twice is one', { a: 'x x', b: 'x' }, 'a'],
  ])('%s', (_, offers, ready) => {
    const line = lineOf(offers);
    expect(itemsOf(takeAll(line))).toBe(ready);
    expect(line.waiting).toBe(Object.keys(offers).length - ready.split(' ').length);
  });

  it('a contact that became known frees all tickets that waited for it alone', () => {
    const line = lineOf({ a: 'x', b: 'x', c: 'x y', d: 'y' });
    const [a] = takeAll(line);
    a?.held.know('x');
    const next = takeAll(line);
    expect(itemsOf(next)).toBe('b c');
    next[1]?.held.release();
    expect(itemsOf(takeAll(line))).toBe('d');
  });

  it('a contact that is given back goes to the next in line only', () => {
    const line = lineOf({ a: 'x', b: 'x', c: 'x' });
    const [a] = takeAll(line);
    a?.held.release();
    const next = takeAll(line);
    a?.held.release();
    expect(itemsOf([...next, ...takeAll(line)])).toBe('b');
  });

  it('a ticket may make a contact known that another one holds', () => {
    const line = lineOf({ a: 'x', b: 'y', c: 'y' });
    takeAll(line)[0]?.held.know('y');
    expect(itemsOf(takeAll(line))).toBe('c');
  });

  it('no more contacts are remembered than there is room for', () => {
    const line = new ContactLine<string>(2);
    line.offer('a', []);
    const held = line.take()?.held;
    for (const email of ['x', 'y', 'z']) held?.know(email);
    expect(['x', 'y', 'z'].filter((email) => line.isKnown(email))).toEqual(['z']);
  });

  it('in any order of offers and ends: no shared contact in flight, first come first served, and each gets a turn', () => {
    const contact = fc.constantFrom('p', 'q', 'r', 's', 't');
    const offers = fc.array(fc.uniqueArray(contact, { maxLength: 3 }), { minLength: 1, maxLength: 30 });
    const steps = fc.array(fc.record({ what: fc.constantFrom('offer', 'end', 'know'), pick: fc.nat() }), {
      maxLength: 120,
    });
    fc.assert(
      fc.property(offers, steps, (contactsOf, script) => {
        const line = new ContactLine<number>();
        const inFlight = new Map<number, HeldContacts>();
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
        };
        const end = (pick: number, makesKnown: boolean) => {
          const item = [...inFlight.keys()][pick % Math.max(1, inFlight.size)];
          if (item === undefined) return;
          if (makesKnown) for (const email of contactsOf[item] ?? []) inFlight.get(item)?.know(email);
          inFlight.get(item)?.release();
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
      }),
      { numRuns: 300 },
    );
  });
});
