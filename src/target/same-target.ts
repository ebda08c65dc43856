/**
 * Before anything is sent: is this the target whose tickets the checkpoint lists, and does a new checkpoint find tickets of its
 * source there? A staging token yesterday and a production token today, a service restored from a backup, an emptied one: none of
 * that shows in the address.
 */
import { AppError } from '../domain/errors.ts';
import { sha256 } from '../domain/hash.ts';
import { hasTag, identityTag, mayBe, sourceTag, tagNames } from '../domain/identity.ts';
import type { ApiFailure, TicketApi } from '../domain/ticket-api.ts';
import { isUnread, optional } from './api.ts';

export interface KnownTicket {
  readonly externalId: string;
  readonly ticketId: string;
}

/** Distinguishes a ticket of the export from others with its ID in another source. */
export interface TicketToCreate {
  readonly externalId: string;
  readonly subject: string;
  readonly createdAt: string;
}

export interface TargetQuestion {
  readonly checkpoint: string;
  readonly source: string;
  /** Tags by which a new checkpoint finds tickets that it would create again; empty: do not ask. */
  readonly tags: readonly string[];
  /** Groups of tickets of the checkpoint that a backup has as a whole or lacks as a whole: those created last, those changed last. */
  readonly newest: readonly (readonly KnownTicket[])[];
  readonly others: readonly KnownTicket[];
  /** Some of them may have been created without their tag. */
  readonly mayLackTag: boolean;
  /** What the target called itself when the checkpoint was last used (a digest). */
  readonly knownAs: string | undefined;
  /** Some that are about to be created, where the source has no name: they may be there under the name of an earlier import. */
  readonly toCreate: readonly TicketToCreate[];
}

export interface TargetAnswer {
  /** Undefined where nothing was asked. */
  readonly isReadable: boolean | undefined;
  /** What the target calls itself, as a digest; undefined where it does not say. */
  readonly calledAs?: string | undefined;
  /** Why a new checkpoint could not ask for tickets of its source. */
  readonly unasked?: ApiFailure | undefined;
  /** Tickets of the checkpoint that were asked for and are not there. */
  readonly gone: readonly KnownTicket[];
}

/** Throws AppError `checkpoint` where nothing may be sent there; ApiFailure `auth` and such where nothing can be. */
export async function askTarget(
  question: TargetQuestion,
  api: TicketApi,
  signal: AbortSignal,
): Promise<TargetAnswer> {
  const { newest, others, source, mayLackTag, knownAs, checkpoint } = question;
  const asked = [...new Map([...newest.flat(), ...others].map((one) => [one.externalId, one])).values()];
  if (asked.length === 0) return askNew(question, api, signal);
  const verdicts = new Map<string, Verdict>();
  await Promise.all(
    asked.map(async ({ externalId, ticketId }) => {
      const read = await readTags(ticketId, api, signal);
      const isOurs = 'tags' in read && mayBe(read.tags, identityTag(source, externalId), mayLackTag);
      verdicts.set(externalId, 'is' in read ? read.is : isOurs ? 'ours' : 'foreign');
    }),
  );
  const verdictsOf = (tickets: readonly KnownTicket[]) =>
    tickets.flatMap(({ externalId }) => verdicts.get(externalId) ?? []).filter((one) => one !== 'unreadable');
  const all = verdictsOf(asked);
  const isUnreadable = { isReadable: false, gone: [] } as const;
  if (all.length === 0) return isUnreadable;
  if (!all.includes('ours')) {
    if (all.includes('foreign')) throw another(checkpoint, asked.length);
    const list = await optional(api.findTickets({ most: 1 }, signal));
    if (list === undefined) return isUnreadable;
    throw emptied(checkpoint, asked.length);
  }
  const isLost = (group: readonly KnownTicket[]) => {
    const own = verdictsOf(group);
    return own.length > 1 && own.length < all.length && !own.includes('ours');
  };
  if (newest.some(isLost)) throw restored(checkpoint);
  const calledAs = await nameOf(api, signal);
  if (knownAs !== undefined && calledAs !== undefined && knownAs !== calledAs)
    throw refused(
      `The target names another organization than the one that the checkpoint ${checkpoint} was used with (${calledAs} instead of ${knownAs}): this is another workspace behind the same address.`,
      HINT,
    );
  const gone = asked.filter(({ externalId }) => verdicts.get(externalId) === 'gone');
  return { isReadable: true, calledAs, gone };
}

/** `gone`: 404 or 410. */
type Verdict = 'ours' | 'foreign' | 'gone' | 'unreadable';

