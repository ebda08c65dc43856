/** The time that an export gives a ticket, and the reason that a rejected one is given back with. */
import { expect, it } from 'vitest';
import type { CheckResult } from '../../src/domain/ticket.ts';
import { exportTimeOf } from '../../src/plan/export-time.ts';
import { reasonOf } from '../../src/plan/reject-reason.ts';

type Row = Parameters<typeof exportTimeOf>[0];

const AT = Date.UTC(2024, 2, 1, 8);

it.each([
  ['2024-03-01T08:00:00Z', AT],
  ['2024-03-01 08:00:00 UTC', AT],
  [String(AT), AT],
  [AT / 1000, AT],
  ['yesterday', undefined],
  ['12345', undefined],
])('updated_at %s is read as the time of the export', (updated_at, expected) => {
  const row = { table: 'tickets', ref: { file: 0, line: 2, row: 1 }, object: { updated_at } };
  expect(exportTimeOf(row as unknown as Row, { files: [] } as never)).toBe(expected);
});

const problem = { severity: 'error', code: 'x', count: 1 } as const;
const rejected = {
  outcome: 'rejected',
  record: undefined,
  result: {
    problems: [
      { ...problem, field: 'subject', message: 'It is too long.' },
      { ...problem, message: 'It is too long.' },
      { ...problem, severity: 'warning', message: 'Never mind.' },
    ],
  } as unknown as CheckResult,
} as const;

it('a reason names the field in rejects, and is said once on a page', () => {
  expect(reasonOf(rejected)).toBe('subject: It is too long. It is too long.');
  expect(reasonOf(rejected, 'page')).toBe('It is too long.');
  expect(reasonOf({ ...rejected, outcome: 'valid' } as never)).toBeUndefined();
});
