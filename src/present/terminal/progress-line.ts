/** A run's progress as one line that fits the terminal. Pure: the same for the bar and for `status --watch`. */
import { shorten, textWidth } from '../../domain/printable.ts';
import {
  countOf,
  formatBytes,
  formatCount,
  formatDuration,
  formatEstimate,
  formatRate,
  formatShare,
} from './format.ts';
import {
  type Budget,
  type Instant,
  type ProgressState,
  shareOf,
  speedOf,
  timeLeft,
  waitOf,
} from './progress-state.ts';
import type { Style } from './style.ts';

const STAGES: Readonly<Record<ProgressState['stage'], string>> = {
  reading: 'Reading',
  checking: 'Checking',
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
  readonly tone?: 'plain' | 'good' | 'warn' | 'bad' | 'dim';
}

export function progressLine(
  state: ProgressState,
  budgets: readonly Budget[],
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
    .map((part) => paint(part, style))
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
  budgets: readonly Budget[],
  now: Instant,
  noun: string,
): Part[] {
  return state.importSince === undefined ? readingParts(state, noun) : importParts(state, budgets, now, noun);
}

function readingParts({ read, checked, problems }: ProgressState, noun: string): Part[] {
  const parts: Part[] = [];
  if (read.totalBytes > 0)
    parts.push({
      text: `${formatShare(read.bytes, read.totalBytes)} of ${formatBytes(read.totalBytes)}`,
      rank: 0,
    });
  if (checked > 0) parts.push({ text: countOf(checked, noun), rank: 1 });
  else parts.push({ text: countOf(read.records, 'record'), rank: 1 });
  if (problems > 0) parts.push({ text: countOf(problems, 'problem'), rank: 2, tone: 'warn' });
  return parts;
}

function importParts(state: ProgressState, budgets: readonly Budget[], now: Instant, noun: string): Part[] {
  const { total, settled, failed, inDoubt, retries } = state;
  const of = Math.max(total, settled);
  const counted = `${formatShare(settled, of)}  ${formatCount(settled)}`;
  const parts: Part[] = [
    {
      text: `${counted} of ${countOf(of, noun)}`,
      short: `${counted} of ${formatCount(of)}`,
      rank: 0,
    },
  ];
  const speed = speedOf(state, now);
  if (speed !== undefined) parts.push({ text: formatRate(speed.tickets), rank: 5 });
  const left = timeLeft(state, budgets, now);
  if (left !== undefined && left > 0) parts.push({ text: `${formatEstimate(left)} left`, rank: 2 });
  if (failed > 0) parts.push({ text: `${formatCount(failed)} failed`, rank: 3, tone: 'bad' });
  if (inDoubt > 0) parts.push({ text: `${formatCount(inDoubt)} in doubt`, rank: 4, tone: 'warn' });
  if (retries > 0) parts.push({ text: countOf(retries, 'retry', 'retries'), rank: 6, tone: 'dim' });
  const wait = waitOf(state, now);
  if (wait !== undefined) parts.push({ text: waitText(wait), rank: 1, tone: 'warn' });
  return parts;
}

export function waitText({ reason, left }: NonNullable<ReturnType<typeof waitOf>>): string {
  const seconds = left >= 1000 ? ` ${formatDuration(Math.ceil(left / 1000) * 1000)}` : '';
  switch (reason) {
    case 'rate-budget':
      return `waits${seconds} for the rate budget`;
    case 'retry-after':
      return `waits${seconds}, as the target asks`;
    case 'target-down':
      return `target is down, tries again${seconds === '' ? '' : ` in${seconds}`}`;
    case 'creates-fail':
      return `creates fail, tries again${seconds === '' ? '' : ` in${seconds}`}`;
  }
}

function barOf(share: number, width: number, style: Style): string {
  // Full only when all is done.
  const full = share >= 1 ? width : Math.min(width - 1, Math.floor(share * width));
  return (
    style.cyan(style.symbols.barFull.repeat(full)) + style.dim(style.symbols.barEmpty.repeat(width - full))
  );
}

function paint({ text, tone = 'plain' }: Part, style: Style): string {
  switch (tone) {
    case 'plain':
      return text;
    case 'good':
      return style.green(text);
    case 'warn':
      return style.yellow(text);
    case 'bad':
      return style.red(text);
    case 'dim':
      return style.dim(text);
  }
}
