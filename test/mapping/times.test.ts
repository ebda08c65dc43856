import { describe, expect, it } from 'vitest';
import { isZone, nearestZone, roughInstant } from '../../src/domain/written-time.ts';
import { compileTimePattern, compileTimes } from '../../src/mapping/language/read-times.ts';

const parse = (value: unknown, zone?: string, dayFirst?: boolean, formats: string[] = ['auto']) =>
  compileTimes({ formats, zone }, () => dayFirst)(value);

describe('a time that states its zone becomes UTC', () => {
  it.each([
    ['2025-03-04T05:06:07Z', '2025-03-04T05:06:07.000Z'],
    ['2025-03-04 05:06:07Z', '2025-03-04T05:06:07.000Z'],
    ['2025-03-04T05:06:07.123456Z', '2025-03-04T05:06:07.123Z'],
    ['2025-03-04T05:06:07,5+02:00', '2025-03-04T03:06:07.500Z'],
    ['2026-04-28T15:33:15.438+0200', '2026-04-28T13:33:15.438Z'],
    ['2025-03-04T05:06:07+02', '2025-03-04T03:06:07.000Z'],
    ['2025-03-04 05:06 +05:30', '2025-03-03T23:36:00.000Z'],
    ['2025-03-04 05:06:07 UTC', '2025-03-04T05:06:07.000Z'],
    ['2025-03-04 05:06:07 +0000', '2025-03-04T05:06:07.000Z'],
    ['2025-03-04 05:06:07 GMT+1', '2025-03-04 05:06:07 GMT+1'],
    ['Tue, 04 Mar 2025 05:06:07 -0800', '2025-03-04T13:06:07.000Z'],
    ['Tue, 4 Mar 2025 05:06:07 EST', '2025-03-04T10:06:07.000Z'],
    ['Tue Mar  4 05:06:07 UTC 2025', '2025-03-04T05:06:07.000Z'],
    ['Tue Mar 04 05:06:07 +0100 2025', '2025-03-04T04:06:07.000Z'],
    ['Tue Mar 04 2025 05:06:07 GMT+0100 (Central European Standard Time)', '2025-03-04T04:06:07.000Z'],
    ['20250304T050607Z', '2025-03-04T05:06:07.000Z'],
    [1741064767, '2025-03-04T05:06:07.000Z'],
    ['1741064767', '2025-03-04T05:06:07.000Z'],
    [1741064767.25, '2025-03-04T05:06:07.250Z'],
    ['1741064767.123456', '2025-03-04T05:06:07.123Z'],
    [1741064767123, '2025-03-04T05:06:07.123Z'],
    ['1741064767123456', '2025-03-04T05:06:07.123Z'],
  ])('%s', (raw, utc) => {
    expect(parse(raw)).toBe(utc);
  });
});

describe('a time without a zone is read in the stated zone', () => {
  it.each([
    ['2025-07-04 05:06:07', 'Europe/Berlin', '2025-07-04T03:06:07.000Z'],
    ['2025-01-04 05:06:07', 'Europe/Berlin', '2025-01-04T04:06:07.000Z'],
    ['2025-01-04', 'America/New_York', '2025-01-04T05:00:00.000Z'],
    ['Tue Mar  4 05:06:07 2025', 'Europe/Berlin', '2025-03-04T04:06:07.000Z'],
    ['22/Sep/25 9:26 AM', 'UTC', '2025-09-22T09:26:00.000Z'],
    ['22/Sep/25 12:26 AM', 'UTC', '2025-09-22T00:26:00.000Z'],
    ['22-Sep-2025 12:26 PM', 'UTC', '2025-09-22T12:26:00.000Z'],
    ['06/26/2018 10:58:54 AM', 'America/New_York', '2018-06-26T14:58:54.000Z'],
    ['Sep 22, 2025 at 9:26 PM', 'UTC', '2025-09-22T21:26:00.000Z'],
    ['September 22nd, 2025', 'UTC', '2025-09-22T00:00:00.000Z'],
    ['22. September 2025 09:26 Uhr', 'UTC', '2025-09-22T09:26:00.000Z'],
    ['1. März 2025', 'UTC', '2025-03-01T00:00:00.000Z'],
    ['22 de septiembre de 2025', 'UTC', '2025-09-22T00:00:00.000Z'],
    ['22 août 2025 à 9:26', 'UTC', '2025-08-22T09:26:00.000Z'],
    ['1er févr. 2025 09:26', 'UTC', '2025-02-01T09:26:00.000Z'],
    ['22/dez/25 09:26', 'UTC', '2025-12-22T09:26:00.000Z'],
    ['3 gennaio 2025', 'UTC', '2025-01-03T00:00:00.000Z'],
    ['3 maart 2025 om 10:00', 'UTC', '2025-03-03T10:00:00.000Z'],
    ['lun., 3 fevereiro 2025', 'UTC', '2025-02-03T00:00:00.000Z'],
    ['04.03.2025 05:06', 'UTC', '2025-03-04T05:06:00.000Z'],
    ['29-02-2016 01:16', 'UTC', '2016-02-29T01:16:00.000Z'],
  ])('%s in %s', (raw, zone, utc) => {
    expect(parse(raw, zone, !/^06\/26/.test(raw))).toBe(utc);
  });

  it('stays without one if no default is set, for checking to ask', () => {
    expect(parse('22/Sep/25 9:26 AM')).toBe('2025-09-22T09:26:00.000');
    expect(parse('2025-07-04 05:06:07')).toBe('2025-07-04T05:06:07.000');
  });

  it('that the clocks skip is never shifted', () => {
    expect(parse('2025-03-30 02:30', 'Europe/Berlin')).toBe('2025-03-30T02:30:00.000[Europe/Berlin]');
    expect(parse('2025-03-30 01:59', 'Europe/Berlin')).toBe('2025-03-30T00:59:00.000Z');
    expect(parse('2025-03-30 03:00', 'Europe/Berlin')).toBe('2025-03-30T01:00:00.000Z');
  });
});

