/**
 * What is known of a run in progress, gathered from its events, and the line that shows it. Pure: every function takes the
 * time; the state is bounded whatever the run's length.
 */
import type { Rate } from '../../domain/limits.ts';
import { shorten, textWidth } from '../../domain/printable.ts';
import type { Outage, RunEvent } from '../../domain/run-events.ts';
import {
  countOf,
  formatBytes,
  formatCount,
  formatDuration,
  formatEstimate,
  formatRate,
  formatShare,
} from '../format.ts';
import type { Style } from './style.ts';

type EventOf<T extends RunEvent['type']> = Omit<Extract<RunEvent, { type: T }>, 'type'>;

export interface ProgressState {
  readonly stage: EventOf<'stage'>['stage'];
  readonly read: EventOf<'read'>;
  readonly checked: EventOf<'checked'>;
  readonly files?: (EventOf<'files'> & { readonly since: number }) | undefined;
  readonly open?: EventOf<'open'> | undefined;
  readonly waiting?: (EventOf<'waiting'> & { readonly since: number }) | undefined;
  /** Of the import, once it began: monotonic milliseconds, and the tickets that were done before. */
  readonly since?: number | undefined;
  readonly before: number;
  /** Tickets to import, those included that an earlier process has done. */
  readonly total: number;
  readonly settled: number;
  readonly failed: number;
  readonly inDoubt: number;
  readonly requestsSent: number;
  /** Requests that are needed, as far as the plan knows. */
  readonly requestsPlanned: number;
}

export const INITIAL_STATE: ProgressState = {
  stage: 'reading',
  read: { bytes: 0, totalBytes: 0, records: 0 },
  checked: { tickets: 0, problems: 0 },
  before: 0,
  total: 0,
  settled: 0,
  failed: 0,
  inDoubt: 0,
  requestsSent: 0,
  requestsPlanned: 0,
};

/** Two clocks' readings: `at` monotonic, `wall` for the deadlines that events carry. Milliseconds. */
export interface Instant {
  readonly at: number;
  readonly wall: number;
}

export function advance(state: ProgressState, event: RunEvent, now: Instant): ProgressState {
  switch (event.type) {
    case 'stage':
      return { ...state, stage: event.stage };
    case 'read':
      return { ...state, read: event };
    case 'checked':
      return { ...state, checked: event };
    case 'files':
      return { ...state, files: { ...event, since: state.files?.since ?? now.at } };
    case 'open':
      return { ...state, open: event };
    case 'start-import':
      return {
        ...state,
        stage: 'importing',
        since: now.at,
        before: event.alreadyDone,
        total: event.tickets + event.alreadyDone,
        settled: event.alreadyDone,
        requestsPlanned: event.requests,
        requestsSent: 0,
      };
    case 'ticket':
      // The run stopped before it: nothing happened to it.
      if (event.outcome === 'pending') return state;
      return {
        ...state,
        settled: Math.min(state.settled + 1, Math.max(state.total, state.settled)),
        failed: state.failed + (event.outcome === 'failed' || event.outcome === 'rejected' ? 1 : 0),
        inDoubt: state.inDoubt + (event.outcome === 'inDoubt' ? 1 : 0),
      };
    case 'request': {
      // An answer shows that the target is up again. Other waits pass by themselves.
      const isUp = state.waiting?.reason === 'target-down' && event.status !== undefined;
      return { ...state, waiting: isUp ? undefined : state.waiting, requestsSent: state.requestsSent + 1 };
    }
    case 'waiting':
      return { ...state, waiting: { ...event, since: now.at } };
    default:
      return state;
  }
}

/** A speed measured over less than this says nothing. */
const LEAST_MS = 3000;
/** Of one ticket (section 4.6 of the specification). */
const MOST_REQUESTS = 3;

/** Tickets a second since the import began. */
function speedOf({ since, settled, before }: ProgressState, now: Instant): number | undefined {
  const elapsed = since === undefined ? 0 : now.at - since;
  return elapsed < LEAST_MS ? undefined : (settled - before) / (elapsed / 1000);
}

