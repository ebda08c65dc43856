import { describe, expect, it } from 'vitest';
import { AppError } from '../../src/domain/errors.ts';
import { createZoneReader } from '../../src/domain/written-time.ts';

function read(zone: string, local: string): string | undefined {
  const instant = createZoneReader(zone)(Date.parse(`${local}Z`));
  return instant === undefined ? undefined : new Date(instant).toISOString();
}

describe('times in a named zone', () => {
  it.each([
    ['UTC', '2024-05-06T07:08:09', '2024-05-06T07:08:09.000Z'],
    ['Europe/Berlin', '2024-01-15T12:00:00', '2024-01-15T11:00:00.000Z'],
    ['Europe/Berlin', '2024-07-15T12:00:00', '2024-07-15T10:00:00.000Z'],
    ['America/New_York', '2024-07-15T12:00:00', '2024-07-15T16:00:00.000Z'],
    ['Asia/Kolkata', '2024-07-15T12:00:00', '2024-07-15T06:30:00.000Z'],
    ['Europe/Berlin', '2024-03-31T01:59:59', '2024-03-31T00:59:59.000Z'],
    ['Europe/Berlin', '2024-03-31T03:00:00', '2024-03-31T01:00:00.000Z'],
    ['Pacific/Apia', '2011-12-29T12:00:00', '2011-12-29T22:00:00.000Z'],
    ['Pacific/Apia', '2011-12-31T12:00:00', '2011-12-30T22:00:00.000Z'],
  ])('%s %s is %s', (zone, local, utc) => {
    expect(read(zone, local)).toBe(utc);
  });

  it.each([
    ['Europe/Berlin', '2024-03-31T02:30:00'],
    ['America/New_York', '2024-03-10T02:00:00'],
    ['Pacific/Apia', '2011-12-30T12:00:00'],
  ])('%s %s was on no clock', (zone, local) => {
    expect(read(zone, local)).toBeUndefined();
  });

  it('a time that clocks showed twice is the first of the two', () => {
    expect(read('Europe/Berlin', '2024-10-27T02:30:00')).toBe('2024-10-27T00:30:00.000Z');
    expect(read('America/New_York', '2024-11-03T01:30:00')).toBe('2024-11-03T05:30:00.000Z');
  });

  it('an unknown zone is reported as a wrong setting', () => {
    expect(() => createZoneReader('Mars/Olympus')).toThrow(AppError);
    expect(() => createZoneReader('Mars/Olympus')).toThrow('"Mars/Olympus" is not a time zone.');
  });
});
