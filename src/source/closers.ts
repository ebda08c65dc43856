/** What is to be closed again, the last one first: an AsyncDisposableStack as far as it is needed, which Node 22 does not have. */
export class Closers implements AsyncDisposable {
  #all: AsyncDisposable[] = [];

  use<T extends AsyncDisposable>(resource: T): T {
    this.#all.push(resource);
    return resource;
  }

  /** Hands all of it over: this one closes nothing any more. */
  move(): Closers {
    const moved = new Closers();
    [moved.#all, this.#all] = [this.#all, []];
    return moved;
  }

  /** Closes all, whatever fails on the way; the first failure is thrown. */
  async [Symbol.asyncDispose](): Promise<void> {
    const failures: unknown[] = [];
    for (const resource of this.#all.splice(0).reverse()) {
      try {
        await resource[Symbol.asyncDispose]();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }
}
