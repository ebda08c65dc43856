/**
 * Empties a ticket that an import made, where nobody has touched it since: it cannot be deleted. Right before each request that
 * changes something the ticket is read, and what was read decides.
 *
 *   1. GET ticket, GET messages   untouched, or nothing happens
 *   2. begun                      durable, with the status and the tags that it shows
 *   3. PUT ticket                 closed, with the tag of an undo in the place of its identity
 *   4. GET ticket, GET messages   touched meanwhile: 3 is taken back
 *   5. PUT messages               one note; at once after 4, and never again by itself (put-lists.ts)
 *   6. GET ticket, GET messages   emptied; open again: somebody wrote in the moment of 5, which is told
 *   7. undone                     in one commit: the checkpoint knows nothing of the ticket any more
 *
 * A crash after 2 leaves a ticket that the next undo begins at 1, knowing that it may show either form.
 */
import { hasTag, sourceTag, tagNames, UNDONE_TAG } from '../../domain/identity.ts';
import type { Ledger, LinkLedger, UndoLedger } from '../../domain/ledger.ts';
import { reportedString } from '../../domain/snapshot.ts';
import { ApiFailure, type Snapshot } from '../../domain/ticket-api.ts';
import { stepFailure } from '../failure-meaning.ts';
import { type PutDeps, putWhileFresh } from '../put-lists.ts';
import { ReadingStopped, type ThreadFailure } from '../target-reader.ts';
import { CLOSED, undoNote, type Verdict, verdictOf } from './undo-decision.ts';

export interface UndoDeps extends Pick<PutDeps, 'api' | 'clock' | 'control' | 'reader'> {
  readonly ledger: Ledger;
  readonly undos: UndoLedger;
  readonly links: LinkLedger;
  readonly run: string;
  /** The name of the source, where tickets carry their identity. */
  readonly source: string | undefined;
}

/** `undone`: this undo emptied it, or an earlier one had. */
export interface UndoResult {
  readonly ticketId: string;
  readonly externalId: string | undefined;
  readonly is: 'untouched' | 'undone' | 'touched' | 'unknown';
  readonly why?: string | undefined;
}

/** Nothing more can be undone, whichever ticket it is. */
export class UndoImpossible extends Error {}

/** A PUT of messages is tried so often, each time after a new look. */
const ROUNDS = 8;
const NO_CALL: ReadonlySet<number | undefined> = new Set([404, 405, 501]);

interface Seen {
  readonly ticket: Snapshot;
  readonly verdict: Verdict;
}

export class UndoCarrier {
  readonly #deps: UndoDeps;

  constructor(deps: UndoDeps) {
    this.#deps = deps;
  }

  /** What would become of it. Reads only. Throws UndoImpossible and ReadingStopped. */
  async judge(ticketId: string): Promise<UndoResult> {
    const seen = await this.#see(ticketId);
    return this.#result(ticketId, 'verdict' in seen ? seen.verdict : seen);
  }

