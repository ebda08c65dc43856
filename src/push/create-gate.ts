/**
 * How many creates may be under way, by how the last ones ended.
 *
 * A wrong address, a proxy that wants a login, a service that fails at every create: whatever is sent there leaves one ticket
 * after the other in doubt or refused. So the first create of a run goes alone. Where creates of different tickets end badly one
 * after the other, or tickets are created and their messages or history then fail, one create goes at a time, with growing
 * pauses, and at last the run stops: a run can be resumed, a doubt has to be settled.
 */
import type { Clock, Random } from '../domain/clock.ts';
import { AppError } from '../domain/errors.ts';
import type { TicketProblem } from '../domain/ledger.ts';
import type { Emit } from '../domain/run-events.ts';
import { type BackoffRules, steadyBackoff } from '../target/backoff.ts';
import { WaitQueue } from '../target/slots.ts';

/**
 * `answered`: the target said yes, or no to this very ticket. `nowhere`: it has nothing at this address (404, 405).
 * `unknown`: the create may or may not have had its effect. `neither`: it shows nothing of the target.
 */
export type CreateEnd = 'answered' | 'nowhere' | 'unknown' | 'neither';

/** A create that may go out; `end` is called once, however it ends. */
export interface CreateTurn {
  end(how: CreateEnd, problem?: TicketProblem): void;
}

export interface CreateGateOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly emit: Emit;
  /** Stops the run, and so all that wait here. */
  readonly stop: (reason: AppError) => void;
  /** How long creates of a target that has worked before may all end badly, milliseconds. */
  readonly giveUpAfterMs: number;
}

/** A target with which not one has ended well: after so many tickets it is not waited for. */
export const MOST_UNPROVEN = 5;
/** One bad end may be the ticket's own. From the second on it is the target's. */
const TROUBLE_FROM = 2;
const PAUSES: BackoffRules = { firstMs: 500, maxMs: 30_000 };

export class CreateGate {
  readonly #options: CreateGateOptions;
  readonly #line = new WaitQueue(() => this.#pause?.abort());
  readonly #creates = new FailureStreak('have been created');
  readonly #rests = new FailureStreak('be complete in the helpdesk');
  #underWay = 0;
  #pause: AbortController | undefined;
  #hasPaused = false;

  constructor(options: CreateGateOptions) {
    this.#options = options;
  }

  /** Rejects with the signal's reason. */
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
        // Of those that were under way together, the first one counts.
        if (how !== 'neither' && badBefore === this.#creates.length)
          this.#failed(this.#creates, externalId, problem);
        this.#admit();
      },
    };
  }

  /** The target has answered a create, or one of unknown outcome turned out to have made its ticket. */
  worked(): void {
    this.#creates.worked();
    this.#admit();
  }

  /** A ticket got its messages and its history. */
  restWorked(): void {
    this.#rests.worked();
    this.#admit();
  }

  /** What follows the create of a ticket failed. */
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

/** Tickets with which one kind of step ended badly, one after the other. */
class FailureStreak {
  readonly #tickets = new Set<string>();
  readonly #verb: string;
  /** One has ended well, at some time. */
  isProven = false;
  #since = 0;
  #last = '';

  /** `verb`: what no ticket "is known to" have or be, for the sentence that stops the run. */
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

  /** @param now milliseconds of a clock that does not jump */
  failed(externalId: string, problem: TicketProblem | undefined, now: number): void {
    if (this.#tickets.size === 0) this.#since = now;
    this.#tickets.add(externalId);
    this.#last = problem?.message ?? '';
  }

  /** What stops the run; `giveUpAfterMs` is how long a target that worked before is waited for. */
  hopeless(now: number, giveUpAfterMs: number): AppError | undefined {
    const count = this.length;
    const badForMs = now - this.#since;
    if (this.isProven ? !this.isTrouble || badForMs < giveUpAfterMs : count < MOST_UNPROVEN) return undefined;
    const span = this.isProven
      ? `For ${Math.round(badForMs / 60_000)} minutes no ticket`
      : `Not one of the first ${count} tickets`;
    const message = `${span} is known to ${this.#verb}, so no more are sent. Of the last one: ${this.#last}`;
    return new AppError('unreachable', message, {
      hint: 'See what answers at the base URL with "helpdesk-import doctor"; then run the same command again: it continues where it stopped.',
    });
  }
}
