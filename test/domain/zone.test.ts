import { expect, it } from 'vitest';
import { AppError } from '../../src/domain/errors.ts';
import { createZoneReader } from '../../src/domain/written-time.ts';

const HALF_HOUR = 1_800_000;

/** Zones of whole and half hours and shifts, one that is UTC, and one that left out a day. */
it.each([
  ['UTC', 2024],
  ['Europe/Berlin', 2024],
  ['America/New_York', 2024],
  ['Asia/Kolkata', 2024],
  ['Australia/Lord_Howe', 2025],
  ['Pacific/Apia', 2011],
])('every time of %s in %i is the first instant at which clocks showed it, or none', (zone, year) => {
  const format = new Intl.DateTimeFormat('sv-SE', {
    timeZone: zone,
    dateStyle: 'short',
    timeStyle: 'medium',
  });
  const shown = new Map<number, number>();
  const [begin, end] = [Date.UTC(year), Date.UTC(year + 1)];
  for (let instant = begin - 30 * HALF_HOUR; instant < end + 30 * HALF_HOUR; instant += HALF_HOUR) {
    const local = Date.parse(`${format.format(instant).replace(' ', 'T')}Z`);
    if (!shown.has(local)) shown.set(local, instant);
  }
  const read = createZoneReader(zone);
  for (let local = begin; local < end; local += HALF_HOUR)
    expect(read(local), new Date(local).toISOString()).toBe(shown.get(local));
});

it('an unknown zone is reported as a wrong setting', () => {
  expect(() => createZoneReader('Mars/Olympus')).toThrow(AppError);
  expect(() => createZoneReader('Mars/Olympus')).toThrow('"Mars/Olympus" is not a time zone.');
});
