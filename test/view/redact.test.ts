import { describe, expect, it } from 'vitest';
import { lostOf } from '../../src/plan/lost.ts';
import { redactProblem } from '../../src/view/redact.ts';
import type { View } from '../../src/view/run-view.ts';
import { viewOf } from './html/hostile-report.ts';
import { pageOf, textOf, ticketsWith } from './sample.ts';

/** Put wherever a person's data may be. */
const SECRET = 'Zaphod';
/** In sentences and names that stay, addresses alone are hidden. */
const ADDRESS = 'zaphod@personal.example';

function personal(): View {
  const view = viewOf([SECRET], 'invalid-email');
  const { facts } = view;
  const checks = [{ name: 'subject' as const, ok: false, detail: SECRET }];
  const kept = { field: 'status', value: 'On hold', count: 1, action: 'error' };
  const changed: View['facts'] = {
    ...facts,
    tickets: ticketsWith({
      read: 12_430,
      rejected: 41,
      skipped: 200,
      failed: 1,
      inDoubt: 1,
      pending: 12_187,
    }),
    export: { ...facts.export, files: [`/home/${SECRET}/export.csv`] },
    details: {
      ...facts.details,
      columns: [{ table: 't', column: 'phone', file: 'a.csv', filled: 1 }],
      values: [kept, { ...kept, field: 'tags', value: SECRET }],
      notHeld: [{ code: 'system-events', what: `CC to ${ADDRESS}`, count: 1 }],
    },
    stopped: { message: `Something about ${ADDRESS}.` },
    failed: facts.failed?.map((row) => ({ ...row, externalId: ADDRESS })),
    skipped: [{ reason: `not ${ADDRESS}`, count: 1 }],
    mapping: [{ kind: 'actor', from: ADDRESS, to: 'customer', count: 1 }],
    trial: { tickets: [{ externalId: '4711', why: [], subject: SECRET, customer: ADDRESS, checks }] },
  };
  return { ...view, facts: { ...changed, lost: lostOf(changed) } };
}

describe('a redacted report', () => {
  const page = pageOf(personal(), { isRedacted: true });

  it('holds no address, name, subject, body or quoted value anywhere in its bytes', () => {
    expect(pageOf(personal()).split(SECRET).length).toBeGreaterThan(15);
    expect(page).not.toMatch(/zaphod|personal\.example/i);
  });

  it('what a decision needs stays: counts, times, statuses, columns, and what to do', () => {
    const text = textOf(page);
    expect(text).toContain('12,187 of 12,230 tickets are ready to import.');
    expect(text).toMatch(/status\s+"On hold"\s+1/);
    expect(text).toMatch(/phone\s+1\s+a\.csv/);
    expect(text).toContain('export.csv');
    expect(text).toContain('Invalid e-mail address');
    expect(text).toContain('Sample conversations are hidden.');
  });

  it('a problem of an unknown kind says nothing of its value', () => {
    const problem = { severity: 'error', code: 'brand-new', message: SECRET, count: 1, line: 7 } as const;
    expect(redactProblem(problem)).toEqual({ ...problem, message: 'Details are hidden (brand-new).' });
  });
});
