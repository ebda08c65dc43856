/** A run in progress, gathered from its events, and the line that shows it. Bounded and pure. */
import type { Rate } from '../../domain/limits.ts';
import type { Outage, RunEvent } from '../../domain/ports.ts';
import { capitalized, countOf, formatCount, shorten, textWidth } from '../../domain/printable.ts';
import { formatBytes, formatDuration, formatEstimate, formatRate, formatShare } from '../format.ts';
import type { Style } from './style.ts';

type Seen<T extends RunEvent['type']> = Extract<RunEvent, { type: T }> & { readonly seen: number };

export interface ProgressState {
  readonly stage: Extract<RunEvent, { type: 'stage' }>['stage'];
  readonly stageSince?: number | undefined;
  readonly read?: Seen<'read'> | undefined;
  readonly checked?: Seen<'checked'> | undefined;
  readonly files?: Seen<'files'> | undefined;
  readonly exported?: Seen<'exported'> | undefined;
  readonly open?: Seen<'open'> | undefined;
  readonly waiting?: Seen<'waiting'> | undefined;
  readonly import?: Seen<'start-import'> | undefined;
  /** With those of earlier processes. */
  readonly settled: number;
  readonly failed: number;
  readonly inDoubt: number;
}

export const INITIAL_STATE: ProgressState = { stage: 'reading', settled: 0, failed: 0, inDoubt: 0 };

/** `at` monotonic, `wall` for deadlines in events. Milliseconds. */
export interface Instant {
  readonly at: number;
  readonly wall: number;
}

export function advance(state: ProgressState, event: RunEvent, { at }: Instant): ProgressState {
  switch (event.type) {
    case 'stage':
      return { ...state, stage: event.stage, stageSince: at };
    case 'read':
    case 'checked':
    case 'files':
    case 'exported':
    case 'open':
    case 'waiting':
      return { ...state, [event.type]: { ...event, seen: at } };
    case 'start-import':
      return { ...state, stage: 'importing', import: { ...event, seen: at }, settled: event.alreadyDone };
    case 'ticket': {
      const { outcome } = event;
      if (outcome === 'pending') return state;
      return {
        ...state,
        settled: Math.min(state.settled + 1, Math.max(totalOf(state), state.settled)),
        failed: state.failed + (outcome === 'failed' || outcome === 'rejected' ? 1 : 0),
        inDoubt: state.inDoubt + (outcome === 'inDoubt' ? 1 : 0),
      };
    }
    case 'request':
      return state.waiting?.reason === 'target-down' && event.status !== undefined
        ? { ...state, waiting: undefined }
        : state;
    default:
      return state;
  }
}

function totalOf({ import: begun }: ProgressState): number {
  return begun === undefined ? 0 : begun.tickets + begun.alreadyDone;
}

const LEAST_MS = 3000;

function speedOf({ import: begun, settled }: ProgressState, now: Instant): number | undefined {
  if (begun === undefined || now.at - begun.seen < LEAST_MS) return undefined;
  return ((settled - begun.alreadyDone) * 1000) / (now.at - begun.seen);
}

/** Milliseconds until the end; undefined if unknown: the greatest of the rate limit, the speed so far and the current wait. */
export function timeLeft(state: ProgressState, budgets: readonly Rate[], now: Instant): number | undefined {
  const { import: begun, stage, settled, waiting } = state;
  if (begun === undefined || stage !== 'importing') return undefined;
  const tickets = Math.max(0, totalOf(state) - settled);
  if (tickets === 0) return 0;
  const requests = (tickets * begun.requests) / Math.max(1, begun.tickets);
  const speed = speedOf(state, now) ?? 0;
  const longest = Math.max(
    ...budgets.map((budget) => (requests * budget.seconds * 1000) / budget.requests),
    speed > 0 ? (tickets / speed) * 1000 : 0,
    (waiting?.untilMs ?? 0) - now.wall,
  );
  return longest > 0 ? longest : undefined;
}

export function shareOf(state: ProgressState): number | undefined {
  const { import: begun, read, settled } = state;
  const [part, whole] =
    begun === undefined ? [read?.bytes ?? 0, read?.totalBytes ?? 0] : [settled, totalOf(state)];
  return whole <= 0 ? undefined : Math.min(1, part / whole);
}

/** Shown for this long, so that the words do not flicker. */
const SHOWN_MS = 2000;

