/** A file of people: which addresses become one contact, and what is refused. */
import { describe, expect, it } from 'vitest';
import { peopleOf } from '../../src/check/people.ts';

const rows = (texts: readonly string[]) =>
  texts.map((text, index) => {
    const [address = '', sameAs = ''] = text.split(' ');
    return { line: index + 2, address, sameAs };
  });
const read = (...texts: string[]) => peopleOf('people.csv', rows(texts));

describe('addresses of one person', () => {
  it.each([
    ['one row', ['b@x.example a@x.example'], { 'b@x.example': 'a@x.example', 'a@x.example': 'a@x.example' }],
    [
      'a chain: the last one stays, whatever the order of the rows',
      ['c@x.example b@x.example', 'b@x.example a@x.example'],
      { 'c@x.example': 'a@x.example', 'b@x.example': 'a@x.example' },
    ],
    ['capitals', ['B@X.example A@x.EXAMPLE'], { 'b@x.example': 'a@x.example' }],
    [
      'the same row twice',
      ['b@x.example a@x.example', 'b@x.example a@x.example'],
      { 'b@x.example': 'a@x.example' },
    ],
    [
      'an address of letters after a plus is one of its own',
      ['b@x.example a@x.example'],
      { 'b+1@x.example': undefined },
    ],
  ])('%s', (_, texts, expected) => {
    const made = read(...texts);
    if (!('people' in made)) throw new Error(made.complaints.join());
    for (const [address, first] of Object.entries(expected))
      expect(made.people.of(address)?.first).toBe(first);
  });

  it('names the other addresses of a person, and the line', () => {
    const made = read('b@x.example a@x.example');
    if (!('people' in made)) throw new Error(made.complaints.join());
    expect(made.people.of('a@x.example')?.others).toEqual(['b@x.example']);
    expect(made.people.lineOf('b@x.example')).toBe(2);
    expect(made.people.of('c@x.example')).toBeUndefined();
  });
});

describe('refused lines of a file of people', () => {
  it.each([
    ['no address', ['b a@x.example'], 'people.csv:2: "b" is not an e-mail address.'],
    ['no other address', ['b@x.example a'], 'people.csv:2: "a" is not an e-mail address.'],
    [
      'the same address',
      ['b@x.example B@x.example'],
      'people.csv:2: b@x.example becomes itself in a circle.',
    ],
    [
      'two people',
      ['b@x.example a@x.example', 'b@x.example c@x.example'],
      'people.csv:3: line 2 says that b@x.example is a@x.example.',
    ],
    [
      'a circle',
      ['b@x.example a@x.example', 'a@x.example b@x.example'],
      'people.csv:2: b@x.example becomes itself in a circle',
    ],
  ])('%s', (_, texts, complaint) => {
    const made = read(...texts);
    expect('complaints' in made && made.complaints[0]).toContain(complaint);
  });

  it('a long chain into a circle ends', () => {
    const chain = Array.from({ length: 2000 }, (_, n) => `p${n}@x.example p${n + 1}@x.example`);
    const made = read(...chain, 'p2000@x.example p1999@x.example');
    expect('complaints' in made && made.complaints).toHaveLength(1);
  });

  it('a chain of 20,000 rows, in any order, is followed once', () => {
    const chain = Array.from({ length: 20_000 }, (_, n) => `p${n}@x.example p${n + 1}@x.example`);
    for (const texts of [chain, chain.toReversed()]) {
      const made = peopleOf('people.csv', rows(texts));
      if (!('people' in made)) throw new Error(made.complaints[0]);
      expect(made.people.of('p0@x.example')?.first).toBe('p20000@x.example');
      expect(made.people.of('p20000@x.example')?.others).toHaveLength(20_000);
    }
  });
});
