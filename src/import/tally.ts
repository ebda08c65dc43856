/**
 * What has become of the export's tickets, kept while a push goes on. It starts from what the first pass over the export
 * found (where every ticket that is still to be sent has the outcome that the checkpoint knows) and moves one ticket from
 * its old outcome to its new one as it settles. So the sum never changes: nothing can be counted twice or lost.
 */
import { AppError } from '../domain/errors.ts';
import { OUTCOMES, type Outcome, type OutcomeCounts } from '../domain/ticket-state.ts';

export class Tally {
  readonly #counts: OutcomeCounts;

  constructor(surveyed: OutcomeCounts) {
    this.#counts = { ...surveyed };
  }

  move(from: Outcome, to: Outcome): void {
    if (this.#counts[from] === 0)
      throw new AppError('internal', `A ticket left the outcome "${from}", in which none is counted.`);
    this.#counts[from]--;
    this.#counts[to]++;
  }

  get counts(): OutcomeCounts {
    const sum = OUTCOMES.reduce((total, outcome) => total + this.#counts[outcome], 0);
    if (sum !== this.#counts.read)
      throw new AppError('internal', `The outcomes add up to ${sum}, but ${this.#counts.read} were read.`);
    return { ...this.#counts };
  }
}
