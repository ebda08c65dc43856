/**
 * One exchange over undici: bytes out, a status with its body back, or exactly why not.
 *
 * The life of a request: queued (for a connection; nothing has gone out) → begun (the first byte may have) → headers
 * (the status is known) → over. What an end means depends on how far it had come:
 *
 *   queued   error, deadline → breakdown `not-connected` or `hopeless`; abort → rejected with the signal's reason
 *   begun    error → breakdown `not-written` or `cut` (socket-watch.ts); deadline → `timeout`; abort → `aborted`
 *   headers  error, deadline → the answer, with its body cut; abort → `aborted`
 *
 * A deadline, an abort or a close of our own is never counted as `not-written`, although part of the request may still be
 * here: those come at any time, so also between the operating system's taking over the last bytes and our hearing of it.
 * A request that is over while it is queued never goes out: undici asks before it writes, and is refused. Nor does
 * anything go out twice: should the library ever begin a request again by itself, that is refused too.
 */
import type { Dispatcher } from 'undici';
import type { Clock } from '../../domain/clock.ts';
import { BOUNDS } from '../../domain/limits.ts';
import { createDispatcher } from './dispatcher.ts';
import type { ApiRequest, Exchange, Reply } from './exchange.ts';
import { Flights, type Flying } from './flights.ts';
import { brokenConnection, CLOSED_BY_US, closedByUs, noConnection } from './network-errors.ts';
import type { Environment } from './proxy.ts';
import { SocketWatch, type WriteProgress } from './socket-watch.ts';

