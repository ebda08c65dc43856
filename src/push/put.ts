/**
 * Puts messages and events, and makes sure that the target has them: a PUT is done when its answer says so, or when a read
 * shows it. What failed with an unknown outcome may have had its effect all the same, so it is read as well.
 *
 * Messages replace (4.2), so they may be sent again, where a read has shown no newer message, or the target cannot
 * be read. Whether events do is not shown (4.3): they are sent again only when a read has shown that no event arrived, at a
 * time at which nothing of them can be under way any more.
 */
import type { EventPayload, MessagePayload } from '../domain/payload.ts';
import { pairEvents, reportedString, textKey } from '../domain/snapshot.ts';
import { ApiFailure, type PutReceipt, type Snapshot } from '../domain/ticket-api.ts';
import { backoff } from '../target/backoff.ts';
import { type CarryDeps, type Slot, slept } from './run-control.ts';
import type { Reading } from './target-facts.ts';

export type PutDeps = Pick<CarryDeps, 'api' | 'clock' | 'random' | 'control' | 'emit' | 'facts' | 'lateMs'>;

/** A list of messages that was sent and is not shown is sent so often, with pauses: a read may lag behind. */
const ROUNDS = 3;
/** One whose outcome is unknown, likewise. */
const TRIES = 6;

/** The run stopped while the target was read. */
export class ReadingStopped extends Error {
  readonly stop: { readonly stop?: unknown };

  constructor(stop: { readonly stop?: unknown }) {
    super('The run stopped while the target was read.');
    this.stop = 'stop' in stop ? { stop: stop.stop } : {};
  }
}

/**
 * Resolves with the thread as the answer has it, element by element. `before`: the thread as it was read before it was sent. What
 * people wrote since is not replaced: the next run reads it, and sends the thread with it.
 */
export async function putMessages(
  ticketId: string,
  messages: readonly MessagePayload[],
  before: readonly Snapshot[] | undefined,
  deps: PutDeps,
): Promise<readonly Snapshot[] | undefined> {
  const { api, clock, control, emit, random, facts } = deps;
  for (let round = 1; ; round += 1) {
    const put = await attempt(() => api.replaceMessages(ticketId, messages, control.hard));
    if (put.receipt?.confirmed === true) return put.receipt.echo;
    const { error } = put;
    const failure = error ?? notShown('messages', ticketId);
    const waitMs = Math.ceil(backoff(round, random));
    // What may still arrive is given a moment; and what was read is what is there when it is sent again.
    for (const pauseMs of error === undefined ? [0, waitMs] : [waitMs]) {
      if (pauseMs > 0) {
        if (round >= (error === undefined ? ROUNDS : TRIES)) throw failure;
        if (error !== undefined) emit({ type: 'retry', reason: reasonOf(error), waitMs, attempt: round });
        if (!(await slept(clock, pauseMs, control.taking))) throw cutOff();
      }
      const reading = await facts.read('messages', ticketId);
      if ('found' in reading) {
        if (haveArrived(messages, reading.found, before)) return undefined;
        if (isAnswered(messages, reading.found, before)) throw failure;
      } else if (reading.failure.is === 'stopped') throw error ?? new ReadingStopped(reading.failure);
      else if (reading.failure.is !== 'unreadable') throw failure;
      else if (error === undefined) return undefined;
    }
  }
}

/** `areSomeThere`: a target that appends has them twice then, which this notes. */
export async function putEvents(
  ticketId: string,
  events: readonly EventPayload[],
  areSomeThere: boolean,
  slot: Slot,
  deps: PutDeps,
): Promise<void> {
  const { api, control, facts } = deps;
  for (let round = 1; ; round += 1) {
    const { receipt, error } = await attempt(() => api.replaceEvents(ticketId, events, control.hard));
    const isConfirmed = receipt?.confirmed === true;
    if (isConfirmed && !areSomeThere) return;
    const failure = error ?? notShown('history', ticketId);
    const reading = isConfirmed
      ? await facts.read('events', ticketId)
      : await readWhenDue(ticketId, events, slot, deps);
    if ('found' in reading) {
      const { missing } = pairEvents(events, reading.found);
      facts.appendsEvents ||= areSomeThere && reading.found.length > events.length;
      if (isConfirmed || missing.length === 0) return;
      if (missing.length < events.length || reading.found.length > 0 || round >= ROUNDS) throw failure;
    } else if (isConfirmed) return;
    else if (reading.failure.is === 'stopped') throw error ?? new ReadingStopped(reading.failure);
    else if (error !== undefined || reading.failure.is !== 'unreadable') throw failure;
    else return;
  }
}

/** What was sent may arrive for as long as a create may. The slot is not held meanwhile, and the wait ends as soon as it is shown. */
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
    if (!(await slept(clock, Math.min(pauseMs, untilDue), control.taking)) || !(await slot.taken(control)))
      return { failure: { is: 'stopped', problem: { code: 'cut-off', message: cutOff().message } } };
  }
}

/** A failure of known effect is thrown on, and so is whatever ends the run. */
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

/** Whether a thread that was read is the one that was sent. */
function haveArrived(
  sent: readonly MessagePayload[],
  read: readonly Snapshot[],
  before: readonly Snapshot[] | undefined,
): boolean {
  if (read.length < sent.length || isAsBefore(sent, read, before)) return false;
  const byId = (list: readonly Snapshot[] | undefined) => new Map(list?.map((each) => [each.id, each]));
  const [now, then] = [byId(read), byId(before)];
  return sent.every((message) => {
    if (message.id === undefined) return true;
    const shown = now.get(message.id);
    if (shown === undefined) return false;
    const was = then.get(message.id);
    const text = was && reportedString(was, 'content');
    // A text that was to change has changed, into whatever the target makes of it.
    return (
      typeof text !== 'string' ||
      textKey(text) === textKey(message.content) ||
      reportedString(shown, 'content') !== text
    );
  });
}

/** Messages that were sent without ids get new ones, or other texts: a thread with neither is the one of before. */
function isAsBefore(
  sent: readonly MessagePayload[],
  read: readonly Snapshot[],
  before: readonly Snapshot[] = [],
): boolean {
  if (before.length === 0 || read.length !== before.length) return false;
  return (
    sent.every(({ id }) => id === undefined) &&
    before.every((was, at) => {
      const now = read[at];
      return now?.id === was.id && reportedString(now, 'content') === reportedString(was, 'content');
    })
  );
}

/** Whether a thread that was read has a message that is neither one of those that were sent nor was there before. */
function isAnswered(
  sent: readonly MessagePayload[],
  read: readonly Snapshot[],
  before: readonly Snapshot[] = [],
): boolean {
  const textOf = (message: Snapshot) => {
    const text = reportedString(message, 'content');
    return typeof text === 'string' ? textKey(text) : undefined;
  };
  const ids = new Set(before.map(({ id }) => id));
  const texts = new Set([...before.map(textOf), ...sent.map(({ content }) => textKey(content))]);
  return read.some((message) => !ids.has(message.id) && !texts.has(textOf(message)));
}

function reasonOf({ status, message }: ApiFailure): string {
  return status === undefined ? message : `status ${status}`;
}

function cutOff(): ApiFailure {
  return new ApiFailure('cut-off', 'unknown', 'The run stopped before it was known what arrived.');
}

function notShown(what: 'messages' | 'history', ticketId: string): ApiFailure {
  return new ApiFailure(
    'unknown-outcome',
    'unknown',
    `The helpdesk took the ${what} of ticket ${ticketId} without an error, but does not show them when they are read.`,
  );
}
