/**
 * What is known of a run that goes on, gathered from its events: the bar and the plain lines show the
 * same state. Pure: every function takes the time; the state is bounded whatever the run's length.
 *
 * The time left is counted in requests, not tickets: the rate budget is in requests, and tickets differ in how many they
 * need. It is the greatest of three: what the budget takes for the rest, what the rest takes at the speed of the last
 * minute, and the wait that is in force.
 */
import type { Rate } from '../../domain/limits.ts';
import type { Outage, RunEvent } from '../../domain/run-events.ts';

type Waiting = Extract<RunEvent, { type: 'waiting' }>['reason'];

export interface ProgressState {
  readonly stage: Extract<RunEvent, { type: 'stage' }>['stage'];
  /** Files that are fetched, and since when (monotonic). */
  readonly files?:
    | (Omit<Extract<RunEvent, { type: 'files' }>, 'type'> & { readonly since: number })
    | undefined;
  readonly read: { readonly bytes: number; readonly totalBytes: number; readonly records: number };
  readonly checked: number;
  readonly problems: number;
  /** Tickets to import, those included that an earlier process has done. 0: not known yet. */
  readonly total: number;
  readonly settled: number;
  readonly done: number;
  readonly failed: number;
  readonly inDoubt: number;
  /** Open and pending tickets, which go first, and those of them with an outcome. */
  readonly open?: { readonly total: number; readonly settled: number; readonly done: number } | undefined;
  readonly retries: number;
  readonly requestsSent: number;
  /** Requests that are still needed, as far as the plan knows. */
  readonly requestsPlanned: number;
  /** What one ticket needs at least: 1, or its share of a request. */
  readonly leastRequests: number;
  readonly waiting?: {
    readonly reason: Waiting;
    readonly until: number;
    readonly since: number;
    readonly outage?: Outage | undefined;
  };
  /** When importing began, and marks of the last minute: monotonic milliseconds. */
  readonly importSince: number | undefined;
  readonly marks: readonly Mark[];
}

interface Mark {
  readonly at: number;
  readonly settled: number;
  readonly requests: number;
}

export const INITIAL_STATE: ProgressState = {
  stage: 'reading',
  read: { bytes: 0, totalBytes: 0, records: 0 },
  checked: 0,
  problems: 0,
  total: 0,
  settled: 0,
  done: 0,
  failed: 0,
  inDoubt: 0,
  retries: 0,
  requestsSent: 0,
  requestsPlanned: 0,
  leastRequests: 1,
  importSince: undefined,
  marks: [],
};

/** Two clocks' readings: `at` monotonic, `wall` for the deadlines that events carry. Milliseconds. */
export interface Instant {
  readonly at: number;
  readonly wall: number;
}

/** The speed is that of this last stretch. */
const WINDOW_MS = 60_000;
const MOST_REQUESTS = 3;
const MARK_EVERY_MS = 1000;
/** A speed measured over less than this says nothing. */
const LEAST_MS = 3000;

export function advance(state: ProgressState, event: RunEvent, now: Instant): ProgressState {
  switch (event.type) {
    case 'stage':
      return { ...state, stage: event.stage };
    case 'read':
      return { ...state, read: { bytes: event.bytes, totalBytes: event.totalBytes, records: event.records } };
    case 'checked':
      return { ...state, checked: event.tickets, problems: event.problems };
    case 'files': {
      const { type: _, ...files } = event;
      return { ...state, files: { ...files, since: state.files?.since ?? now.at } };
    }
    case 'start-import':
      return {
        ...state,
        stage: 'importing',
        total: event.tickets + event.alreadyDone,
        settled: event.alreadyDone,
        done: event.alreadyDone,
        requestsPlanned: event.requests,
        leastRequests: Math.min(1, event.requests / Math.max(1, event.tickets)),
        requestsSent: 0,
        importSince: now.at,
        marks: [{ at: now.at, settled: event.alreadyDone, requests: 0 }],
      };
    case 'ticket':
      // The run stopped before it: nothing became of it.
      if (event.outcome === 'pending') return state;
      return marked(
        {
          ...state,
          // A ticket more than was announced does not make it more than all.
          settled: Math.min(state.settled + 1, Math.max(state.total, state.settled)),
          done: state.done + (event.outcome === 'done' ? 1 : 0),
          failed: state.failed + (event.outcome === 'failed' || event.outcome === 'rejected' ? 1 : 0),
          inDoubt: state.inDoubt + (event.outcome === 'inDoubt' ? 1 : 0),
        },
        now,
      );
    case 'request': {
      const { waiting, ...going } = state;
      // An answer came, so the target is up again. Other waits pass by themselves.
      const isUp = waiting?.reason === 'target-down' && event.status !== undefined;
      return marked({ ...(isUp ? going : state), requestsSent: state.requestsSent + 1 }, now);
    }
    case 'open':
      return { ...state, open: { total: event.total, settled: event.settled, done: event.done } };
    case 'retry':
      return { ...state, retries: state.retries + 1 };
    case 'waiting':
      return {
        ...state,
        waiting: { reason: event.reason, until: event.untilMs, since: now.at, outage: event.outage },
      };
    case 'rate-limited':
    case 'batch':
    case 'problem':
    case 'note':
      return state;
  }
}

