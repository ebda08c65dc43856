/**
 * Puts messages and events, and makes sure that the target has them: a PUT is done when its answer says so, or when a read
 * shows it. What failed with an unknown outcome may have had its effect all the same, so it is read as well.
 *
 * Messages replace (4.2), so they may be sent again, where a read has shown that nobody wrote there meanwhile, or the target cannot
 * be read. Whether events do is not shown (4.3): they are sent again only when a
 * read has shown that none of them arrived, at a time at which nothing of them can be under way any more, or where the settings
 * say that the target replaces them.
 */

import type { EventPayload, MessagePayload } from '../domain/payload.ts';
import { pairEvents, reportedObject, reportedString, textKey } from '../domain/snapshot.ts';
import { ApiFailure, type OnWire, type PutReceipt, type Snapshot } from '../domain/ticket-api.ts';
import { backoff } from '../target/backoff.ts';
import { slept, waited } from './settle-doubt.ts';
import { type Reading, ReadingStopped, type ThreadNow } from './target-reader.ts';
import type { CarryDeps, Slot } from './ticket-job.ts';

export type PutDeps = Pick<CarryDeps, 'api' | 'clock' | 'random' | 'control' | 'emit' | 'reader' | 'lateMs'>;

/** A list of messages that was sent and is not shown is sent so often, with pauses: a read may lag behind. */
const ROUNDS = 3;
/** One whose outcome is unknown, likewise. */
const TRIES = 6;

/**
 * `before`: the thread as it was read before it was sent. What somebody wrote since is not replaced: the next run reads it, and
 * sends the thread with it.
 */
export async function putMessages(
  ticketId: string,
  messages: readonly MessagePayload[],
  before: readonly Snapshot[] | undefined,
  deps: PutDeps,
): Promise<ThreadNow> {
  const { api, clock, control, emit, random, reader } = deps;
  for (let round = 1; ; round += 1) {
    const put = await attempt(() => api.replaceMessages(ticketId, messages, control.hard));
    if (put.receipt?.confirmed === true) return { echo: put.receipt.echo };
    const { error } = put;
    const failure = error ?? notShown('messages', ticketId);
    const waitMs = Math.ceil(backoff(round, random));
    // What may still arrive is given a moment; and what was read is what stands there when it is sent again.
    for (const pauseMs of error === undefined ? [0, waitMs] : [waitMs]) {
      if (pauseMs > 0) {
        if (round >= (error === undefined ? ROUNDS : TRIES)) throw failure;
        if (error !== undefined) emit({ type: 'retry', reason: reasonOf(error), waitMs, attempt: round });
        if (!(await slept(clock, pauseMs, control.taking))) throw cutOff();
      }
      const reading = await reader.readIfShown('messages', ticketId);
      if ('found' in reading) {
        if (haveArrived(messages, reading.found, before)) return { read: reading.found };
        if (isAnswered(messages, reading.found, before)) throw failure;
      } else if (reading.failure.outcome === 'stopped') throw error ?? new ReadingStopped(reading.failure);
      else if (reading.failure.outcome !== 'unreadable') throw failure;
      else if (error === undefined) return {};
    }
  }
}

/** A list that takes messages away goes out so soon after the thread was read, milliseconds; else it is read again. */
const FRESH_MS = 2_000;

/**
 * Sends a list that takes away what was read a moment ago, once: `stale` where it could not go out at once (nothing was sent then),
 * `unknown` where it may have arrived. Whoever sends it reads again after either, so that nothing that came meanwhile is taken away.
 * `round`: with each one it may take twice as long, so that a narrow rate budget is no reason never to send it.
 */
export async function putWhileFresh(
  ticketId: string,
  messages: readonly MessagePayload[],
  round: number,
  { api, clock, control }: Pick<PutDeps, 'api' | 'clock' | 'control'>,
): Promise<'sent' | 'stale' | 'unknown'> {
  const wire: OnWire = { mayHaveArrived: false };
  const over = new AbortController();
  const tooLate = new AbortController();
  const watch = (async () => {
    await clock.sleep(FRESH_MS * 2 ** round, over.signal);
    while (wire.mayHaveArrived) await clock.sleep(FRESH_MS / 10, over.signal);
    tooLate.abort();
  })().catch(() => undefined);
  try {
    await api.replaceMessages(ticketId, messages, AbortSignal.any([control.hard, tooLate.signal]), wire);
    return 'sent';
  } catch (error) {
    if (control.hard.aborted) throw error;
    if (error instanceof ApiFailure && error.effect === 'unknown' && error.code !== 'auth') return 'unknown';
    if (tooLate.signal.aborted && !wire.mayHaveArrived) return 'stale';
    throw error;
  } finally {
    over.abort();
    await watch;
  }
}

