import { describe, expect, it } from 'vitest';
import { retryAfterMs } from '../../src/helpdesk/backoff.ts';

const now = Date.UTC(2025, 5, 2, 8, 0, 0);

describe('Retry-After', () => {
  it.each<[string | undefined, string | undefined, number | undefined, string]>([
    ['30', undefined, 30_000, 'seconds'],
    [' 30 ', undefined, 30_000, 'with space around'],
    ['0', undefined, 0, 'now'],
    ['1.25', undefined, 1_250, 'a fraction'],
    ['0.0001', undefined, 1, 'a fraction of a millisecond is not rounded away'],
    ['86400', undefined, 86_400_000, 'a day is a day'],
    ['Mon, 02 Jun 2025 08:02:00 GMT', undefined, 120_000, 'a date, by our clock'],
    [
      'Mon, 02 Jun 2025 09:02:00 GMT',
      'Mon, 02 Jun 2025 09:00:00 GMT',
      120_000,
      'a date, by the clock of the service',
    ],
    ['Mon, 02 Jun 2025 08:02:00 GMT', 'rubbish', 120_000, 'a date with a rubbish Date'],
    ['Mon, 02 Jun 2025 07:00:00 GMT', undefined, 0, 'a date in the past'],
    [undefined, undefined, undefined, 'absent'],
    ['', undefined, undefined, 'empty'],
    ['-5', undefined, undefined, 'negative'],
    ['soon', undefined, undefined, 'a word'],
    ['10 minutes', undefined, undefined, 'a unit'],
    ['1e3', undefined, undefined, 'an exponent'],
    ['99999999999', undefined, undefined, 'three thousand years'],
    ['Mon, 99 Foo 2025 08:02:00 GMT', undefined, undefined, 'no date'],
    ['2025-06-02', undefined, undefined, 'a date that is not HTTP'],
  ])('%s (Date: %s) means %s ms: %s', (value, date, expected) => {
    expect(retryAfterMs(value, date, now)).toBe(expected);
  });
});
