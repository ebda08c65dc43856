/**
 * One request over undici: an answer with its body, or the reason why no answer came.
 *
 * Contract of an Exchange: it resolves with an Answer when the service answered with a status, whichever it was, and with
 * a Breakdown when it did not. It rejects with the signal's reason only when no byte of the request went out. One call is
 * one attempt: a request that is over while it waits for a connection never goes out, and no request goes out twice.
 *
 * What an end means depends on how far the request had come:
 *
 *   queued   error, deadline → `not-connected` or `hopeless`; abort → rejected with the signal's reason
 *   begun    error → `cut`; deadline → `timeout`; abort → `aborted`: it may have arrived
 *   status   error, deadline → the answer, with its body cut; abort → `aborted`
 *
 * HTTP/1.1 only, one request on a connection at a time: with HTTP/2 or pipelining one broken connection would leave many
 * creates in doubt.
 */
import { type Dispatcher, Pool } from 'undici';
import type { Clock } from '../domain/clock.ts';
import { BOUNDS } from '../domain/limits.ts';
import type { OnWire } from '../domain/ticket-api.ts';
import { type Environment, isLoopback, proxyAgent } from './address.ts';

/**
 * What a call does to the target, which decides whether it may be repeated. `append`: a PUT that may not be repeated
 * without a look at what the target has.
 */
export type CallKind = 'create' | 'put' | 'append' | 'read';

export interface ApiRequest {
  readonly kind: CallKind;
  readonly method: 'GET' | 'POST' | 'PUT';
  /** Path and query, from the root of the origin. */
  readonly path: string;
  /** JSON, unless the headers say otherwise. */
  readonly body?: string | undefined;
  /** By lower-case name, besides those that the transport sets itself. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** From 1. */
  readonly attempt: number;
  /** Kept up to date while it is sent. */
  readonly wire?: OnWire | undefined;
}

export type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

export interface Answer {
  readonly type: 'answer';
  readonly status: number;
  /** By lower-case name. */
  readonly headers: Headers;
  readonly body: Buffer;
  /** Why the body is not complete, where it is not. */
  readonly cut?: string | undefined;
}

export interface Breakdown {
  readonly type: 'breakdown';
  /**
   * `not-connected`: no connection came about. `hopeless`: none, and waiting will not help. `cut`: the connection broke, or
   * something that is not HTTP came back. `timeout`: no answer in time. `aborted`: the caller's signal ended it.
   */
  readonly reason: 'not-connected' | 'hopeless' | 'cut' | 'timeout' | 'aborted';
  /** A phrase for a person, without a full stop, e.g. `connection refused (ECONNREFUSED)`. */
  readonly message: string;
  /** The code of the system or the library, e.g. `ECONNREFUSED`. */
  readonly code?: string | undefined;
}

export type Reply = Answer | Breakdown;

/** `onBegun` is called when the first byte is about to go out, at most once. */
export type Exchange = (request: ApiRequest, signal: AbortSignal, onBegun?: () => void) => Promise<Reply>;

export interface TransportOptions {
  readonly origin: string;
  /** For the whole exchange: connecting, sending, waiting and reading. Milliseconds. */
  readonly timeoutMs: number;
  /** Most connections at a time. Requests beyond that wait, and their deadline runs. */
  readonly connections: number;
  /** Larger answers count as cut. */
  readonly maxAnswerBytes?: number | undefined;
  readonly userAgent?: string | undefined;
  readonly clock: Clock;
  readonly env?: Environment | undefined;
}

export interface Transport {
  readonly exchange: Exchange;
  /** Ends all connections at once; requests under way break down. */
  close(): Promise<void>;
}

/** Of an answer that is too large, bytes: its beginning says what it is. */
const KEPT_OF_CUT = 65_536;
/** A reason of its own spares making one, with its stack, for each request. */
const OVER = 'the request is over';

