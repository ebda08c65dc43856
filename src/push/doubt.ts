/**
 * Settles creates of unknown outcome by reading the helpdesk, and writes nothing.
 *
 *   1. one ticket is listed by the tag that the create was sent with, and no other row owns it → it is there
 *      two or more → held
 *   2. until the time-out and a margin have passed since it was sent → pause, and 1 again
 *   3. when nothing else is being created: is the list whole and up to date?
 *        a ticket that was created after all these doubts is listed by its own tag
 *        the helpdesk counts as many tickets of the source as the checkpoint has; or it lists each of these that was not deleted,
 *        and as many as it counts; and these are several times as many as there are doubts
 *      → 1 once more; if it lists 0, counts 0, and lists another ticket of the same status → it is not there
 *   4. everything else → held, for a person
 *
 * While tickets are being created, those that a list hides could be made up for in its count by those that the checkpoint does not know
 * yet. The proof comes before the look: what the list does not show after it has proved itself is not there.
 */
import { hasTag, sourceTag } from '../domain/identity.ts';
import type { TicketProblem } from '../domain/ledger.ts';
import type { TicketPayload } from '../domain/payload.ts';
import { ApiFailure, type Snapshot } from '../domain/ticket-api.ts';
import { SAMPLE, ticketsOfSource } from '../helpdesk/twice-in-target.ts';
import { problemIn, RunEnds } from './failure-meaning.ts';
import type { CarryDeps, Proof, TicketJob } from './run-control.ts';
import { ticketProblem } from './words.ts';

export type Settlement =
  | { readonly is: 'there'; readonly ticketId: string }
  | { readonly is: 'absent' }
  | { readonly is: 'held'; readonly problem: TicketProblem };

export interface Doubt {
  readonly externalId: string;
  readonly tag: string;
  readonly ticket: TicketPayload;
  /** When the create can no longer be under way, monotonic milliseconds. */
  readonly dueAt: number;
}

/** A ticket that this run created: a list that shows it is up to date to that moment. */
export interface ControlTicket {
  readonly ticketId: string;
  readonly tag: string;
  readonly status: string;
  readonly sentAt: number;
}

export interface DoubtDeps extends CarryDeps {
  readonly settleMs: number;
}

/** Failed looks in a row, and looks for a control ticket. */
const MOST_LOOKS = 5;
const LONGEST_PAUSE_MS = 30_000;
/** A service that ignores the filter answers with everything. */
const MOST_TAGGED = 100;
/** Longer lists are not read. */
const MOST_LISTED = 100_000;
/** More missing tickets than this are no deletions by people. */
const MOST_MISSING = 50;
/** If this many known tickets are listed for each doubt, a list that drops tickets at random has hardly dropped the one in doubt. */
const KNOWN_PER_DOUBT = 4;

export class DoubtSettler {
  readonly #deps: DoubtDeps;
  readonly #source: string;
  #control: ControlTicket | undefined;

  constructor(deps: DoubtDeps, source: string) {
    this.#deps = deps;
    this.#source = source;
  }

  created(ticket: ControlTicket): void {
    if (this.#control === undefined || this.#control.sentAt <= ticket.sentAt) this.#control = ticket;
  }

  async settle(job: TicketJob, doubt: Doubt): Promise<Settlement> {
    const { creates, control } = this.#deps;
    creates.opened(job);
    try {
      const found = await this.#untilDue(job, doubt);
      if (found !== undefined) return found;
      job.contacts.release();
      const proof = await creates.proof(job);
      return await this.#inSlot(job, () => this.#conclude(doubt, proof));
    } catch (error) {
      return { is: 'held', problem: problemIn(error, control.hard) };
    } finally {
      creates.closed(job);
    }
  }

  async #inSlot<T>({ slot }: TicketJob, look: () => Promise<T>): Promise<T> {
    const { control } = this.#deps;
    if (control.isStopping) throw new RunEnds();
    await slot.take(control);
    try {
      return await look();
    } finally {
      slot.release();
    }
  }

