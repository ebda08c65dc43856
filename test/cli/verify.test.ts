import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSample } from '../../src/commands/verify/verify.ts';
import {
  FindingsLog,
  type TicketVerdict,
  verifyExitCode,
} from '../../src/commands/verify/verify-findings.ts';
import { NOT_REPORTED } from '../../src/verify/check.ts';

describe('the sample', () => {
  const chosen = (count: number, size: number) => {
    const sample = createSample(size);
    for (let at = 0; at < count; at++) sample.offer(String(at));
    return [...sample.chosen()].map(Number);
  };

  it('is as large as was asked for, or all there are', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 3000 }), fc.integer({ min: 1, max: 120 }), (count, size) => {
        expect(chosen(count, size)).toHaveLength(Math.min(count, size));
      }),
    );
  });

  it('is spread over the whole export', () => {
    fc.assert(
      fc.property(fc.integer({ min: 200, max: 5000 }), (count) => {
        const places = chosen(count, 50);
        const gaps = places.map((place, index) => place - (places[index - 1] ?? 0));
        expect(places[0]).toBe(0);
        // Never a stretch of more than four times the even distance without one.
        expect(Math.max(...gaps, count - (places.at(-1) ?? 0))).toBeLessThanOrEqual((4 * count) / 50);
      }),
    );
  });

  it('is the same each time', () => {
    expect(chosen(777, 10)).toEqual(chosen(777, 10));
  });
});

describe('what verifying came to', () => {
  const equal: TicketVerdict = {
    kind: 'compared',
    checks: [
      { name: 'read back', ok: true, detail: 'The ticket was read back.' },
      { name: 'tags', ok: true, detail: NOT_REPORTED },
    ],
  };
  const different: TicketVerdict = {
    kind: 'compared',
    checks: [{ name: 'subject', ok: false, detail: 'The target has a different subject.' }],
  };
  const hidden = (status: number): TicketVerdict => ({ kind: 'hidden', status, detail: `answers ${status}` });
  const failed: TicketVerdict = { kind: 'failed', detail: 'The answer makes no sense.' };

  const findings = (verdicts: readonly TicketVerdict[], showsItsList = false) => {
    const log = new FindingsLog();
    for (const [at, verdict] of verdicts.entries()) log.add(`e${at}`, `T${at}`, verdict);
    if (showsItsList) log.targetShowsItsList();
    return log.result();
  };

  it.each<[string, TicketVerdict[], boolean, number]>([
    ['all are equal', [equal, equal], false, 0],
    ['one differs', [equal, different], false, 3],
    ['one is missing', [equal, hidden(404)], false, 3],
    ['one cannot be read', [equal, failed], false, 3],
    ['the target cannot be read', [hidden(404)], false, 3],
    ['the token may not read', [hidden(403), hidden(403)], false, 5],
    ['everything is gone from a target that can be read', [hidden(404)], true, 3],
  ])('%s: exit code', (_, verdicts, showsItsList, exitCode) => {
    expect(verifyExitCode(findings(verdicts, showsItsList))).toBe(exitCode);
  });

  it('a ticket that a readable target hides is missing, and one of an unreadable target is not', () => {
    expect(findings([equal, hidden(404)])).toMatchObject({ missingTotal: 1, targetIsUnreadable: false });
    expect(findings([hidden(404)], true)).toMatchObject({ missingTotal: 1, targetIsUnreadable: false });
    expect(findings([hidden(405)])).toMatchObject({ missingTotal: 0, targetIsUnreadable: true });
  });

  it('what the target does not tell is counted apart from what is equal', () => {
    const { checks } = findings([equal, different]);
    expect(checks).toEqual([
      { name: 'read back', equal: 1, differs: 0, notReported: 0, examples: [] },
      {
        name: 'subject',
        equal: 0,
        differs: 1,
        notReported: 0,
        examples: [{ externalId: 'e1', ticketId: 'T1', detail: 'The target has a different subject.' }],
      },
      { name: 'tags', equal: 0, differs: 0, notReported: 1, examples: [] },
    ]);
  });

  it('keeps a few examples of thousands', () => {
    const { checks, different: count } = findings(Array.from({ length: 5000 }, () => different));
    expect(count).toBe(5000);
    expect(checks[0]?.differs).toBe(5000);
    expect(checks[0]?.examples).toHaveLength(5);
  });
});
