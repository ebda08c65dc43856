/** A run's progress as one line that fits the terminal. Pure. */
import type { Rate } from '../../domain/limits.ts';
import { shorten, textWidth } from '../../domain/printable.ts';
import {
  countOf,
  formatBytes,
  formatCount,
  formatDuration,
  formatEstimate,
  formatRate,
  formatShare,
} from '../format.ts';
import { type Instant, type ProgressState, shareOf, speedOf, timeLeft, waitOf } from './progress-state.ts';
import type { Style } from './style.ts';

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

export interface Part {
  readonly text: string;
  /** Stands in where the line is too long. */
  readonly short?: string;
  /** Lower ones stay longest where the line is too long; 0 always stays. */
  readonly rank: number;
  readonly tone?: 'yellow' | 'red' | 'dim';
}

export function progressLine(
  state: ProgressState,
  budgets: readonly Rate[],
  now: Instant,
  style: Style,
  noun = 'ticket',
): string {
  const { symbols, width } = style;
  const frame = symbols.spinner[Math.floor(now.at / FRAME_MS) % symbols.spinner.length] ?? '';
  const share = shareOf(state);
  const lead = `${frame} ${STAGES[state.stage]}`;
  const separator = ` ${symbols.separator} `;
  // One column stays free: a full last column makes some terminals break the line.
  const room = width - 1 - textWidth(lead) - 2;
  const textOf = (some: readonly Part[]) => some.map(({ text }) => text).join(separator);
  const barRoom = share === undefined ? 0 : BAR.least + 2;
  const parts = fitParts(
    progressParts(state, budgets, now, noun),
    (some) => textWidth(textOf(some)),
    room,
    barRoom,
  );
  const text = textOf(parts);
  const space = room - textWidth(text) - 2;
  const bar =
    share === undefined || space < BAR.least ? '' : `${barOf(share, Math.min(BAR.most, space), style)}  `;
  if (bar === '' && textWidth(text) > room) return `${lead}  ${shorten(text, room, symbols.ellipsis)}`;
  return `${style.cyan(frame)} ${style.bold(STAGES[state.stage])}  ${bar}${parts
    .map(({ text: part, tone }) => (tone === undefined ? part : style[tone](part)))
    .join(style.dim(separator))}`;
}

/** Parts up to this rank tell more than the bar itself. */
const WORTH_MORE = 1;

/** Leaves out what says least until the line fits: first small things, then the bar, then the rest. */
function fitParts(
  all: readonly Part[],
  widthOf: (parts: readonly Part[]) => number,
  room: number,
  barRoom: number,
): readonly Part[] {
  let parts = all;
  for (;;) {
    const rank = Math.max(0, ...parts.map((part) => part.rank));
    const needed = widthOf(parts) + (rank > WORTH_MORE ? barRoom : 0);
    if (needed <= room) return parts;
    if (rank === 0) return parts.map((part) => ({ ...part, text: part.short ?? part.text }));
    parts = parts.filter((part) => part.rank < rank);
  }
}

/** What there is to say, in the order of saying it. */
export function progressParts(
  state: ProgressState,
  budgets: readonly Rate[],
  now: Instant,
  noun: string,
): Part[] {
  if (state.stage === 'fetching') return filesParts(state, now);
  if (state.importSince !== undefined) return importParts(state, budgets, now, noun);
  const wait = waitOf(state, now);
  return wait === undefined ? readingParts(state, noun) : [waitPart(wait), ...readingParts(state, noun)];
}

/** An outage is worth more than any count. */
function waitPart(wait: Wait): Part {
  return { text: waitText(wait), rank: wait.outage === undefined ? 1 : 0, tone: 'yellow' };
}

