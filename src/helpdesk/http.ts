/**
 * One request over undici, one attempt: an answer with its body, or the reason why no answer came. It rejects with the signal's reason
 * only when no byte went out. The meaning of an end depends on how far the request had come:
 *
 *   queued   error, deadline → `not-connected` or `hopeless`; abort → rejected with the signal's reason
 *   begun    error → `cut`; deadline → `timeout`; abort → `aborted`: it may have arrived
 *   status   error, deadline → the answer, with its body cut; abort → `aborted`
 *
 * HTTP/1.1 only, one request on a connection at a time: with HTTP/2 or pipelining one broken connection would leave many
 * creates in doubt.
 */
import type { Dispatcher } from 'undici';
import { BOUNDS, inFlight } from '../domain/limits.ts';
import type { Clock } from '../domain/ports.ts';
import type { OnWire } from '../domain/ticket-api.ts';
import { type Environment, isLoopback, proxyAgent, undici } from './address.ts';

/** Rules for repeating a call: a `create` never, a `replace` after a new look, the others at once. */
export type CallKind = 'create' | 'replace' | 'repeatable' | 'read';

export interface ApiRequest {
  readonly kind: CallKind;
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly path: string;
  readonly body?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly attempt: number;
  /** A larger answer counts as cut, bytes. */
  readonly mostBytes?: number | undefined;
  /** Tests whether a new token may be used. */
  readonly isCheck?: true | undefined;
  readonly wire?: OnWire | undefined;
}

export type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

export interface Answer {
  readonly type: 'answer';
  readonly status: number;
  readonly headers: Headers;
  readonly body: Buffer;
  readonly cut?: string | undefined;
}

export interface Breakdown {
  readonly type: 'breakdown';
  /**
   * `not-connected`: no connection. `hopeless`: none, and waiting will not help. `cut`: broken, or no HTTP. `timeout`: no
   * answer in time. `aborted`: by the caller's signal.
   */
  readonly reason: 'not-connected' | 'hopeless' | 'cut' | 'timeout' | 'aborted';
  readonly message: string;
  readonly code?: string | undefined;
}

export type Reply = Answer | Breakdown;

/** `onBegun` is called at most once, when the first byte is about to go out. */
export type Exchange = (request: ApiRequest, signal: AbortSignal, onBegun?: () => void) => Promise<Reply>;

export interface TransportOptions {
  readonly origin: string;
  readonly timeoutMs: number;
  readonly connections: number;
  readonly maxAnswerBytes?: number | undefined;
  readonly userAgent?: string | undefined;
  readonly clock: Clock;
  readonly env?: Environment | undefined;
}

export interface Transport {
  readonly exchange: Exchange;
  close(): Promise<void>;
}

/** Kept of a too large answer, bytes: its beginning says what it is. */
const KEPT_OF_CUT = 65_536;
/** A shared reason saves a stack for each request. */
const OVER = 'the request is over';

export function createTransport(options: TransportOptions): Transport {
  const { origin, clock, timeoutMs, connections, env = {}, userAgent = 'helpdesk-import' } = options;
  const { maxAnswerBytes = BOUNDS.answer.most } = options;
  const connection = {
    connections,
    pipelining: 1,
    allowH2: false,
    connectTimeout: Math.max(1, Math.ceil(timeoutMs)),
    // The whole exchange has one deadline; these would compete with it.
    headersTimeout: 0,
    bodyTimeout: 0,
    // Shorter than servers allow, as a request that meets a closing connection ends in doubt.
    keepAliveTimeout: 4_000,
    keepAliveTimeoutThreshold: 1_000,
  };
  const proxied = isLoopback(new URL(origin).hostname) ? undefined : proxyAgent(env, connection);
  const { Pool } = undici();
  const dispatcher: Dispatcher = proxied ?? new Pool(origin, connection);

  const way: Way = { origin, clock, timeoutMs, maxAnswerBytes, userAgent };
  const exchange: Exchange = (request, signal, onBegun) => {
    if (signal.aborted) return Promise.reject(signal.reason);
    return new OneExchange(request, signal, onBegun, way).run(dispatcher);
  };
  return { exchange, close: () => dispatcher.destroy(new Error('the client was closed')) };
}

interface Way extends Pick<TransportOptions, 'origin' | 'clock' | 'timeoutMs'> {
  readonly maxAnswerBytes: number;
  readonly userAgent: string;
}

/** A request until its answer is complete, its deadline has passed or its connection has broken. */
class OneExchange {
  readonly #request: ApiRequest;
  readonly #signal: AbortSignal;
  readonly #onBegun: (() => void) | undefined;
  readonly #way: Way;
  readonly #deadline = new AbortController();
  readonly #reply = Promise.withResolvers<Reply>();
  #controller: Dispatcher.DispatchController | undefined;
  #status = 0;
  #headers: Headers = {};
  #chunks: Buffer[] = [];
  #bytes = 0;
  #isOver = false;

  constructor(request: ApiRequest, signal: AbortSignal, onBegun: (() => void) | undefined, way: Way) {
    this.#request = request;
    this.#signal = signal;
    this.#onBegun = onBegun;
    this.#way = way;
  }

