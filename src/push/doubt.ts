/**
 * Settles creates of unknown outcome by reading the target, and writes nothing.
 *
 *   1. one ticket is listed by the tag that the create was sent with, and no other row owns it → it is there
 *      two or more → held
 *   2. until the time-out and a margin have passed since it was sent → pause, and 1 again
 *   3. when nothing else is being created: is the list whole and up to date?
 *        a ticket that was created after all these doubts is listed by its own tag
 *        the target counts as many tickets of the source as the checkpoint has; or it lists each of these that was not deleted,
 *        and as many as it counts; and these are several times as many as there are doubts
 *      → 1 once more; if it lists 0, counts 0, and lists another ticket of the same status → it is not there
 *   4. everything else → held, for a person
 *
 * 3 waits until nothing is being created, as a list that hides some tickets could else make up for them in its count by tickets that the
 * checkpoint does not know yet. The proof comes before the look: what the list does not show after it has proved itself is not there.
 */
import { hasTag, sourceTag } from '../domain/identity.ts';
import type { TicketPayload } from '../domain/payload.ts';
import { ApiFailure, type Snapshot } from '../domain/ticket-api.ts';
import { readFailure } from './failure-meaning.ts';
import { type CarryDeps, type Proof, type Settlement, slept, type TicketJob } from './run-control.ts';
import { type Held, holdProblem } from './words.ts';

export interface Doubt {
  readonly externalId: string;
  readonly tag: string;
  readonly ticket: TicketPayload;
  /** When nothing of the create can be under way any more, milliseconds of the monotonic clock. */
  readonly dueAt: number;
}

/** A ticket that this run has created: a list that shows it is up to date to that moment. */
export interface ControlTicket {
  readonly ticketId: string;
  readonly tag: string;
  readonly status: string;
  /** When its create was about to be sent, milliseconds of the monotonic clock. */
  readonly sentAt: number;
}

export interface DoubtDeps extends CarryDeps {
  /** The first pause between two looks, milliseconds; then twice as long. */
  readonly settleMs: number;
}

/** Looks in a row that may fail, and looks for a control ticket. */
const LOOKS = 5;
const LONGEST_PAUSE_MS = 30_000;
/** A query by a tag of its own finds one ticket; a service that ignores the filter answers with all that it has. */
const MOST_TAGGED = 100;
/** A longer list is not read to find out what it hides. */
const MOST_LISTED = 20_000;
/** More than so many are not deletions by people. */
const MOST_MISSING = 50;
/**
 * So many known tickets have to be listed for each doubt. A list that hides one ticket in five, and no known one, would hide more
 * tickets than are in doubt.
 */
const KNOWN_PER_DOUBT = 4;
/** So many are looked at for one of each status. */
const MOST_SAMPLED = 500;

export class DoubtSettler {
  readonly #deps: DoubtDeps;
  readonly #sourceTag: string;
  #control: ControlTicket | undefined;

  constructor(deps: DoubtDeps, source: string) {
    this.#deps = deps;
    this.#sourceTag = sourceTag(source);
  }