/**
 * Milliseconds until the import is through, or undefined while nothing can be said: the greatest of what the rate limit
 * takes for the rest, what the rest takes at the speed so far, and the wait in force.
 */
export function timeLeft(state: ProgressState, budgets: readonly Rate[], now: Instant): number | undefined {
  if (state.since === undefined || state.stage !== 'importing') return undefined;
  const tickets = Math.max(0, state.total - state.settled);
  if (tickets === 0) return 0;
  // Retries and look-ups use requests that the plan does not know, so it may be used up before the end.
  const perTicket = state.requestsPlanned / Math.max(1, state.total - state.before);
  const planned = Math.min(state.requestsPlanned - state.requestsSent, tickets * MOST_REQUESTS);
  const requests = Math.max(planned, tickets * Math.min(1, perTicket));
  const budget = Math.max(0, ...budgets.map((one) => (requests * one.seconds * 1000) / one.requests));
  const speed = speedOf(state, now) ?? 0;
  const held = Math.max(0, (state.waiting?.untilMs ?? 0) - now.wall);
  const longest = Math.max(budget, speed > 0 ? (tickets / speed) * 1000 : 0, held);
  return longest > 0 ? longest : undefined;
}

/** Tickets settled of all, from 0 to 1; of the bytes while reading. Never more than 1. */
export function shareOf({ since, read, settled, total }: ProgressState): number | undefined {
  const [part, whole] = since === undefined ? [read.bytes, read.totalBytes] : [settled, total];
  return whole <= 0 ? undefined : Math.min(1, part / whole);
}

/** The rate limit holds a request now and then: it is shown for this long, so that the words do not flicker. */
const SHOWN_MS = 2000;

/** What the run waits for, in words; undefined where it does not wait. */
export function waitWords({ waiting, stage }: ProgressState, now: Instant): string | undefined {
  if (waiting === undefined) return undefined;
  const { reason, untilMs, since, outage } = waiting;
  const left = Math.max(0, untilMs - now.wall);
  if (outage !== undefined) return outageWords(outage, left, now.at - since);
  if (stage !== 'importing') return undefined;
  if (left === 0 && (reason !== 'rate-budget' || now.at - since >= SHOWN_MS)) return undefined;
  const time = left >= 1000 ? ` ${formatDuration(Math.ceil(left / 1000) * 1000)}` : '';
  const again = `tries again${time === '' ? '' : ` in${time}`}`;
  return {
    'rate-budget': `waits${time} for the rate limit`,
    'retry-after': `waits${time}, as the target asks`,
    'target-down': `target is down, ${again}`,
    'creates-fail': `creates fail, ${again}`,
  }[reason];
}

function outageWords({ address, cause, givesUpMs }: Outage, left: number, waited: number): string {
  const seconds = (ms: number) =>
    formatDuration(1000 * Math.max(1, Math.ceil(ms / 1000))).replace('.0 s', ' s');
  return `cannot reach ${address} (${cause}), trying again in ${seconds(left)} (gives up in ${seconds(givesUpMs - waited)})`;
}

interface Part {
  readonly text: string;
  readonly tone?: 'yellow' | 'red';
}

