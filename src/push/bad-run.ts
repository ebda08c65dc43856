/** Tickets with which one kind of step ended badly, one after the other: when is a target not sent any more of them? */
import { AppError } from '../domain/errors.ts';
import type { TicketProblem } from '../domain/ledger.ts';

/** A target with which not one has ended well: after so many tickets it is not waited for. */
export const MOST_UNPROVEN = 5;
/** One bad end may be the ticket's own. From the second on it is the target's. */
const TROUBLE_FROM = 2;

export class BadRun {
  readonly #tickets = new Set<string>();
  readonly #verb: string;
  #isProven = false;
  #since = 0;
  #last = '';

  /** `verb`: what no ticket "is known to" have or be, for the sentence that stops the run. */
  constructor(verb: string) {
    this.#verb = verb;
  }

  /** One has ended well, at some time. */
  get isProven(): boolean {
    return this.#isProven;
  }

  get length(): number {
    return this.#tickets.size;
  }

  get isTrouble(): boolean {
    return this.#tickets.size >= TROUBLE_FROM;
  }

  worked(): void {
    this.#isProven = true;
    // To clear an empty set costs as much as to make one, and this is asked for at every answer.
    if (this.#tickets.size > 0) this.#tickets.clear();
  }

  /** @param now milliseconds of a clock that does not jump */
  failed(externalId: string, problem: TicketProblem | undefined, now: number): void {
    if (this.#tickets.size === 0) this.#since = now;
    this.#tickets.add(externalId);
    this.#last = problem?.message ?? '';
  }

  /** What stops the run; `giveUpAfterMs` is how long a target that worked before is waited for. */
  hopeless(now: number, giveUpAfterMs: number): AppError | undefined {
    const count = this.#tickets.size;
    if (!this.#isProven)
      return count < MOST_UNPROVEN ? undefined : this.#stop(`Not one of the first ${count} tickets`);
    const badForMs = now - this.#since;
    if (!this.isTrouble || badForMs < giveUpAfterMs) return undefined;
    return this.#stop(`For ${Math.round(badForMs / 60_000)} minutes no ticket`);
  }

  #stop(none: string): AppError {
    const message = `${none} is known to ${this.#verb}, so no more are sent. Of the last one: ${this.#last}`;
    return new AppError('unreachable', message, {
      hint: 'See what answers at the base URL with "helpdesk-import doctor"; then run the same command again: it goes on where it stopped.',
    });
  }
}
