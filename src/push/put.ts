/**
 * Puts messages and events. A PUT is done when its answer says so, or when a read shows all of it. Messages replace (4.2): they
 * are sent again while the helpdesk shows what was read before; anything else throws Outdated. Events may append (4.3): they
 * are sent again only when none arrived and none can be under way.
 */
import type { EventPayload, MessagePayload } from '../domain/payload.ts';
import { pairEvents, pairMessages, reportedInstant, reportedString, textKey } from '../domain/snapshot.ts';
import { ApiFailure, type PutReceipt, type Snapshot } from '../domain/ticket-api.ts';
import { backoff } from '../helpdesk/backoff.ts';
import { isTurnedAway, MOST_TURNED_AWAY } from './failure-meaning.ts';
import { isSameReading, lookingFirst, Outdated } from './look.ts';
import type { CarryDeps, Slot } from './run-control.ts';
import type { Part, Reading } from './target-facts.ts';
import { filesOf } from './thread-record.ts';

export type PutDeps = Pick<CarryDeps, 'api' | 'clock' | 'random' | 'control' | 'emit' | 'facts' | 'lateMs'>;

/** How often a list is sent that an answer confirms and no read shows, as reads may lag. */
const MOST_UNSHOWN = 3;
const MOST_UNKNOWN = 6;

export interface Basis {
  /** Empty for a ticket that was just created, and for a helpdesk that cannot be read. */
  readonly found: readonly Snapshot[];
  readonly at: number;
}

/** The thread in the answer, or in a later read: people may have written before that. */
export interface ThreadThere {
  readonly echo?: readonly Snapshot[] | undefined;
  readonly read?: readonly Snapshot[] | undefined;
}

/** Throws Outdated, ApiFailure and RunEnds. */
export async function putMessages(
  ticketId: string,
  messages: readonly MessagePayload[],
  basis: Basis,
  deps: PutDeps,
): Promise<ThreadThere> {
  const { api, clock, control, emit, random } = deps;
  let { at } = basis;
  for (let round = 1; ; round += 1) {
    const wire = lookingFirst(deps, { at }, () => requireBasis('messages', ticketId, basis, deps));
    const put = () => api.replaceMessages(ticketId, messages, control.hard, wire);
    const { receipt, error } = await attempt(() => deps.facts.patiently(ticketId, put));
    if (receipt?.confirmed === true && !hasOthers(receipt.echo, messages)) return receipt;
    const failure = error ?? notShown('messages', ticketId);
    const arrived = async () => {
      at = clock.monotonic();
      const reading = await deps.facts.read('messages', ticketId);
      if ('found' in reading) return haveArrived(messages, reading.found, basis.found) && reading;
      if (reading.failure.is !== 'unreadable') throw failure;
      // Without reads, an answer without an error has to do.
      return error === undefined && { found: undefined };
    };
    // After an answer read at once, and once more later; after a failure wait first.
    const there = error === undefined && (await arrived());
    if (there !== false) return { read: there.found };
    if (round >= mostOf(error)) throw failure;
    const waitMs = Math.ceil(backoff(round, random));
    if (error !== undefined) emit({ type: 'retry', reason: reasonOf(error), waitMs, attempt: round });
    await control.sleep(waitMs);
    const later = await arrived();
    if (later !== false) return { read: later.found };
  }
}

/** `areSomeThere`: a helpdesk that appends then has them twice. Throws as putMessages does. */
export async function putEvents(
  ticketId: string,
  events: readonly EventPayload[],
  { areSomeThere, basis }: { readonly areSomeThere: boolean; readonly basis: Basis },
  slot: Slot,
  deps: PutDeps,
): Promise<void> {
  const { api, clock, control, facts } = deps;
  let { at } = basis;
  for (let round = 1; ; round += 1) {
    const wire = lookingFirst(deps, { at }, () => requireBasis('events', ticketId, basis, deps));
    const put = () => api.replaceEvents(ticketId, events, control.hard, wire);
    const { receipt, error } = await attempt(() => facts.patiently(ticketId, put));
    const isConfirmed = receipt?.confirmed === true;
    if (isConfirmed && !areSomeThere) return;
    const reading = isConfirmed
      ? await facts.read('events', ticketId)
      : await readWhenDue(ticketId, events, slot, deps);
    at = clock.monotonic();
    const shown = 'found' in reading ? reading.found : undefined;
    if (shown !== undefined) facts.appendsEvents ||= areSomeThere && shown.length > events.length;
    if (isConfirmed) return;
    const failure = error ?? notShown('history', ticketId);
    if ('failure' in reading) {
      if (error !== undefined || reading.failure.is !== 'unreadable') throw failure;
      return;
    }
    if (pairEvents(events, reading.found).missing.length === 0) return;
    if (reading.found.length > 0 || round >= Math.min(MOST_UNSHOWN, mostOf(error))) throw failure;
  }
}

