/**
 * The one narrow port of this folder: a request goes out, a reply comes back. Everything that cuts across calls (rate
 * budget, authentication, sending again, telling what happens) wraps an Exchange and is an Exchange; client.ts composes them.
 *
 * Contract: resolves with an Answer when the service answered with a status, whichever it was, and with a Breakdown
 * when it did not. Rejects with the signal's reason only when it is certain that no byte of this request went out; an
 * abort after that is a Breakdown `aborted`. One call is one attempt. May be called concurrently.
 */
import type { OnWire } from '../../domain/ticket-api.ts';
import type { Headers } from '../pace/rate-limit-headers.ts';

/**
 * What a call does to the target, which decides what may be sent again. `append`: a PUT of events to a target that
 * appends them (`target.eventsAppend`), so that repeating it would double them.
 */
export type CallKind = 'create' | 'put' | 'append' | 'read';

export interface ApiRequest {
  readonly kind: CallKind;
  readonly method: 'GET' | 'POST' | 'PUT';
  /** Path and query, from the root of the origin. */
  readonly path: string;
  /** JSON, unless the headers say otherwise. */
  readonly body?: string | undefined;
  /** The header of that name, apart from the others because every request has its own. */
  readonly authorization?: string | undefined;
  /** By lower-case name, besides those that the transport sets itself. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** From 1. */
  readonly attempt: number;
  /** Kept up to date while it is sent. */
  readonly wire?: OnWire | undefined;
}

export interface Answer {
  readonly type: 'answer';
  readonly status: number;
  /** By lower-case name. */
  readonly headers: Headers;
  readonly body: Buffer;
  /** Why the body is not complete, where it is not. */
  readonly cut?: string | undefined;
}

export type BreakdownReason =
  /** No connection came about: refused, no such name, no route, no TLS handshake, no time left. */
  | 'not-connected'
  /** No connection, and waiting will not help: a certificate that cannot be trusted, a host name that never existed. */
  | 'hopeless'
  /** The connection broke while part of the request had not left this process: the service cannot have had all of it. */
  | 'not-written'
  /** The connection broke, or something that is not HTTP came back, after the request had gone out. */
  | 'cut'
  /** No complete answer in the time allowed. */
  | 'timeout'
  /** The caller's signal aborted after the request had begun to go out. */
  | 'aborted';

export interface Breakdown {
  readonly type: 'breakdown';
  readonly reason: BreakdownReason;
  /** A phrase for a person, without a full stop, e.g. `connection refused (127.0.0.1:3000)`. */
  readonly message: string;
  /** The system's or the library's code, e.g. `ECONNREFUSED`. */
  readonly code?: string | undefined;
}

export type Reply = Answer | Breakdown;

/** `onBegun` is called when the first byte is about to go out, at most once; only the transport knows when that is. */
export type Exchange = (request: ApiRequest, signal: AbortSignal, onBegun?: () => void) => Promise<Reply>;

/** A header of which one value is expected; of several the first. */
export function headerOf(answer: Answer, name: string): string | undefined {
  const value = answer.headers[name];
  return typeof value === 'string' ? value : value?.[0];
}

/** The path without its query, which may hold an e-mail address or a subject. */
export function pathOnly(request: ApiRequest): string {
  const query = request.path.indexOf('?');
  return query === -1 ? request.path : request.path.slice(0, query);
}
