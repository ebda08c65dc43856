/**
 * Empties an imported ticket that no one has edited since: it cannot be deleted. It is read right before each
 * request that changes something, also before each repeat (look.ts).
 *
 *   1. GET ticket, GET messages   untouched, or nothing happens
 *   2. begun                      durable, with the status and the tags that it shows
 *   3. PUT ticket                 closed, with the tag of an undo in the place of its identity
 *   4. GET ticket, GET messages   touched meanwhile: 3 is taken back
 *   5. PUT messages               one note
 *   6. GET ticket, GET messages   emptied; a message written during 5 is listed
 *   7. undone                     in one commit: the checkpoint forgets the ticket
 *
 * A crash after 2 leaves a ticket that the next undo begins at 1, knowing that it may show either form.
 */

import { AppError } from '../domain/errors.ts';
import { hasTag, sourceTag, tagNames, UNDONE_TAG } from '../domain/identity.ts';
import type { Ledger, Notebook, UndoRecord } from '../domain/ledger.ts';
import type { TicketStatus } from '../domain/payload.ts';
import type { Clock } from '../domain/ports.ts';
import { reportedString } from '../domain/snapshot.ts';
import { ApiFailure, type Snapshot, type TicketApi } from '../domain/ticket-api.ts';
import { problemIn } from './failure-meaning.ts';
import { fromNewReading, lookingFirst, Outdated } from './look.ts';
import type { TargetFacts } from './target-facts.ts';
import { CLOSED, undoNote, type Verdict, verdictOf } from './undo-verdict.ts';

export interface UndoDeps {
  readonly api: TicketApi;
  readonly facts: TargetFacts;
  readonly hard: AbortSignal;
  readonly clock: Clock;
  readonly ledger: Ledger;
  readonly undos: Notebook<UndoRecord>;
  readonly run: string;
  readonly source: string;
}

/** `undone`: by this undo or an earlier one. */
export interface UndoResult {
  readonly ticketId: string;
  readonly externalId: string | undefined;
  readonly is: 'untouched' | 'undone' | 'touched' | 'unknown';
  readonly why?: string | undefined;
}

const MOST_ROUNDS = 6;
const NO_CALL: ReadonlySet<number | undefined> = new Set([404, 405, 501]);

/** Reads only. Throws RunEnds, and AppError if nothing can be undone. */
export async function judge(ticketId: string, deps: UndoDeps): Promise<UndoResult> {
  return resultOf(ticketId, (await look(ticketId, deps)).verdict, deps);
}

export async function undoTicket(ticketId: string, deps: UndoDeps): Promise<UndoResult> {
  const { api, undos, ledger, run, hard, clock, source } = deps;
  let now = await look(ticketId, deps);
  const externalId = ledger.ownerOf(ticketId) ?? '';
  if (now.verdict.is === 'untouched' && now.ticket !== undefined && undos.get(ticketId) === undefined) {
    const status = reportedString(now.ticket, 'status') ?? undefined;
    const begun = { status, tags: tagNames(now.ticket['tags']) };
    await undos.set(ticketId, { ticketId, externalId, run, begun });
  }
  const whose = `ticket ${externalId} of ${source}`;
  const isEmptying = ({ tags, status }: Snapshot) =>
    hasTag(tags, UNDONE_TAG) && !hasTag(tags, sourceTag(source)) && (status ?? CLOSED) === CLOSED;
  try {
    for (let round = 0; now.verdict.is === 'untouched' && round < MOST_ROUNDS; round += 1) {
      const { compared } = now.verdict;
      const isClosed = now.ticket !== undefined && isEmptying(now.ticket);
      const wire = lookingFirst(deps, now, async () => {
        if ((await look(ticketId, deps, !isClosed)).verdict.is !== 'untouched') throw new Outdated();
      });
      const close = { status: CLOSED, tags: [UNDONE_TAG, run] } as const;
      const write = isClosed
        ? api.replaceMessages(ticketId, [undoNote(run, whose, clock.now(), compared)], hard, wire)
        : api.updateTicket(ticketId, { ...close, tags: [...close.tags] }, hard, wire);
      const answer = await write.catch((error: unknown) => {
        if (!(error instanceof ApiFailure) || error.effect !== 'unknown' || hard.aborted) throw error;
        return undefined;
      });
      now = await look(ticketId, deps);
      if (
        answer !== undefined &&
        now.ticket !== undefined &&
        !isEmptying(now.ticket) &&
        now.verdict.is === 'untouched'
      )
        throw new ApiFailure('refused', 'none', 'it shows neither the new status nor the new tags', {
          status: 501,
        });
    }
    const { verdict } = now;
    if (verdict.is === 'emptied') return end(ticketId, externalId, verdict.isAnswered, deps);
    // An earlier request of this undo has an unknown outcome: the next undo reads.
    if (now.ticket === undefined) return resultOf(ticketId, verdict, deps);
    const isStuck = verdict.is === 'untouched';
    return leave(ticketId, isStuck ? { is: 'unknown', why: 'the helpdesk did not empty it' } : verdict, deps);
  } catch (error) {
    const problem = problemIn(error, hard);
    if (error instanceof ApiFailure && error.effect === 'unknown')
      return resultOf(ticketId, { is: 'unknown', why: problem.message }, deps);
    const why = `the helpdesk refused it: ${problem.message}`;
    const left = await leave(ticketId, { is: 'unknown', why }, deps);
    if (NO_CALL.has(problem.status))
      throw impossible(`The helpdesk cannot change a ticket (${problem.message}).`);
    return left;
  }
}

