/**
 * Limits creates under way by how the last ones ended. The first create of a run goes alone; after repeated failures one goes
 * at a time, with growing pauses; at last the run stops, as a run can be resumed and doubts have to be settled.
 */

import { AppError } from '../domain/errors.ts';
import type { TicketProblem } from '../domain/ledger.ts';
import type { Clock, Emit, Random } from '../domain/ports.ts';
import { type BackoffRules, steadyBackoff } from '../helpdesk/backoff.ts';
import { WaitQueue } from '../helpdesk/pacer.ts';

/** `answered`: yes, or no to this very ticket. `nowhere`: nothing is at this address (404, 405). `neither`: it shows nothing of the helpdesk. */
export type CreateEnd = 'answered' | 'nowhere' | 'unknown' | 'neither';

export interface CreateTurn {
  end(how: CreateEnd, problem?: TicketProblem): void;
}

export interface CreateGateOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly emit: Emit;
  readonly stop: (reason: AppError) => void;
  readonly giveUpAfterMs: number;
}

/** Give up after this many tickets if the helpdesk has never taken one. */
export const MOST_UNPROVEN = 5;
/** One bad end may be the ticket's own. From the second on it is the helpdesk's. */
const TROUBLE_FROM = 2;
const PAUSES: BackoffRules = { firstMs: 500, maxMs: 30_000 };

export class CreateGate {
  readonly #options: CreateGateOptions;
  readonly #line = new WaitQueue(() => this.#pause?.abort());
  readonly #creates = new FailureStreak('created');
  readonly #rests = new FailureStreak('completed');
  #underWay = 0;
  #pause: AbortController | undefined;
  #hasPaused = false;

  constructor(options: CreateGateOptions) {
    this.#options = options;
  }

  async begin(externalId: string, signal: AbortSignal): Promise<CreateTurn> {
    if (this.#isOpen) this.#underWay += 1;
    else {
      const admitted = this.#line.enter(signal);
      this.#admit();
      await admitted;
    }
    const badBefore = this.#creates.length;
    return {
      end: (how, problem) => {
        this.#underWay -= 1;
        if (how === 'answered' || (how === 'nowhere' && this.#creates.isProven)) return this.worked();
        // Creates that failed side by side count once.
        if (how !== 'neither' && badBefore === this.#creates.length)
          this.#failed(this.#creates, externalId, problem);
        this.#admit();
      },
    };
  }

  worked(): void {
    this.#creates.worked();
    this.#admit();
  }

  restWorked(): void {
    this.#rests.worked();
    this.#admit();
  }

  restFailed(externalId: string, how: CreateEnd, problem: TicketProblem): void {
    if (how !== 'unknown' && (how !== 'nowhere' || this.#rests.isProven)) return;
    this.#failed(this.#rests, externalId, problem);
    this.#admit();
  }

  get #isOpen(): boolean {
    return this.#creates.isProven && !this.#creates.isTrouble && !this.#rests.isTrouble;
  }

  #failed(streak: FailureStreak, externalId: string, problem: TicketProblem | undefined): void {
    streak.failed(externalId, problem, this.#options.clock.monotonic());
  }

  #admit(): void {
    if (this.#line.length === 0) return;
    if (this.#isOpen) {
      this.#pause?.abort();
      this.#underWay += this.#line.length;
      this.#line.all();
      return;
    }
    if (this.#underWay > 0 || this.#pause !== undefined) return;
    const { clock, giveUpAfterMs, stop } = this.#options;
    const now = clock.monotonic();
    const hopeless = this.#creates.hopeless(now, giveUpAfterMs) ?? this.#rests.hopeless(now, giveUpAfterMs);
    const trouble = Math.max(this.#creates.length, this.#rests.length) - 1;
    if (hopeless !== undefined) stop(hopeless);
    else if (trouble > 0 && !this.#hasPaused) this.#rest(trouble);
    else {
      this.#hasPaused = false;
      this.#underWay += 1;
      this.#line.next();
    }
  }

  #rest(trouble: number): void {
    const pause = new AbortController();
    this.#pause = pause;
    const { clock, random, emit } = this.#options;
    const ms = steadyBackoff(trouble, random, PAUSES);
    const over = () => {
      this.#pause = undefined;
      this.#hasPaused = true;
      this.#admit();
    };
    emit({ type: 'waiting', reason: 'creates-fail', untilMs: clock.now() + ms });
    clock.sleep(ms, pause.signal).then(over, over);
  }
}

class FailureStreak {
  readonly #tickets = new Set<string>();
  readonly #verb: string;
  isProven = false;
  #since = 0;
  #last = '';

  constructor(verb: string) {
    this.#verb = verb;
  }

  get length(): number {
    return this.#tickets.size;
  }

  get isTrouble(): boolean {
    return this.#tickets.size >= TROUBLE_FROM;
  }

  worked(): void {
    this.isProven = true;
    this.#tickets.clear();
  }

  failed(externalId: string, problem: TicketProblem | undefined, now: number): void {
    if (this.#tickets.size === 0) this.#since = now;
    this.#tickets.add(externalId);
    this.#last = problem?.message ?? '';
  }

  hopeless(now: number, giveUpAfterMs: number): AppError | undefined {
    const count = this.length;
    const badForMs = now - this.#since;
    if (this.isProven ? !this.isTrouble || badForMs < giveUpAfterMs : count < MOST_UNPROVEN) return undefined;
    const message = this.isProven
      ? `No ticket could be ${this.#verb} for ${Math.round(badForMs / 60_000)} minutes, so the import stops. Last error: ${this.#last}`
      : `None of the first ${count} tickets could be ${this.#verb}, so the import stops. Last error: ${this.#last}`;
    return new AppError('unreachable', message, {
      hint: 'See what answers at the base URL with `helpdesk-import doctor`; then run the same command again: it continues where it stopped.',
    });
  }
}
