/**
 * Many requests under one signal with one listener on it: to add and remove a listener for each request costs more than the
 * rest of what an abort needs. Leaves none where nothing is under way.
 */
export class AbortWatch {
  readonly #watched = new Map<
    AbortSignal,
    { readonly calls: Set<() => void>; readonly listener: () => void }
  >();

  /** `onAbort` is called once when the signal aborts, unless it is forgotten before. */
  add(signal: AbortSignal, onAbort: () => void): void {
    let watched = this.#watched.get(signal);
    if (watched === undefined) {
      const calls = new Set<() => void>();
      const listener = () => {
        this.#watched.delete(signal);
        for (const call of calls) call();
      };
      watched = { calls, listener };
      this.#watched.set(signal, watched);
      signal.addEventListener('abort', listener, { once: true });
    }
    watched.calls.add(onAbort);
  }

  forget(signal: AbortSignal, onAbort: () => void): void {
    const watched = this.#watched.get(signal);
    if (watched === undefined || !watched.calls.delete(onAbort) || watched.calls.size > 0) return;
    this.#watched.delete(signal);
    signal.removeEventListener('abort', watched.listener);
  }
}