  /** Steps 1 and 2; undefined once due and not listed. */
  async #untilDue(job: TicketJob, doubt: Doubt): Promise<Settlement | undefined> {
    const { clock, random, control, settleMs } = this.#deps;
    let failures = 0;
    for (let looks = 0; ; looks += 1) {
      const isDue = clock.monotonic() >= doubt.dueAt;
      try {
        const found = await this.#inSlot(job, () => this.look(doubt));
        if (found !== undefined || isDue) return found;
        failures = 0;
      } catch (error) {
        failures += 1;
        const { code } = problemIn(error, control.hard);
        if (code === 'target-unreadable' || failures >= MOST_LOOKS) throw error;
      }
      const pauseMs = Math.min(settleMs * 2 ** Math.min(looks, 10), LONGEST_PAUSE_MS) * (1 + random() / 4);
      const untilDue = doubt.dueAt - clock.monotonic();
      await control.sleep(untilDue > 0 ? Math.min(pauseMs, untilDue) : pauseMs);
    }
  }

  async look({ externalId, tag, ticket }: Omit<Doubt, 'dueAt'>): Promise<Settlement | undefined> {
    const { ledger } = this.#deps;
    const listed = await this.#listed(tag);
    return chosen(
      listed.filter(({ id }) => (ledger.ownerOf(id) ?? externalId) === externalId),
      ticket,
    );
  }

  async #conclude(doubt: Doubt, proof: Proof): Promise<Settlement> {
    const { api, control } = this.#deps;
    const { tag, ticket } = doubt;
    // The index of its own tag may lack it.
    const found =
      (await this.look(doubt)) ??
      chosen(
        proof.unclaimed.filter(({ tags }) => hasTag(tags, tag)),
        ticket,
      );
    if (found !== undefined) return found;
    if (proof.lacks !== undefined) return held(proof.lacks);
    const isLater = proof.upTo >= doubt.dueAt && proof.statuses.has(statusOf(ticket));
    const isAbsent = isLater && (await api.countTickets({ tags: [tag] }, control.hard)) === 0;
    return isAbsent ? { is: 'absent' } : held('not-proven-absent');
  }

  /** Step 3: reads the list once for all `due` doubts. Throws ApiFailure. */
  async prove(doubts: number): Promise<Proof> {
    const { api, ledger, control: run } = this.#deps;
    const control = this.#control;
    const known = this.#known();
    const isShown = control !== undefined && (await this.#isShown(control));
    const { total, listed, unclaimed, gone } = await ticketsOfSource(
      api,
      { source: this.#source, count: known.size, ids: () => known, ownerOf: (id) => ledger.ownerOf(id) },
      (counted) => (counted === known.size ? SAMPLE : MOST_LISTED),
      run.hard,
    );
    const isProof =
      control !== undefined &&
      known.size >= KNOWN_PER_DOUBT * doubts &&
      (total === known.size || (gone !== undefined && total === listed.length && !(await this.#hides(gone))));
    const isLate = control !== undefined && !isShown;
    return {
      lacks: isLate ? 'list-incomplete' : isProof ? undefined : 'not-proven-absent',
      upTo: control?.sentAt ?? 0,
      statuses: new Set([control?.status, ...listed.map(({ status }) => String(status))]),
      unclaimed,
    };
  }

  async #isShown({ ticketId, tag }: ControlTicket): Promise<boolean> {
    const { control, settleMs } = this.#deps;
    for (let looks = 1; ; looks += 1) {
      if ((await this.#listed(tag)).some(({ id }) => id === ticketId)) return true;
      if (looks === MOST_LOOKS) return false;
      await control.sleep(settleMs * 2 ** (looks - 1));
    }
  }

  #known(): ReadonlySet<string> {
    const records = [...this.#deps.ledger.inStates(['created', 'done', 'incomplete'])];
    return new Set(records.flatMap(({ ticketId }) => ticketId ?? []));
  }

  /** True if the helpdesk has one of these with the tag of the source. */
  async #hides(missing: readonly string[]): Promise<boolean> {
    if (missing.length > MOST_MISSING) return true;
    const { api, control } = this.#deps;
    for (const id of missing) {
      try {
        const { tags } = await api.readTicket(id, control.hard);
        if (!Array.isArray(tags) || hasTag(tags, sourceTag(this.#source))) return true;
      } catch (error) {
        const isGone = error instanceof ApiFailure && (error.status === 404 || error.status === 410);
        if (!isGone) throw error;
      }
    }
    return false;
  }

  /** A list may tell less of a ticket than a read of it. */
  async #listed(tag: string): Promise<Snapshot[]> {
    const { api, control } = this.#deps;
    const listed = await api.findTickets({ tags: [tag], most: MOST_TAGGED }, control.hard);
    const whole = await Promise.all(
      listed
        .slice(0, MOST_LOOKS)
        .map((each) => (Array.isArray(each['tags']) ? each : api.readTicket(each.id, control.hard))),
    );
    return [...whole, ...listed.slice(whole.length)].filter(({ tags }) => hasTag(tags, tag));
  }
}

/** The one ticket with its tag, if only one is possible. */
function chosen(found: readonly Snapshot[], ticket: TicketPayload): Settlement | undefined {
  const [only, ...others] = found;
  if (only === undefined) return undefined;
  if (others.length > 0) return held('several-matches', found);
  return isAnother(only, ticket) ? held('unclear-match', found) : { is: 'there', ticketId: only.id };
}

function held(code: string, tickets: readonly Snapshot[] = []): Settlement {
  const ids = tickets.slice(0, 3).map(({ id }) => id);
  const more = tickets.length > 3 ? ` and ${tickets.length - 3} more` : '';
  return { is: 'held', problem: ticketProblem(code, { ids: ids.join(', ') + more }) };
}

/** The helpdesk's default (2.1). */
export function statusOf({ status }: Pick<TicketPayload, 'status'>): string {
  return status ?? 'open';
}

/** A service that cuts long tags shows the tag of one ticket on another. */
export function isAnother({ subject, createdAt }: Snapshot, ticket: TicketPayload): boolean {
  return (
    typeof subject === 'string' &&
    typeof createdAt === 'string' &&
    subject.trim() !== ticket.subject.trim() &&
    Date.parse(createdAt) !== Date.parse(ticket.createdAt)
  );
}
