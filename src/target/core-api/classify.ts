/**
 * What a reply means: the one table behind "never twice" (contract, "What an answer means"). Pure.
 *
 * First a reply is given a kind (`responseKindOf`), then the table says of each: whether the request had an effect, whether it is
 * about this ticket or about the whole run, and whether the same request may be sent again. A request that is not
 * idempotent (`create`, and `append`, a PUT of events to a target that may append them) is sent again only where the
 * effect is `none`: that no row breaks this is a test.
 */
import type { ApiFailureCode } from '../../domain/ticket-api.ts';
import type { Answer, CallKind, Reply } from '../http/exchange.ts';
import { isOtherForm } from './answers.ts';
import { refusesInOwnForm } from './error-body.ts';

export const RESPONSE_KINDS = [
  'not-connected',
  'hopeless',
  'not-written',
  'cut',
  'timeout',
  'aborted',
  'success',
  'success-unreadable',
  'success-cut',
  'redirected',
  'unauthorized',
  'forbidden',
  'not-readable',
  'other-form',
  'proxy-login',
  'try-later',
  'rate-limited',
  'refused',
  'refused-between',
  'unavailable',
  'server-error',
  'no-status',
] as const;
export type ResponseKind = (typeof RESPONSE_KINDS)[number];

/** `none`: proven that nothing happened. `unknown`: it may have happened. `done`: it happened. */
export type Effect = 'none' | 'unknown' | 'done';
/** `never`; `bounded`: a few times; `always`: as often as it takes, since someone else bounds it. */
type Resend = 'never' | 'bounded' | 'always';

interface Meaning {
  readonly effect: Effect;
  /** `run`: every other ticket would meet the same. */
  readonly scope: 'ticket' | 'run';
  /** For create and append. */
  readonly create: Resend;
  readonly put: Resend;
  readonly read: Resend;
  /** What comes out when it is not sent again (any more); `success` has none. */
  readonly code: ApiFailureCode | undefined;
  readonly why: string;
}

const none = { effect: 'none', scope: 'ticket' } as const;
const unknown = { effect: 'unknown', scope: 'ticket' } as const;
const never = { create: 'never', put: 'never', read: 'never' } as const;
const bounded = { create: 'bounded', put: 'bounded', read: 'bounded' } as const;
const always = { create: 'always', put: 'always', read: 'always' } as const;
const repeatable = { create: 'never', put: 'bounded', read: 'bounded' } as const;

export const MEANINGS: Readonly<Record<ResponseKind, Meaning>> = {
  'not-connected': {
    ...none,
    ...always,
    scope: 'run',
    code: 'unreachable',
    why: 'Without a connection nothing can have arrived. The breaker bounds how long this goes on.',
  },
  hopeless: {
    ...none,
    ...never,
    scope: 'run',
    code: 'unreachable',
    why: 'It failed before the request (no trustworthy certificate, no such host), and it will fail again.',
  },
  'not-written': {
    ...none,
    ...bounded,
    code: 'refused',
    why: 'The end of the request never left this process, so the service cannot have had a whole one.',
  },
  cut: {
    ...unknown,
    ...repeatable,
    code: 'unknown-outcome',
    why: 'The request had gone out; whether it was carried out before the connection broke is not known.',
  },
  timeout: {
    ...unknown,
    ...repeatable,
    code: 'unknown-outcome',
    why: 'It may have been carried out, and it may still be.',
  },
  aborted: {
    ...unknown,
    ...never,
    code: 'cut-off',
    why: 'We hung up while it was under way, and we hung up to stop.',
  },
  success: { ...never, effect: 'done', scope: 'ticket', code: undefined, why: 'The service says so.' },
  'success-unreadable': {
    ...unknown,
    ...repeatable,
    code: 'unknown-outcome',
    why: 'Something answered with success, but not with what this call answers: without its id a ticket is not known.',
  },
  'success-cut': {
    ...unknown,
    ...repeatable,
    code: 'unknown-outcome',
    why: 'The status says success, but the service broke off; a PUT is simply repeated.',
  },
  redirected: {
    ...unknown,
    ...never,
    scope: 'run',
    code: 'unreachable',
    why: 'A redirect may follow a request that was carried out. It is not followed: a token goes only where the user sent it.',
  },
  unauthorized: {
    ...none,
    ...never,
    scope: 'run',
    code: 'auth',
    why: '401, and fresh tokens were already tried, some seconds apart (tokens.ts).',
  },
  forbidden: {
    ...none,
    ...never,
    scope: 'run',
    code: 'auth',
    why: '403 in the form of the service: the token lacks a scope.',
  },
  'not-readable': {
    ...none,
    ...never,
    scope: 'run',
    code: 'target-unreadable',
    why: '403, 404 and 405 on a read, or a redirect: reading is not promised, and the import does without.',
  },
  'other-form': {
    ...none,
    ...never,
    scope: 'run',
    code: 'target-unreadable',
    why: 'A read is answered with success in a form that the public facts do not have, and would be again.',
  },
  'proxy-login': {
    ...none,
    ...never,
    scope: 'run',
    code: 'unreachable',
    why: '407 comes from the proxy; the request went no further.',
  },
  'try-later': {
    ...unknown,
    ...repeatable,
    code: 'unknown-outcome',
    why: '408, 409, 425 and 499 are said by servers in between as well, whose service may be working on the request.',
  },
  'rate-limited': {
    ...none,
    ...always,
    scope: 'run',
    code: 'refused',
    why: '429: refused before it was looked at. How often is bounded by the pause that is asked for.',
  },
  refused: {
    ...none,
    ...never,
    code: 'refused',
    why: 'Any other 4xx in the form of the service: it looked at the request and said no.',
  },
  'refused-between': {
    ...unknown,
    ...repeatable,
    code: 'unknown-outcome',
    why: 'A 4xx in another form comes from something in between, which may have passed the request on.',
  },
  unavailable: {
    ...unknown,
    ...repeatable,
    code: 'unknown-outcome',
    why: '503, with Retry-After or without, may come from a gateway whose service was already working on it.',
  },
  'server-error': {
    ...unknown,
    ...repeatable,
    code: 'unknown-outcome',
    why: 'Any other 5xx may come before, during or after the effect.',
  },
  'no-status': {
    ...unknown,
    ...repeatable,
    code: 'unknown-outcome',
    why: 'A status outside of 200 to 599 means nothing that could be relied on.',
  },
};

