/** One look at the target for the ticket that a create of unknown outcome may have made: what it shows, as evidence. */
import { hasTag, isMarked, mayBeCut } from '../domain/identity.ts';
import type { CreateIntent } from '../domain/ledger.ts';
import { ApiFailure, type Snapshot, type TicketApi } from '../domain/ticket-api.ts';
import type { Landmark } from './landmarks.ts';
import { isSame, isShared, marksOf } from './marks.ts';

export interface Found {
  readonly own: readonly string[];
  /** They carry the tag of the ticket; else they are like it in everything that is told. */
  readonly isCertain: boolean;
  readonly sharing: readonly string[];
  /** How many tickets were shown, by what was searched for. */
  readonly shown: ReadonlyMap<string, number>;
}

export interface Reading {
  readonly api: Pick<TicketApi, 'findTickets' | 'readTicket'>;
  readonly signal: AbortSignal;
  /** The target is known not to keep tags: one without ours may be ours. */
  readonly areTagsDropped: boolean;
  /** Whether a ticket of the target is another ticket of the checkpoint. */
  isTaken(ticketId: string): boolean;
}

export type Asking = Pick<Reading, 'api' | 'signal'>;

/** Tickets of which the list tells too little are read one by one, up to so many. */
const READ_SINGLY = 5;
/** A query by a tag of its own finds one ticket; a service that ignores the filter answers with all that it has. */
const MOST_TAGGED = 100;

/**
 * By its own tag. `isFiltered`: the service did not show tickets that do not carry it. Services cut long tags, and the beginning of
 * one may be the tag of another ticket: where two of the three marks differ, it is unclear whose the ticket is.
 */
export async function findTagged(
  tag: string,
  intent: CreateIntent,
  reading: Reading,
): Promise<{
  readonly own: readonly string[];
  readonly unclear: readonly string[];
  readonly isFiltered: boolean;
}> {
  const listed = await reading.api.findTickets({ tags: [tag], most: MOST_TAGGED }, reading.signal);
  const own = new Set<string>();
  const unclear = new Set<string>();
  let isFiltered = true;
  for (const [index, listedTicket] of listed.entries()) {
    const tellsLittle = !tellsTags(listedTicket) || tellsNoMark(listedTicket, intent);
    const ticket = tellsLittle && index < READ_SINGLY ? await whole(listedTicket, reading) : listedTicket;
    if (!hasTag(ticket['tags'], tag)) isFiltered = false;
    else if (!reading.isTaken(ticket.id)) (isOther(ticket, intent) ? unclear : own).add(ticket.id);
  }
  return { own: [...own], unclear: [...unclear], isFiltered };
}

/** A tag with a hash is the beginning of no other one. */
function isOther(ticket: Snapshot, intent: CreateIntent): boolean {
  if (intent.tag?.includes('--') === true) return false;
  return Object.values(marksOf(ticket, intent)).filter((mark) => mark === 'different').length > 1;
}

function tellsNoMark(ticket: Snapshot, intent: CreateIntent): boolean {
  return Object.values(marksOf(ticket, intent)).every((mark) => mark === 'unreported');
}

/** By subject and by e-mail: services differ in what they find by a subject, and in what they make of it. */
export async function findAlike(
  intent: CreateIntent,
  areTagsKept: boolean,
  reading: Reading,
): Promise<Found> {
  const { api, signal } = reading;
  const listed = new Map<string, Snapshot>();
  const shown = new Map<string, number>();
  for (const search of [searchText(intent.subject), intent.email]) {
    if (search === undefined || search === '') continue;
    const found = await api.findTickets({ search }, signal);
    shown.set(search, found.length);
    for (const ticket of found) listed.set(ticket.id, ticket);
  }
  const tagged = new Set<string>();
  const own = new Set<string>();
  const sharing = new Set<string>();
  let singly = 0;
  for (const [id, listedTicket] of listed) {
    if (reading.isTaken(id)) continue;
    let ticket = listedTicket;
    const tellsLittle = !tellsTags(ticket) || Object.values(marksOf(ticket, intent)).includes('unreported');
    if (tellsLittle && singly < READ_SINGLY) {
      singly += 1;
      ticket = await whole(ticket, reading);
    }
    const is = judge(ticket, intent, areTagsKept, reading.areTagsDropped);
    if (is === 'tagged') tagged.add(id);
    else if (is === 'own') own.add(id);
    else if (is === 'sharing') sharing.add(id);
  }
  const isCertain = tagged.size > 0;
  return { own: [...(isCertain ? tagged : own)], isCertain, sharing: [...sharing], shown };
}