/** A PUT may take effect as late as a create. Release the slot and stop as soon as it shows. */
async function readWhenDue(
  ticketId: string,
  events: readonly EventPayload[],
  slot: Slot,
  { clock, lateMs, facts, control }: PutDeps,
): Promise<Reading> {
  const dueAt = clock.monotonic() + lateMs;
  for (let pauseMs = 1_000; ; pauseMs = Math.min(2 * pauseMs, 30_000)) {
    const untilDue = dueAt - clock.monotonic();
    const reading = await facts.read('events', ticketId);
    if (untilDue <= 0 || !('found' in reading) || pairEvents(events, reading.found).missing.length === 0)
      return reading;
    slot.release();
    await control.sleep(Math.min(pauseMs, untilDue));
    await slot.take(control);
  }
}

/** Throws Outdated if the helpdesk shows anything but `basis`, and a failure without effect if that cannot be read. */
async function requireBasis(part: Part, ticketId: string, basis: Basis, { facts }: PutDeps): Promise<void> {
  const reading = await facts.read(part, ticketId);
  if ('found' in reading) {
    if (!isSameReading(reading.found, basis.found)) throw new Outdated();
    return;
  }
  const { is, problem } = reading.failure;
  if (is === 'gone') throw new Outdated();
  if (is === 'unread')
    throw new ApiFailure('unknown-outcome', 'none', `The ticket could not be read again: ${problem.message}`);
}

/** Rethrows failures of known effect, and ends of the run. */
async function attempt(
  put: () => Promise<PutReceipt>,
): Promise<{ receipt?: PutReceipt; error?: ApiFailure }> {
  try {
    return { receipt: await put() };
  } catch (error) {
    if (error instanceof ApiFailure && error.code === 'unknown-outcome') return { error };
    throw error;
  }
}

function mostOf(error: ApiFailure | undefined): number {
  if (error === undefined) return MOST_UNSHOWN;
  return isTurnedAway(error) ? MOST_TURNED_AWAY : MOST_UNKNOWN;
}

/** An answer with another message may lack one of ours. */
function hasOthers(echo: readonly Snapshot[] | undefined, sent: readonly MessagePayload[]): boolean {
  const isSame = (each: Snapshot, at: number) => each['content'] === sent[at]?.content;
  if (echo === undefined || echo.every(isSame)) return false;
  return pairMessages(sent, echo).own.some(
    (each) =>
      typeof reportedString(each, 'content') === 'string' &&
      typeof reportedInstant(each, 'occurredAt') === 'number',
  );
}

/** False if the helpdesk shows what it had before. Throws Outdated for anything else. */
function haveArrived(
  sent: readonly MessagePayload[],
  read: readonly Snapshot[],
  before: readonly Snapshot[],
): boolean {
  const pairs = new Map(pairMessages(sent, read).pairs);
  const byId = new Map(read.map((each) => [each.id, each]));
  const then = new Map(before.map((each) => [each.id, each]));
  const isShown = (message: MessagePayload) => {
    const shown = message.id === undefined ? pairs.get(message) : byId.get(message.id);
    const was = then.get(shown?.id ?? '');
    if (shown === undefined || was === undefined) return shown !== undefined;
    const changes = VISIBLE.filter((of) => isOther(of({ ...message }), of(was)));
    // A change has arrived, perhaps changed by the helpdesk.
    return changes.length === 0 || changes.some((of) => of(shown) !== of(was));
  };
  if (sent.every(isShown)) return true;
  if (!isSameReading(read, before)) throw new Outdated();
  return false;
}

/** Parts of a message that show whether a change has arrived; undefined if they are not shown. */
const VISIBLE: readonly ((message: Readonly<Record<string, unknown>>) => unknown)[] = [
  ({ content }) => (typeof content === 'string' ? textKey(content) : undefined),
  ({ isInternal }) => isInternal ?? undefined,
  (message) => (Array.isArray(message['attachments']) ? filesOf(message) : undefined),
  ({ occurredAt }) =>
    typeof occurredAt === 'string' ? Math.floor(Date.parse(occurredAt) / 1000) : undefined,
];

function isOther(one: unknown, other: unknown): boolean {
  return one !== undefined && other !== undefined && one !== other;
}

function reasonOf({ status, message }: ApiFailure): string {
  return status === undefined ? message : `status ${status}`;
}

function notShown(what: 'messages' | 'history', ticketId: string): ApiFailure {
  return new ApiFailure(
    'unknown-outcome',
    'unknown',
    `The helpdesk took the ${what} of ticket ${ticketId} without an error, but does not show them when they are read.`,
  );
}
