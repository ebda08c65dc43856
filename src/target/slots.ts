/** First come, first served; an aborted signal leaves the line. */

export class WaitQueue {
  readonly #line = new Set<() => void>();
  readonly #onEmpty: () => void;

  /** `onEmpty` runs when the last one leaves. */
  constructor(onEmpty: () => void = () => {}) {
    this.#onEmpty = onEmpty;
  }

  get length(): number {
    return this.#line.size;
  }

  /** Rejects with the signal's reason. */
  enter(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.reject(signal.reason);
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#line.delete(go);
        signal.removeEventListener('abort', onAbort);
      };
      const go = () => {
        leave();
        resolve();
      };
      const onAbort = () => {
        leave();
        reject(signal.reason);
        if (this.#line.size === 0) this.#onEmpty();
      };
      this.#line.add(go);
      signal.addEventListener('abort', onAbort, { once: true });
    });
  }

  next(): boolean {
    const [go] = this.#line;
    go?.();
    return go !== undefined;
  }

  all(): void {
    for (const go of [...this.#line]) go();
  }
}

/** One slot is one ticket, with at most one request on the wire. */
export class Slots {
  readonly limit: number;
  readonly #line = new WaitQueue();
  #taken = 0;

  constructor(limit: number) {
    this.limit = limit;
  }

  tryAcquire(): boolean {
    if (this.#line.length > 0 || this.#taken >= this.limit) return false;
    this.#taken += 1;
    return true;
  }

  acquire(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.reject(signal.reason);
    return this.tryAcquire() ? Promise.resolve() : this.#line.enter(signal);
  }

  release(): void {
    if (!this.#line.next()) this.#taken -= 1;
  }
}
