/** Wakes whoever waits for "something changed". Rings are not kept: look first, then wait, in the same turn. */
export class Bell {
  #waiting = Promise.withResolvers<void>();

  ring(): void {
    this.#waiting.resolve();
    this.#waiting = Promise.withResolvers<void>();
  }

  wait(): Promise<void> {
    return this.#waiting.promise;
  }
}
