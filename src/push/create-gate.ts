/**
 * How many creates may be under way, by how the last ones ended.
 *
 * A wrong address that answers everything with a page, a proxy that wants a login, a service that fails at every create:
 * whatever is sent there leaves one ticket after the other in doubt or refused. So the first create of a run goes alone, and
 * the others follow when it has ended well. Where creates end badly one after the other they go one at a time again, with
 * growing pauses, and at last the run stops: a run can be resumed, a doubt has to be settled.
 *
 * Likewise where tickets are created, and their messages or history then fail: more of them would be left half-way.
 *
 * "One after the other" counts different tickets, each create begun after the one before had ended: what a moment's trouble does
 * to all that are under way counts once.
 */
import type { Clock, Random } from '../domain/clock.ts';
import { AppError } from '../domain/errors.ts';
import type { TicketProblem } from '../domain/ledger.ts';
import type { Emit } from '../domain/run-events.ts';
import { type BackoffRules, steadyBackoff } from '../target/backoff.ts';
import { WaitQueue } from '../target/slots.ts';

/**
 * `answered`: the target said yes, or no to this very ticket. `nowhere`: it has nothing at this address (404, 405).
 * `unknown`: the create may or may not have had its effect. `neither`: it tells nothing about the target.
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
  /** Stops the run, so that whoever waits here is sent away by the signal it came with. */
  readonly stop: (reason: AppError) => void;
  /** How long creates of a target that has worked before may all end badly, milliseconds. */
  readonly giveUpAfterMs: number;
}

/** A first create without an answer for so long is slow, not wrong: the others need not wait for it. */
export const SLOW_AFTER_MS = 1_000;
const PAUSES: BackoffRules = { firstMs: 500, maxMs: 30_000 };

export class CreateGate {
  readonly #options: CreateGateOptions;
  readonly #line = new WaitQueue(() => {
    this.#pause?.abort();
    this.#endWatch();
  });
  #underWay = 0;
  readonly #creates = new FailureStreak('have been created');
  readonly #rests = new FailureStreak('be complete in the target');
  /** It is slow with the first one, and taken for one that works. */
  #isPresumed = false;
  #pause: AbortController | undefined;
  #hasPaused = false;
  #slowness: AbortController | undefined;

  constructor(options: CreateGateOptions) {
    this.#options = options;
  }

  /** Undefined where it has to wait: then `begin` does. */
  tryBegin(externalId: string): CreateTurn | undefined {
    if (!this.#isOpen) return undefined;
    this.#underWay += 1;
    return this.#turn(externalId);
  }

  /** Rejects with the signal's reason. */
  async begin(externalId: string, signal: AbortSignal): Promise<CreateTurn> {
    const admitted = this.#line.enter(signal);
    this.#admit();
    await admitted;
    return this.#turn(externalId);
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

  /** What follows the create of a ticket failed. Each was tried several times, so those under way together count each. */
  restFailed(externalId: string, how: CreateEnd, problem: TicketProblem): void {
    if (how !== 'unknown' && (how !== 'nowhere' || this.#rests.isProven)) return;
    this.#failed(this.#rests, externalId, problem);
    this.#admit();
  }

  get #isOpen(): boolean {
    if (this.#creates.isTrouble || this.#rests.isTrouble) return false;
    return this.#creates.isProven || (this.#isPresumed && this.#creates.length === 0);
  }

  #turn(externalId: string): CreateTurn {
    const badBefore = this.#creates.length;
    return {
      end: (how, problem) => {
        this.#underWay -= 1;
        this.#endWatch();
        if (how === 'answered' || (how === 'nowhere' && this.#creates.isProven)) return this.worked();
        // Of those that were under way together, the first one counts.
        if (how !== 'neither' && badBefore === this.#creates.length)
          this.#failed(this.#creates, externalId, problem);
        this.#admit();
      },
    };
  }

  #failed(run: FailureStreak, externalId: string, problem: TicketProblem | undefined): void {
    run.failed(externalId, problem, this.#options.clock.monotonic());
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
    const hopeless = this.#hopeless();
    if (hopeless !== undefined) this.#options.stop(hopeless);
    else if (this.#trouble > 0 && !this.#hasPaused) this.#rest();
    else this.#letOne();
  }

  #letOne(): void {
    this.#hasPaused = false;
    this.#underWay += 1;
    this.#line.next();
    if (this.#creates.length === 0 && !this.#creates.isProven) this.#watchSlowness();
  }

  #rest(): void {
    const pause = new AbortController();
    this.#pause = pause;
    const { clock, random, emit } = this.#options;
    const ms = steadyBackoff(this.#trouble, random, PAUSES);
    const over = () => {
      this.#pause = undefined;
      this.#hasPaused = true;
      this.#admit();
    };
    emit({ type: 'waiting', reason: 'creates-fail', untilMs: clock.now() + ms });
    clock.sleep(ms, pause.signal).then(over, over);
  }

  #watchSlowness(): void {
    const slowness = new AbortController();
    this.#slowness = slowness;
    this.#options.clock.sleep(SLOW_AFTER_MS, slowness.signal).then(
      () => {
        this.#isPresumed = true;
        this.#admit();
      },
      () => undefined,
    );
  }

  #endWatch(): void {
    this.#slowness?.abort();
    this.#slowness = undefined;
  }

  /** Tickets beyond the first one that ended badly. */
  get #trouble(): number {
    return Math.max(this.#creates.length, this.#rests.length) - 1;
  }

  #hopeless(): AppError | undefined {
    const { clock, giveUpAfterMs } = this.#options;
    const now = clock.monotonic();
    return this.#creates.hopeless(now, giveUpAfterMs) ?? this.#rests.hopeless(now, giveUpAfterMs);
  }
}

// Tickets with which one kind of step ended badly, one after the other: when is a target not sent any more of them?

/** A target with which not one has ended well: after so many tickets it is not waited for. */
export const MOST_UNPROVEN = 5;
/** One bad end may be the ticket's own. From the second on it is the target's. */
const TROUBLE_FROM = 2;

export class FailureStreak {
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
      hint: 'See what answers at the base URL with "helpdesk-import doctor"; then run the same command again: it continues where it stopped.',
    });
  }
}
