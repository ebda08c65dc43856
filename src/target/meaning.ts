/**
 * What a reply proves: the one table behind "never twice" (contract, "What an answer means"). Pure.
 *
 * Each kind of reply says whether the request may have been carried out, whose fault it is, whether the same request may go
 * out again, and the sentence for a person. A create goes out again only where nothing can have happened.
 */
import { BOUNDS } from '../domain/limits.ts';
import { ApiFailure, type ApiFailureCode } from '../domain/ticket-api.ts';
import { errorBody, isOtherForm, refusesInOwnForm } from './answers.ts';
import { type Answer, type CallKind, headerOf, type Reply } from './http.ts';
import { redact } from './secrets.ts';

interface Meaning {
  /** `no`: proven that nothing happened. `maybe`: it may have been carried out, and may still be. `yes`: it was. */
  readonly sent: 'no' | 'maybe' | 'yes';
  /** `run`: every other request would meet the same. */
  readonly fault: 'ticket' | 'run' | 'target';
  /** `wait`: as soon as the pacer lets it. `few`: a few times, where it may be repeated (a read, a PUT). */
  readonly again: 'never' | 'few' | 'wait';
  /** The failure's name; undefined for a success. */
  readonly code: ApiFailureCode | undefined;
  readonly sentence: (about: About) => string;
}

interface About {
  /** What was sent or asked for, e.g. `the ticket`. */
  readonly what: string;
  readonly kind: CallKind;
  readonly reply: Reply;
  /** The status and what the service said, or the phrase of a breakdown. */
  readonly said: string;
  readonly detail: string | undefined;
  /** ` after 3 attempts`, or nothing. */
  readonly times: string;
}

const NOTHING = { sent: 'no', fault: 'run', again: 'never' } as const;
const OPEN = { sent: 'maybe', fault: 'target', again: 'few', code: 'unknown-outcome' } as const;

const unreached = ({ said }: About) =>
  `The target cannot be reached: ${said}. Check the base URL and the network.`;
const unknown = ({ what, kind, said, times }: About) =>
  kind === 'read'
    ? `Reading ${what} failed${times}: ${said}.`
    : `It is not known whether the target took ${what}${times}: ${said}.`;
const refused = ({ what, kind, said, times }: About) =>
  `The target refused ${kind === 'read' ? `to read ${what}` : what}${times} (${said}).`;

export const MEANINGS = {
  'not-connected': { ...NOTHING, fault: 'target', again: 'wait', code: 'unreachable', sentence: unreached },
  // No trustworthy certificate, no such host: it will fail again.
  hopeless: { ...NOTHING, code: 'unreachable', sentence: unreached },
  // We hung up to stop.
  aborted: {
    ...OPEN,
    fault: 'run',
    again: 'never',
    code: 'cut-off',
    sentence: ({ what }) => `Sending ${what} was cut off before the answer came.`,
  },
  success: { sent: 'yes', fault: 'ticket', again: 'never', code: undefined, sentence: unknown },
  // A success without what this call answers: without its id a ticket is not known.
  unreadable: {
    ...OPEN,
    sentence: (about) =>
      about.kind === 'read'
        ? `The target answers with a page instead of ${about.what}. Check the base URL and target.apiPath.`
        : unknown(about),
  },
  // Something in between may say so while the service works on the request.
  unclear: { ...OPEN, sentence: unknown },
  // It may follow a request that was carried out. A token goes only where the user sent it.
  redirected: {
    ...OPEN,
    fault: 'run',
    again: 'never',
    code: 'unreachable',
    sentence: ({ said, reply }) =>
      `The base URL redirects elsewhere (${said}${redirectTarget(reply)}); set it to the final address.`,
  },
  // A fresh token was tried already.
  unauthorized: {
    ...NOTHING,
    code: 'auth',
    sentence: ({ said }) =>
      `The target refuses the token (${said}); get a new one and check that it belongs to this target.`,
  },
  forbidden: {
    ...NOTHING,
    code: 'auth',
    sentence: (about) =>
      `The token may not send ${about.what} (${about.said}); it needs the scope ${scopeOf(about)}.`,
  },
  // Reading is not promised, and the import does without.
  'not-readable': {
    ...NOTHING,
    code: 'target-unreadable',
    sentence: ({ what, said, reply }) =>
      (statusOf(reply) ?? 0) < 300
        ? `The target answers in an unknown form where ${what} should be (status ${statusOf(reply)}).`
        : `The target does not let ${what} be read (${said}).`,
  },
  'proxy-login': {
    ...NOTHING,
    code: 'unreachable',
    sentence: ({ said }) =>
      `The proxy asks for a login (${said}); put its user and password into HTTPS_PROXY.`,
  },
  'rate-limited': { ...NOTHING, fault: 'target', again: 'wait', code: 'refused', sentence: refused },
  refused: { ...NOTHING, fault: 'ticket', code: 'refused', sentence: refused },
} as const satisfies Readonly<Record<string, Meaning>>;

