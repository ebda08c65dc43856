/** Waiting lines: first come, first served; an aborted signal leaves them. */

/** Only the line: its owner decides when the next one may go. */
export class WaitQueue {
  readonly #line = new Set<() => void>();
  readonly #onEmpty: () => void;

  /** `onEmpty` runs when the last one steps out by itself, so that nothing waits in vain. */
  constructor(onEmpty: () => void = () => {}) {
    this.#onEmpty = onEmpty;
  }

  get length(): number {
    return this.#line.size;
  }

  /** Resolves when it is this one's turn; rejects with the signal's reason when it aborts before. */
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

  /** Lets the first one go. Returns false if the line is empty. */
  next(): boolean {
    const [go] = this.#line;
    go?.();
    return go !== undefined;
  }

  all(): void {
    for (const go of [...this.#line]) go();
  }
}

/** So many at a time. One slot is one ticket, which has at most one request on the wire. */
export class Slots {
  readonly limit: number;
  readonly #line = new WaitQueue();
  #taken = 0;

  constructor(limit: number) {
    this.limit = limit;
  }

  /** Takes a slot if one is free and no caller waits for it. */
  tryAcquire(): boolean {
    if (this.#line.length > 0 || this.#taken >= this.limit) return false;
    this.#taken += 1;
    return true;
  }

  /** Waits for a slot. Rejects with the signal's reason, and then holds no slot. */
  acquire(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.reject(signal.reason);
    return this.tryAcquire() ? Promise.resolve() : this.#line.enter(signal);
  }

  /** Gives back one slot, exactly once. */
  release(): void {
    if (!this.#line.next()) this.#taken -= 1;
  }
}