async function readTags(
  ticketId: string,
  api: TicketApi,
  signal: AbortSignal,
): Promise<{ readonly tags: unknown } | { readonly is: 'gone' | 'unreadable' }> {
  try {
    const { tags } = await api.readTicket(ticketId, signal);
    return { tags };
  } catch (error) {
    if (!isUnread(error)) throw error;
    return { is: error.status === 404 || error.status === 410 ? 'gone' : 'unreadable' };
  }
}

/** Which of these tickets are not in the target any more. */
export async function goneOf(
  tickets: readonly KnownTicket[],
  api: TicketApi,
  signal: AbortSignal,
): Promise<KnownTicket[]> {
  const read = await Promise.all(tickets.map(({ ticketId }) => readTags(ticketId, api, signal)));
  return tickets.filter((_, at) => read[at] !== undefined && 'is' in read[at] && read[at].is === 'gone');
}

const HINT =
  'Nothing was sent. Check the token and the base URL; for another workspace, begin with its own checkpoint (--checkpoint).';

function refused(message: string, hint: string): AppError {
  return new AppError('checkpoint', message, { hint });
}

const ticketsOf = (asked: number) => (asked === 1 ? 'the ticket' : `${asked} tickets`);

const another = (path: string, asked: number) =>
  refused(
    `The target is not the one that the checkpoint ${path} was used with: under the ids of ${ticketsOf(asked)} that were asked for it has tickets without the tags of ours.`,
    'Nothing was sent. If this is the right target and it does not keep tags, go on with target.identityTag: off and this checkpoint: a new one would create every ticket again. Else check the token and the base URL; for another workspace, begin with its own checkpoint (--checkpoint).',
  );

const emptied = (path: string, asked: number) =>
  refused(
    `The target has none of the tickets of the checkpoint ${path} (${ticketsOf(asked)} asked for): it is another workspace behind the same address, or it was emptied.`,
    `${HINT} If the tickets were deleted on purpose, a new checkpoint imports them again.`,
  );

const restored = (path: string) =>
  refused(
    `The target has older tickets of the checkpoint ${path} and none of the newest: it was restored from a backup, or the newest were deleted.`,
    'Nothing was sent. Make a checkpoint of what is there: "helpdesk-import checkpoint rebuild --checkpoint <new file>", and go on with that.',
  );

/** A new checkpoint would create again what is there. */
async function askNew(question: TargetQuestion, api: TicketApi, signal: AbortSignal): Promise<TargetAnswer> {
  const { source, tags, checkpoint, toCreate } = question;
  try {
    for (const tag of tags) {
      const found = await api.findTickets({ tags: [tag], most: 1 }, signal);
      const there = found.find(({ tags: carried }) => hasTag(carried, tag));
      if (there === undefined) continue;
      throw refused(
        `The target already has tickets of the source "${source}" (such as ${there.id}) that the checkpoint ${checkpoint} does not have: they would be created again.`,
        'Nothing was sent. Continue with the checkpoint of that import (--checkpoint), rebuild it from the target with "helpdesk-import checkpoint rebuild", or, for another source or a second copy, give it its own name with --source-name.',
      );
    }
  } catch (error) {
    if (!isUnread(error)) throw error;
    return { isReadable: false, unasked: error, gone: [] };
  }
  // A deleted one is not found, so two are asked for.
  for (const ticket of tags.length === 0 ? [] : toCreate.slice(0, 2)) {
    const other = await importedAs(ticket, api, signal);
    if (other === undefined || other.source === source) continue;
    throw refused(
      `The target already has ticket ${ticket.externalId} of this export (as ${other.id}), imported under the source name "${other.source}" with another checkpoint than ${checkpoint}: all would be created again as "${source}".`,
      'Nothing was sent. Continue as it was imported, with the same settings file (--config) and checkpoint (--checkpoint). To import it a second time, give this import its own name with --source-name.',
    );
  }
  const isReadable = tags.length === 0 ? undefined : true;
  return { isReadable, calledAs: await nameOf(api, signal), gone: [] };
}

/** The same ticket with the tags of another source. */
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

/** Whether the target has more tickets of this source than `known`; false where it does not say, or does not filter by tags. */
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

async function nameOf(api: TicketApi, signal: AbortSignal): Promise<string | undefined> {
  const name = await optional(api.whoIs(signal));
  return name === undefined ? undefined : sha256(name).slice(0, 16);
}

/** Without its tag no ticket of unknown outcome can be found again, so an import that relies on tags ends here. */
export function tagsNotKept(): AppError {
  return new AppError(
    'configuration',
    'The helpdesk does not keep the tags by which its tickets are found again.',
    {
      hint: 'Allow tags in the helpdesk. Or set target.identityTag: off and keep this checkpoint: tickets of unknown outcome are then held for you.',
    },
  );
}
