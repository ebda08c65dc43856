/** The questions to the target before the first ticket and after the last one, put together from settings and checkpoint. */
import type { Checkpoint } from '../checkpoint/checkpoint.ts';
import { AppError } from '../domain/errors.ts';
import { hasTag, identityTag } from '../domain/identity.ts';
import type { TicketRecord } from '../domain/ledger.ts';
import { ApiFailure, type TicketApi } from '../domain/ticket-api.ts';
import { readFailure } from '../push/failure-meaning.ts';
import { rejectFoldersOf } from '../rejects/rejects-read.ts';
import { askTarget, goneOf, hasUnknownTickets, type KnownTicket } from '../target/identity/begin.ts';
import { countAtEnd } from '../target/identity/end.ts';
import type { ImportJob } from './import-job.ts';
import type { Surveyed } from './survey-export.ts';

export interface CheckedTarget {
  /** Whether tickets can be read, where that is known. */
  readonly reading?: 'yes' | 'no' | undefined;
  /** Tickets of this source that the target may have, where its own count can be compared with them. */
  readonly knownTickets?: number | undefined;
  readonly mayLackTag: boolean;
  /** Whether it keeps the tags of tickets, where that was seen. */
  readonly tagsKept?: boolean | undefined;
  /** The target may have tickets of the source that the checkpoint does not know: of ours, or of another shard. */
  readonly unknownTickets?: 'ours' | 'elsewhere' | undefined;
  /** Nothing can be sent for this reason. */
  readonly stop?: AppError | undefined;
}

const NEWEST = 3;
/** Where one of the newest is gone, so many are asked for, to say which. */
const MORE_NEWEST = 50;

/** Throws AppError `checkpoint` where this is not the target of the checkpoint, or a new checkpoint finds tickets of its source there. */
export async function checkTarget(
  { settings, sourceName, ports, problem }: ImportJob,
  { toSend, toCreate }: Surveyed,
  content: string,
  checkpoint: Checkpoint,
  api: TicketApi,
): Promise<CheckedTarget> {
  const { meta } = checkpoint;
  requireNoUndo(checkpoint);
  const isMarked = settings.target.identityTag;
  const { count, others, newest: lastChanged } = checkpoint.inTarget(NEWEST);
  const lastCreated = (meta.lastCreated ?? []).flatMap((id) => checkpoint.get(id) ?? []);
  const withoutIdentity = isMarked ? (meta.withoutIdentity ?? count) : undefined;
  // The tickets of a target that keeps no tags are known by their ids alone, and cannot be counted.
  const { tagsKept } = meta;
  const mayLackTag = withoutIdentity !== 0 || tagsKept === false;
  const isShard = settings.selection.shard !== undefined;
  // A ticket that was corrected there may have been imported by another shard, which has the export corrected.
  const isOfRejects = rejectFoldersOf(settings.source.files).length > 0;
  const known = {
    mayLackTag,
    tagsKept,
    knownTickets:
      withoutIdentity === undefined || isShard || tagsKept === false ? undefined : count - withoutIdentity,
  };
  if (count === 0 && toSend.tickets === 0) return known;
  try {
    const { reading, calledAs, unasked, gone } = await askTarget(
      {
        checkpoint: settings.output.checkpoint,
        source: sourceName.name,
        isMarked,
        hasDoubts: checkpoint.counts().creating + checkpoint.counts().inDoubt > 0,
        lastCreated: lastCreated.flatMap(inTarget),
        lastChanged: lastChanged.flatMap(inTarget),
        others: others.flatMap(inTarget),
        mayLackTag,
        knownAs: meta.targetIs,
        ofShard: isShard ? (isOfRejects ? [] : toCreate.map(({ externalId }) => externalId)) : undefined,
        toCreate: sourceName.isGiven ? [] : toCreate,
      },
      api,
      ports.soft,
    );
    await checkpoint.usedWith({
      withoutIdentity,
      targetIs: calledAs ?? meta.targetIs,
      content: meta.content ?? content,
    });
    const unknownTickets = isShard
      ? elsewhere(isOfRejects ? '' : meta.content, content)
      : await beyondCheckpoint(known.knownTickets, reading);
    if (unknownTickets === 'ours')
      ports.emit({
        type: 'note',
        message: `The target has more tickets of the source "${sourceName.name}" than the checkpoint knows, so each ticket is looked for before it is created.`,
      });
    if (gone.length > 0) {
      const asked = new Set([...lastCreated, ...lastChanged, ...others].map(({ externalId }) => externalId));
      const more = checkpoint.inTarget(MORE_NEWEST).newest.filter(({ externalId }) => !asked.has(externalId));
      const missing = [...gone, ...(await goneOf(more.flatMap(inTarget), api, ports.soft))];
      problem({ severity: 'warning', count: missing.length, ...goneProblem(missing) });
    }
    if (unasked !== undefined)
      problem({ severity: 'warning', count: 1, ...uncheckedProblem(sourceName.name, unasked) });
    if (reading === 'no')
      ports.emit({
        type: 'note',
        message:
          'The target shows none of its tickets, so it is not known whether it is the one of this checkpoint.',
      });
    return { ...known, unknownTickets, ...(reading === 'unknown' ? {} : { reading }) };
  } catch (error) {
    if (error instanceof AppError && error.code === 'checkpoint') throw error;
    ports.soft.throwIfAborted();
    const failure = readFailure(error, ports.soft);
    if (!('stop' in failure) || !(failure.stop instanceof AppError)) throw error;
    return { ...known, stop: failure.stop };
  }

  /** An old copy of a checkpoint does not know what was imported since: its count is too low. */
  async function beyondCheckpoint(
    knownTickets: number | undefined,
    reading: string,
  ): Promise<'ours' | undefined> {
    if (knownTickets === undefined || reading !== 'yes' || toSend.tickets === 0) return undefined;
    const { creating, inDoubt } = checkpoint.counts();
    const most = knownTickets + creating + inDoubt;
    return (await hasUnknownTickets(sourceName.name, most, api, ports.soft)) ? 'ours' : undefined;
  }
}