  created(ticket: ControlTicket): void {
    if (this.#control === undefined || this.#control.sentAt <= ticket.sentAt) this.#control = ticket;
  }

  /** The job waits without a slot, and takes one for each look. */
  async settle(job: TicketJob, doubt: Doubt): Promise<Settlement> {
    const { creates } = this.#deps;
    creates.opened(job);
    try {
      const found = await this.#untilDue(job, doubt);
      if (found !== undefined) return found;
      // Nothing of it is under way any more that could make its contact.
      job.contacts.release();
      const proof = await creates.proof(job);
      const end = proof && (await this.#inSlot(job, () => this.#conclude(doubt, proof)));
      return end ?? { is: 'stopped' };
    } finally {
      creates.closed(job);
    }
  }

  /** Undefined where the run stops. */
  async #inSlot<T>({ slot }: TicketJob, look: () => Promise<T>): Promise<T | undefined> {
    const { control } = this.#deps;
    if (control.isStopping || !(await slot.taken(control))) return undefined;
    const seen = await look();
    slot.release();
    return seen;
  }

  /** Steps 1 and 2; undefined when it is due and not listed. */
  async #untilDue(job: TicketJob, doubt: Doubt): Promise<Settlement | undefined> {
    const { clock, random, control, settleMs } = this.#deps;
    let failures = 0;
    for (let looks = 0; ; looks += 1) {
      const isDue = clock.monotonic() >= doubt.dueAt;
      const seen = await this.#inSlot(job, () => this.#tried(() => this.look(doubt)));
      if (seen === undefined || control.isStopping) return { is: 'stopped' };
      if ('settled' in seen) {
        if (seen.settled !== undefined) return seen.settled;
        if (isDue) return undefined;
        failures = 0;
      } else if (seen.end.is === 'stopped' || seen.isFinal || ++failures >= LOOKS) return seen.end;
      const pause = Math.min(settleMs * 2 ** Math.min(looks, 10), LONGEST_PAUSE_MS) * (1 + random() / 4);
      const untilDue = doubt.dueAt - clock.monotonic();
      if (!(await slept(clock, untilDue > 0 ? Math.min(pause, untilDue) : pause, control.taking)))
        return { is: 'stopped' };
    }
  }

  /** Step 1 alone: undefined where it is not listed. Throws ApiFailure. */
  async look({ externalId, tag, ticket }: Omit<Doubt, 'dueAt'>): Promise<Settlement | undefined> {
    const { ledger } = this.#deps;
    const listed = await this.#listed(tag);
    const own = listed.filter(({ id }) => (ledger.ownerOf(id) ?? externalId) === externalId);
    const [only, ...others] = own;
    if (only === undefined) return undefined;
    if (others.length > 0) return held('several', own);
    return isAnother(only, ticket) ? held('unclear', own) : { is: 'there', ticketId: only.id };
  }

  /** Step 3, once for all doubts that are due, of which there are so many: what the list proves. */
  async prove(doubts: number): Promise<Proof> {
    const found = await this.#tried(() => this.#proof(doubts));
    return 'settled' in found ? found.settled : { failed: found.end };
  }

