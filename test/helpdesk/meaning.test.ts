import { describe, expect, it } from 'vitest';
import type { Answer, Breakdown, CallKind, Reply } from '../../src/helpdesk/http.ts';
import {
  failureOf,
  MEANINGS,
  mayHaveArrived,
  mayRepeat,
  type ReplyKind,
  replyKind,
} from '../../src/helpdesk/meaning.ts';

const answer = (status: number, body: unknown = {}, more: Partial<Answer> = {}): Answer => ({
  type: 'answer',
  status,
  headers: {},
  body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
  ...more,
});
const broken = (reason: Breakdown['reason'], code?: string): Breakdown => ({
  type: 'breakdown',
  reason,
  message: 'it broke',
  code,
});
const OWN = { error: 'no' };
const PAGE = '<html>No</html>';
const KINDS = Object.keys(MEANINGS) as ReplyKind[];
const CALLS: readonly CallKind[] = ['create', 'replace', 'repeatable', 'read'];

const UNCLEAR: readonly CallKind[] = ['repeatable', 'read'];
type Row = readonly [
  what: string,
  reply: Reply,
  kind: ReplyKind,
  arrived: boolean,
  again: readonly CallKind[],
];
const unclear = (what: string, reply: Reply): Row => [what, reply, 'unclear', true, UNCLEAR];

/** May it have arrived, of a create; and which calls may be sent again. */
const TABLE: readonly Row[] = [
  ['connection refused', broken('not-connected', 'ECONNREFUSED'), 'not-connected', false, CALLS],
  ['no trustworthy certificate', broken('hopeless', 'CERT_HAS_EXPIRED'), 'hopeless', false, []],
  unclear('a reset after sending', broken('cut', 'ECONNRESET')),
  unclear('no answer in time', broken('timeout')),
  ['an abort of our own', broken('aborted'), 'aborted', true, []],
  ['200', answer(200), 'success', false, []],
  ['201', answer(201), 'success', false, []],
  unclear('200 and half of a body', answer(200, '{', { cut: 'the connection broke' })),
  ['401', answer(401, OWN), 'unauthorized', false, []],
  ['407', answer(407), 'proxy-login', false, []],
  ['429', answer(429), 'rate-limited', false, CALLS],
  ['429 and a page', answer(429, PAGE), 'rate-limited', false, CALLS],
  unclear('503', answer(503)),
  unclear('503 with Retry-After', answer(503, OWN, { headers: { 'retry-after': '5' } })),
  ...[400, 404, 422].map(
    (status): Row => [`${status} in its form`, answer(status, OWN), 'refused', false, []],
  ),
  ['403 in the form of the service', answer(403, OWN), 'forbidden', false, []],
  ...[403, 422].map((status) => unclear(`${status} in another form`, answer(status, PAGE))),
  ...[408, 409, 425, 499, 500, 504, 700].map((status) => unclear(`${status}`, answer(status, OWN))),
  ...[302, 308].map((status): Row => [`${status}`, answer(status), 'redirected', true, []]),
];

describe('what a reply means', () => {
  it.each(TABLE)('%s', (_, reply, kind, arrived, again) => {
    const is = replyKind(reply, 'create');
    expect([is, mayHaveArrived(is, 'create')]).toEqual([kind, arrived]);
    expect(CALLS.filter((call) => mayRepeat(is, call))).toEqual(again);
  });

  it.each<[string, Reply, ReplyKind]>([
    ['403 of a read', answer(403, OWN), 'not-readable'],
    ['404 of a read', answer(404, PAGE), 'not-readable'],
    ['405 of a read', answer(405), 'not-readable'],
    ['a redirect of a read', answer(302), 'not-readable'],
  ])('%s: reading is not promised', (_, reply, kind) => {
    expect([replyKind(reply, 'read'), mayHaveArrived(kind, 'read')]).toEqual([kind, false]);
  });

  it('a success without what the call needs is no success; a list in a form of its own is not asked for again', () => {
    const no = () => false;
    for (const call of CALLS) expect(replyKind(answer(200, PAGE), call, no)).toBe('unreadable');
    expect(replyKind(answer(200, { items: [] }), 'read', no)).toBe('not-readable');
    expect(replyKind(answer(200, { error: 'maintenance' }), 'read', no)).toBe('unreadable');
  });

  it('no row lets a create, or a PUT that may not be repeated, go out again if it may have arrived', () => {
    for (const kind of KINDS)
      for (const call of ['create', 'replace'] as const)
        if (mayRepeat(kind, call)) expect(MEANINGS[kind].sent).toBe('no');
  });

  it('a read never leaves anything open, and every failure has a code and a sentence without a secret', () => {
    for (const is of KINDS) {
      expect(mayHaveArrived(is, 'read')).toBe(false);
      if (is === 'success') continue;
      const reply = answer(422, { error: 'You sent tok-en-123' });
      for (const kind of CALLS) {
        const ending = { reply, responseKind: is, mayHaveArrived: mayHaveArrived(is, kind), attempts: 2 };
        const failure = failureOf(ending, { kind, what: 'the ticket', secrets: ['tok-en-123'] });
        expect(failure.message).toMatch(/^[A-Z].*\.$/);
        expect(`${failure.message}${failure.detail}`).not.toContain('tok-en-123');
        expect(failure.code).toBe(MEANINGS[is].code);
        expect(failure.effect).toBe(mayHaveArrived(is, kind) ? 'unknown' : 'none');
      }
    }
  });
});