/** Remembers where things stood, once a second, for as long as the speed looks back. */
function marked(state: ProgressState, now: Instant): ProgressState {
  const last = state.marks.at(-1);
  if (last !== undefined && now.at - last.at < MARK_EVERY_MS) return state;
  const recent = state.marks.filter(({ at }) => now.at - at <= WINDOW_MS);
  return {
    ...state,
    marks: [...recent, { at: now.at, settled: state.settled, requests: state.requestsSent }],
  };
}

/** Tickets and requests a second over the last minute, or undefined while that says nothing. */
export function speedOf(
  state: ProgressState,
  now: Instant,
): { readonly tickets: number; readonly requests: number } | undefined {
  const first = state.marks.find(({ at }) => now.at - at <= WINDOW_MS) ?? state.marks.at(-1);
  if (first === undefined || now.at - first.at < LEAST_MS) return undefined;
  const seconds = (now.at - first.at) / 1000;
  return {
    tickets: (state.settled - first.settled) / seconds,
    requests: (state.requestsSent - first.requests) / seconds,
  };
}

/** Milliseconds until the import is through, or undefined while nothing can be said. */
export function timeLeft(state: ProgressState, budgets: readonly Rate[], now: Instant): number | undefined {
  if (state.importSince === undefined || state.stage !== 'importing') return undefined;
  const tickets = Math.max(0, state.total - state.settled);
  if (tickets === 0) return 0;
  // Retries and look-ups use requests that the plan does not know, so the difference alone may be off at the end: a ticket
  // needs at least one request and, but for those, at most three (section 4.6). Usage events share theirs.
  const planned = state.requestsPlanned - state.requestsSent;
  const requests = Math.min(Math.max(planned, tickets * state.leastRequests), tickets * MOST_REQUESTS);
  const budget = Math.max(0, ...budgets.map((one) => (requests * one.seconds * 1000) / one.requests));
  const speed = speedOf(state, now);
  const measured =
    speed === undefined ? undefined : speed.tickets > 0 ? (tickets / speed.tickets) * 1000 : undefined;
  const held = state.waiting === undefined ? 0 : Math.max(0, state.waiting.until - now.wall);
  if (measured === undefined && budget === 0) return held > 0 ? held : undefined;
  return Math.max(budget, measured ?? 0, held);
}

/** Tickets settled of all, from 0 to 1; of the bytes while reading. Never more than 1. */
export function shareOf(state: ProgressState): number | undefined {
  const [part, whole] =
    state.importSince === undefined
      ? [state.read.bytes, state.read.totalBytes]
      : [state.settled, state.total];
  return whole <= 0 ? undefined : Math.min(1, part / whole);
}

/** The rate budget holds a request now and then: it is told for this long, so that the words do not flicker. */
const TOLD_MS = 2000;

/** What the run waits for, if it does: with the milliseconds that are left of a wait of known length. */
export function waitOf(
  state: ProgressState,
  now: Instant,
): { readonly reason: Waiting; readonly left: number; readonly outage?: Outage | undefined } | undefined {
  if (state.waiting === undefined) return undefined;
  const { reason, until, since, outage } = state.waiting;
  // An outage is told wherever it holds the run up: agents are looked up while the export is read.
  if (state.stage !== 'importing' && outage === undefined) return undefined;
  const left = Math.max(0, until - now.wall);
  if (outage !== undefined)
    return { reason, left, outage: { ...outage, givesUpMs: outage.givesUpMs - (now.at - since) } };
  if (left > 0 || (reason === 'rate-budget' && now.at - since < TOLD_MS)) return { reason, left };
  return undefined;
}