/** A ticket that an undo is emptying is neither there nor gone. */
function requireNoUndo({ undos, path }: Checkpoint): void {
  const begun = undos.begun();
  const [first] = begun;
  if (first === undefined) return;
  throw new AppError(
    'checkpoint',
    `An undo of ${first.run} was begun and not finished: ${begun.length === 1 ? 'one ticket is' : `${begun.length} tickets are`} half emptied.`,
    { hint: `Finish it first: helpdesk-import undo --run ${first.run} --checkpoint ${path}` },
  );
}

/** Some of a checkpoint's tickets are gone: people delete some, and a backup that is put back lacks the newest. */
function goneProblem(missing: readonly KnownTicket[]): { code: string; message: string } {
  const named = missing.slice(0, 10).map(({ externalId, ticketId }) => `${externalId} (${ticketId})`);
  const rest = missing.length > named.length ? ` and ${missing.length - named.length} more` : '';
  return {
    code: 'missing-in-target',
    message: `The target does not have ${named.join(', ')}${rest} any more, though the checkpoint counts them as imported: deleted there, or lost when a backup was restored. Nothing is created again.`,
  };
}

/** Reading is not promised, so an import goes on without; whoever lost a checkpoint has to know that nothing was compared. */
function uncheckedProblem(source: string, { message }: ApiFailure): { code: string; message: string } {
  return {
    code: 'target-unchecked',
    message: `It is not known whether the target has tickets of the source "${source}" already, so all of this export are created. ${message}`,
  };
}

/** A requester's corrected address moves a ticket to another shard, whose checkpoint does not know it. */
function elsewhere(before: string | undefined, now: string): 'elsewhere' | undefined {
  return before === undefined || before === now ? undefined : 'elsewhere';
}

const TAGS_DROPPED = {
  code: 'tags-not-kept',
  message:
    'The target does not keep the tags that identify its tickets (or cuts them): creates of unknown outcome are settled by subject, time and contact, and a lost checkpoint cannot be rebuilt from the target. Keep a backup of it.',
};

/** Tells what is wrong; resolves with whether a ticket is in the target more than once. */
export async function checkEnd(
  { settings, sourceName, ports, problem }: ImportJob,
  checkpoint: Checkpoint,
  api: TicketApi,
  doubted: readonly string[],
): Promise<boolean> {
  const { withoutIdentity } = checkpoint.meta;
  if (!settings.target.identityTag || withoutIdentity === undefined) return false;
  const tagsKept = checkpoint.meta.tagsKept ?? (await readTags(sourceName.name, checkpoint, api, ports.soft));
  if (tagsKept === false) {
    problem({ severity: 'warning', count: 1, ...TAGS_DROPPED });
    return false;
  }
  const { creating, inDoubt } = checkpoint.counts();
  const isShard = settings.selection.shard !== undefined;
  const problems = await countAtEnd(
    {
      source: sourceName.name,
      known: isShard ? undefined : checkpoint.inTarget(0).count - withoutIdentity,
      inDoubt: creating + inDoubt,
      doubted,
      ownerOf: (ticketId) => checkpoint.ownerOf(ticketId),
    },
    api,
    ports.clock,
    ports.soft,
  );
  for (const found of problems) problem(found);
  return problems.some(({ code }) => code === 'duplicate-in-target');
}

/**
 * Whether tickets keep their tags, of a target whose answers to creates did not show it: told by one that is read, so that the
 * next run does not take the target for another one.
 */
async function readTags(
  source: string,
  checkpoint: Checkpoint,
  api: TicketApi,
  signal: AbortSignal,
): Promise<boolean | undefined> {
  const last = checkpoint.meta.lastCreated?.at(-1);
  const [known] =
    last === undefined ? [] : [checkpoint.get(last)].flatMap((each) => each ?? []).flatMap(inTarget);
  if (known === undefined) return undefined;
  try {
    const { tags } = await api.readTicket(known.ticketId, signal);
    if (!Array.isArray(tags)) return undefined;
    const tagsKept = hasTag(tags, identityTag(source, known.externalId));
    await checkpoint.usedWith({ tagsKept });
    return tagsKept;
  } catch (error) {
    // Reading is not promised.
    if (error instanceof ApiFailure) return undefined;
    throw error;
  }
}

function inTarget({ externalId, ticketId }: TicketRecord): KnownTicket[] {
  return ticketId === undefined ? [] : [{ externalId, ticketId }];
}
