import { describe, expect, it } from 'vitest';
import { OriginTally, requireSameSource, sameSource } from '../../src/checkpoint/same-source.ts';
import { originReader } from '../../src/domain/identity.ts';

const NONE = { compared: 0, both: 0, either: 0, example: undefined };

describe('the same source, by the IDs alone', () => {
  it.each([
    [{ known: 0, inExport: 10, shared: 0 }, 'same', 'a new checkpoint'],
    [{ known: 10, inExport: 0, shared: 0 }, 'same', 'an export without tickets'],
    [{ known: 10, inExport: 10, shared: 1 }, 'same', 'one ticket in common'],
    [{ known: 10, inExport: 10, shared: 0 }, 'unknown tickets', 'nothing in common'],
    [{ known: 10, inExport: 1, shared: 0, ofRejects: true }, 'same', 'rejects whose ids were corrected'],
  ] as const)('%j → %s (%s)', (ids, expected, _why) => {
    const comparison = { ...ids, origins: NONE };
    expect(sameSource(comparison)).toBe(expected);
    const require = () => requireSameSource(comparison, 'c.sqlite');
    if (expected === 'same') expect(require).not.toThrow();
    else expect(require).toThrow(/another source: none of its 10 tickets is in this export \(10 tickets\)/);
  });
});

it.each([
  [3, 2, 'same'],
  [4, 3, 'other tickets'],
] as const)('of %i tickets %i differ in one thing: %s', (compared, either, expected) => {
  const origins = { ...NONE, compared, either };
  expect(sameSource({ known: compared, inExport: compared, shared: compared, origins })).toBe(expected);
});

/** A ticket by who asked and when, minutes into a day. */
type Who = readonly [requester: string, minute: number];

/** Tickets as the checkpoint has them and as the export has them now, compared in the order of their ids. */
function verdict(
  then: readonly Who[],
  now: readonly Who[],
  settings: readonly [string, string] = ['a', 'a'],
) {
  const [before, after] = settings.map(originReader) as [
    ReturnType<typeof originReader>,
    ReturnType<typeof originReader>,
  ];
  const ticket = ([email, minute]: Who) => ({
    subject: '',
    contact: { email },
    createdAt: new Date(Date.UTC(2024, 0, 1) + minute * 60_000).toISOString(),
  });
  const tally = new OriginTally();
  then.forEach((who, index) => {
    tally.add(`${index}`, before(ticket(who)), after(ticket(now[index] ?? who)));
  });
  const shared = then.length;
  return sameSource({ known: shared, inExport: shared, shared, origins: tally.counts });
}

const desk = (name: string, count: number, start = 0): Who[] =>
  Array.from({ length: count }, (_, index) => [`c${index}@${name}.example`, start + index] as const);
const corrected = (desk: readonly Who[], indexes: readonly number[], change: (who: Who) => Who) =>
  desk.map((who, index) => (indexes.includes(index) ? change(who) : who));
const a = desk('a', 40);

describe('the same source, by what the tickets with the same ids are', () => {
  it.each<[string, readonly Who[], readonly Who[], string, (readonly [string, string])?]>([
    ['nothing changed', a, a, 'same'],
    ['a second brand with the same ids', a, desk('b', 40, 5000), 'other tickets'],
    [
      'a second brand with the same ids and, by its export, the same times',
      a,
      desk('b', 40),
      'other tickets',
    ],
    ['a second brand with the same people', a, desk('a', 40, 5000), 'other tickets'],
    ['a second brand with other settings', a, desk('b', 40, 5000), 'other tickets', ['a', 'b']],
    ['a second brand, of which one ticket is known', desk('a', 1), desk('b', 1, 9), 'other tickets'],
    ['a few addresses corrected', a, corrected(a, [0, 1, 2, 3, 4], ([, at]) => ['x@x.example', at]), 'same'],
    ['a few tickets exchanged', a, corrected(a, [0, 1, 2], ([, at]) => ['x@x.example', at + 1]), 'same'],
    [
      'the only address corrected',
      a.map(([, at]) => ['old@a.example', at]),
      a.map(([, at]) => ['new@a.example', at]),
      'same',
    ],
    ['the only ticket corrected', desk('a', 1), desk('b', 1), 'same'],
    ['two tickets, both corrected', desk('a', 2), desk('b', 2), 'same'],
    ['a time zone in the settings corrected', a, desk('a', 40, 60), 'same', ['UTC', 'Europe/Berlin']],
    ['a mapping of requesters corrected', a, desk('b', 40), 'same', ['a', 'b']],
    [
      'half of it exchanged',
      a,
      corrected(a, [...a.keys()].slice(0, 20), ([, at]) => ['x@x.example', at + 1]),
      'same',
    ],
  ])('%s', (_name, then, now, expected, settings) => {
    expect(verdict(then, now, settings)).toBe(expected);
  });

  it('is reported with numbers, an example and the ways out', () => {
    const origins = { compared: 40, both: 38, either: 1, example: '7' };
    const require = () => requireSameSource({ known: 50, inExport: 40, shared: 40, origins }, 'c.sqlite');
    expect(require).toThrow(
      /of the 40 tickets .* 39 have another creation time or requester, for example ticket 7/,
    );
    expect(require).toThrow(
      expect.objectContaining({ hint: expect.stringMatching(/--checkpoint.*--set source.name/) }),
    );
  });
});