  async run(dispatcher: Dispatcher): Promise<Reply> {
    const { path, method, body, headers } = this.#request;
    const { origin, clock, timeoutMs, userAgent } = this.#way;
    this.#signal.addEventListener('abort', this.#onAbort, { once: true });
    clock.sleep(timeoutMs, this.#deadline.signal).then(
      () => this.#onLate(),
      () => undefined,
    );
    dispatcher.dispatch(
      {
        ...{ origin, path, method, body: body ?? null },
        headers: {
          accept: 'application/json',
          'user-agent': userAgent,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
      },
      this.#handler(),
    );
    return await this.#reply.promise;
  }

  #handler(): Dispatcher.DispatchHandler {
    return {
      onRequestStart: (own) => {
        if (this.#isOver || this.#controller !== undefined) {
          own.abort(new Error('given up, or sent before'));
          this.#settle(broken(new Error('it was begun a second time')));
          return;
        }
        this.#controller = own;
        this.#onBegun?.();
      },
      onResponseStart: (_, code, received) => {
        if (code < 200) return;
        this.#status = code;
        this.#headers = received;
      },
      onResponseData: (own, chunk) => this.#take(own, chunk),
      onResponseEnd: () => this.#answer(),
      onResponseError: (_, error) => {
        if (this.#status !== 0) this.#answer('the connection broke');
        else this.#settle(this.#controller === undefined ? noConnection(error) : broken(error));
      },
    };
  }

  #take(own: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#isOver) return;
    if (!inFlight.take(this.#deadline, chunk.length)) {
      own.pause();
      inFlight.turn(this.#deadline).then(() => own.resume());
    }
    this.#bytes += chunk.length;
    this.#chunks.push(chunk);
    const { mostBytes = this.#way.maxAnswerBytes } = this.#request;
    if (this.#bytes <= mostBytes) return;
    this.#chunks = [Buffer.concat(this.#chunks).subarray(0, KEPT_OF_CUT)];
    this.#answer(`it is larger than ${mostBytes} bytes`);
    this.#hangUp();
  }

  #answer(cut?: string): void {
    const body = Buffer.concat(this.#chunks);
    this.#settle({ type: 'answer', status: this.#status, headers: this.#headers, body, cut });
  }

  #settle(reply: Reply): void {
    if (this.#isOver) return;
    this.#end();
    this.#reply.resolve(reply);
  }

  #end(): void {
    this.#isOver = true;
    this.#deadline.abort(OVER);
    // The caller reads the answer first.
    setImmediate(() => inFlight.release(this.#deadline));
    this.#signal.removeEventListener('abort', this.#onAbort);
  }

  #hangUp(): void {
    this.#controller?.abort(new Error('given up'));
  }

  readonly #onAbort = (): void => {
    if (this.#controller === undefined) {
      this.#end();
      this.#reply.reject(this.#signal.reason);
      return;
    }
    this.#settle(breakdown('aborted', 'it was cut off'));
    this.#hangUp();
  };

  #onLate(): void {
    const seconds = `${this.#way.timeoutMs / 1000} s`;
    if (this.#status !== 0) this.#answer(`it was not complete within ${seconds}`);
    else if (this.#controller === undefined)
      this.#settle(breakdown('not-connected', `no connection within ${seconds}`));
    else this.#settle(breakdown('timeout', `no answer within ${seconds}`));
    this.#hangUp();
  }
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
    // The library refuses this request every time.
    UND_ERR_INVALID_ARG: 'this request cannot be sent',
    UND_ERR_NOT_SUPPORTED: 'this request cannot be sent',
  }),
);

/** OpenSSL's reasons to distrust a certificate. */
const CERTIFICATE =
  /^(?:CERT_|UNABLE_TO_(?:GET|VERIFY|DECRYPT)|DEPTH_ZERO_SELF_SIGNED|SELF_SIGNED_CERT|ERR_TLS_CERT_|HOSTNAME_MISMATCH|INVALID_CA|UND_ERR_PRX_TLS)/;

/** Nothing went out. */
function noConnection(error: unknown): Breakdown {
  const code = codeOf(error) ?? '';
  const isUntrusted = CERTIFICATE.test(code);
  const isHopeless = isUntrusted || code === 'UND_ERR_INVALID_ARG' || code === 'UND_ERR_NOT_SUPPORTED';
  const phrase = isUntrusted ? 'its certificate cannot be trusted' : (PHRASES.get(code) ?? 'no connection');
  return breakdown(isHopeless ? 'hopeless' : 'not-connected', phrase, code);
}

/** It may have arrived. */
function broken(error: unknown): Breakdown {
  const code = codeOf(error) ?? '';
  const { name, message } = error instanceof Error ? error : { name: '', message: '' };
  // The library makes an error of a proxy's 407.
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

/** A wrapped proxy error says less than what it wraps. */
function codeOf(error: unknown): string | undefined {
  const { code, cause } = (error ?? {}) as { code?: unknown; cause?: unknown };
  if (typeof code === 'string' && code !== '') return code;
  return cause instanceof Error && cause !== error ? codeOf(cause) : undefined;
}

export function headerOf({ headers }: Pick<Answer, 'headers'>, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' ? value : value?.[0];
}

/** Without its query, which may hold an address or a subject. */
export function pathOnly({ path }: ApiRequest): string {
  return path.replace(/\?.*/s, '');
}
