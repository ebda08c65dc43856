/** How a call that did not succeed is told: an ApiFailure with one sentence, without secrets. */
import { BOUNDS } from '../../domain/limits.ts';
import { ApiFailure } from '../../domain/ticket-api.ts';
import { type CallKind, headerOf, type Reply } from '../http/exchange.ts';
import { redact } from '../http/secrets.ts';
import { effectOfFailure, MEANINGS } from './classify.ts';
import { errorBody } from './error-body.ts';
import type { Ending } from './retry.ts';

export interface FailureContext {
  readonly kind: CallKind;
  /** What was sent or asked for, e.g. `the ticket`, `the messages of ticket 42`. */
  readonly what: string;
  readonly secrets: readonly string[];
}

const LONGEST = BOUNDS.said.most;

export function failureOf(ending: Ending, context: FailureContext): ApiFailure {
  const { reply, responseKind } = ending;
  const { secrets, kind } = context;
  const detail = reply.type === 'answer' ? errorBody(reply, secrets).detail : undefined;
  const status = reply.type === 'answer' ? reply.status : undefined;
  const sentence = redact(sentenceOf(ending, context, detail), secrets);
  const message = sentence.length > LONGEST ? `${sentence.slice(0, LONGEST - 1).toWellFormed()}…` : sentence;
  return new ApiFailure(
    MEANINGS[responseKind].code ?? 'unknown-outcome',
    effectOfFailure(ending.effect, kind),
    message,
    { status, detail },
  );
}

function sentenceOf(ending: Ending, context: FailureContext, detail: string | undefined): string {
  const { reply, responseKind, attempts } = ending;
  const { what, kind } = context;
  const said = saidBy(reply, detail, kind);
  const times = attempts > 1 ? ` after ${attempts} attempts` : '';
  switch (responseKind) {
    case 'not-connected':
    case 'hopeless':
      return `The target cannot be reached: ${said}. Check the base URL and the network.`;
    case 'proxy-login':
      return `The proxy asks for a login (${said}); put its user and password into HTTPS_PROXY.`;
    case 'redirected':
      return `The base URL redirects elsewhere (${said}${redirectTarget(reply)}); set it to the final address.`;
    case 'unauthorized':
      return `The target refuses the token (${said}); get a new one and check that it belongs to this target.`;
    case 'forbidden':
      return `The token may not send ${what} (${said}); it needs the scope ${scopeOf(reply, detail, kind)}.`;
    case 'not-readable':
      return `The target does not let ${what} be read (${said}).`;
    case 'success-unreadable':
      if (kind !== 'read') return `It is not known whether the target took ${what}${times}: ${said}.`;
      return `The target answers with a page instead of ${what}. Check the base URL and target.apiPath.`;
    case 'other-form':
      return `The target answers in an unknown form where ${what} should be (status ${reply.type === 'answer' ? reply.status : 0}).`;
    case 'aborted':
      return `Sending ${what} was cut off before the answer came.`;
    case 'refused':
    case 'rate-limited':
    case 'not-written':
      return kind === 'read'
        ? `The target refused to read ${what}${times} (${said}).`
        : `The target refused ${what}${times} (${said}).`;
    default:
      return kind === 'read'
        ? `Reading ${what} failed${times}: ${said}.`
        : `It is not known whether the target took ${what}${times}: ${said}.`;
  }
}

function saidBy(reply: Reply, detail: string | undefined, kind: CallKind): string {
  if (reply.type === 'breakdown') return reply.message;
  const cut = reply.cut === undefined ? '' : `, but ${reply.cut}`;
  if (reply.status < 300)
    return reply.cut === undefined
      ? `it answered ${reply.status} ${kind === 'put' || kind === 'append' ? 'without confirming it' : 'with a body that cannot be read'}`
      : `it answered ${reply.status}${cut}`;
  return detail === undefined ? `${reply.status}${cut}` : `${reply.status}: ${detail}`;
}

/** The scope that the service names as missing, or the one that the specification asks for. */
function scopeOf(reply: Reply, detail: string | undefined, kind: CallKind): string {
  const challenge = reply.type === 'answer' ? (headerOf(reply, 'www-authenticate') ?? '') : '';
  const named = /\b(?:read|write):[a-z_]+\b/.exec(`${challenge} ${detail ?? ''}`)?.[0];
  return named ?? (kind === 'read' ? 'read:tickets' : 'write:tickets');
}

function redirectTarget(reply: Reply): string {
  const location = reply.type === 'answer' ? headerOf(reply, 'location') : undefined;
  const url = location === undefined ? null : URL.parse(location);
  return url === null ? '' : ` to ${url.origin}`;
}
