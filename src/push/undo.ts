/**
 * Empties an imported ticket that no one has edited since: it cannot be deleted. It is read right before each
 * request that changes something.
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
import { hasTag, identityTag, isMarked, sourceTag, tagNames, UNDONE_TAG } from '../domain/identity.ts';
import type { Ledger, LinkRecord, Notebook, TicketRecord, UndoRecord } from '../domain/ledger.ts';
import type { MessagePayload, TicketStatus } from '../domain/payload.ts';
import { reportedString } from '../domain/snapshot.ts';
import { ApiFailure, type Snapshot, type TicketApi } from '../domain/ticket-api.ts';
import { FIELD_WORDS, isAsSent, reportedFields, TICKET_FIELDS } from '../domain/ticket-fields.ts';
import { isNote } from '../domain/unmapped.ts';
import { stepFailure } from './failure-meaning.ts';
import { ReadingStopped } from './put.ts';
import type { TargetFacts } from './target-facts.ts';
import { differences } from './thread-record.ts';

export interface UndoDeps {
  readonly api: TicketApi;
  readonly facts: TargetFacts;
  readonly hard: AbortSignal;
  readonly now: () => number;
  readonly ledger: Ledger;
  readonly undos: Notebook<UndoRecord>;
  readonly links: Notebook<LinkRecord>;
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

/** A PUT of messages is tried so often, each time after a new look. */
const ROUNDS = 3;
const NO_CALL: ReadonlySet<number | undefined> = new Set([404, 405, 501]);

/** What would become of it. Reads only. Throws ReadingStopped, and AppError where nothing can be undone. */
export async function judge(ticketId: string, deps: UndoDeps): Promise<UndoResult> {
  return resultOf(ticketId, (await look(ticketId, deps)).verdict, deps);
}

/** Likewise, and empties it. */
export async function undoTicket(ticketId: string, deps: UndoDeps): Promise<UndoResult> {
  const { api, undos, ledger, run, hard, now, source } = deps;
  const { ticket, verdict } = await look(ticketId, deps);
  const externalId = ledger.ownerOf(ticketId) ?? '';
  if (verdict.is === 'emptied') return end(ticketId, externalId, verdict.isAnswered, deps);
  if (verdict.is !== 'untouched' || ticket === undefined) return leave(ticketId, verdict, deps);
  if (undos.get(ticketId) === undefined) {
    const status = reportedString(ticket, 'status') ?? undefined;
    await undos.set(ticketId, {
      ticketId,
      externalId,
      run,
      begun: { status, tags: tagNames(ticket['tags']) },
    });
  }
  const whose = `ticket ${externalId}${source === undefined ? '' : ` of ${source}`}`;
  try {
    const changes = { status: CLOSED, tags: [UNDONE_TAG, run] } as const;
    const { reported = await api.readTicket(ticketId, hard) } = await api.updateTicket(
      ticketId,
      { ...changes, tags: [...changes.tags] },
      hard,
    );
    const isTagged = source !== undefined && hasTag(reported['tags'], sourceTag(source));
    if (!hasTag(reported['tags'], UNDONE_TAG) || isTagged || (reported['status'] ?? CLOSED) !== CLOSED)
      throw new ApiFailure('refused', 'none', 'it shows neither the new status nor the new tags', {
        status: 501,
      });
    for (let round = 0; round < ROUNDS; round += 1) {
      const { verdict: seen } = await look(ticketId, deps);
      if (seen.is === 'emptied') return end(ticketId, externalId, seen.isAnswered, deps);
      if (seen.is !== 'untouched') return leave(ticketId, seen, deps);
      await api.replaceMessages(ticketId, [undoNote(run, whose, now())], hard).catch((error: unknown) => {
        // Whether it arrived is read.
        if (!(error instanceof ApiFailure) || error.effect !== 'unknown' || hard.aborted) throw error;
      });
    }
    const { verdict: last } = await look(ticketId, deps);
    if (last.is === 'emptied') return end(ticketId, externalId, last.isAnswered, deps);
    return leave(ticketId, { is: 'unknown', why: 'the helpdesk did not replace its messages' }, deps);
  } catch (error) {
    const { problem, ...stop } = stepFailure(error, hard);
    if (!(error instanceof ApiFailure) || 'stop' in stop) throw error;
    // Not known whether it arrived: the next undo reads.
    if (error.effect === 'unknown') return resultOf(ticketId, { is: 'unknown', why: problem.message }, deps);
    const left = await leave(
      ticketId,
      { is: 'unknown', why: `the helpdesk refused it: ${problem.message}` },
      deps,
    );
    if (NO_CALL.has(problem.status))
      throw impossible(`The helpdesk cannot change a ticket (${problem.message}).`);
    return left;
  }
}

async function look(ticketId: string, deps: UndoDeps): Promise<{ ticket?: Snapshot; verdict: Verdict }> {
  const { facts, ledger, undos, run, source } = deps;
  const isBegun = undos.get(ticketId)?.begun !== undefined;
  const read = await facts.readTicket(ticketId);
  const messages = 'found' in read ? await facts.read('messages', ticketId) : read;
  if ('found' in read && 'found' in messages) {
    const [ticket] = read.found;
    const owner = ledger.ownerOf(ticketId);
    const record = owner === undefined ? undefined : ledger.get(owner);
    if (ticket !== undefined)
      return { ticket, verdict: verdictOf({ run, source, record, ticket, thread: messages.found, isBegun }) };
  }
  const failure = 'failure' in messages ? messages.failure : undefined;
  if (failure?.is === 'stopped') throw new ReadingStopped(failure);
  if (failure?.is === 'unreadable')
    throw impossible('The helpdesk cannot be read, so it is not known what people wrote there.');
  // There is nothing to finish.
  if (failure?.is === 'gone' && isBegun) await undos.set(ticketId, undefined);
  const why =
    failure?.is === 'gone'
      ? 'it is no longer in the helpdesk'
      : `it could not be read (${failure?.problem.message})`;
  return { verdict: { is: 'unknown', why } };
}

