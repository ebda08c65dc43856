/** The screen of `usage-events`: one line that moves on a terminal, whole lines now and then elsewhere; and its question. */
import type { UsageProgress } from '../../app/usage-progress.ts';
import type { UsageSurvey } from '../../app/usage-survey.ts';
import type { AppTarget } from '../../app/usage-target.ts';
import { usageProgressLine } from '../../app/usage-view.ts';
import { printable } from '../../domain/printable.ts';
import type { RunEvent } from '../../domain/run-events.ts';
import { countOf, formatDuration } from '../../report/format.ts';
import { wantsBar } from '../../report/screen.ts';
import { createStyle } from '../../report/style.ts';
import { createVerboseLog } from '../../report/verbose-log.ts';
import type { Settings } from '../../settings/settings.ts';
import { askYesOrNo, isAsked } from '../ask-before-sending.ts';
import type { CliContext } from '../context.ts';

export interface UsageScreen {
  readonly emit: (event: RunEvent) => void;
  readonly progress: (progress: UsageProgress) => void;
  /** One sentence among the progress. */
  readonly say: (message: string) => void;
  /** Ends the moving line. Harmless when it has ended. */
  readonly close: () => void;
}

const FRAME_MS = 250;
const LINE_EVERY_MS = 10_000;
const ERASE_LINE = '\r\u001b[K';

export function openUsageScreen(settings: Settings, context: CliContext): UsageScreen {
  const { stderr, env, clock } = context;
  const { quiet, verbose, progress: wanted, color } = settings.output;
  const style = createStyle({ stream: stderr, env, color });
  const moves = !quiet && wantsBar(stderr, env, wanted);
  const everyMs = moves ? FRAME_MS : LINE_EVERY_MS;
  let shownAt = clock.monotonic();
  let stage = '';
  let isLineOpen = false;

  const close = () => {
    if (isLineOpen) stderr.write(ERASE_LINE);
    isLineOpen = false;
  };
  const print = (lines: readonly string[]) => {
    close();
    for (const line of lines) stderr.write(`${line}\n`);
  };
  const log = verbose && !quiet ? createVerboseLog(print, clock, style) : undefined;
  return {
    emit: (event) => {
      log?.(event);
      if (quiet) return;
      if (event.type === 'note') print([printable(event.message)]);
      if (event.type === 'waiting' && !verbose) {
        const seconds = Math.max(1, Math.round((event.untilMs - clock.now()) / 1000));
        if (event.reason !== 'rate-budget') print([`waiting ${seconds} s: ${REASONS[event.reason]}`]);
      }
    },
    progress: (progress) => {
      const now = clock.monotonic();
      if (quiet || (now - shownAt < everyMs && progress.stage === stage)) return;
      shownAt = now;
      stage = progress.stage;
      const line = usageProgressLine(progress);
      if (moves) {
        stderr.write(`${ERASE_LINE}${line.slice(0, Math.max(20, style.width - 1))}`);
        isLineOpen = true;
      } else stderr.write(`${line}\n`);
    },
    say: (message) => print([message]),
    close,
  };
}

const REASONS = {
  'rate-budget': 'the request budget is used up',
  'retry-after': 'the target asked for a pause',
  'target-down': 'the target does not answer',
  'creates-fail': 'the target fails',
} as const;

/** Before the first event goes to a real service, from a terminal, unless `--yes`. */
export function confirmUsage(
  settings: Settings,
  target: AppTarget,
  screen: UsageScreen,
  context: CliContext,
): ((survey: UsageSurvey) => Promise<boolean>) | undefined {
  if (!isAsked(settings, context)) return undefined;
  return async (survey) => {
    screen.close();
    return await askYesOrNo(question(settings, survey, target.baseUrl), context);
  };
}

function question({ mode, run }: Settings, survey: UsageSurvey, url: string): string {
  const events = mode === 'trial' ? survey.trial.length : survey.toSend;
  const seconds = Math.max(0, ...run.rates.map((rate) => (survey.requests / rate.requests) * rate.seconds));
  const time = mode === 'trial' || seconds < 60 ? '' : `, about ${formatDuration(seconds * 1000)}`;
  return `Send ${countOf(events, 'usage event')} to ${url} (${countOf(mode === 'trial' ? events : survey.requests, 'request')}${time})? They cannot be taken back.`;
}
