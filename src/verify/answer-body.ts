/**
 * One request, and the body of its answer in the parts that come over the connection. A stream for each of many small files
 * would cost more than all else that is done for them.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';

export interface Answered {
  readonly statusCode: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: AnswerBody;
}

export interface Asked {
  readonly url: URL;
  readonly method: 'GET' | 'HEAD';
  readonly headers: Readonly<Record<string, string>>;
}

/** So much waits for its reader before the connection does. */
const MOST_WAITING = 512 * 1024;

/** Read once. Rejects as the request does when it breaks off, also with the signal's reason. */
export class AnswerBody implements AsyncIterableIterator<Buffer>, Dispatcher.DispatchHandler {
  readonly #signal: AbortSignal;
  readonly #answered: (answer: Answered) => void;
  readonly #failed: (error: unknown) => void;
  readonly #abort = () => this.#end(this.#signal.reason);
  #controller: Dispatcher.DispatchController | undefined;
  #chunks: Buffer[] = [];
  #waiting = 0;
  /** Nothing more comes; with a reason where the body is not whole. */
  #over: { readonly reason?: unknown } | undefined;
  #reader: (() => void) | undefined;

  constructor(signal: AbortSignal, answered: (answer: Answered) => void, failed: (error: unknown) => void) {
    this.#signal = signal;
    this.#answered = answered;
    this.#failed = failed;
    signal.addEventListener('abort', this.#abort, { once: true });
  }

  async next(): Promise<IteratorResult<Buffer, undefined>> {
    while (this.#chunks.length === 0 && this.#over === undefined)
      await new Promise<void>((wake) => {
        this.#reader = wake;
      });
    const value = this.#chunks.shift();
    if (value === undefined) {
      if (this.#over !== undefined && 'reason' in this.#over) throw this.#over.reason;
      return { value, done: true };
    }
    this.#waiting -= value.length;
    if (this.#waiting === 0 && this.#controller?.paused === true) this.#controller.resume();
    return { value, done: false };
  }

  async return(): Promise<IteratorResult<Buffer, undefined>> {
    this.hangUp();
    return { value: undefined, done: true };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** The rest is not wanted, and the connection ends. */
  hangUp(): void {
    this.#chunks = [];
    this.#end(new Error('it was not wanted any more'));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#over !== undefined) controller.abort(new Error('it was not wanted any more'));
  }

  onResponseStart(_: unknown, statusCode: number, headers: IncomingHttpHeaders): void {
    if (statusCode >= 200) this.#answered({ statusCode, headers, body: this });
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#over !== undefined) return;
    this.#chunks.push(chunk);
    this.#waiting += chunk.length;
    if (this.#waiting >= MOST_WAITING) controller.pause();
    this.#reader?.();
  }

  onResponseEnd(): void {
    this.#finish({});
  }

  onResponseError(_: unknown, error: Error): void {
    this.#finish({ reason: error });
  }

  #end(reason: unknown): void {
    if (this.#over !== undefined) return;
    this.#finish({ reason });
    this.#controller?.abort(
      reason instanceof Error ? reason : new Error('it was stopped', { cause: reason }),
    );
  }

  #finish(over: { readonly reason?: unknown }): void {
    if (this.#over !== undefined) return;
    this.#over = over;
    this.#signal.removeEventListener('abort', this.#abort);
    if ('reason' in over) {
      // What came before a stop is nobody's any more; what came before a break serves the next attempt.
      if (this.#signal.aborted) this.#chunks = [];
      this.#failed(over.reason);
    }
    this.#reader?.();
  }
}

/** Resolves with the answer once its headers are there. */
export function ask(
  dispatcher: Dispatcher,
  { url, method, headers }: Asked,
  signal: AbortSignal,
): Promise<Answered> {
  return new Promise((answered, failed) => {
    signal.throwIfAborted();
    dispatcher.dispatch(
      { origin: url.origin, path: `${url.pathname}${url.search}`, method, headers: { ...headers } },
      new AnswerBody(signal, answered, failed),
    );
  });
}
