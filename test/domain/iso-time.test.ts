import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isInstant, parseTime } from '../../src/domain/written-time.ts';

describe('ISO-8601 times', () => {
  it.each([
    ['2024-05-06T07:08:09Z', '2024-05-06T07:08:09.000Z'],
    ['2024-05-06T07:08:09.1Z', '2024-05-06T07:08:09.100Z'],
    ['2024-05-06T07:08:09.123Z', '2024-05-06T07:08:09.123Z'],
    ['2024-05-06T07:08:09.123456Z', '2024-05-06T07:08:09.123Z'],
    ['2024-05-06T07:08:09.9999999Z', '2024-05-06T07:08:09.999Z'],
    ['2024-05-06T07:08:09,5Z', '2024-05-06T07:08:09.500Z'],
    ['2024-05-06T07:08Z', '2024-05-06T07:08:00.000Z'],
    ['2024-05-06T07:08:09+02:00', '2024-05-06T05:08:09.000Z'],
    ['2024-05-06T07:08:09.123+02:00', '2024-05-06T05:08:09.123Z'],
    ['2024-05-06T07:08:09+0200', '2024-05-06T05:08:09.000Z'],
    ['2024-05-06T07:08:09+02', '2024-05-06T05:08:09.000Z'],
    ['2024-05-06T07:08:09-05:30', '2024-05-06T12:38:09.000Z'],
    ['2024-05-06T07:08:09-00:00', '2024-05-06T07:08:09.000Z'],
    ['2024-05-06 07:08:09Z', '2024-05-06T07:08:09.000Z'],
    ['2024-05-06 07:08:09 +0200', '2024-05-06T05:08:09.000Z'],
    ['2024-05-06t07:08:09z', '2024-05-06T07:08:09.000Z'],
    ['20240506T070809Z', '2024-05-06T07:08:09.000Z'],
    ['  2024-05-06T07:08:09Z ', '2024-05-06T07:08:09.000Z'],
    ['   2024-05-06T07:08Z', '2024-05-06T07:08:00.000Z'],
    ['       2024-05-06T07:08Z', '2024-05-06T07:08:00.000Z'],
    ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000Z'],
    ['2000-02-29T00:00:00Z', '2000-02-29T00:00:00.000Z'],
    ['1969-12-31T23:59:59Z', '1969-12-31T23:59:59.000Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
    ['0099-02-28T00:00:00Z', '0099-02-28T00:00:00.000Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
  ])('%s is %s', (text, iso) => {
    const time = parseTime(text);
    expect(time.kind).toBe('instant');
    if (time.kind !== 'instant') return;
    expect(new Date(time.ms).toISOString()).toBe(iso);
  });

  it.each([
    ['2024-05-06T07:08:09', 'local'],
    ['2024-05-06 07:08', 'local'],
    ['2024-05-06', 'date'],
    ['20240506', 'date'],
  ])('%s has no zone', (text, kind) => {
    expect(parseTime(text).kind).toBe(kind);
    expect(isInstant(text)).toBe(false);
  });

  it.each([
    ['2024-02-30T00:00:00Z', 'is a date that does not exist'],
    ['2023-02-29T00:00:00Z', 'is a date that does not exist'],
    ['1900-02-29T00:00:00Z', 'is a date that does not exist'],
    ['2024-04-31', 'is a date that does not exist'],
    ['2024-13-01T00:00:00Z', 'is a date that does not exist'],
    ['2024-00-10T00:00:00Z', 'is a date that does not exist'],
    ['2024-01-00T00:00:00Z', 'is a date that does not exist'],
    ['2024-01-01T25:00:00Z', 'has a time of day that does not exist'],
    ['2024-01-01T24:00:00Z', 'has a time of day that does not exist'],
    ['2024-01-01T10:60:00Z', 'has a time of day that does not exist'],
    ['2024-12-31T23:59:60Z', 'has a time of day that does not exist'],
    ['2024-01-01T10:00:00+24:00', 'has an offset from UTC that does not exist'],
    ['2024-01-01T10:00:00+02:60', 'has an offset from UTC that does not exist'],
    ['0000-01-01T00:00:00+01:00', 'is outside of the years 0000 to 9999'],
    ['9999-12-31T23:59:59-01:00', 'is outside of the years 0000 to 9999'],
    ['', 'is not an ISO-8601 time'],
    [
      '45352.3333',
      'looks like the day number of a spreadsheet (2024-03-01): format the column as a date, and save the file again',
    ],
    [
      '2024-03-31T02:30:00.000[Europe/Berlin]',
      'did not exist in Europe/Berlin, as the clocks went forward: check the zone of the export',
    ],
    ['yesterday', 'is not an ISO-8601 time'],
    ['31/12/2024 10:00', 'is not an ISO-8601 time'],
    ['31.02.2024 10:00', 'is a date that does not exist'],
    ['Mon, 06 May 2024 07:08:09 GMT', 'is not an ISO-8601 time'],
    ['1714979289', 'is not an ISO-8601 time'],
    ['2024-05-06T07:08:09ZZ', 'is not an ISO-8601 time'],
    ['2024-05-06T07:08:09.Z', 'is not an ISO-8601 time'],
    ['2024-0506T07:08:09Z', 'is not an ISO-8601 time'],
    ['2024-05-06T07:08:0xZ', 'is not an ISO-8601 time'],
    ['+002024-05-06T07:08:09Z', 'is not an ISO-8601 time'],
    ['２０２４-05-06T07:08:09Z', 'is not an ISO-8601 time'],
  ])('%s is refused: %s', (text, reason) => {
    expect(parseTime(text)).toEqual({ kind: 'invalid', reason });
    expect(isInstant(text)).toBe(false);
  });

  it('no text makes it throw, and what it takes is a real time', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[0-9TZ:+. -]{0,30}$/), (text) => {
        const time = parseTime(text);
        if (time.kind !== 'invalid') expect(Number.isNaN(new Date(time.ms).getTime())).toBe(false);
      }),
    );
  });
});