/** The replaced value is read last: at a slow pace the first of two reads is old when the request goes out. */
async function look(
  ticketId: string,
  deps: UndoDeps,
  isTicketLast = false,
): Promise<{ readonly ticket?: Snapshot; readonly verdict: Verdict; readonly at: number }> {
  const { facts, ledger, undos, run, source, clock } = deps;
  const at = clock.monotonic();
  const isBegun = undos.get(ticketId)?.begun !== undefined;
  const before = isTicketLast ? await facts.read('messages', ticketId) : undefined;
  const read = await facts.readTicket(ticketId);
  const messages = 'failure' in read ? read : (before ?? (await facts.read('messages', ticketId)));
  if ('found' in read && 'found' in messages) {
    const [ticket] = read.found;
    const owner = ledger.ownerOf(ticketId);
    const record = owner === undefined ? undefined : ledger.get(owner);
    if (ticket !== undefined)
      return {
        ticket,
        verdict: verdictOf({ run, source, record, ticket, thread: messages.found, isBegun }),
        at,
      };
  }
  const failure = 'failure' in messages ? messages.failure : undefined;
  if (failure?.is === 'unreadable')
    throw impossible('The helpdesk cannot be read, so edits by people cannot be seen.');
  if (failure?.is === 'gone' && isBegun) await undos.set(ticketId, undefined);
  const why =
    failure?.is === 'gone'
      ? 'it is no longer in the helpdesk'
      : `it could not be read (${failure?.problem.message})`;
  return { verdict: { is: 'unknown', why }, at };
}

/** Undoes a begun undo. */
async function leave(ticketId: string, verdict: Verdict, deps: UndoDeps): Promise<UndoResult> {
  const { undos, api, hard, clock } = deps;
  const { begun } = undos.get(ticketId) ?? {};
  if (begun !== undefined) {
    try {
      await fromNewReading(async () => {
        const at = clock.monotonic();
        const now = await api.readTicket(ticketId, hard);
        const added = tagNames(now['tags']).filter((tag) => tag !== UNDONE_TAG && !begun.tags.includes(tag));
        // Both changes are one request: without the tag, people closed it.
        if (!hasTag(now['tags'], UNDONE_TAG)) return;
        const isClosed = now['status'] === CLOSED && (begun.status ?? CLOSED) !== CLOSED;
        const status = isClosed ? { status: begun.status as TicketStatus } : {};
        const wire = lookingFirst(deps, { at }, async () => {
          const then = await api.readTicket(ticketId, hard);
          const isSame = String(tagNames(then['tags'])) === String(tagNames(now['tags']));
          if (!isSame || then['status'] !== now['status']) throw new Outdated();
        });
        await api.updateTicket(ticketId, { tags: [...begun.tags, ...added], ...status }, hard, wire);
      });
      await undos.set(ticketId, undefined);
    } catch (error) {
      if (!(error instanceof ApiFailure)) throw error;
      const why = `its status and tags could not be put back (${error.message}): undo the run again`;
      return resultOf(ticketId, { is: 'unknown', why }, deps);
    }
  }
  return resultOf(ticketId, verdict, deps);
}

async function end(
  ticketId: string,
  externalId: string,
  isAnswered: boolean,
  { undos, ledger, run }: UndoDeps,
): Promise<UndoResult> {
  await Promise.all([
    undos.set(ticketId, { ticketId, externalId, run }),
    ledger.put({ externalId, state: 'pending' }),
  ]);
  const why = isAnswered ? 'it was emptied, and has a newer message: read it' : undefined;
  return { ticketId, externalId, is: 'undone', why };
}

function resultOf(ticketId: string, verdict: Verdict, { ledger }: UndoDeps): UndoResult {
  const externalId = ledger.ownerOf(ticketId);
  if (verdict.is === 'emptied') return { ticketId, externalId, is: 'untouched' };
  return { ticketId, externalId, is: verdict.is, why: 'why' in verdict ? verdict.why : undefined };
}

function impossible(message: string): AppError {
  return new AppError('configuration', message, {
    hint: 'An undo needs a helpdesk that lists, shows and changes tickets (GET /tickets, PUT /tickets/{id}).',
  });
}
