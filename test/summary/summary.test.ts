import { describe, expect, it } from 'vitest';
import { MIXED, summaryWith } from '../view/sample.ts';

describe('the JSON summary', () => {
  it('has the keys of the contract, in its order', () => {
    const json = JSON.parse(JSON.stringify(summaryWith({ ...MIXED, trial: { tickets: [] } })));
    expect(Object.keys(json)).toEqual([
      'version',
      'mode',
      'layout',
      'target',
      'tickets',
      'messages',
      'events',
      'contacts',
      'attachments',
      'notes',
      'requests',
      'problems',
      'problemsTotal',
      'problemGroups',
      'trial',
      'checkpoint',
      'report',
      'rejects',
      'durationMs',
      'exitCode',
    ]);
    expect(json).toMatchObject({ version: 1, problemsTotal: 4002, durationMs: 1_999_123 });
    expect(Object.keys(json.tickets)).toEqual([
      'read',
      'done',
      'rejected',
      'failed',
      'inDoubt',
      'skipped',
      'pending',
    ]);
    expect(json.problems).toHaveLength(3);
    expect(json.problemGroups[0]).toMatchObject({
      severity: 'error',
      code: 'unmapped-value',
      field: 'status',
      count: 4000,
    });
  });
});