/** What there is to say, the most important first. */
export function progressParts(
  state: ProgressState,
  budgets: readonly Rate[],
  now: Instant,
  noun: string,
): Part[] {
  const { stage, read, checked, since, total, settled, failed, inDoubt, open, files } = state;
  const wait = waitWords(state, now);
  const waiting: Part | false = wait !== undefined && { text: wait, tone: 'yellow' };
  const parts: (Part | false | undefined)[] =
    stage === 'fetching' && files !== undefined
      ? [
          {
            text: `${formatCount(files.done)} of ${formatCount(files.wanted)}${files.isAll ? '' : ' or more'} files`,
          },
          { text: formatBytes(files.bytes) },
          files.missing > 0 && { text: `${formatCount(files.missing)} missing`, tone: 'yellow' },
          now.at - files.since >= 1000 && {
            text: `${formatBytes((files.bytes * 1000) / (now.at - files.since))}/s`,
          },
        ]
      : since === undefined
        ? [
            read.totalBytes > 0 && {
              text: `${formatShare(read.bytes, read.totalBytes)} of ${formatBytes(read.totalBytes)}`,
            },
            waiting,
            { text: checked.tickets > 0 ? countOf(checked.tickets, noun) : countOf(read.records, 'record') },
            checked.problems > 0 && { text: countOf(checked.problems, 'problem'), tone: 'yellow' },
          ]
        : [
            {
              text: `${formatShare(settled, Math.max(total, settled))}  ${formatCount(settled)} of ${countOf(Math.max(total, settled), noun)}`,
            },
            waiting,
            leftPart(timeLeft(state, budgets, now)),
            failed > 0 && { text: `${formatCount(failed)} failed`, tone: 'red' },
            inDoubt > 0 && { text: `${formatCount(inDoubt)} in doubt`, tone: 'yellow' },
            open && {
              text:
                open.settled < open.total
                  ? `open ${formatCount(open.settled)} of ${formatCount(open.total)}`
                  : 'all open tickets imported',
            },
            speedPart(speedOf(state, now)),
          ];
  return parts.filter((part) => part !== false && part !== undefined);
}

function leftPart(left: number | undefined): Part | false {
  return left !== undefined && left > 0 && { text: `${formatEstimate(left)} left` };
}

function speedPart(speed: number | undefined): Part | false {
  return speed !== undefined && { text: formatRate(speed) };
}

const STAGES: Readonly<Record<ProgressState['stage'], string>> = {
  reading: 'Reading',
  checking: 'Checking',
  fetching: 'Fetching files',
  importing: 'Importing',
  verifying: 'Verifying',
  writing: 'Writing',
};

/** The line moves at least once a second, so that it never looks frozen. */
const FRAME_MS = 250;
const BAR = { least: 10, most: 30 } as const;

/** One line that fits the terminal: what is least important is left out. */
export function progressLine(
  state: ProgressState,
  budgets: readonly Rate[],
  now: Instant,
  style: Style,
  noun = 'ticket',
): string {
  const { symbols, width } = style;
  const frame = symbols.spinner[Math.floor(now.at / FRAME_MS) % symbols.spinner.length] ?? '';
  const stage = STAGES[state.stage];
  const separator = ` ${symbols.separator} `;
  // One column stays free: a full last column makes some terminals break the line.
  const room = width - 1 - textWidth(`${frame} ${stage}`) - 2;
  const share = shareOf(state);
  const parts = progressParts(state, budgets, now, noun);
  const widthOf = (some: readonly Part[]) => textWidth(some.map(({ text }) => text).join(separator));
  // The first two say more than the bar.
  const fits = (some: readonly Part[]) =>
    widthOf(some) + (share === undefined || some.length <= 2 ? 0 : BAR.least + 2) <= room;
  while (parts.length > 1 && !fits(parts)) parts.pop();
  const space = room - widthOf(parts) - 2;
  const bar =
    share === undefined || space < BAR.least ? '' : `${barOf(share, Math.min(BAR.most, space), style)}  `;
  const shown = parts.map(({ text, tone }) => {
    const short = shorten(text, room, symbols.ellipsis);
    return tone === undefined ? short : style[tone](short);
  });
  return `${style.cyan(frame)} ${style.bold(stage)}  ${bar}${shown.join(style.dim(separator))}`;
}

function barOf(share: number, width: number, { symbols, cyan, dim }: Style): string {
  // Full only when all is done.
  const full = share >= 1 ? width : Math.min(width - 1, Math.floor(share * width));
  return cyan(symbols.barFull.repeat(full)) + dim(symbols.barEmpty.repeat(width - full));
}