export function createTransport(options: TransportOptions): Transport {
  const { origin, clock, timeoutMs, connections, env = {}, userAgent = 'helpdesk-import' } = options;
  const { maxAnswerBytes = BOUNDS.answer.most } = options;
  const connection = {
    connections,
    pipelining: 1,
    allowH2: false,
    connectTimeout: Math.max(1, Math.ceil(timeoutMs)),
    // The whole exchange has one deadline; these two would only compete with it.
    headersTimeout: 0,
    bodyTimeout: 0,
    // Shorter than what servers commonly allow, since a request that meets a closing connection ends in doubt.
    keepAliveTimeout: 4_000,
    keepAliveTimeoutThreshold: 1_000,
  };
  const proxied = isLoopback(new URL(origin).hostname) ? undefined : proxyAgent(env, connection);
  const dispatcher: Dispatcher = proxied ?? new Pool(origin, connection);

  const exchange: Exchange = (request, signal, onBegun) => {
    if (signal.aborted) return Promise.reject(signal.reason);
    return new Promise((resolve, reject) => {
      const deadline = new AbortController();
      let controller: Dispatcher.DispatchController | undefined;
      let status = 0;
      let headers: Headers = {};
      let chunks: Buffer[] = [];
      let bytes = 0;
      let isOver = false;

      const end = () => {
        isOver = true;
        deadline.abort(OVER);
        signal.removeEventListener('abort', onAbort);
      };
      const settle = (reply: Reply) => {
        if (isOver) return;
        end();
        resolve(reply);
      };
      const answer = (cut?: string) => {
        const body = Buffer.concat(chunks);
        settle({ type: 'answer', status, headers, body, cut });
      };
      const hangUp = () => controller?.abort(new Error('given up'));
      const onAbort = () => {
        if (controller === undefined) {
          end();
          reject(signal.reason);
          return;
        }
        settle(breakdown('aborted', 'it was cut off'));
        hangUp();
      };
      const onLate = () => {
        const seconds = `${timeoutMs / 1000} s`;
        if (status !== 0) answer(`it was not complete within ${seconds}`);
        else if (controller === undefined)
          settle(breakdown('not-connected', `no connection within ${seconds}`));
        else settle(breakdown('timeout', `no answer within ${seconds}`));
        hangUp();
      };

      signal.addEventListener('abort', onAbort, { once: true });
      clock.sleep(timeoutMs, deadline.signal).then(onLate, () => undefined);
      dispatcher.dispatch(
        {
          origin,
          path: request.path,
          method: request.method,
          headers: {
            accept: 'application/json',
            'user-agent': userAgent,
            ...(request.body === undefined ? {} : { 'content-type': 'application/json' }),
            ...request.headers,
          },
          body: request.body ?? null,
        },
        {
          onRequestStart(own) {
            if (isOver || controller !== undefined) {
              own.abort(new Error('given up, or sent before'));
              settle(broken(new Error('it was begun a second time')));
              return;
            }
            controller = own;
            onBegun?.();
          },
          onResponseStart(_, code, received) {
            // Informational answers precede the real one.
            if (code < 200) return;
            status = code;
            headers = received;
          },
          onResponseData(_, chunk) {
            if (isOver) return;
            bytes += chunk.length;
            chunks.push(chunk);
            if (bytes <= maxAnswerBytes) return;
            chunks = [Buffer.concat(chunks).subarray(0, KEPT_OF_CUT)];
            answer(`it is larger than ${maxAnswerBytes} bytes`);
            hangUp();
          },
          onResponseEnd: () => answer(),
          onResponseError(_, error) {
            if (status !== 0) answer('the connection broke');
            else settle(controller === undefined ? noConnection(error) : broken(error));
          },
        },
      );
    });
  };

  return { exchange, close: () => dispatcher.destroy(new Error('the client was closed')) };
}

const PHRASES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ECONNREFUSED: 'connection refused',
    ECONNRESET: 'the connection was closed while it was being made',
    EHOSTUNREACH: 'no route to the host',
    ENETUNREACH: 'no network',
    ENOTFOUND: 'no such host name',
    EAI_AGAIN: 'the host name cannot be looked up at the moment',
    ETIMEDOUT: 'no connection in time',
    UND_ERR_CONNECT_TIMEOUT: 'no connection in time',
    UND_ERR_PRX_CONN: 'the proxy did not make the connection',
    UND_ERR_ABORTED: 'the proxy refused the connection',
    EPROTO: 'the other side does not speak TLS',
    ERR_SSL_WRONG_VERSION_NUMBER: 'the other side does not speak TLS',
    EMFILE: 'too many files are open on this machine',
    // The library itself refuses to send such a request, so it will refuse it every time.
    UND_ERR_INVALID_ARG: 'this request cannot be sent',
    UND_ERR_NOT_SUPPORTED: 'this request cannot be sent',
  }),
);

/** OpenSSL's reasons not to trust a certificate, and a name in it that is not the host's. */
const CERTIFICATE =
  /^(?:CERT_|UNABLE_TO_(?:GET|VERIFY|DECRYPT)|DEPTH_ZERO_SELF_SIGNED|SELF_SIGNED_CERT|ERR_TLS_CERT_|HOSTNAME_MISMATCH|INVALID_CA|UND_ERR_PRX_TLS)/;

/** The request had not begun: nothing of it went out. */
function noConnection(error: unknown): Breakdown {
  const code = codeOf(error) ?? '';
  const isUntrusted = CERTIFICATE.test(code);
  const isHopeless = isUntrusted || code === 'UND_ERR_INVALID_ARG' || code === 'UND_ERR_NOT_SUPPORTED';
  const phrase = isUntrusted ? 'its certificate cannot be trusted' : (PHRASES.get(code) ?? 'no connection');
  return breakdown(isHopeless ? 'hopeless' : 'not-connected', phrase, code);
}

/** The request had begun: it may have arrived. */
function broken(error: unknown): Breakdown {
  const code = codeOf(error) ?? '';
  const { name, message } = error instanceof Error ? error : { name: '', message: '' };
  // The proxy of a plain http address answered 407 itself; the library makes an error of it.
  if (code === 'UND_ERR_INVALID_ARG' && message.includes('(407)'))
    return breakdown('hopeless', 'the proxy asks for a login (407)');
  const isOther = name === 'HTTPParserError' || code === 'UND_ERR_HEADERS_OVERFLOW';
  const phrase = isOther
    ? 'something that is not HTTP came back'
    : 'the connection broke before the answer came';
  return breakdown('cut', phrase, code);
}

function breakdown(reason: Breakdown['reason'], phrase: string, code = ''): Breakdown {
  if (code === '') return { type: 'breakdown', reason, message: phrase };
  return { type: 'breakdown', reason, message: `${phrase} (${code})`, code };
}

/** A wrapped error of the proxy says less than what it wraps, except that it was the proxy's. */
function codeOf(error: unknown): string | undefined {
  const { code, cause } = (error ?? {}) as { code?: unknown; cause?: unknown };
  if (typeof code === 'string' && code !== '') return code;
  return cause instanceof Error && cause !== error ? codeOf(cause) : undefined;
}

/** A header of which one value is expected; of several the first. */
export function headerOf(answer: Answer, name: string): string | undefined {
  const value = answer.headers[name];
  return typeof value === 'string' ? value : value?.[0];
}

/** The path without its query, which may hold an e-mail address or a subject. */
export function pathOnly({ path }: ApiRequest): string {
  return path.replace(/\?.*/s, '');
}