/** It is not undone: what was begun of it is taken back. */
async function leave(ticketId: string, verdict: Verdict, deps: UndoDeps): Promise<UndoResult> {
  const { undos, api, hard } = deps;
  const { begun } = undos.get(ticketId) ?? {};
  if (begun !== undefined) {
    try {
      const now = await api.readTicket(ticketId, hard);
      const added = tagNames(now['tags']).filter((tag) => tag !== UNDONE_TAG && !begun.tags.includes(tag));
      const isClosed = now['status'] === CLOSED && (begun.status ?? CLOSED) !== CLOSED;
      const status = isClosed ? { status: begun.status as TicketStatus } : {};
      if (isClosed || hasTag(now['tags'], UNDONE_TAG))
        await api.updateTicket(ticketId, { tags: [...begun.tags, ...added], ...status }, hard);
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
  { undos, ledger, links, run }: UndoDeps,
): Promise<UndoResult> {
  // In one turn: they share one commit.
  await Promise.all([
    undos.set(ticketId, { ticketId, externalId, run }),
    ledger.put({ externalId, state: 'pending' }),
    links.get(externalId) === undefined ? undefined : links.set(externalId, undefined),
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

/**
 * What a ticket of the target shows:
 *
 *   untouched   it shows what was sent, and nothing else
 *   emptied     an earlier try emptied it already; `isAnswered`: it has a newer message, or got one in that moment
 *   touched     people, or the service, wrote or changed something there: it stays
 *   unknown     edits cannot be ruled out: it is left as it is
 */
export type Verdict =
  | { readonly is: 'untouched' }
  | { readonly is: 'emptied'; readonly isAnswered: boolean }
  | { readonly is: 'touched' | 'unknown'; readonly why: string };

export interface UndoQuestion {
  readonly run: string;
  /** The name of the source, where tickets carry their identity. */
  readonly source: string | undefined;
  /** The checkpoint's record of the ticket. */
  readonly record: TicketRecord | undefined;
  readonly ticket: Snapshot;
  readonly thread: readonly Snapshot[];
  /** Emptying it was begun: it may show the fields and the note of that. */
  readonly isBegun: boolean;
}

export function verdictOf({ run, source, record, ticket, thread, isBegun }: UndoQuestion): Verdict {
  const unknown = (why: string): Verdict => ({ is: 'unknown', why });
  const touched = (why: string): Verdict => ({ is: 'touched', why });
  if (record === undefined) return unknown('it is not a ticket of this checkpoint');
  const { tags } = ticket;
  const isTagged = isBegun && hasTag(tags, UNDONE_TAG);
  if (!isTagged) {
    if (!hasTag(tags, run)) return unknown(`it does not show the tag ${run} any more`);
    if (source !== undefined && isMarked(tags) && !hasTag(tags, identityTag(source, record.externalId)))
      return unknown('it carries the tag of another ticket');
  }
  if (record.reopened === true)
    return unknown('a delta of it was not finished: run the delta again, then the undo');
  const others = thread.filter((message) => !isUndoNote(message));
  const { added, missing } = differences(record.thread, others);
  if (isBegun && others.length < thread.length)
    return others.length === added
      ? { is: 'emptied', isAnswered: added > 0 || (reportedString(ticket, 'status') ?? CLOSED) !== CLOSED }
      : unknown('the target did not replace its messages');
  if (record.thread === undefined && others.length > 0)
    return unknown('it is not known which of its messages were imported: finish its import, then the undo');
  if (added > 0)
    return touched(missing > 0 ? 'a message was changed or written there' : 'a message was written there');
  if (missing > 0) return touched('a message was deleted there');
  const { fields } = record.fingerprints ?? {};
  if (fields === undefined) return unknown('it is not known which fields were imported');
  const shown = reportedFields(ticket, record.externalId);
  const changed = TICKET_FIELDS.filter((field) => {
    const reported = shown[field];
    if (reported === undefined || isAsSent(fields, field, reported)) return false;
    if (isBegun && field === 'status') return reportedString(ticket, 'status') !== CLOSED;
    return !(isTagged && field === 'tags');
  });
  if (changed.length === 0) return { is: 'untouched' };
  return touched(`${changed.map((field) => FIELD_WORDS[field]).join(' and ')} changed there`);
}

const CLOSED = 'closed';

/** How the text of the one note begins that an emptied ticket has. */
const BEGINS = 'Taken back by helpdesk-import';

export function undoNote(run: string, whose: string, now: number): MessagePayload {
  const at = new Date(now).toISOString();
  return {
    actorType: 'system',
    content: `${BEGINS} on ${at.slice(0, 10)}: this was ${whose}, brought here by the import run ${run}. That run was undone, and nobody had written or changed anything here since, so the ticket was closed and its messages were removed. The export still has them; a new import may have made a new ticket of them.`,
    contentType: 'text',
    occurredAt: at,
    isInternal: true,
  };
}

/** Services may add markup to a text. */
function isUndoNote(message: Snapshot): boolean {
  return isNote(message, BEGINS);
}
