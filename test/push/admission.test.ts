import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Admission, type Admitted, KnownContacts } from '../../src/push/admission.ts';

/** Takes everybody who is ready. */
function takeAll(admission: Admission<string>): Admitted<string>[] {
  const taken: Admitted<string>[] = [];
  for (let next = admission.take(); next !== undefined; next = admission.take()) taken.push(next);
  return taken;
}

function admissionOf(offers: Record<string, string>, known: string[] = []): Admission<string> {
  const contacts = new KnownContacts();
  for (const email of known) contacts.add(email);
  const admission = new Admission<string>(contacts);
  for (const [item, keys] of Object.entries(offers))
    admission.offer(item, keys === '' ? [] : keys.split(' '));
  return admission;
}

describe('who may start', () => {
  it.each<[what: string, offers: Record<string, string>, known: string[], ready: string]>([
    ['without contacts nobody waits', { a: '', b: '' }, [], 'a b'],
    ['strangers go past each other', { a: 'x', b: 'y', c: 'z' }, [], 'a b c'],
    ['the same unknown contact waits', { a: 'x', b: 'x', c: 'y' }, [], 'a c'],
    ['a known contact does not', { a: 'x', b: 'x', c: 'x' }, ['x'], 'a b c'],
    ['a contact of a message counts too', { a: 'x m', b: 'y m', c: 'y' }, [], 'a'],
    ['all contacts or none', { a: 'x', b: 'x y', c: 'y' }, [], 'a'],
    ['a contact named twice is one', { a: 'x x', b: 'x' }, [], 'a'],
  ])('%s', (_, offers, known, ready) => {
    const admission = admissionOf(offers, known);
    expect(
      takeAll(admission)
        .map(({ item }) => item)
        .join(' '),
    ).toBe(ready);
    expect(admission.waiting).toBe(Object.keys(offers).length - ready.split(' ').length);
  });

  it('a contact that became known frees everybody who waited for it alone', () => {
    const admission = admissionOf({ a: 'x', b: 'x', c: 'x y', d: 'y' });
    const [a] = takeAll(admission);
    a?.know('x');
    const next = takeAll(admission);
    expect(next.map(({ item }) => item)).toEqual(['b', 'c']);
    next[1]?.release();
    expect(takeAll(admission).map(({ item }) => item)).toEqual(['d']);
  });

  it('a contact that is given back goes to the next in line only', () => {
    const admission = admissionOf({ a: 'x', b: 'x', c: 'x' });
    const [a] = takeAll(admission);
    a?.release('x');
    a?.release();
    const [b, ...others] = takeAll(admission);
    expect([b?.item, others.length]).toEqual(['b', 0]);
    b?.release();
    expect(takeAll(admission).map(({ item }) => item)).toEqual(['c']);
  });

  it('what a contact became known by need not have reserved it', () => {
    const admission = admissionOf({ a: 'x', b: 'y', c: 'y' });
    const [a, b] = takeAll(admission);
    a?.know('y');
    expect(takeAll(admission).map(({ item }) => item)).toEqual(['c']);
    b?.release();
    expect(admission.hasReady).toBe(false);
  });

  it('in any order of offers and ends: no shared key in flight, first come first served, and everybody gets a turn', () => {
    const offers = fc.array(fc.uniqueArray(fc.constantFrom('p', 'q', 'r', 's', 't'), { maxLength: 3 }), {
      minLength: 1,
      maxLength: 30,
    });
    const steps = fc.array(fc.record({ what: fc.constantFrom('offer', 'end', 'know'), pick: fc.nat() }), {
      maxLength: 120,
    });
    fc.assert(
      fc.property(offers, steps, (keysOf, script) => {
        const known = new KnownContacts();
        const admission = new Admission<number>(known);
        const inFlight = new Map<number, Admitted<number>>();
        const started: number[] = [];
        let offered = 0;
        const unknownOf = new Map<number, Set<string>>();
        const offerNext = () => {
          const keys = keysOf[offered];
          if (keys === undefined) return;
          unknownOf.set(offered, new Set(keys.filter((key) => !known.has(key))));
          admission.offer(offered, keys);
          offered += 1;
        };
        const takeReady = () => {
          for (let next = admission.take(); next !== undefined; next = admission.take()) {
            const mine = [...(unknownOf.get(next.item) ?? [])].filter((key) => !known.has(key));
            for (const other of inFlight.keys()) {
              expect(mine.filter((key) => unknownOf.get(other)?.has(key) === true)).toEqual([]);
            }
            // Whoever came earlier and wants one of the same keys has had its turn.
            for (let earlier = 0; earlier < next.item; earlier += 1) {
              if (mine.some((key) => unknownOf.get(earlier)?.has(key) === true))
                expect(started).toContain(earlier);
            }
            started.push(next.item);
            inFlight.set(next.item, next);
          }
        };
        const end = (pick: number, makesKnown: boolean) => {
          const item = [...inFlight.keys()][pick % Math.max(1, inFlight.size)];
          const admitted = item === undefined ? undefined : inFlight.get(item);
          if (item === undefined || admitted === undefined) return;
          if (makesKnown) for (const key of keysOf[item] ?? []) admitted.know(key);
          admitted.release();
          inFlight.delete(item);
          unknownOf.delete(item);
        };
        for (const { what, pick } of script) {
          if (what === 'offer') offerNext();
          else end(pick, what === 'know');
          takeReady();
        }
        while (offered < keysOf.length) offerNext();
        takeReady();
        for (let i = 0; started.length < keysOf.length; i += 1) {
          expect(i).toBeLessThan(200);
          end(0, false);
          takeReady();
        }
        expect([...started].sort((a, b) => a - b)).toEqual(keysOf.map((_, i) => i));
        expect(admission.waiting).toBe(0);
      }),
      { numRuns: 300 },
    );
  });
});

describe('known contacts', () => {
  it('no more are remembered than there is room for', () => {
    const known = new KnownContacts(2);
    for (const email of ['a', 'b', 'c']) known.add(email);
    expect(known.has('c')).toBe(true);
    expect(known.has('a')).toBe(false);
  });
});