export function waitWords({ waiting, stage }: ProgressState, now: Instant): string | undefined {
  if (waiting === undefined) return undefined;
  const { reason, untilMs, seen, outage } = waiting;
  const left = Math.max(0, untilMs - now.wall);
  if (outage !== undefined) return outageWords(outage, left, now.at - seen);
  if (stage !== 'importing' && stage !== 'exporting') return undefined;
  if (left === 0 && (reason !== 'rate-budget' || now.at - seen >= SHOWN_MS)) return undefined;
  const time = left >= 1000 ? ` ${formatDuration(Math.ceil(left / 1000) * 1000)}` : '';
  const again = `tries again${time === '' ? '' : ` in${time}`}`;
  return {
    'rate-budget': `waits${time} for the rate limit`,
    'retry-after': `waits${time}, as the server asks`,
    'target-down': `the helpdesk is down, ${again}`,
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

export function progressParts(
  state: ProgressState,
  budgets: readonly Rate[],
  now: Instant,
  noun: string,
): Part[] {
  const { stage, stageSince = now.at, read, checked, files, open, import: begun } = state;
  const part = (is: unknown, text: () => string, tone?: Part['tone']): Part[] =>
    is ? [{ text: text(), ...(tone && { tone }) }] : [];
  if (stage === 'fetching' && files !== undefined) {
    const { done, wanted, isAll, bytes, missing } = files;
    const ms = now.at - stageSince;
    return [
      { text: `${formatCount(done)} of ${formatCount(wanted)}${isAll ? '' : ' or more'} files` },
      { text: formatBytes(bytes) },
      ...part(missing, () => `${formatCount(missing)} missing`, 'yellow'),
      ...part(ms >= 1000, () => `${formatBytes((bytes * 1000) / ms)}/s`),
    ];
  }
  const wait = waitWords(state, now);
  const waiting = part(wait, () => wait ?? '', 'yellow');
  if (stage === 'exporting') {
    const { tickets = 0, requests = 0, left = 0, secondsLeft = 0 } = state.exported ?? {};
    return [
      { text: countOf(tickets, noun) },
      { text: `${formatCount(requests)} of ${countOf(requests + left, 'request')} or more` },
      ...part(wait !== undefined && state.waiting?.reason !== 'rate-budget', () => wait ?? '', 'yellow'),
      ...part(left, () => `${formatEstimate(secondsLeft * 1000)} left`),
    ];
  }
  if (begun === undefined) {
    const { bytes = 0, totalBytes = 0, records = 0 } = read ?? {};
    const { tickets = 0, problems = 0 } = checked ?? {};
    return [
      ...part(totalBytes, () => `${formatShare(bytes, totalBytes)} of ${formatBytes(totalBytes)}`),
      ...waiting,
      { text: tickets > 0 ? countOf(tickets, noun) : countOf(records, 'record') },
      ...part(problems, () => countOf(problems, 'problem'), 'yellow'),
    ];
  }
  const { settled, failed, inDoubt } = state;
  const total = Math.max(totalOf(state), settled);
  const left = timeLeft(state, budgets, now) ?? 0;
  const speed = speedOf(state, now);
  return [
    { text: `${formatShare(settled, total)}  ${formatCount(settled)} of ${countOf(total, noun)}` },
    ...waiting,
    ...part(left, () => `${formatEstimate(left)} left`),
    ...part(failed, () => `${formatCount(failed)} failed`, 'red'),
    ...part(inDoubt, () => `${formatCount(inDoubt)} in doubt`, 'yellow'),
    ...(open === undefined ? [] : [{ text: openWords(open) }]),
    ...part(speed !== undefined, () => formatRate(speed ?? 0)),
  ];
}

function openWords({ settled, total }: Seen<'open'>): string {
  return settled < total
    ? `open ${formatCount(settled)} of ${formatCount(total)}`
    : 'all open tickets imported';
}

/** So that it never looks frozen. */
const FRAME_MS = 250;
const BAR = { least: 10, most: 30 } as const;

export function progressLine(
  state: ProgressState,
  budgets: readonly Rate[],
  now: Instant,
  style: Style,
  noun = 'ticket',
): string {
  const { symbols, width } = style;
  const frame = symbols.spinner[Math.floor(now.at / FRAME_MS) % symbols.spinner.length] ?? '';
  const stage = `${capitalized(state.stage)}${state.stage === 'fetching' ? ' files' : ''}`;
  const separator = ` ${symbols.separator} `;
  const room = width - 1 - textWidth(`${frame} ${stage}`) - 2;
  const share = shareOf(state);
  const parts = progressParts(state, budgets, now, noun);
  const widthOf = (some: readonly Part[]) => textWidth(some.map(({ text }) => text).join(separator));
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
  const full = share >= 1 ? width : Math.min(width - 1, Math.floor(share * width));
  return cyan(symbols.barFull.repeat(full)) + dim(symbols.barEmpty.repeat(width - full));
}
