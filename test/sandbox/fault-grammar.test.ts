import { describe, expect, it } from 'vitest';
import { AppError } from '../../src/domain/errors.ts';
import type { RequestKind } from '../../src/sandbox/core/request-kind.ts';
import { type Falling, FaultDice, parseFaults } from '../../src/sandbox/faults/fault-plan.ts';
import { FAULT_TARGETS, FAULTS } from '../../src/sandbox/faults/faults.ts';

const one = (text: string) => parseFaults([text], 1).rules[0];

function played(texts: string[], kinds: RequestKind[], seed = 1): (Falling | undefined)[] {
  const dice = new FaultDice(parseFaults(texts, seed));
  return kinds.map((kind) => dice.next(kind).fault);
}
const times = (number: number, kind: RequestKind) => Array.from({ length: number }, () => kind);

describe('the grammar of faults', () => {
  it.each([
    ['503', { percent: 10, moment: 'either', name: '503' }],
    ['503-retry-after', { moment: 'before', name: '503-retry-after', value: 1 }],
    ['429=30:2.5', { percent: 2.5, name: '429', value: 30 }],
    ['429-date=5', { name: '429-date', value: 5 }],
    ['reset-after:5@create', { percent: 5, moment: 'after', kinds: ['create'], name: 'reset-after' }],
    [
      'slow=250:100@reads',
      { name: 'slow', value: 250, kinds: ['list', 'read', 'agents', 'contacts', 'workspace'] },
    ],
    ['No-Answer:10%@Messages', { percent: 10, kinds: ['messages'], name: 'no-answer' }],
    ['garbage@create#3', { percent: 100, nth: { first: 3, last: 3 } }],
    ['truncated:50#2-4', { percent: 50, nth: { first: 2, last: 4 } }],
    [' racy-contacts ', { text: 'racy-contacts', name: 'racy-contacts', value: 5 }],
    ['token-expired:0', { percent: 0 }],
  ])('reads %s', (text, expected) => {
    expect(one(text)).toMatchObject(expected);
  });

  it.each([
    ['', 'kind'],
    ['5O3', 'no fault "5O3"'],
    ['reset:200', 'percentage'],
    ['reset:-1', 'percentage'],
    ['reset:', 'percentage'],
    ['reset:ten', 'percentage'],
    ['reset@tickets', '"@tickets"'],
    ['reset@', '"@"'],
    ['reset=3', 'no value'],
    ['slow=soon', 'number of milliseconds'],
    ['429=999999', 'number of seconds'],
    ['reset#0', '"#0"'],
    ['reset#5-3', '"#5-3"'],
    ['reset#', '"#"'],
  ])('explains what is wrong with %j', (text, complaint) => {
    const failure = (() => {
      try {
        return one(text);
      } catch (error) {
        return error;
      }
    })();
    expect(failure).toBeInstanceOf(AppError);
    const error = failure as AppError;
    expect(error.code).toBe('usage');
    expect(error.lines.join('\n')).toContain(complaint);
  });

  it('complains about all faults at once', () => {
    expect(() => parseFaults(['nope', '503', 'reset:200'], 1)).toThrowError(
      expect.objectContaining({
        lines: [expect.stringMatching(/^nope: /), expect.stringMatching(/^reset:200: /)],
      }),
    );
  });

  it('knows a meaning for every fault and at least one kind of request for every target', () => {
    for (const [name, { meaning }] of Object.entries(FAULTS)) {
      expect(meaning.length, name).toBeGreaterThan(2);
      expect(one(name)?.text).toBe(name);
    }
    for (const [what, kinds] of FAULT_TARGETS) expect(kinds.length, what).toBeGreaterThan(0);
    expect(FAULT_TARGETS.get('all')).not.toContain('page');
  });
});

describe('the decision', () => {
  it('is the same for the same seed and the same order of requests, and another for another seed', () => {
    const kinds = times(200, 'create');
    const texts = ['reset:20', '503:20', 'slow:20'];
    expect(played(texts, kinds, 5)).toEqual(played(texts, kinds, 5));
    expect(played(texts, kinds, 5)).not.toEqual(played(texts, kinds, 6));
  });

  it('falls about as often as it says, before and after about equally', () => {
    const faults = played(['reset:10'], times(10_000, 'create')).filter((fault) => fault !== undefined);
    expect(faults.length).toBeGreaterThan(850);
    expect(faults.length).toBeLessThan(1150);
    const after = faults.filter((fault) => fault.moment === 'after').length;
    expect(Math.abs(after - faults.length / 2)).toBeLessThan(100);
  });

  it('counts only the requests it is meant for', () => {
    const kinds: RequestKind[] = ['create', 'messages', 'create', 'list', 'create', 'create'];
    const fell = played(['500-after@create#2-3'], kinds).map((fault) => fault !== undefined);
    expect(fell).toEqual([false, false, true, false, true, false]);
  });

  it('never falls at 0 and always at 100, and the first rule that falls counts', () => {
    const faults = played(['close:0', 'reset:100', '503:100'], times(500, 'events'));
    expect(new Set(faults.map((fault) => fault?.rule.text))).toEqual(new Set(['reset:100']));
  });

  it('a rule added at the end does not change what earlier ones do', () => {
    const kinds = times(300, 'create');
    const alone = played(['reset:10'], kinds).map((fault) => fault?.rule.text === 'reset:10');
    expect(alone.filter(Boolean).length).toBeGreaterThan(10);
    const first = played(['reset:10', '503:50'], kinds).map((fault) => fault?.rule.text === 'reset:10');
    expect(first).toEqual(alone);
  });
});
