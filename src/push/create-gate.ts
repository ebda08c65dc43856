/**
 * How many creates may be under way, by how the last ones ended.
 *
 * A wrong address that answers everything with a page, a proxy that wants a login, a service that fails at every create:
 * whatever is sent there leaves one ticket after the other in doubt or refused. So the first create of a run goes alone, and
 * the others follow when it has ended well. Where creates end badly one after the other they go one at a time again, with
 * growing pauses, and at last the run stops: a run can be resumed, a doubt has to be settled.
 *
 * "One after the other" counts different tickets, each create begun after the one before had ended: what a moment's trouble does
 * to all that are under way counts once.
 */
import type { Clock, Random } from '../domain/clock.ts';
import { AppError } from '../domain/errors.ts';
import type { TicketProblem } from '../domain/ledger.ts';
import type { Emit } from '../domain/run-events.ts';
import { type BackoffRules, steadyBackoff } from '../pace/backoff.ts';
import { WaitQueue } from '../pace/wait-queue.ts';

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

/** A target that has not answered one create: after so many it is not waited for. */
export const MOST_UNPROVEN = 5;
/** A first create without an answer for so long is slow, not wrong: the others need not wait for it. */
export const SLOW_AFTER_MS = 1_000;
/** One bad end may be the ticket's own. With the second, creates go one at a time, with pauses. */
const CLOSED_FROM = 2;
const PAUSES: BackoffRules = { firstMs: 500, maxMs: 30_000 };

export class CreateGate {
  readonly #options: CreateGateOptions;
  readonly #line = new WaitQueue(() => {
    this.#pause?.abort();
    this.#endWatch();
  });
  #underWay = 0;
  /** The target has answered a create. */
  #isProven = false;
  /** It is slow with the first one, and taken for one that works. */
  #isPresumed = false;
  /** Tickets whose creates ended badly, one after the other. */
  readonly #bad = new Set<string>();
  #badSince = 0;
  #last = '';
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
    // Nearly always: nothing was wrong, and nobody waits at an open gate.
    if (this.#isProven && this.#bad.size === 0) return;
    this.#isProven = true;
    this.#bad.clear();
    this.#admit();
  }

  get #isOpen(): boolean {
    return this.#isProven ? this.#bad.size < CLOSED_FROM : this.#isPresumed && this.#bad.size === 0;
  }

  #turn(externalId: string): CreateTurn {
    const badBefore = this.#bad.size;
    return {
      end: (how, problem) => {
        this.#underWay -= 1;
        this.#endWatch();
        if (how === 'answered' || (how === 'nowhere' && this.#isProven)) return this.worked();
        // Of those that were under way together, the first one counts.
        if (how !== 'neither' && badBefore === this.#bad.size) this.#endedBadly(externalId, problem);
        this.#admit();
      },
    };
  }

  #endedBadly(externalId: string, problem: TicketProblem | undefined): void {
    if (this.#bad.size === 0) this.#badSince = this.#options.clock.monotonic();
    this.#bad.add(externalId);
    this.#last = problem?.message ?? '';
    this.#hasPaused = false;
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
    else if (this.#bad.size >= CLOSED_FROM && !this.#hasPaused) this.#rest();
    else this.#letOne();
  }

  #letOne(): void {
    this.#underWay += 1;
    this.#line.next();
    if (this.#bad.size === 0) this.#watchSlowness();
  }

  #rest(): void {
    const pause = new AbortController();
    this.#pause = pause;
    const { clock, random, emit } = this.#options;
    const ms = steadyBackoff(this.#bad.size - 1, random, PAUSES);
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

  #hopeless(): AppError | undefined {
    const { clock, giveUpAfterMs } = this.#options;
    const count = this.#bad.size;
    if (!this.#isProven)
      return count < MOST_UNPROVEN ? undefined : stopFor(`Not one of the first ${count} tickets`, this.#last);
    const badForMs = clock.monotonic() - this.#badSince;
    if (count < CLOSED_FROM || badForMs < giveUpAfterMs) return undefined;
    return stopFor(`For ${Math.round(badForMs / 60_000)} minutes no ticket`, this.#last);
  }
}

function stopFor(none: string, last: string): AppError {
  const message = `${none} is known to have been created, so no more are sent. Of the last one: ${last}`;
  return new AppError('unreachable', message, {
    hint: 'See what answers at the base URL with "helpdesk-import doctor"; then run the same command again: it goes on where it stopped.',
  });
}
