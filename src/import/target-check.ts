/** The questions to the target before the first ticket and after the last one, put together from settings and checkpoint. */
import type { Checkpoint } from '../checkpoint/checkpoint.ts';
import { AppError } from '../domain/errors.ts';
import { identityTag, sourceTag } from '../domain/identity.ts';
import type { TicketRecord } from '../domain/ledger.ts';
import type { TargetFacts, TicketApi } from '../domain/ticket-api.ts';
import { readFailure } from '../push/failure-meaning.ts';
import { rejectFoldersOf } from '../rejects/reject-folder.ts';
import {
  askTarget,
  goneOf,
  hasUnknownTickets,
  type KnownTicket,
  tagsNotKept,
} from '../target/same-target.ts';
import { countAtEnd } from '../target/twice-in-target.ts';
import type { ImportJob } from './import-job.ts';
import type { Surveyed } from './survey-export.ts';

export interface CheckedTarget {
  readonly facts: TargetFacts;
  readonly mayLackTag: boolean;
  /** The target may have tickets of the source that the checkpoint does not know: of ours, or of another shard. */
  readonly unknownTickets?: 'ours' | 'elsewhere' | undefined;
  /** Nothing can be sent for this reason. */
  readonly stop?: AppError | undefined;
}

const NEWEST = 3;
/** So many tickets are asked for where a part of an export is imported with a new checkpoint. */
const FIRST_CREATES = 10;
/** Where one of the newest is gone, so many are asked for, to say which. */
const MORE_NEWEST = 50;

/** Throws AppError `checkpoint` where this is not the target of the checkpoint, or a new checkpoint finds tickets of its source there. */
export async function checkTarget(
  { settings, source: { plan }, sourceName, ports, problem }: ImportJob,
  { totals: { toSend }, digest: content }: Surveyed,
  checkpoint: Checkpoint,
  api: TicketApi,
): Promise<CheckedTarget> {
  const { meta } = checkpoint;
  const { emit, soft } = ports;
  const source = sourceName.name;
  requireNoUndo(checkpoint);
  const { identityTag: isMarked } = settings.target;
  if (isMarked && meta.facts?.keepsTags === false) throw tagsNotKept();
  const { count, others, newest } = checkpoint.inTarget(NEWEST);
  const lastCreated = (meta.lastCreated ?? []).flatMap((id) => checkpoint.get(id) ?? []);
  const withoutIdentity = isMarked ? (meta.withoutIdentity ?? count) : undefined;
  const isShard = settings.selection.shard !== undefined;
  const toCreate = plan.steps.firstCreates(FIRST_CREATES);
  // A ticket that was corrected there may have been imported by another shard, which has the export corrected.
  const isOfRejects = rejectFoldersOf(settings.source.files).length > 0;
  const known: CheckedTarget = { facts: meta.facts ?? {}, mayLackTag: withoutIdentity !== 0 };
  /** Tickets of this source that the target may have, where its own count can be compared with them. */
  const knownTickets = withoutIdentity === undefined || isShard ? undefined : count - withoutIdentity;
  if (count === 0 && toSend === 0) return known;
  const { creating, inDoubt } = checkpoint.counts();
  const mayHaveOurs = isMarked && creating + inDoubt === 0;
  const ofShard = isOfRejects ? [] : toCreate.map(({ externalId }) => identityTag(source, externalId));
  try {
    const { isReadable, calledAs, unasked, gone } = await askTarget(
      {
        checkpoint: settings.output.checkpoint,
        source,
        tags: !mayHaveOurs ? [] : isShard ? ofShard : [sourceTag(source)],
        newest: [lastCreated.flatMap(inTarget), newest.flatMap(inTarget)],
        others: others.flatMap(inTarget),
        mayLackTag: known.mayLackTag,
        knownAs: meta.targetIs,
        toCreate: sourceName.isGiven ? [] : toCreate,
      },
      api,
      soft,
    );
    await checkpoint.usedWith({
      withoutIdentity,
      targetIs: calledAs ?? meta.targetIs,
      content: meta.content ?? content,
    });
    // A requester's corrected address moves a ticket to another shard, whose checkpoint does not know it.
    const isChanged = isOfRejects || (meta.content !== undefined && meta.content !== content);
    let unknownTickets: CheckedTarget['unknownTickets'] = isShard && isChanged ? 'elsewhere' : undefined;
    // An old copy of a checkpoint does not know what was imported since: its count is too low.
    if (knownTickets !== undefined && count > 0 && isReadable === true && toSend > 0) {
      const most = knownTickets + creating + inDoubt;
      if (await hasUnknownTickets(source, most, api, soft)) unknownTickets = 'ours';
    }
    if (unknownTickets === 'ours')
      emit({
        type: 'note',
        message: `The target has more tickets of the source "${source}" than the checkpoint. Each ticket is looked for before it is created.`,
      });
    if (gone.length > 0) {
      const asked = new Set([...lastCreated, ...newest, ...others].map(({ externalId }) => externalId));
      const more = checkpoint.inTarget(MORE_NEWEST).newest.filter(({ externalId }) => !asked.has(externalId));
      const missing = [...gone, ...(await goneOf(more.flatMap(inTarget), api, soft))];
      const named = missing.slice(0, 10).map(({ externalId, ticketId }) => `${externalId} (${ticketId})`);
      const rest = missing.length > named.length ? ` and ${missing.length - named.length} more` : '';
      problem({
        ...{ severity: 'warning', code: 'missing-in-target', count: missing.length },
        message: `The target does not have ${named.join(', ')}${rest} any more, though the checkpoint counts them as imported: deleted there, or lost when a backup was restored. Nothing is created again.`,
      });
    }
    // Reading is not promised, so the import continues.
    if (unasked !== undefined)
      problem({
        ...{ severity: 'warning', code: 'target-unchecked', count: 1 },
        message: `It is not known whether the target has tickets of the source "${source}" already, so all of this export are created. ${unasked.message}`,
      });
    if (count > 0 && isReadable === false)
      emit({
        type: 'note',
        message:
          'The target shows none of its tickets, so it is not known whether it is the one of this checkpoint.',
      });
    return { ...known, unknownTickets, facts: { ...known.facts, isReadable } };
  } catch (error) {
    if (error instanceof AppError && error.code === 'checkpoint') throw error;
    soft.throwIfAborted();
    const failure = readFailure(error, soft);
    if (!('stop' in failure) || !(failure.stop instanceof AppError)) throw error;
    return { ...known, stop: failure.stop };
  }
}

/** A ticket that an undo is emptying is neither there nor gone. */
function requireNoUndo({ undos, path }: Checkpoint): void {
  const begun = [...undos.values()].filter((each) => each.begun !== undefined);
  const [first] = begun;
  if (first === undefined) return;
  throw new AppError(
    'checkpoint',
    `An undo of ${first.run} was begun and not finished: ${begun.length === 1 ? 'one ticket is' : `${begun.length} tickets are`} half emptied.`,
    { hint: `Finish it first: helpdesk-import undo --run ${first.run} --checkpoint ${path}` },
  );
}

/** Says what is wrong; resolves with whether a ticket is in the target more than once. */
export async function checkEnd(
  { settings, sourceName, ports, problem }: ImportJob,
  checkpoint: Checkpoint,
  api: TicketApi,
  doubted: readonly string[],
): Promise<boolean> {
  const { withoutIdentity } = checkpoint.meta;
  if (!settings.target.identityTag || withoutIdentity === undefined) return false;
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

function inTarget({ externalId, ticketId }: TicketRecord): KnownTicket[] {
  return ticketId === undefined ? [] : [{ externalId, ticketId }];
}