export interface TransportOptions {
  readonly origin: string;
  /** For the whole exchange: connecting, sending, waiting and reading. Milliseconds. */
  readonly timeoutMs: number;
  /** Most connections at a time, as many as tickets in flight. Requests beyond that wait, and their deadline runs. */
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

const MAX_ANSWER_BYTES = BOUNDS.answer.most;
/** Of an answer that is too large, bytes. */
const KEPT_OF_CUT = 65_536;

export function createTransport(options: TransportOptions): Transport {
  const { origin, clock, timeoutMs, userAgent = 'helpdesk-import' } = options;
  const maxAnswerBytes = options.maxAnswerBytes ?? MAX_ANSWER_BYTES;
  const dispatcher = createDispatcher(origin, {
    connections: options.connections,
    connectTimeoutMs: timeoutMs,
    env: options.env ?? {},
  });
  const watch = new SocketWatch();
  const flights = new Flights(clock, timeoutMs);
  const bounds = { maxAnswerBytes, timeoutMs };

  const exchange: Exchange = (request, signal, onBegun) => {
    if (signal.aborted) return Promise.reject(signal.reason);
    return new Promise((resolve, reject) => {
      const flight = new Flight({
        resolve,
        reject,
        signal,
        written: watch.progress(),
        bounds,
        flights,
        onBegun,
      });
      flights.add(flight);
      dispatcher.dispatch(
        {
          origin,
          path: request.path,
          method: request.method,
          headers: headersOf(request, userAgent),
          ...(request.body === undefined ? {} : { body: request.body }),
        },
        flight,
      );
    });
  };

  return {
    exchange,
    async close() {
      await dispatcher.destroy(Object.assign(new Error('the client was closed'), { code: CLOSED_BY_US }));
      flights.close();
      watch.close();
    },
  };
}

/** A copy, so that the rest can go. */
function beginningOf(chunks: readonly Buffer[]): Buffer {
  const first: Buffer[] = [];
  for (let bytes = 0, at = 0; at < chunks.length && bytes < KEPT_OF_CUT; at++) {
    const chunk = chunks[at] as Buffer;
    first.push(chunk);
    bytes += chunk.length;
  }
  return Buffer.concat(first).subarray(0, KEPT_OF_CUT);
}

function headersOf(request: ApiRequest, userAgent: string): Record<string, string> {
  const headers: Record<string, string> = { accept: 'application/json', 'user-agent': userAgent };
  if (request.body !== undefined) headers['content-type'] = 'application/json';
  if (request.authorization !== undefined) headers['authorization'] = request.authorization;
  return request.headers === undefined ? headers : Object.assign(headers, request.headers);
}

interface Bounds {
  readonly maxAnswerBytes: number;
  readonly timeoutMs: number;
}

type AnswerHeaders = Record<string, string | string[] | undefined>;

interface FlightParts {
  readonly resolve: (reply: Reply) => void;
  readonly reject: (reason: unknown) => void;
  readonly signal: AbortSignal;
  readonly written: WriteProgress;
  readonly bounds: Bounds;
  readonly flights: Flights;
  readonly onBegun: (() => void) | undefined;
}

class Flight implements Dispatcher.DispatchHandler, Flying {
  readonly #parts: FlightParts;
  readonly signal: AbortSignal;
  due = 0;
  #begun = false;
  #over = false;
  #controller: Dispatcher.DispatchController | undefined;
  #status = 0;
  #headers: AnswerHeaders = {};
  #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(parts: FlightParts) {
    this.#parts = parts;
    this.signal = parts.signal;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#over || this.#begun) {
      controller.abort(new Error('given up, or sent before'));
      this.#settle(brokenConnection(new Error('the connection broke'), true));
      return;
    }
    this.#begun = true;
    this.#controller = controller;
    this.#parts.onBegun?.();
    this.#parts.written.begin();
  }

  onRequestSent(): void {
    this.#parts.written.handedOver();
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: AnswerHeaders): void {
    // Informational answers precede the real one.
    if (status < 200) return;
    this.#status = status;
    this.#headers = headers;
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#over) return;
    this.#bytes += chunk.length;
    if (this.#bytes <= this.#parts.bounds.maxAnswerBytes) {
      this.#chunks.push(chunk);
      return;
    }
    // What it says of itself stands at its beginning; sixteen such answers at a time would be half a gigabyte.
    this.#chunks = [beginningOf(this.#chunks)];
    this.#answer(`it is larger than ${this.#parts.bounds.maxAnswerBytes} bytes`);
    this.#hangUp();
  }

  onResponseEnd(): void {
    this.#answer();
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
    if (this.#over) return;
    if (this.#status !== 0) this.#answer('the connection broke');
    else if (this.#begun)
      this.#settle(brokenConnection(error, closedByUs(error) || this.#parts.written.maybeWritten));
    else this.#settle(noConnection(error));
  }

  onAbort(): void {
    if (this.#begun) {
      this.#settle({ type: 'breakdown', reason: 'aborted', message: 'it was cut off' });
      this.#hangUp();
      return;
    }
    this.#end();
    this.#parts.reject(this.signal.reason);
  }

  onDue(): void {
    const seconds = `${this.#parts.bounds.timeoutMs / 1000} s`;
    if (this.#status !== 0) this.#answer(`it was not complete within ${seconds}`);
    else if (this.#begun)
      this.#settle({ type: 'breakdown', reason: 'timeout', message: `no answer within ${seconds}` });
    else
      this.#settle({
        type: 'breakdown',
        reason: 'not-connected',
        message: `no connection within ${seconds}`,
        code: 'ETIMEDOUT',
      });
    this.#hangUp();
  }

  #answer(cut?: string): void {
    const body = this.#chunks.length === 1 ? this.#chunks[0] : Buffer.concat(this.#chunks);
    this.#settle({
      type: 'answer',
      status: this.#status,
      headers: this.#headers,
      body: body ?? Buffer.alloc(0),
      ...(cut === undefined ? {} : { cut }),
    });
  }

  #settle(reply: Reply): void {
    if (this.#over) return;
    this.#end();
    this.#parts.resolve(reply);
  }

  #end(): void {
    this.#over = true;
    this.#chunks = [];
    this.#parts.flights.remove(this);
  }

  #hangUp(): void {
    this.#controller?.abort(new Error('given up'));
  }
}
