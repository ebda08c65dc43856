/**
 * Before anything is sent: is this the helpdesk of the checkpoint, and does a new checkpoint find tickets of its source there?
 * A staging or production token, a restored backup and an emptied helpdesk share one address.
 */

import { AppError } from '../domain/errors.ts';
import { hasTag, identityTag, sha256, tagNames } from '../domain/identity.ts';
import { say } from '../domain/text/problem-words.ts';
import { stop } from '../domain/text/stops.ts';
import type { ApiFailure, Snapshot, TicketApi } from '../domain/ticket-api.ts';
import { isGone, isUnread, optional } from './api.ts';
import { type KnownOfSource, ticketsOfSource } from './twice-in-target.ts';

export interface KnownTicket {
  readonly externalId: string;
  readonly ticketId: string;
}

export interface TicketToCreate {
  readonly externalId: string;
  readonly subject: string;
  readonly createdAt: string;
}

export interface TargetQuestion {
  readonly checkpoint: string;
  readonly source: string;
  readonly looksForSource: boolean;
  /** Groups that a backup has or lacks as a whole: created last, changed last. */
  readonly newest: readonly (readonly KnownTicket[])[];
  readonly others: readonly KnownTicket[];
  /** A digest of the helpdesk's name at the last use. */
  readonly knownAs: string | undefined;
  /** Some tickets to create, for a source without a name: an earlier import may have used another name. */
  readonly toCreate: readonly TicketToCreate[];
}

export interface TargetAnswer {
  readonly isReadable: boolean | undefined;
  /** A digest; undefined if the helpdesk has no name. */
  readonly calledAs?: string | undefined;
  readonly unasked?: ApiFailure | undefined;
  readonly gone: readonly KnownTicket[];
}

type Verdict = 'ours' | 'foreign' | 'gone' | 'unreadable' | 'unread';

export async function askTarget(
  question: TargetQuestion,
  api: TicketApi,
  signal: AbortSignal,
): Promise<TargetAnswer> {
  const { newest, others, source, knownAs, checkpoint } = question;
  const asked = [...new Map([...newest.flat(), ...others].map((one) => [one.externalId, one])).values()];
  if (asked.length === 0) return askNew(question, api, signal);
  const verdicts = new Map<string, Verdict>();
  await Promise.all(
    asked.map(async (one) => verdicts.set(one.externalId, await verdictOn(one, source, api, signal))),
  );
  const verdictsOf = (tickets: readonly KnownTicket[]) =>
    tickets
      .flatMap(({ externalId }) => verdicts.get(externalId) ?? [])
      .filter((one) => one !== 'unreadable' && one !== 'unread');
  const all = verdictsOf(asked);
  const areSomeUnread = [...verdicts.values()].includes('unread');
  if (all.length === 0) return { isReadable: areSomeUnread ? undefined : false, gone: [] };
  if (!all.includes('ours')) {
    if (all.includes('foreign')) throw another(checkpoint, asked.length);
    const list = await optional(api.findTickets({ most: 1 }, signal));
    if (list === undefined) return { isReadable: undefined, gone: [] };
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
      `This token opens organization ${calledAs}; checkpoint ${checkpoint} belongs to ${knownAs}.`,
      HINT,
    );
  const gone = asked.filter(({ externalId }) => verdicts.get(externalId) === 'gone');
  return { isReadable: true, calledAs, gone };
}

async function verdictOn(
  { externalId, ticketId }: KnownTicket,
  source: string,
  api: TicketApi,
  signal: AbortSignal,
): Promise<Verdict> {
  try {
    const { tags } = await api.readTicket(ticketId, signal);
    return hasTag(tags, identityTag(source, externalId)) ? 'ours' : 'foreign';
  } catch (error) {
    if (!isUnread(error)) throw error;
    if (isGone(error)) return 'gone';
    return error.code === 'target-unreadable' ? 'unreadable' : 'unread';
  }
}

export async function goneOf(
  tickets: readonly KnownTicket[],
  api: TicketApi,
  signal: AbortSignal,
): Promise<KnownTicket[]> {
  const read = await Promise.all(tickets.map((one) => verdictOn(one, '', api, signal)));
  return tickets.filter((_, at) => read[at] === 'gone');
}

