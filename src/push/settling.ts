/** Creates under way, those in doubt, and the last one of all, which is created when it can prove the others. */
import { RunEnds } from './failure-meaning.ts';
import type { Creates, Proof, TicketJob } from './run-control.ts';

const MOST_DOUBTS = 5_000;
/** Remembered, to see at the next run whether the helpdesk still has them. */
export const LAST_CREATED = 3;

export class Settling<Offer> implements Creates {
  readonly doubted = new Set<string>();
  readonly lastCreated: string[] = [];
  readonly #changed: () => void;
  readonly #creating = new Set<TicketJob>();
  readonly #doubts = new Set<TicketJob>();
  readonly #unproven = new Map<TicketJob, PromiseWithResolvers<Proof>>();
  #uncreated = 0;
  #last: Offer | undefined;
  #isOver = false;

  constructor(changed: () => void) {
    this.#changed = changed;
  }

  get doubts(): number {
    return this.#doubts.size;
  }

  get isFull(): boolean {
    return this.#doubts.size >= MOST_DOUBTS;
  }

  get holdsLast(): boolean {
    return this.#last !== undefined;
  }

  get isCreating(): boolean {
    return this.#creating.size > 0;
  }

  /** Nothing is being created and no doubt is young: a ticket created now comes after all of them. */
  get isQuiet(): boolean {
    return !this.isCreating && this.#unproven.size === this.#doubts.size;
  }

  offered(): void {
    this.#uncreated += 1;
  }

  begun(job: TicketJob): void {
    const { do: what } = job.planned.action;
    if (what === 'create') this.#uncreated -= 1;
    if (what === 'create' || what === 'settle') this.#creating.add(job);
  }

  ended(job: TicketJob): void {
    this.#creating.delete(job);
  }

  /** Keeps the last create of a fully read plan until it is quiet. False: it may begin. */
  keepsLast(offer: Offer): boolean {
    if (this.#uncreated !== 1 || this.isQuiet) return false;
    this.#last = offer;
    return true;
  }

  takeLast(): Offer | undefined {
    const last = this.#last;
    this.#last = undefined;
    return last;
  }

  async prove(prove: (doubts: number) => Promise<Proof>): Promise<void> {
    const waiting = [...this.#unproven.values()];
    this.#unproven.clear();
    const proof = await prove(waiting.length).catch((error: unknown) => {
      for (const { reject } of waiting) reject(error);
    });
    if (proof !== undefined) for (const { resolve } of waiting) resolve(proof);
  }

  end(): void {
    this.#isOver = true;
    for (const { reject } of this.#unproven.values()) reject(new RunEnds());
  }

  created(job: TicketJob): void {
    if (!this.#creating.delete(job)) return;
    this.lastCreated.push(job.planned.externalId);
    if (this.lastCreated.length > LAST_CREATED) this.lastCreated.shift();
    this.#changed();
  }

  opened(job: TicketJob): void {
    this.#creating.delete(job);
    this.#doubts.add(job);
    this.doubted.add(job.planned.externalId);
    this.#changed();
  }

  async proof(job: TicketJob): Promise<Proof> {
    if (this.#isOver) throw new RunEnds();
    const waiting = Promise.withResolvers<Proof>();
    this.#unproven.set(job, waiting);
    this.#changed();
    return waiting.promise;
  }

  closed(job: TicketJob): void {
    this.#doubts.delete(job);
    this.#unproven.delete(job);
    this.#creating.add(job);
  }
}