function filesParts({ files }: ProgressState, now: Instant): Part[] {
  if (files === undefined) return [];
  const { done, wanted, missing, bytes, isAll, since } = files;
  const seconds = (now.at - since) / 1000;
  const rate = seconds < 1 ? 0 : bytes / seconds;
  const left = isAll && done > 0 && seconds >= 3 ? ((wanted - done) * seconds) / done : undefined;
  const parts: (Part | false)[] = [
    { text: `${formatCount(done)} of ${formatCount(wanted)}${isAll ? '' : ' or more'} files`, rank: 0 },
    { text: formatBytes(bytes), rank: 1 },
    rate > 0 && { text: `${formatBytes(rate)}/s`, rank: 2 },
    left !== undefined && { text: `${formatDuration(left * 1000)} left`, rank: 1 },
    missing > 0 && { text: `${formatCount(missing)} missing`, rank: 1, tone: 'yellow' },
  ];
  return parts.filter((part) => part !== false);
}

function readingParts({ read, checked, problems }: ProgressState, noun: string): Part[] {
  const parts: (Part | false)[] = [
    read.totalBytes > 0 && {
      text: `${formatShare(read.bytes, read.totalBytes)} of ${formatBytes(read.totalBytes)}`,
      rank: 0,
    },
    { text: checked > 0 ? countOf(checked, noun) : countOf(read.records, 'record'), rank: 1 },
    problems > 0 && { text: countOf(problems, 'problem'), rank: 2, tone: 'yellow' },
  ];
  return parts.filter((part) => part !== false);
}

function importParts(state: ProgressState, budgets: readonly Rate[], now: Instant, noun: string): Part[] {
  const { total, settled, failed, inDoubt, retries, open } = state;
  const of = Math.max(total, settled);
  const counted = `${formatShare(settled, of)}  ${formatCount(settled)}`;
  const [speed, left, wait] = [speedOf(state, now), timeLeft(state, budgets, now), waitOf(state, now)];
  const parts: (Part | false | undefined)[] = [
    { text: `${counted} of ${countOf(of, noun)}`, short: `${counted} of ${formatCount(of)}`, rank: 0 },
    open && {
      text:
        open.settled < open.total
          ? `open ${formatCount(open.settled)} of ${formatCount(open.total)}`
          : 'everything open is there',
      rank: 4,
    },
    speed && { text: formatRate(speed.tickets), rank: 5 },
    left !== undefined && left > 0 && { text: `${formatEstimate(left)} left`, rank: 2 },
    failed > 0 && { text: `${formatCount(failed)} failed`, rank: 3, tone: 'red' },
    inDoubt > 0 && { text: `${formatCount(inDoubt)} in doubt`, rank: 4, tone: 'yellow' },
    retries > 0 && { text: countOf(retries, 'retry', 'retries'), rank: 6, tone: 'dim' },
    wait && waitPart(wait),
  ];
  return parts.filter((part) => part !== false && part !== undefined);
}

type Wait = NonNullable<ReturnType<typeof waitOf>>;

function wholeSeconds(ms: number): string {
  const seconds = Math.max(1, Math.ceil(ms / 1000));
  return seconds < 60 ? `${seconds} s` : formatDuration(seconds * 1000);
}

export function waitText({ reason, left, outage }: Wait): string {
  if (outage !== undefined) {
    const [again, end] = [left, outage.givesUpMs].map(wholeSeconds);
    return `cannot reach ${outage.address} (${outage.cause}), trying again in ${again} (gives up in ${end})`;
  }
  const seconds = left >= 1000 ? ` ${formatDuration(Math.ceil(left / 1000) * 1000)}` : '';
  const again = `tries again${seconds === '' ? '' : ` in${seconds}`}`;
  return {
    'rate-budget': `waits${seconds} for the rate budget`,
    'retry-after': `waits${seconds}, as the target asks`,
    'target-down': `target is down, ${again}`,
    'creates-fail': `creates fail, ${again}`,
  }[reason];
}

function barOf(share: number, width: number, style: Style): string {
  // Full only when all is done.
  const full = share >= 1 ? width : Math.min(width - 1, Math.floor(share * width));
  return (
    style.cyan(style.symbols.barFull.repeat(full)) + style.dim(style.symbols.barEmpty.repeat(width - full))
  );
}
