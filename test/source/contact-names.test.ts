import { describe, expect, it } from 'vitest';
import { createContactNames } from '../../src/source/contact-names.ts';

type Offer = [email: string, name: string | undefined, at: number];

describe('contact names', () => {
  const of = (...offers: [name: string | undefined, at: number][]) =>
    offers.map(([name, at]): Offer => ['a@b', name, at]);
  it.each<[string, Offer[], string | undefined]>([
    ['the newest name is kept', of(['Old', 1], ['New', 3], ['Mid', 2]), 'New'],
    ['the later offer wins a tie', of(['One', 1], ['Two', 1]), 'Two'],
    ['an empty name only registers the address', of(['One', 1], [' ', 9], [undefined, 9]), 'One'],
    ['no name is no name', of([undefined, 1]), undefined],
    ['an address counts without case and white space', [[' A@B ', 'One', 1]], 'One'],
    ['a name without a time gives way to any other', of(['Known', 5], ['Timeless', Number.NaN]), 'Known'],
  ])('%s', (_name, offers, expected) => {
    using names = createContactNames();
    for (const offer of offers) names.offer(...offer);
    expect(names.nameOf('a@b')).toBe(expected);
    expect(names.counts()).toMatchObject({ distinct: 1 });
  });

  it('tells which addresses have more than one name', () => {
    using names = createContactNames();
    names.offer('a@b', 'One', 1);
    names.offer('a@b', 'Two', 2);
    names.offer('a@b', 'One', 3);
    names.offer('c@d', 'Only', 1);
    expect(names.counts()).toEqual({ distinct: 2, merged: 1 });
    names.offer('c@d', 'Other', 0);
    expect(names.counts()).toEqual({ distinct: 2, merged: 2 });
  });
});
