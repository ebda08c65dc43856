/** Before anything is sent: is the target the one of the checkpoint, and does a new checkpoint find tickets of its source there? */
import { AppError } from '../../domain/errors.ts';
import { sha256 } from '../../domain/hash.ts';
import { hasTag, identityTag, sourceTag, tagNames } from '../../domain/identity.ts';
import { ApiFailure, type TicketApi } from '../../domain/ticket-api.ts';
import { type Recognition, type Reported, recognise, verdictOf } from './verdicts.ts';

export interface KnownTicket {
  readonly externalId: string;
  readonly ticketId: string;
}

/** What tells a ticket of the export apart from others in the target that have its id in another source. */
export interface TicketToCreate {
  readonly externalId: string;
  readonly subject: string;
  readonly createdAt: string;
}

export interface TargetQuestion {
  readonly checkpoint: string;
  readonly source: string;
  /** Whether tickets carry their identity. */
  readonly isMarked: boolean;
  /** A create of an earlier process has an unknown outcome: the checkpoint is not new, although it knows no ticket by its id. */
  readonly hasDoubts?: boolean | undefined;
  /** Some of the tickets of the checkpoint: those that were created last, those that were changed last, and others. A ticket may stand in several. */
  readonly lastCreated: readonly KnownTicket[];
  readonly lastChanged: readonly KnownTicket[];
  readonly others: readonly KnownTicket[];
  /** Some of them may have been created before tickets carried their identity. */
  readonly mayLackTag: boolean;
  /** What the target called itself when the checkpoint was last used (a digest). */
  readonly knownAs: string | undefined;
  /** A part of the export alone is imported with this checkpoint: these tickets of it are asked for instead of the whole source. */
  readonly ofShard: readonly string[] | undefined;
  /** Some that are about to be created, where nobody named the source: they may be there under the name of an earlier import. */
  readonly toCreate: readonly TicketToCreate[];
}

export interface TargetAnswer {
  /** Whether tickets can be read at all; `unknown` where there was none to be read. */
  readonly reading: 'yes' | 'no' | 'unknown';
  /** What the target calls itself, as a digest; undefined where it does not tell. */
  readonly calledAs: string | undefined;
  /** A new checkpoint could not ask whether the target has tickets of its source already: why. */
  readonly unasked?: ApiFailure | undefined;
  /** Tickets of the checkpoint that were asked for and are not there. */
  readonly gone: readonly KnownTicket[];
}

/** Throws AppError `checkpoint` where something must not be sent there; ApiFailure `auth` and such where nothing can be. */
export async function askTarget(
  question: TargetQuestion,
  api: TicketApi,
  signal: AbortSignal,
): Promise<TargetAnswer> {
  const { lastCreated, lastChanged, others, isMarked, knownAs } = question;
  const asked = [
    ...new Map([...lastCreated, ...lastChanged, ...others].map((one) => [one.externalId, one])).values(),
  ];
  const isAmong = (tickets: readonly KnownTicket[], { externalId }: KnownTicket) =>
    tickets.some((one) => one.externalId === externalId);
  if (asked.length === 0) {
    const isAsked = isMarked && question.hasDoubts !== true;
    const unasked = isAsked ? await requireNew(question, api, signal) : undefined;
    const calledAs = unasked === undefined ? await nameOf(api, signal) : undefined;
    return { reading: 'unknown', calledAs, unasked, gone: [] };
  }
  const samples = await Promise.all(
    asked.map(async (ticket) => ({
      ticket,
      isLastCreated: isAmong(lastCreated, ticket),
      isLastChanged: isAmong(lastChanged, ticket),
      verdict: verdictOf(
        await reported(ticket.ticketId, api, signal),
        identityTag(question.source, ticket.externalId),
        question.mayLackTag || !isMarked,
      ),
    })),
  );
  const isAllGone = samples.every(({ verdict }) => verdict === 'gone');
  const recognition = recognise(samples, isAllGone && (await listAnswers(api, signal)));
  if (recognition !== 'same' && recognition !== 'unreadable')
    throw refusal(recognition, question.checkpoint, asked.length);
  if (recognition === 'unreadable') return { reading: 'no', calledAs: undefined, gone: [] };
  const calledAs = await nameOf(api, signal);
  if (knownAs !== undefined && calledAs !== undefined && knownAs !== calledAs)
    throw new AppError(
      'checkpoint',
      `The target names another organization than the one that the checkpoint ${question.checkpoint} was used with (${calledAs} instead of ${knownAs}): this is another workspace behind the same address.`,
      { hint: HINT },
    );
  const gone = samples.filter(({ verdict }) => verdict === 'gone').map(({ ticket }) => ticket);
  return { reading: 'yes', calledAs, gone };
}

const HINT =
  'Nothing was sent. Check the token and the base URL; for another workspace, begin with its own checkpoint (--checkpoint).';

function refusal(
  recognition: Exclude<Recognition, 'same' | 'unreadable'>,
  path: string,
  asked: number,
): AppError {
  const tickets = asked === 1 ? 'the ticket' : `${asked} tickets`;
  switch (recognition) {
    case 'another':
      return new AppError(
        'checkpoint',
        `The target is not the one that the checkpoint ${path} was used with: under the ids of ${tickets} that were asked for it has tickets without the tags of ours.`,
        {
          hint: 'Nothing was sent. If this is the right target and it does not keep tags, go on with target.identityTag: off and this checkpoint: a new one would create every ticket again. Else check the token and the base URL; for another workspace, begin with its own checkpoint (--checkpoint).',
        },
      );
    case 'emptied':
      return new AppError(
        'checkpoint',
        `The target has none of the tickets of the checkpoint ${path} (${tickets} asked for): it is another workspace behind the same address, or it was emptied.`,
        {
          hint: `${HINT} If the tickets were deleted on purpose, a new checkpoint imports them again.`,
        },
      );
    case 'restored':
      return new AppError(
        'checkpoint',
        `The target has older tickets of the checkpoint ${path} and none of the newest: it was restored from a backup, or the newest were deleted.`,
        {
          hint: 'Nothing was sent. Make a checkpoint of what is there: "helpdesk-import checkpoint rebuild --checkpoint <new file>", and go on with that.',
        },
      );
  }
}

