/** Wakes whoever waits for "something changed". Rings are not kept: look first, then wait, in the same turn. */
export class Bell {
  #waiting: PromiseWithResolvers<void> | undefined;

  ring(): void {
    this.#waiting?.resolve();
    this.#waiting = undefined;
  }

  wait(): Promise<void> {
    this.#waiting ??= Promise.withResolvers<void>();
    return this.#waiting.promise;
  }
}