/** Whose is a ticket that no other ticket of the checkpoint is? */
export function judge(
  ticket: Snapshot,
  intent: CreateIntent,
  areTagsKept: boolean,
  areTagsDropped = false,
): 'tagged' | 'own' | 'sharing' | 'foreign' {
  const { tags } = ticket;
  if (intent.tag !== undefined && hasTag(tags, intent.tag))
    return isOther(ticket, intent) ? 'sharing' : 'tagged';
  if (isMarked(tags)) return intent.tag !== undefined && mayBeCut(tags, intent.tag) ? 'sharing' : 'foreign';
  const marks = marksOf(ticket, intent);
  // Sent with a tag and shown without it: it may be ours on a target that drops tags, and it may be anybody's.
  const mayCompare = intent.tag === undefined || !tellsTags(ticket) || areTagsDropped;
  if (mayCompare && isSame(marks)) return 'own';
  if (areTagsKept && tellsTags(ticket) && marks.time === 'different' && marks.subject === 'different')
    return 'foreign';
  const { subject, time, contact } = marks;
  const isUnreported = subject === 'unreported' && time === 'unreported' && contact === 'unreported';
  return isUnreported || [subject, time, contact].some(isShared) ? 'sharing' : 'foreign';
}

/** Whether the list shows a ticket that is certainly there, by the query that would find ours, and with its tag. */
export async function isShown(
  landmark: Landmark,
  byTag: boolean,
  { api, signal }: Asking,
): Promise<'tagged' | 'untagged' | 'no'> {
  const { ticketId, tag, subject } = landmark;
  const query =
    byTag && tag !== undefined ? { tags: [tag], most: MOST_TAGGED } : { search: searchText(subject) };
  const listed = await api.findTickets(query, signal);
  const found = listed.find(({ id }) => id === ticketId);
  if (found === undefined) return 'no';
  const ticket = tellsTags(found) || tag === undefined ? found : await whole(found, { api, signal });
  return tag !== undefined && hasTag(ticket['tags'], tag) ? 'tagged' : 'untagged';
}

/**
 * Whether a ticket that the list does not show is in the target all the same, with this tag. It is not where its id is answered
 * with 404 and that of a ticket that is shown is not: some services offer no reading by id.
 */
export async function isThere(
  ticketId: string,
  shownId: string,
  tag: string | undefined,
  { api, signal }: Asking,
): Promise<boolean> {
  const read = async (id: string) => {
    try {
      return await api.readTicket(id, signal);
    } catch (error) {
      if (error instanceof ApiFailure && error.code === 'target-unreadable') return error;
      throw error;
    }
  };
  const reported = await read(ticketId);
  if (!(reported instanceof ApiFailure))
    return tag === undefined || !tellsTags(reported) || hasTag(reported['tags'], tag);
  const isMissing = reported.status === 404 || reported.status === 410;
  return !isMissing || (await read(shownId)) instanceof ApiFailure;
}

function tellsTags(ticket: Snapshot): boolean {
  return Array.isArray(ticket['tags']);
}

/** As it is told when it is read alone; as the list tells it where it cannot be. */
async function whole(listed: Snapshot, { api, signal }: Asking): Promise<Snapshot> {
  try {
    return await api.readTicket(listed.id, signal);
  } catch (error) {
    const isRefused =
      error instanceof ApiFailure && (error.code === 'target-unreadable' || error.code === 'refused');
    if (isRefused) return listed;
    throw error;
  }
}

/** Long subjects make long addresses; a beginning, cut between words, finds the ticket and perhaps some more. */
const LONGEST_SEARCH = 200;

export function searchText(subject: string): string {
  const text = subject.trim();
  if (text.length <= LONGEST_SEARCH) return text;
  const cut = text.slice(0, LONGEST_SEARCH);
  const space = cut.lastIndexOf(' ');
  return (space > LONGEST_SEARCH / 2 ? cut.slice(0, space) : cut).toWellFormed();
}