/** Whether the same request may go out again after this. */
export function resendOf(responseKind: ResponseKind, kind: CallKind): Resend {
  const meaning = MEANINGS[responseKind];
  if (kind === 'read') return meaning.read;
  return kind === 'put' ? meaning.put : meaning.create;
}

/** What the request did. A read does nothing, however it ends. */
export function effectOf(responseKind: ResponseKind, kind: CallKind): Effect {
  const { effect } = MEANINGS[responseKind];
  return kind === 'read' && effect === 'unknown' ? 'none' : effect;
}

/** The effect of a call that did not end well: a success that came out as a failure is unknown. */
export function effectOfFailure(effect: Effect, kind: CallKind): 'none' | 'unknown' {
  return kind === 'read' || effect === 'none' ? 'none' : 'unknown';
}

/** A sign that the target is down, for the breaker. */
export function saysDown(responseKind: ResponseKind): boolean {
  return responseKind === 'not-connected' || responseKind === 'unavailable';
}

/** For the concurrency limit: `overload` is what too many requests at once bring about. */
export function loadOf(responseKind: ResponseKind): 'ok' | 'overload' | 'ignore' {
  switch (responseKind) {
    case 'timeout':
    case 'cut':
    case 'not-written':
    case 'success-cut':
    case 'unavailable':
    case 'server-error':
      return 'overload';
    case 'success':
    case 'refused':
      return 'ok';
    default:
      return 'ignore';
  }
}

// First step of the classification: which row of the table (classify.ts) a reply belongs to. Pure.

const anything = () => true;

/** @param readable whether the body of a success is what this call needs: a ticket with an id, a list, anything but a page for a PUT */
export function responseKindOf(
  reply: Reply,
  kind: CallKind,
  readable: (answer: Answer) => boolean = anything,
): ResponseKind {
  if (reply.type === 'breakdown') return reply.reason;
  const { status } = reply;
  if (status >= 200 && status < 300) {
    if (reply.cut !== undefined) return 'success-cut';
    if (readable(reply)) return 'success';
    return kind === 'read' && isOtherForm(reply) ? 'other-form' : 'success-unreadable';
  }
  if (status >= 300 && status < 400) return kind === 'read' ? 'not-readable' : 'redirected';
  if (status >= 400 && status < 500) return kindOf4xx(reply, kind);
  if (status === 503) return 'unavailable';
  return status >= 500 && status < 600 ? 'server-error' : 'no-status';
}

function kindOf4xx(reply: Answer, kind: CallKind): ResponseKind {
  const { status } = reply;
  if (kind === 'read' && (status === 403 || status === 404 || status === 405)) return 'not-readable';
  switch (status) {
    case 401:
      return 'unauthorized';
    case 407:
      return 'proxy-login';
    case 408:
    case 409:
    case 425:
    case 499:
      return 'try-later';
    case 429:
      return 'rate-limited';
    default:
      if (!refusesInOwnForm(reply)) return 'refused-between';
      return status === 403 ? 'forbidden' : 'refused';
  }
}
