/** The result of a run in lines: the plan of a dry run, what stopped it, the summary. */
import type { ImportResult } from '../app/run-import.ts';
import { errorLines } from '../report/error-view.ts';
import { planLines } from '../report/plan-view.ts';
import type { Style } from '../report/style.ts';
import { summaryLines } from '../report/summary-view.ts';
import type { Settings } from '../settings/settings.ts';
import { nextContext } from './run-screen.ts';

export function resultLines(
  result: ImportResult,
  settings: Settings,
  files: readonly string[],
  style: Style,
): string[] {
  const { summary, survey, loss, frames, checklist } = result;
  const stop = stopLines(result, style);
  const { output, run } = settings;
  const plan =
    settings.mode === 'dry-run' && !output.quiet
      ? [
          ...planLines(
            { survey, loss, layout: summary.layout, files: settings.source.files, ...rateOf(run.rates) },
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
      ...nextContext(settings, files),
      quiet: output.quiet,
      verbose: output.verbose,
      frames,
      checklist,
    }),
  ];
}

/** None where nothing stopped it. */
export function stopLines({ stoppedBy }: ImportResult, style: Style): string[] {
  return stoppedBy === undefined ? [] : errorLines(stoppedBy, style);
}

function rateOf(rates: Settings['run']['rates']): { rate?: string } {
  if (rates.length === 0) return {};
  return { rate: rates.map(({ requests, seconds }) => `${requests}/${seconds}`).join(' and ') };
}