const HINT =
  'Nothing was sent. Check the token and the base URL; for another workspace, begin with its own checkpoint (--checkpoint).';

function refused(message: string, hint: string): AppError {
  return new AppError('checkpoint', message, { hint });
}

const ticketsOf = (asked: number) => say('{asked|the ticket|# tickets}', { asked });

const another = (path: string, asked: number) =>
  refused(
    `This is not the helpdesk of checkpoint ${path}: ${ticketsOf(asked)} with our IDs lack our tags.`,
    HINT,
  );

const emptied = (path: string, asked: number) =>
  refused(
    `None of ${ticketsOf(asked)} of checkpoint ${path} exists here. The token opens another workspace, or this one was emptied.`,
    `${HINT} If the tickets were deleted on purpose, a new checkpoint imports them again.`,
  );

const restored = (path: string) =>
  refused(
    `The helpdesk has older tickets of checkpoint ${path} and none of the newest. It was restored from a backup, or the newest were deleted.`,
    'Nothing was sent. Rebuild the checkpoint, then use the new file: `helpdesk-import checkpoint rebuild --checkpoint <new file>`.',
  );

async function askNew(question: TargetQuestion, api: TicketApi, signal: AbortSignal): Promise<TargetAnswer> {
  const { source, looksForSource, checkpoint, toCreate } = question;
  if (!looksForSource) return { isReadable: undefined, calledAs: await nameOf(api, signal), gone: [] };
  try {
    const none: KnownOfSource = { source, count: 0, ownerOf: () => undefined };
    const [there] = (await ticketsOfSource(api, none, () => 1, signal)).unclaimed;
    if (there !== undefined)
      throw refused(
        `The helpdesk already has tickets of the source "${source}" (such as ${there.id}) that the checkpoint ${checkpoint} does not have: they would be created again.`,
        'Nothing was sent. Continue with the checkpoint of that import (--checkpoint), rebuild it from the helpdesk with `helpdesk-import checkpoint rebuild`, or, for another source or a second copy, give it its own name with --set source.name=<name>.',
      );
  } catch (error) {
    if (!isUnread(error)) throw error;
    const isReadable = error.code === 'target-unreadable' ? false : undefined;
    return { isReadable, unasked: error, gone: [] };
  }
  // One may be deleted, so two are asked for.
  for (const ticket of toCreate.slice(0, 2)) {
    const other = await importedAs(ticket, api, signal);
    if (other === undefined || other.source === source) continue;
    throw refused(
      `The helpdesk already has ticket ${ticket.externalId} of this export (as ${other.id}), imported under the source name "${other.source}" with another checkpoint than ${checkpoint}: all would be created again as "${source}".`,
      'Nothing was sent. Continue as it was imported, with the same settings file (--config) and checkpoint (--checkpoint). To import it a second time, give this import its own name with --set source.name=<name>.',
    );
  }
  return { isReadable: true, calledAs: await nameOf(api, signal), gone: [] };
}

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

async function nameOf(api: TicketApi, signal: AbortSignal): Promise<string | undefined> {
  const name = await optional(api.whoIs(signal));
  return name === undefined ? undefined : sha256(name).slice(0, 16);
}

/** Without its tag a ticket of unknown outcome is not found again. */
export function tagsNotKept(ticketId: string): AppError {
  return stop('tags-not-kept', { ticketId });
}

/** A new token in a token file may be another workspace's: it must show one known ticket before anything is sent with it. */

export interface TicketToShow {
  readonly ticketId: string;
  readonly tag: string;
}

/** People may delete a ticket, so one of several is enough. Throws AppError `checkpoint`. */
export async function requireSameWorkspace(
  known: readonly TicketToShow[],
  read: (ticketId: string) => Promise<Snapshot>,
): Promise<void> {
  for (const { ticketId, tag } of known) {
    try {
      const { tags } = await read(ticketId);
      if (!Array.isArray(tags) || hasTag(tags, tag)) return;
    } catch (error) {
      if (!isUnread(error)) throw error;
      if (isGone(error)) continue;
      if (error.code === 'target-unreadable') return;
      throw error;
    }
  }
  if (known.length === 0) return;
  throw stop('other-workspace');
}
