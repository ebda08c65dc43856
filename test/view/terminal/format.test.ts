import { describe, expect, it } from 'vitest';
import { countOf, formatCount } from '../../../src/domain/printable.ts';
import {
  formatBytes,
  formatDuration,
  formatEstimate,
  formatRate,
  formatShare,
} from '../../../src/view/format.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

describe('a duration has two units at most and never sixty of one', () => {
  it.each([
    [0, '0 ms'],
    [-5, '0 ms'],
    [420.4, '420 ms'],
    [999.6, '1.0 s'],
    [3440, '3.4 s'],
    [9949, '9.9 s'],
    [9960, '10 s'],
    [59.4 * SECOND, '59 s'],
    [59.6 * SECOND, '1 min'],
    [5 * MINUTE + 12 * SECOND, '5 min 12 s'],
    [59 * MINUTE + 59.6 * SECOND, '1 h'],
    [5 * HOUR + 12 * MINUTE, '5 h 12 min'],
    [23 * HOUR + 59.6 * MINUTE, '1 d'],
    [2 * DAY + 3 * HOUR, '2 d 3 h'],
    [1234 * DAY, '1,234 d'],
  ])('%d ms is %s', (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });

  it.each([
    [300, '1.0 s'],
    [12_400, '12 s'],
    [64_000, '1 min'],
    [1_997_000, '33 min'],
    [18_720_000, '5 h 12 min'],
  ])('an estimate of %d ms is %s', (ms, text) => {
    expect(formatEstimate(ms)).toBe(text);
  });
});

describe('numbers', () => {
  it.each([
    [0, '0'],
    [1234567, '1,234,567'],
  ])('count %d is %s', (count, text) => {
    expect(formatCount(count)).toBe(text);
  });

  it('a count of one has its noun in the singular, and any other in the plural', () => {
    expect([countOf(0, 'ticket'), countOf(1, 'ticket'), countOf(2, 'batch', 'batches')]).toEqual([
      '0 tickets',
      '1 ticket',
      '2 batches',
    ]);
  });

  it.each([
    [0, 10, '0%'],
    [1, 1000, '<1%'],
    [999, 1000, '99%'],
    [1000, 1000, '100%'],
    [1001, 1000, '100%'],
    [0, 0, '100%'],
  ])('%d of %d is %s: all only when it is all', (part, whole, text) => {
    expect(formatShare(part, whole)).toBe(text);
  });

  it.each([
    [0, '0/s'],
    [Number.NaN, '0/s'],
    [0.1, '6/min'],
    [5.44, '5.4/s'],
    [16.6, '17/s'],
    [1234.5, '1,235/s'],
  ])('%d a second is %s', (rate, text) => {
    expect(formatRate(rate)).toBe(text);
  });

  it.each([
    [0, '0 bytes'],
    [1, '1 byte'],
    [1.2, '1 byte'],
    [999, '999 bytes'],
    [1000, '1.0 kB'],
    [999_600, '1.0 MB'],
    [12_345_678, '12 MB'],
    [1.2e9, '1.2 GB'],
    [5e15, '5000 TB'],
  ])('%d bytes are %s', (bytes, text) => {
    expect(formatBytes(bytes)).toBe(text);
  });
});