export interface SendingEvents {
  readonly ticketId: string;
  readonly events: readonly EventPayload[];
  /** The target was seen to add events to those that it has. */
  readonly append?: true | undefined;
  /** Some of them are there: a target that appends has them twice then. */
  readonly areSomeThere?: boolean | undefined;
}

/** `doubled`: events of the export stand there more than once. */
export async function putEvents(
  { ticketId, events, append, areSomeThere = false }: SendingEvents,
  slot: Slot,
  deps: PutDeps,
): Promise<{ readonly doubled: boolean }> {
  let sending = events;
  for (let round = 1; ; round += 1) {
    const put = await attempt(() => deps.api.replaceEvents(ticketId, sending, deps.control.hard));
    const isConfirmed = put.receipt?.confirmed === true;
    if (isConfirmed && round === 1 && !areSomeThere) return { doubled: false };
    const reading = isConfirmed
      ? await deps.reader.readIfShown('events', ticketId)
      : await readWhenDue(ticketId, events, slot, deps);
    if (reading === 'stopped') throw put.error ?? new ReadingStopped({});
    if ('found' in reading) {
      const { missing, extra } = pairEvents(events, reading.found);
      const isMore = extra.some((event) => mayBeOf(events, event));
      // Of a confirmed one, an earlier try may have arrived late after all.
      if (missing.length === 0 || isConfirmed) return { doubled: isMore };
      const noneArrived = missing.length === events.length && !isMore;
      if (append === true) sending = missing.map((index) => events[index] as EventPayload);
      else if (!noneArrived) throw put.error ?? notShown('history', ticketId);
    } else if (isConfirmed) return { doubled: false };
    else if (reading.failure.outcome === 'stopped') throw put.error ?? new ReadingStopped(reading.failure);
    else if (put.error !== undefined) throw put.error;
    else if (reading.failure.outcome === 'unreadable') return { doubled: false };
    else throw notShown('history', ticketId);
    if (round >= ROUNDS) throw put.error ?? notShown('history', ticketId);
    await deps.clock.sleep(Math.ceil(backoff(round, deps.random)), deps.control.hard);
  }
}

/**
 * What was sent may arrive for as long as a create may: that it is not there is known only then. The slot is not held meanwhile,
 * and nobody waits for what is shown before.
 */
async function readWhenDue(
  ticketId: string,
  events: readonly EventPayload[],
  slot: Slot,
  deps: PutDeps,
): Promise<Reading | 'stopped'> {
  const { clock, lateMs, reader } = deps;
  const dueAt = clock.monotonic() + lateMs;
  for (let pauseMs = 1_000; ; pauseMs = Math.min(2 * pauseMs, 30_000)) {
    const untilDue = dueAt - clock.monotonic();
    const reading = await reader.readIfShown('events', ticketId);
    if (untilDue <= 0 || !('found' in reading) || pairEvents(events, reading.found).missing.length === 0)
      return reading;
    if (!(await waited(Math.min(pauseMs, untilDue), slot, deps))) return 'stopped';
  }
}

/** Whether an event of the target may be one of these, its time and its author aside: a service may round the one and drop the other. */
export function mayBeOf(events: readonly EventPayload[], reported: Snapshot): boolean {
  const type = reportedString(reported, 'type');
  const value = reportedObject(reported, 'newValue');
  return events.some(
    (event) =>
      (typeof type !== 'string' ||
        type.slice(0, 'status_change'.length) === event.type.slice(0, 'status_change'.length)) &&
      (typeof value?.['status'] !== 'string' || value['status'] === event.newValue?.['status']),
  );
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
export function haveArrived(
  sent: readonly MessagePayload[],
  read: readonly Snapshot[],
  before: readonly Snapshot[] | undefined,
): boolean {
  if (read.length < sent.length) return false;
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
  return read.some(
    (message) => !(message.id !== undefined && ids.has(message.id)) && !texts.has(textOf(message)),
  );
}

function reasonOf({ status, message }: ApiFailure): string {
  return status === undefined ? message : `status ${status}`;
}

function cutOff(): ApiFailure {
  return new ApiFailure(
    'cut-off',
    'unknown',
    'The run stopped before messages of unknown outcome were sent again.',
  );
}

function notShown(what: 'messages' | 'history', ticketId: string): ApiFailure {
  return new ApiFailure(
    'unknown-outcome',
    'unknown',
    `The target took the ${what} of ticket ${ticketId} without an error, but does not show them when they are read.`,
  );
}
