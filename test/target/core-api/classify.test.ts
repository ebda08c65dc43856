import { describe, expect, it } from 'vitest';
import {
  effectOf,
  loadOf,
  MEANINGS,
  RESPONSE_KINDS,
  type ResponseKind,
  resendOf,
  responseKindOf,
  saysDown,
} from '../../../src/target/core-api/classify.ts';
import type { Answer, BreakdownReason, CallKind, Reply } from '../../../src/target/http/exchange.ts';

const KINDS: readonly CallKind[] = ['create', 'append', 'put', 'read'];

const answer = (status: number, extra: Partial<Answer> = {}): Answer => ({
  type: 'answer',
  status,
  headers: {},
  body: Buffer.from('{"id":"1"}'),
  ...extra,
});
const broken = (reason: BreakdownReason): Reply => ({ type: 'breakdown', reason, message: 'x' });
/** A refusal in the form of the service. */
const own = (status: number, extra: Partial<Answer> = {}): Answer =>
  answer(status, { body: Buffer.from('{"error":"no","message":"No."}'), ...extra });
const hasId = (reply: Answer) => reply.body.includes('"id"');
const retryAfter = { headers: { 'retry-after': '5' } };
const garbage = { body: Buffer.from('<html>') };

/** What the contract says of each reply: the effect and what may be sent again, for a create, a PUT and a read. */
const TABLE: readonly {
  name: string;
  reply: Reply;
  responseKind: ResponseKind;
  effect: string;
  resend: string;
  readKind?: ResponseKind;
}[] = [
  {
    name: 'connection refused or not made',
    reply: broken('not-connected'),
    responseKind: 'not-connected',
    effect: 'none',
    resend: 'always always always',
  },
  {
    name: 'no trust in the certificate',
    reply: broken('hopeless'),
    responseKind: 'hopeless',
    effect: 'none',
    resend: 'never never never',
  },
  {
    name: 'request not fully written',
    reply: broken('not-written'),
    responseKind: 'not-written',
    effect: 'none',
    resend: 'bounded bounded bounded',
  },
  {
    name: 'reset or close after sending',
    reply: broken('cut'),
    responseKind: 'cut',
    effect: 'unknown',
    resend: 'never bounded bounded',
  },
  {
    name: 'time-out',
    reply: broken('timeout'),
    responseKind: 'timeout',
    effect: 'unknown',
    resend: 'never bounded bounded',
  },
  {
    name: 'cut off by a signal',
    reply: broken('aborted'),
    responseKind: 'aborted',
    effect: 'unknown',
    resend: 'never never never',
  },
  { name: '200', reply: answer(200), responseKind: 'success', effect: 'done', resend: 'never never never' },
  { name: '201', reply: answer(201), responseKind: 'success', effect: 'done', resend: 'never never never' },
  {
    name: '201 without an id',
    reply: answer(201, garbage),
    responseKind: 'success-unreadable',
    effect: 'unknown',
    resend: 'never bounded bounded',
  },
  {
    name: '200 in another form',
    reply: answer(200, { body: Buffer.from('{"items":[]}') }),
    responseKind: 'success-unreadable',
    readKind: 'other-form' as ResponseKind,
    effect: 'unknown',
    resend: 'never bounded never',
  },
  {
    name: '200 with an error, or with a list that is known and not whole',
    reply: answer(200, { body: Buffer.from('{"error":"maintenance","tickets":[{}]}') }),
    responseKind: 'success-unreadable',
    effect: 'unknown',
    resend: 'never bounded bounded',
  },
  {
    name: '204 for a create',
    reply: answer(204, { body: Buffer.alloc(0) }),
    responseKind: 'success-unreadable',
    effect: 'unknown',
    resend: 'never bounded bounded',
  },
  {
    name: '201 with half a body',
    reply: answer(201, { cut: 'the connection broke' }),
    responseKind: 'success-cut',
    effect: 'unknown',
    resend: 'never bounded bounded',
  },
  ...[300, 301, 302, 303, 304, 307, 308].map((status) => ({
    name: `${status}`,
    reply: answer(status),
    responseKind: 'redirected' as ResponseKind,
    effect: 'unknown',
    resend: 'never never never',
    readKind: 'not-readable' as ResponseKind,
  })),
  {
    name: '401',
    reply: answer(401),
    responseKind: 'unauthorized',
    effect: 'none',
    resend: 'never never never',
  },
  {
    name: '403',
    reply: own(403),
    responseKind: 'forbidden',
    effect: 'none',
    resend: 'never never never',
    readKind: 'not-readable',
  },
  {
    name: '404',
    reply: own(404),
    responseKind: 'refused',
    effect: 'none',
    resend: 'never never never',
    readKind: 'not-readable',
  },
  {
    name: '405',
    reply: own(405),
    responseKind: 'refused',
    effect: 'none',
    resend: 'never never never',
    readKind: 'not-readable',
  },
  {
    name: '407',
    reply: answer(407),
    responseKind: 'proxy-login',
    effect: 'none',
    resend: 'never never never',
  },
  ...[408, 409, 425, 499].flatMap((status) =>
    [answer(status), own(status), own(status, retryAfter)].map((reply, nth) => ({
      name: `${status}, ${['bare', 'in the form of the service', 'with Retry-After'][nth]}`,
      reply,
      responseKind: 'try-later' as ResponseKind,
      effect: 'unknown',
      resend: 'never bounded bounded',
    })),
  ),
  {
    name: '429',
    reply: answer(429),
    responseKind: 'rate-limited',
    effect: 'none',
    resend: 'always always always',
  },
  ...[400, 402, 406, 410, 411, 413, 414, 415, 418, 421, 422, 423, 424, 428, 431, 451].map((status) => ({
    name: `${status}`,
    reply: own(status),
    responseKind: 'refused' as ResponseKind,
    effect: 'none',
    resend: 'never never never',
  })),
  ...[
    ['an error in a list', '{"errors":[{"path":"subject"}]}'],
    ['a message alone', '{"message":"No."}'],
    ['an object as its error', '{"error":{"code":"no"}}'],
  ].map(([name, body]) => ({
    name: `422 with ${name}`,
    reply: answer(422, { body: Buffer.from(body ?? '') }),
    responseKind: 'refused' as ResponseKind,
    effect: 'none',
    resend: 'never never never',
  })),
  ...[
    ['a page', '<html><h1>Forbidden</h1></html>'],
    ['no body', ''],
    ['a text', 'Not allowed'],
    ['a list', '["no"]'],
    ['an object that says nothing', '{}'],
    ['an error that is empty', '{"error":null,"message":""}'],
    ['a ticket', '{"id":"1"}'],
  ].flatMap(([name, body]) =>
    [400, 413, 422, 451].map((status) => ({
      name: `${status} with ${name}`,
      reply: answer(status, { body: Buffer.from(body ?? '') }),
      responseKind: 'refused-between' as ResponseKind,
      effect: 'unknown',
      resend: 'never bounded bounded',
    })),
  ),
  ...[403, 404, 405].map((status) => ({
    name: `${status} with a page`,
    reply: answer(status, garbage),
    responseKind: 'refused-between' as ResponseKind,
    effect: 'unknown',
    resend: 'never bounded never',
    readKind: 'not-readable' as ResponseKind,
  })),
  {
    name: '422 with half a body',
    reply: own(422, { cut: 'the connection broke' }),
    responseKind: 'refused-between',
    effect: 'unknown',
    resend: 'never bounded bounded',
  },
  {
    name: '503 with Retry-After',
    reply: own(503, retryAfter),
    responseKind: 'unavailable',
    effect: 'unknown',
    resend: 'never bounded bounded',
  },
  {
    name: '503 without Retry-After',
    reply: answer(503),
    responseKind: 'unavailable',
    effect: 'unknown',
    resend: 'never bounded bounded',
  },
  ...[500, 501, 502, 504, 505, 507, 520, 599].map((status) => ({
    name: `${status}`,
    reply: answer(status),
    responseKind: 'server-error' as ResponseKind,
    effect: 'unknown',
    resend: 'never bounded bounded',
  })),
  {
    name: '500 with Retry-After',
    reply: answer(500, retryAfter),
    responseKind: 'server-error',
    effect: 'unknown',
    resend: 'never bounded bounded',
  },
  {
    name: '999',
    reply: answer(999),
    responseKind: 'no-status',
    effect: 'unknown',
    resend: 'never bounded bounded',
  },
];