/** Which of these tickets are not in the target any more. */
export async function goneOf(
  tickets: readonly KnownTicket[],
  api: TicketApi,
  signal: AbortSignal,
): Promise<KnownTicket[]> {
  const found = await Promise.all(
    tickets.map(async (ticket) => ({ ticket, is: (await reported(ticket.ticketId, api, signal)).is })),
  );
  return found.filter(({ is }) => is === 'missing').map(({ ticket }) => ticket);
}

/** A new checkpoint would create them again. Resolves with why the list cannot be asked, where it cannot. */
async function requireNew(
  { source, ofShard, checkpoint, toCreate }: TargetQuestion,
  api: TicketApi,
  signal: AbortSignal,
): Promise<ApiFailure | undefined> {
  const tags = ofShard === undefined ? [sourceTag(source)] : ofShard.map((id) => identityTag(source, id));
  try {
    for (const tag of tags) {
      const found = await api.findTickets({ tags: [tag], most: 1 }, signal);
      const there = found.find(({ tags: carried }) => hasTag(carried, tag));
      if (there === undefined) continue;
      throw new AppError(
        'checkpoint',
        `The target already has tickets of the source "${source}" (such as ${there.id}), and the checkpoint ${checkpoint} knows none of them: they would be created again.`,
        {
          hint: 'Nothing was sent. Continue with the checkpoint of that import (--checkpoint), rebuild it from the target with "helpdesk-import checkpoint rebuild", or, for another source or a second copy, give it its own name with --source-name.',
        },
      );
    }
    for (const ticket of toCreate.slice(0, MOST_SEARCHED)) {
      const other = await importedAs(ticket, api, signal);
      if (other === undefined || other.source === source) continue;
      throw new AppError(
        'checkpoint',
        `The target already has ticket ${ticket.externalId} of this export (as ${other.id}), imported under the source name "${other.source}" with another checkpoint than ${checkpoint}: all would be created again as "${source}".`,
        {
          hint: 'Nothing was sent. Continue as it was imported, with the same settings file (--config) and checkpoint (--checkpoint). To import it a second time, give this import its own name with --source-name.',
        },
      );
    }
  } catch (error) {
    if (isUnknown(error)) return error;
    throw error;
  }
  return undefined;
}

/** A deleted one is not found, so it is not one alone. */
const MOST_SEARCHED = 2;

/** The same ticket with the tags of another source: its id there, its subject and its time. */
async function importedAs(
  { externalId, subject, createdAt }: TicketToCreate,
  api: TicketApi,
  signal: AbortSignal,
): Promise<{ readonly id: string; readonly source: string } | undefined> {
  const found = (await optional(api.findTickets({ search: subject, most: 1 }, signal))) ?? [];
  for (const { id, tags, createdAt: at } of found) {
    const isTime = typeof at !== 'string' || Date.parse(at) === Date.parse(createdAt);
    const sources = tagNames(tags).flatMap((name) => /^from-(.+)$/i.exec(name)?.[1]?.toLowerCase() ?? []);
    const source = sources.find((name) => hasTag(tags, identityTag(name, externalId)));
    if (isTime && source !== undefined) return { id, source };
  }
  return undefined;
}

/** Whether the target has more tickets of this source than these; false where it does not tell, or does not filter by tags. */
export async function hasUnknownTickets(
  source: string,
  known: number,
  api: TicketApi,
  signal: AbortSignal,
): Promise<boolean> {
  const tags = [sourceTag(source)];
  const total = await optional(api.countTickets({ tags }, signal));
  if (total === undefined || total <= known) return false;
  const listed = (await optional(api.findTickets({ tags, most: 20 }, signal))) ?? [];
  return listed.length > 0 && listed.every(({ tags: carried }) => hasTag(carried, sourceTag(source)));
}

async function reported(ticketId: string, api: TicketApi, signal: AbortSignal): Promise<Reported> {
  try {
    const { tags } = await api.readTicket(ticketId, signal);
    return { is: 'there', tags };
  } catch (error) {
    if (!isUnknown(error)) throw error;
    return { is: error.status === 404 || error.status === 410 ? 'missing' : 'unknown' };
  }
}

async function listAnswers(api: TicketApi, signal: AbortSignal): Promise<boolean> {
  return (await optional(api.findTickets({ most: 1 }, signal))) !== undefined;
}

async function nameOf(api: TicketApi, signal: AbortSignal): Promise<string | undefined> {
  const name = await optional(api.whoIs(signal));
  return name === undefined ? undefined : sha256(name).slice(0, 16);
}

/** Undefined where the target does not tell: reading is not promised. What stops a run is thrown. */
async function optional<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (isUnknown(error)) return undefined;
    throw error;
  }
}

function isUnknown(error: unknown): error is ApiFailure {
  return error instanceof ApiFailure && UNTOLD.has(error.code);
}

const UNTOLD: ReadonlySet<string> = new Set(['target-unreadable', 'refused', 'unknown-outcome']);