  /** Likewise, and empties it. */
  async undo(ticketId: string): Promise<UndoResult> {
    const { undos, ledger, run, api, control } = this.#deps;
    const seen = await this.#see(ticketId);
    if (!('verdict' in seen)) return this.#result(ticketId, seen);
    const { ticket, verdict } = seen;
    if (verdict.is === 'touched' || verdict.is === 'unknown') return await this.#leave(ticketId, verdict);
    const externalId = ledger.ownerOf(ticketId) as string;
    if (verdict.is === 'emptied') return await this.#end(ticketId, externalId, verdict.isAnswered);
    if (undos.get(ticketId) === undefined) {
      const status = reportedString(ticket, 'status') ?? undefined;
      await undos.set({ ticketId, externalId, run, begun: { status, tags: tagNames(ticket['tags']) } });
    }
    try {
      const { reported = await api.readTicket(ticketId, control.hard) } = await api.updateTicket(
        ticketId,
        { status: CLOSED, tags: [UNDONE_TAG, run] },
        control.hard,
      );
      if (!this.#isClosed(reported))
        throw new UndoImpossible(
          `The target takes the new status and tags of ticket ${ticketId} without an error, and does not show them.`,
        );
    } catch (error) {
      return await this.#failed(ticketId, error);
    }
    return await this.#empty(ticketId, externalId);
  }

  async #empty(ticketId: string, externalId: string): Promise<UndoResult> {
    const { clock, run, source } = this.#deps;
    const whose = `ticket ${externalId}${source === undefined ? '' : ` of ${source}`}`;
    for (let round = 0; round < ROUNDS; round += 1) {
      const seen = await this.#see(ticketId);
      if (!('verdict' in seen)) return this.#result(ticketId, seen);
      const { verdict } = seen;
      if (verdict.is === 'emptied') return await this.#end(ticketId, externalId, verdict.isAnswered);
      if (verdict.is !== 'untouched') return await this.#leave(ticketId, verdict);
      try {
        // Whatever came of it, it is read once more.
        await putWhileFresh(ticketId, [undoNote(run, whose, clock.now())], round, this.#deps);
      } catch (error) {
        return await this.#failed(ticketId, error);
      }
    }
    return this.#result(ticketId, {
      is: 'unknown',
      why: 'the target could not be written to right after it was read: undo the run again later',
    });
  }

  async #see(ticketId: string): Promise<Seen | (Verdict & { is: 'unknown' })> {
    const { reader, ledger, undos, run, source } = this.#deps;
    const read = await reader.ticket(ticketId);
    if ('failure' in read) {
      // There is nothing to finish.
      if (read.failure.outcome === 'gone' && undos.get(ticketId)?.begun !== undefined)
        await undos.remove(ticketId);
      return notRead(read.failure);
    }
    const messages = await reader.read('messages', ticketId);
    if ('failure' in messages) return notRead(messages.failure);
    const owner = ledger.ownerOf(ticketId);
    const verdict = verdictOf({
      run,
      source,
      record: owner === undefined ? undefined : ledger.get(owner),
      ticket: read.found,
      thread: messages.found,
      isBegun: undos.get(ticketId)?.begun !== undefined,
    });
    return { ticket: read.found, verdict };
  }

  /** It is not undone: what was begun of it is taken back. */
  async #leave(ticketId: string, verdict: Verdict): Promise<UndoResult> {
    const { undos, api, control } = this.#deps;
    const { begun } = undos.get(ticketId) ?? {};
    if (begun !== undefined) {
      try {
        const now = await api.readTicket(ticketId, control.hard);
        const isClosed = reportedString(now, 'status') === CLOSED;
        const added = tagNames(now['tags']).filter((tag) => tag !== UNDONE_TAG && !begun.tags.includes(tag));
        const tags = [...begun.tags, ...added];
        const status = isClosed && begun.status !== CLOSED ? begun.status : undefined;
        const changes = { tags, ...(status === undefined ? {} : { status: status as typeof CLOSED }) };
        if (status !== undefined || hasTag(now['tags'], UNDONE_TAG))
          await api.updateTicket(ticketId, changes, control.hard);
        await undos.remove(ticketId);
      } catch (error) {
        if (!(error instanceof ApiFailure)) throw error;
        const why = `its status and tags could not be put back (${error.message}): undo the run again`;
        return this.#result(ticketId, { is: 'unknown', why });
      }
    }
    return this.#result(ticketId, verdict);
  }

  /** A request failed, of known or unknown effect. */
  async #failed(ticketId: string, error: unknown): Promise<UndoResult> {
    const { problem, ...stop } = stepFailure(error, this.#deps.control.hard);
    const isNoCall = error instanceof ApiFailure && NO_CALL.has(problem.status);
    if (error instanceof UndoImpossible || isNoCall) {
      await this.#leave(ticketId, { is: 'unknown', why: problem.message });
      if (error instanceof UndoImpossible) throw error;
      throw new UndoImpossible(`The target cannot change a ticket that is there (${problem.message}).`);
    }
    if ('stop' in stop || !(error instanceof ApiFailure)) throw error;
    // Not known whether it arrived: the next undo reads.
    if (error.effect === 'unknown') return this.#result(ticketId, { is: 'unknown', why: problem.message });
    return await this.#leave(ticketId, { is: 'unknown', why: `the target refused it: ${problem.message}` });
  }

  async #end(ticketId: string, externalId: string, isAnswered: boolean): Promise<UndoResult> {
    const { undos, ledger, links, run } = this.#deps;
    // In one turn: they share one commit.
    await Promise.all([
      undos.set({ ticketId, externalId, run }),
      ledger.undone(externalId),
      links.get(externalId) === undefined ? undefined : links.set(externalId, undefined),
    ]);
    const why = isAnswered ? 'it was emptied, and somebody has written there since: read it' : undefined;
    return { ticketId, externalId, is: 'undone', why };
  }

  /** A new import would take one with its old tags for the ticket that it was. */
  #isClosed(reported: Snapshot): boolean {
    const { tags } = reported;
    const { source } = this.#deps;
    const keeps = source !== undefined && hasTag(tags, sourceTag(source));
    return hasTag(tags, UNDONE_TAG) && !keeps && (reportedString(reported, 'status') ?? CLOSED) === CLOSED;
  }

  #result(ticketId: string, verdict: Verdict): UndoResult {
    const externalId = this.#deps.ledger.ownerOf(ticketId);
    if (verdict.is === 'emptied') return { ticketId, externalId, is: 'untouched' };
    return { ticketId, externalId, is: verdict.is, why: 'why' in verdict ? verdict.why : undefined };
  }
}

/** Where it cannot be read nothing is known. Throws what ends the undo. */
function notRead({ outcome, problem, ...stop }: ThreadFailure): Verdict & { is: 'unknown' } {
  if (outcome === 'stopped') throw new ReadingStopped(stop);
  if (outcome === 'unreadable')
    throw new UndoImpossible(
      `The target cannot be read, so it is not known what people wrote there (${problem.message}).`,
    );
  const why =
    outcome === 'gone' ? 'it is not in the target any more' : `it could not be read (${problem.message})`;
  return { is: 'unknown', why };
}
