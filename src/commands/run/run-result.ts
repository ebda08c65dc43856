/** The result of a run in lines: the plan of a dry run, what stopped it, the summary. */
import type { ImportResult } from '../../import/run-import.ts';
import { errorLines } from '../../present/terminal/error-view.ts';
import { type NextStepContext, nextSteps } from '../../present/terminal/next-steps.ts';
import { planLines } from '../../present/terminal/plan-view.ts';
import type { Style } from '../../present/terminal/style.ts';
import { summaryLines } from '../../present/terminal/summary-view.ts';
import type { Settings } from '../../settings/settings.ts';
import { type Summary, withCommands } from '../../summary/summary.ts';

export function resultLines(
  result: ImportResult,
  settings: Settings,
  next: NextStepContext,
  style: Style,
): string[] {
  const { summary, survey, loss, frames, checklist } = result;
  const stop = stopLines(result, style);
  const { output, run } = settings;
  const plan =
    settings.mode === 'dry-run' && !output.quiet
      ? [
          ...planLines(
            { survey, loss, layout: summary.layout, files: settings.source.files, ...rateOf(run.rate) },
            style,
          ),
          '',
        ]
      : [];
  return [
    ...plan,
    ...stop,
    ...(stop.length === 0 ? [] : ['']),
    ...summaryLines(summary, style, {
      ...next,
      quiet: output.quiet,
      verbose: output.verbose,
      frames,
      checklist,
    }),
  ];
}

/** The summary with what to do next, and with commands as they are to be typed. */
export function summaryJson(summary: Summary, next: NextStepContext): object {
  const { inText } = next.commands;
  const { durationMs, exitCode, ...rest } = withCommands(summary, inText);
  return { ...rest, durationMs, next: nextSteps(summary, next), exitCode };
}

/** None where nothing stopped it. */
export function stopLines({ stoppedBy }: ImportResult, style: Style): string[] {
  return stoppedBy === undefined ? [] : errorLines(stoppedBy, style);
}

function rateOf(rates: Settings['run']['rate']): { rate?: string } {
  if (rates.length === 0) return {};
  return { rate: rates.map(({ requests, seconds }) => `${requests}/${seconds}`).join(' and ') };
}