describe('a text that is no time stays unchanged', () => {
  it.each([
    '2025-02-30',
    '2025-02-29 10:00',
    '2025-13-01T00:00:00Z',
    '2025-01-01T25:00:00Z',
    '2025-01-01T24:00:00Z',
    '31/04/2025',
    '13:00 PM',
    '22/Sep/25 13:26 AM',
    'yesterday',
    '',
    '12345',
    '45720.21258102',
    '2025-01-01T00:00:00+15:00',
    '2025-01-01T00:00:00 IST',
    '99/99/9999',
    'x'.repeat(500),
  ])('%s', (raw) => {
    expect(parse(raw, 'UTC', true)).toBe(raw);
  });

  it.each([[true], [null], [{ a: 1 }]])('%s', (raw) => {
    expect(parse(raw, 'UTC')).toEqual(raw);
  });

  it('and so does a date of undecided order', () => {
    expect(parse('03/04/2025', 'UTC', undefined)).toBe('03/04/2025');
    expect(parse('03/04/2025', 'UTC', true)).toBe('2025-04-03T00:00:00.000Z');
    expect(parse('03/04/2025', 'UTC', false)).toBe('2025-03-04T00:00:00.000Z');
  });
});

describe('a stated pattern', () => {
  it.each([
    ['dd/MM/yyyy HH:mm', '03/04/2025 05:06', '2025-04-03T05:06:00.000Z'],
    ['M/d/yy h:mm a', '4/3/25 5:06 PM', '2025-04-03T17:06:00.000Z'],
    ["d MMMM yyyy 'kl.' HH:mm:ss.SSS", '3 april 2025 kl. 05:06:07.9', '2025-04-03T05:06:07.900Z'],
    ["yyyy-MM-dd'T'HH:mm:ssXXX", '2025-04-03T05:06:07-03:00', '2025-04-03T08:06:07.000Z'],
    ['epoch', '1741064767', '2025-03-04T05:06:07.000Z'],
  ])('%s', (format, raw, utc) => {
    expect(parse(raw, 'UTC', undefined, [format])).toBe(utc);
  });

  it('reads nothing else', () => {
    expect(parse('2025-04-03', 'UTC', undefined, ['dd/MM/yyyy'])).toBe('2025-04-03');
  });

  it.each(['yyyy', 'dd.MM', 'QQ yyyy MM dd', 'yyyy yyyy MM dd'])('%s is not a format', (format) => {
    expect(compileTimePattern(format)).toBeUndefined();
  });
});

it('a time is compared without the space around it, day first where both are possible', () => {
  const rough = (text: string) => new Date(roughInstant(text) ?? Number.NaN).toISOString().slice(0, 16);
  expect(rough(' 2024-05-01T10:00:00Z ')).toBe('2024-05-01T10:00');
  expect(rough(' 03/04/2024 10:00\t')).toBe('2024-04-03T10:00');
  expect(rough('03/04/2024 10:00 PM')).toBe('2024-03-04T22:00');
});

it('the zone that a person meant is suggested', () => {
  expect(nearestZone('Berlin')).toBe('Europe/Berlin');
  expect(nearestZone('new york')).toBe('America/New_York');
  expect(nearestZone('Europe/Berln')).toBe('Europe/Berlin');
  expect(isZone('Mars/Olympus')).toBe(false);
});