describe('what an answer means', () => {
  it.each(TABLE)(
    '$name: effect $effect; create, put, read: $resend',
    ({ reply, responseKind, effect, resend, readKind }) => {
      for (const kind of ['create', 'append', 'put'] as const) {
        expect(responseKindOf(reply, kind, hasId)).toBe(responseKind);
        expect(effectOf(responseKind, kind)).toBe(effect);
      }
      expect(responseKindOf(reply, 'read', hasId)).toBe(readKind ?? responseKind);
      const forRead = responseKindOf(reply, 'read', hasId);
      expect(
        [resendOf(responseKind, 'create'), resendOf(responseKind, 'put'), resendOf(forRead, 'read')].join(
          ' ',
        ),
      ).toBe(resend);
    },
  );

  it('every responseKind stands in the table above', () => {
    const seen = new Set<ResponseKind>(
      TABLE.flatMap(({ responseKind, readKind }) =>
        readKind === undefined ? [responseKind] : [responseKind, readKind],
      ),
    );
    expect(RESPONSE_KINDS.filter((responseKind) => !seen.has(responseKind))).toEqual([]);
    expect(Object.keys(MEANINGS)).toEqual([...RESPONSE_KINDS]);
  });

  it('a create, or events that are appended, are sent again only where it is proven that nothing happened', () => {
    for (const responseKind of RESPONSE_KINDS)
      for (const kind of ['create', 'append'] as const)
        if (resendOf(responseKind, kind) !== 'never')
          expect([responseKind, effectOf(responseKind, kind)]).toEqual([responseKind, 'none']);
  });

  it('nothing is sent again after it was done, or where everybody would meet the same', () => {
    for (const kind of KINDS) {
      expect(resendOf('success', kind)).toBe('never');
      for (const responseKind of RESPONSE_KINDS)
        if (
          MEANINGS[responseKind].scope === 'run' &&
          responseKind !== 'not-connected' &&
          responseKind !== 'rate-limited'
        )
          expect([responseKind, resendOf(responseKind, kind)]).toEqual([responseKind, 'never']);
    }
  });

  it('a read never has an effect', () => {
    for (const responseKind of RESPONSE_KINDS) expect(effectOf(responseKind, 'read')).not.toBe('unknown');
  });

  it('what is unknown comes out as unknown, and only a success has no failure', () => {
    for (const responseKind of RESPONSE_KINDS) {
      expect(MEANINGS[responseKind].code === undefined).toBe(responseKind === 'success');
      if (MEANINGS[responseKind].code === 'unknown-outcome')
        expect(MEANINGS[responseKind].effect).toBe('unknown');
    }
  });

  it('a PUT takes any whole answer for a success, since its body is not specified', () => {
    for (const body of ['', 'OK', '<html>', '{"ticket":{}}'])
      expect(responseKindOf(answer(200, { body: Buffer.from(body) }), 'put', () => true)).toBe('success');
  });

  it('no connection and 503 open the breaker, and nothing else does', () => {
    expect(RESPONSE_KINDS.filter(saysDown)).toEqual(['not-connected', 'unavailable']);
  });

  it('time-outs, broken connections and 5xx count as too much at once; refusals and breakdowns before the target do not', () => {
    expect(RESPONSE_KINDS.filter((responseKind) => loadOf(responseKind) === 'overload')).toEqual([
      'not-written',
      'cut',
      'timeout',
      'success-cut',
      'unavailable',
      'server-error',
    ]);
    expect(RESPONSE_KINDS.filter((responseKind) => loadOf(responseKind) === 'ok')).toEqual([
      'success',
      'refused',
    ]);
  });
});
