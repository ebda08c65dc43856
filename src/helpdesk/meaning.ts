/** The proof in a reply: the one table behind "never twice" (contract, "What a reply proves"). Pure. */
import { BOUNDS } from '../domain/limits.ts';
import { ApiFailure, type ApiFailureCode } from '../domain/ticket-api.ts';
import { errorBody, isOtherForm, noPage, refusesInOwnForm } from './answers.ts';
import { type Answer, type CallKind, headerOf, type Reply } from './http.ts';
import { redact } from './secrets.ts';

interface Meaning {
  /** `no`: nothing happened. `maybe`: it may take effect, also later. `yes`: it did. */
  readonly sent: 'no' | 'maybe' | 'yes';
  /** `run`: every other request would meet the same. */
  readonly fault: 'ticket' | 'run' | 'target';
  /** `wait`: as soon as the pacer allows. `few`: a few times, if it may be repeated (a read, a PUT). */
  readonly again: 'never' | 'few' | 'wait';
  readonly code: ApiFailureCode | undefined;
  readonly sentence: (about: About) => string;
}

interface About {
  readonly what: string;
  readonly kind: CallKind;
  readonly reply: Reply;
  readonly said: string;
  readonly detail: string | undefined;
  readonly address: string | undefined;
  readonly times: string;
}

const NOTHING = { sent: 'no', fault: 'run', again: 'never' } as const;
const OPEN = { sent: 'maybe', fault: 'target', again: 'few', code: 'unknown-outcome' } as const;

const unreached = ({ said, address }: About) =>
  `${address ?? 'The helpdesk'} cannot be reached: ${said}. Check the address and the network.`;
const unknown = ({ what, kind, said, times }: About) =>
  kind === 'read'
    ? `Reading ${what} failed${times}: ${said}.`
    : `The helpdesk did not confirm ${what}${times}: ${said}.`;
const refused = ({ what, kind, said, times }: About) =>
  `The helpdesk refused ${kind === 'read' ? `to read ${what}` : what}${times} (${said}).`;

export const MEANINGS = {
  'not-connected': { ...NOTHING, fault: 'target', again: 'wait', code: 'unreachable', sentence: unreached },
  hopeless: { ...NOTHING, code: 'unreachable', sentence: unreached },
  aborted: {
    ...OPEN,
    fault: 'run',
    again: 'never',
    code: 'cut-off',
    sentence: ({ what }) => `Sending ${what} was cut off before the answer came.`,
  },
  success: { sent: 'yes', fault: 'ticket', again: 'never', code: undefined, sentence: unknown },
  // A success without its content: a ticket without an ID is unknown.
  unreadable: {
    ...OPEN,
    sentence: (about) =>
      about.kind === 'read'
        ? `The helpdesk answers with a page instead of ${about.what}. Check the base URL.`
        : unknown(about),
  },
  // A proxy may say so while the service works on the request.
  unclear: { ...OPEN, sentence: unknown },
  // May follow a completed request. A token goes only where the user sent it.
  redirected: {
    ...OPEN,
    fault: 'run',
    again: 'never',
    code: 'unreachable',
    sentence: ({ said, reply }) =>
      `The base URL redirects elsewhere (${said}${redirectTarget(reply)}); set it to the final address.`,
  },
  unauthorized: {
    ...NOTHING,
    code: 'auth',
    sentence: ({ said }) =>
      `The helpdesk refuses the token (${said}); get a new one and check that it belongs to this target.`,
  },
  forbidden: {
    ...NOTHING,
    code: 'auth',
    sentence: (about) =>
      `The token may not send ${about.what} (${about.said}); it needs the scope ${scopeOf(about)}.`,
  },
  // Reads are not promised; the import does without.
  'not-readable': {
    ...NOTHING,
    code: 'target-unreadable',
    sentence: ({ what, said, reply }) =>
      (statusOf(reply) ?? 0) < 300
        ? `The helpdesk answers in an unknown form where ${what} should be (status ${statusOf(reply)}).`
        : `The helpdesk refuses to show ${what} (${said}).`,
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

/** @param readable whether the body has what the call needs: a ticket with an ID, a list, anything but a page for a PUT */
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

export function mayRepeat(is: ReplyKind, kind: CallKind): boolean {
  const { again, sent } = MEANINGS[is];
  return again !== 'never' && (sent === 'no' || kind === 'read' || kind === 'repeatable');
}

/** A read has no effect. */
export function mayHaveArrived(is: ReplyKind, kind: CallKind): boolean {
  return kind !== 'read' && MEANINGS[is].sent === 'maybe';
}

export interface Ending {
  readonly reply: Reply;
  readonly responseKind: ReplyKind;
  /** No attempt was confirmed, and one may have taken effect. */
  readonly mayHaveArrived: boolean;
  readonly attempts: number;
}

export interface FailureContext {
  readonly kind: CallKind;
  readonly what: string;
  readonly secrets: readonly string[];
  readonly address?: string | undefined;
}

export function failureOf(ending: Ending, { kind, what, secrets, address }: FailureContext): ApiFailure {
  const { reply, responseKind, attempts } = ending;
  const { sentence: sentenceOf, code, sent }: Meaning = MEANINGS[responseKind];
  const detail = reply.type === 'answer' ? errorBody(reply, secrets).detail : undefined;
  const times = attempts > 1 ? ` after ${attempts} attempts` : '';
  const about = { what, kind, reply, address, said: saidBy(reply, detail, kind), detail, times };
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
  const page = status >= 400 && !noPage(reply) ? ' with a page of something in front of it' : '';
  if (status >= 300) return detail === undefined ? `${status}${page}${but}` : `${status}: ${detail}`;
  if (cut !== undefined) return `it answered ${status}${but}`;
  const isTold = kind === 'read' || kind === 'create';
  return `it answered ${status} ${!isTold ? 'without confirming it' : 'with a body that cannot be read'}`;
}

function scopeOf({ reply, detail, kind }: About): string {
  const challenge = reply.type === 'answer' ? headerOf(reply, 'www-authenticate') : undefined;
  const named = /\b(?:read|write):[a-z_]+\b/.exec(`${challenge} ${detail}`)?.[0];
  return named ?? (kind === 'read' ? 'read:tickets' : 'write:tickets');
}

function redirectTarget(reply: Reply): string {
  const url = reply.type === 'answer' ? URL.parse(headerOf(reply, 'location') ?? '') : null;
  return url === null ? '' : ` to ${url.origin}`;
}