export type ReplyKind = keyof typeof MEANINGS;

/** @param readable whether the body of a success is what this call needs: a ticket with an id, a list, anything but a page for a PUT */
export function replyKind(
  reply: Reply,
  kind: CallKind,
  readable: (answer: Answer) => boolean = () => true,
): ReplyKind {
  if (reply.type === 'breakdown')
    return reply.reason === 'cut' || reply.reason === 'timeout' ? 'unclear' : reply.reason;
  const { status, cut } = reply;
  if (status >= 200 && status < 300) {
    if (cut !== undefined) return 'unclear';
    if (readable(reply)) return 'success';
    return kind === 'read' && isOtherForm(reply) ? 'not-readable' : 'unreadable';
  }
  if (status >= 300 && status < 400) return kind === 'read' ? 'not-readable' : 'redirected';
  if (kind === 'read' && (status === 403 || status === 404 || status === 405)) return 'not-readable';
  if (status === 401) return 'unauthorized';
  if (status === 407) return 'proxy-login';
  if (status === 429) return 'rate-limited';
  if (status >= 500 || MAYBE_IN_BETWEEN.has(status) || !refusesInOwnForm(reply)) return 'unclear';
  return status === 403 ? 'forbidden' : 'refused';
}

const MAYBE_IN_BETWEEN: ReadonlySet<number> = new Set([408, 409, 425, 499]);

/** Whether the same request may go out again after this. */
export function mayRepeat(is: ReplyKind, kind: CallKind): boolean {
  const { again, sent } = MEANINGS[is];
  return again !== 'never' && (sent === 'no' || kind === 'read' || kind === 'put');
}

/** Whether the target may have carried it out. A read carries nothing out. */
export function mayHaveArrived(is: ReplyKind, kind: CallKind): boolean {
  return kind !== 'read' && MEANINGS[is].sent === 'maybe';
}

/** How a call ended. */
export interface Ending {
  readonly reply: Reply;
  readonly responseKind: ReplyKind;
  /** One of the attempts may have been carried out, but no attempt was confirmed. */
  readonly mayHaveArrived: boolean;
  readonly attempts: number;
}

export interface FailureContext {
  readonly kind: CallKind;
  /** What was sent or asked for, e.g. `the ticket`, `the messages of ticket 42`. */
  readonly what: string;
  readonly secrets: readonly string[];
}

/** A failed call in one sentence, without secrets. */
export function failureOf(ending: Ending, { kind, what, secrets }: FailureContext): ApiFailure {
  const { reply, responseKind, attempts } = ending;
  const { sentence: sentenceOf, code, sent }: Meaning = MEANINGS[responseKind];
  const detail = reply.type === 'answer' ? errorBody(reply, secrets).detail : undefined;
  const times = attempts > 1 ? ` after ${attempts} attempts` : '';
  const about = { what, kind, reply, said: saidBy(reply, detail, kind), detail, times };
  const sentence = redact(sentenceOf(about), secrets);
  const { most } = BOUNDS.said;
  return new ApiFailure(
    code ?? 'unknown-outcome',
    kind !== 'read' && (ending.mayHaveArrived || sent === 'yes') ? 'unknown' : 'none',
    sentence.length > most ? `${sentence.slice(0, most - 1).toWellFormed()}…` : sentence,
    { status: statusOf(reply), detail },
  );
}

function statusOf(reply: Reply): number | undefined {
  return reply.type === 'answer' ? reply.status : undefined;
}

function saidBy(reply: Reply, detail: string | undefined, kind: CallKind): string {
  if (reply.type === 'breakdown') return reply.message;
  const { status, cut } = reply;
  const but = cut === undefined ? '' : `, but ${cut}`;
  if (status >= 300) return detail === undefined ? `${status}${but}` : `${status}: ${detail}`;
  if (cut !== undefined) return `it answered ${status}${but}`;
  const isPut = kind === 'put' || kind === 'append';
  return `it answered ${status} ${isPut ? 'without confirming it' : 'with a body that cannot be read'}`;
}

/** The scope that the service names as missing, or the one that the specification asks for. */
function scopeOf({ reply, detail, kind }: About): string {
  const challenge = reply.type === 'answer' ? headerOf(reply, 'www-authenticate') : undefined;
  const named = /\b(?:read|write):[a-z_]+\b/.exec(`${challenge} ${detail}`)?.[0];
  return named ?? (kind === 'read' ? 'read:tickets' : 'write:tickets');
}

function redirectTarget(reply: Reply): string {
  const url = reply.type === 'answer' ? URL.parse(headerOf(reply, 'location') ?? '') : null;
  return url === null ? '' : ` to ${url.origin}`;
}
