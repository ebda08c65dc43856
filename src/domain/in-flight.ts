/** One budget for all answers, documents and files that the process is receiving: the oldest always goes on, the others wait for room. */
import { BOUNDS } from './limits.ts';

export class InFlight {
  readonly #most: number;
  readonly #held = new Map<object, number>();
  readonly #waiting = new Map<object, () => void>();

  /** Beyond half of `most` only the oldest goes on, which has a bound of its own. */
  constructor(most: number) {
    this.#most = most;
  }

  /** Whether the owner may read more; else it waits for its `turn`. A request that waits for a connection holds up nobody. */
  take(owner: object, bytes: number): boolean {
    if (bytes > 0) this.#held.set(owner, (this.#held.get(owner) ?? 0) + bytes);
    const [oldest = owner] = this.#held.keys();
    return (
      owner === oldest || [...this.#held.values()].reduce((sum, each) => sum + each, 0) <= this.#most / 2
    );
  }

  async turn(owner: object): Promise<void> {
    if (!this.take(owner, 0)) await new Promise<void>((wake) => void this.#waiting.set(owner, wake));
  }

  release(owner: object): void {
    this.#held.delete(owner);
    for (const [each, wake] of [...this.#waiting]) {
      if (each !== owner && !this.take(each, 0)) continue;
      this.#waiting.delete(each);
      wake();
    }
  }
}

export const inFlight = new InFlight(BOUNDS.inFlight.most);