  /** Step 3 for one of them. */
  async #conclude(doubt: Doubt, proof: Proof): Promise<Settlement> {
    if ('failed' in proof) return proof.failed;
    const seen = await this.#tried(() => this.look(doubt));
    if (!('settled' in seen)) return seen.end;
    if (seen.settled !== undefined) return seen.settled;
    if ('lacks' in proof) return held(proof.lacks);
    if (proof.upTo < doubt.dueAt || !proof.statuses.has(statusOf(doubt.ticket))) return held('nothing-later');
    const count = await this.#tried(() => this.#count(doubt.tag));
    if (!('settled' in count)) return count.end;
    if (count.settled === undefined) return held('uncounted');
    return count.settled > 0 ? held('count-differs') : { is: 'absent' };
  }

  async #proof(doubts: number): Promise<Proof> {
    const control = this.#control;
    if (control === undefined) return { lacks: 'nothing-later' };
    if (!(await this.#isShown(control))) return { lacks: 'list-lags' };
    const known = this.#known();
    if (known.size < KNOWN_PER_DOUBT * doubts) return { lacks: 'too-few' };
    const total = await this.#count(this.#sourceTag);
    if (total === undefined) return { lacks: 'uncounted' };
    const isCounted = total === known.size;
    if (!isCounted && known.size > MOST_LISTED) return { lacks: 'list-hides' };
    const listed = await this.#listed(this.#sourceTag, isCounted ? MOST_SAMPLED : undefined);
    if (!isCounted) {
      const shown = new Set(listed.map(({ id }) => id));
      if (total !== shown.size) return { lacks: 'count-differs' };
      if (await this.#hides([...known].filter((id) => !shown.has(id)))) return { lacks: 'list-hides' };
    }
    const statuses = [control.status, ...listed.map(({ status }) => String(status))];
    return { upTo: control.sentAt, statuses: new Set(statuses) };
  }

  /** A list may lag behind for a while. */
  async #isShown({ ticketId, tag }: ControlTicket): Promise<boolean> {
    const { clock, control, settleMs } = this.#deps;
    for (let looks = 0; ; looks += 1) {
      if ((await this.#listed(tag)).some(({ id }) => id === ticketId)) return true;
      if (looks + 1 === LOOKS || !(await slept(clock, settleMs * 2 ** looks, control.taking))) return false;
    }
  }

  /** Target ids of the checkpoint's tickets. */
  #known(): ReadonlySet<string> {
    const known = new Set<string>();
    for (const { ticketId } of this.#deps.ledger.inStates(['created', 'done', 'failed']))
      if (ticketId !== undefined) known.add(ticketId);
    return known;
  }

  /** Whether one of these is in the target all the same, with the tag of the source. */
  async #hides(missing: readonly string[]): Promise<boolean> {
    if (missing.length > MOST_MISSING) return true;
    const { api, control } = this.#deps;
    for (const id of missing) {
      try {
        const { tags } = await api.readTicket(id, control.hard);
        if (!Array.isArray(tags) || hasTag(tags, this.#sourceTag)) return true;
      } catch (error) {
        const isGone = error instanceof ApiFailure && (error.status === 404 || error.status === 410);
        if (!isGone) throw error;
      }
    }
    return false;
  }

  /** Tickets that carry the tag, whatever the service made of the filter. */
  async #listed(tag: string, most?: number): Promise<Snapshot[]> {
    const { api, control } = this.#deps;
    const isOwn = tag !== this.#sourceTag;
    const listed = await api.findTickets({ tags: [tag], most: isOwn ? MOST_TAGGED : most }, control.hard);
    const whole = isOwn ? await Promise.all(listed.slice(0, LOOKS).map((ticket) => this.#whole(ticket))) : [];
    return [...whole, ...listed.slice(whole.length)].filter(({ tags }) => hasTag(tags, tag));
  }

  /** A list may tell less of a ticket than it tells when it is asked for alone. */
  async #whole(listed: Snapshot): Promise<Snapshot> {
    if (Array.isArray(listed['tags'])) return listed;
    return this.#deps.api.readTicket(listed.id, this.#deps.control.hard);
  }

  async #count(tag: string): Promise<number | undefined> {
    return this.#deps.api.countTickets({ tags: [tag] }, this.#deps.control.hard);
  }

  /** What was found, or how it ends where the target could not be asked; `isFinal`: asking again is of no use. */
  async #tried<T>(
    ask: () => Promise<T>,
  ): Promise<{ readonly settled: T } | { readonly end: Settlement; readonly isFinal: boolean }> {
    try {
      return { settled: await ask() };
    } catch (error) {
      const { outcome, problem, ...stop } = readFailure(error, this.#deps.control.hard);
      if (outcome === 'stopped') return { end: { is: 'stopped', ...stop }, isFinal: true };
      return { end: { is: 'held', problem }, isFinal: outcome === 'unreadable' };
    }
  }
}

function held(because: Held, tickets: readonly Snapshot[] = []): Settlement {
  return {
    is: 'held',
    problem: holdProblem(
      because,
      tickets.map(({ id }) => id),
    ),
  };
}

/** What the target takes it for where nothing is said (2.1). */
export function statusOf({ status }: Pick<TicketPayload, 'status'>): string {
  return status ?? 'open';
}

/** A service that cuts long tags shows the tag of one ticket on another, whose subject and time are others. */
function isAnother({ subject, createdAt }: Snapshot, ticket: TicketPayload): boolean {
  return (
    typeof subject === 'string' &&
    typeof createdAt === 'string' &&
    subject.trim() !== ticket.subject.trim() &&
    Date.parse(createdAt) !== Date.parse(ticket.createdAt)
  );
}
