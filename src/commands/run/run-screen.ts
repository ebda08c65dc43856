/** The screen of a run: progress on standard error, the result on standard output; with `--json` only the summary there. */

import { askYesOrNo, isAsked } from '../../cli/ask-before-sending.ts';
import type { CliContext } from '../../cli/context.ts';
import { openScreen } from '../../cli/open-screen.ts';
import { writeJson } from '../../cli/show-error.ts';
import type { RunEvent } from '../../domain/run-events.ts';
import type { Survey } from '../../domain/survey.ts';
import type { ImportResult } from '../../import/run-import.ts';
import type { Settings } from '../../settings/settings.ts';
import { SANDBOX_FOLDER } from '../../settings/table/run.ts';
import { type Summary, withCommands } from '../../summary/summary.ts';
import { asTyped, type CommandLines, quoteArgument } from '../../view/command-line.ts';
import { countOf, formatDuration } from '../../view/format.ts';
import { type NextStepContext, nextSteps } from '../../view/next-steps.ts';
import { planBlocks } from '../../view/plan.ts';
import { summaryBlocks } from '../../view/summary.ts';
import { blockLines } from '../../view/terminal/blocks.ts';
import { errorLines } from '../../view/terminal/error-view.ts';
import { createStyle, type Style } from '../../view/terminal/style.ts';
import { viewOfRun } from '../report/report-data.ts';

export async function openRunScreen(settings: Settings, context: CliContext) {
  const { output } = settings;
  const { stdout, stderr, env, commands } = context;
  const { screen, say, warn } = await openScreen(settings, context);
  return {
    emit: (event: RunEvent) => screen.emit(event),
    say,
    warn,
    /** Ends the progress. Harmless when it has ended. */
    close: () => screen.close(),
    /** The question before the first ticket goes to a real helpdesk. True if it is not asked. */
    confirm: async (survey: Survey, url: string, signal: AbortSignal) => {
      if (!isAsked(settings, context)) return true;
      screen.close();
      const isYes = await askYesOrNo(question(settings, survey, url), context, signal);
      if (isYes) screen.reopen?.();
      return isYes;
    },
    showResult: (result: ImportResult) => {
      const next = { ...nextContext(settings, commands), unknownAgents: result.loss.agentsWithoutId };
      if (output.json) writeJson(stdout, summaryJson(result.summary, next));
      const stream = output.json ? stderr : stdout;
      const shown = createStyle({ stream, env, commands });
      // The JSON summary does not say what stopped the run.
      const lines =
        output.json && output.quiet ? stopLines(result, shown) : resultLines(result, settings, next, shown);
      if (lines.length > 0) stream.write(`${lines.join('\n')}\n`);
    },
    /** `--serve`: the service stays open when the import is over, so that it can be looked at, until `stop` is aborted. */
    keepServing: async (page: string, dir: string, stop: AbortSignal) => {
      say('');
      // An address that is broken over lines cannot be opened.
      screen.print([`Look at your tickets in a browser: ${page}`]);
      say('Press Ctrl-C to stop. Your data is kept.');
      await new Promise<void>((done) => {
        if (stop.aborted) done();
        else stop.addEventListener('abort', () => done(), { once: true });
      });
      say(asTyped(`The service has ended. To look again: ${lookAtCommand(dir)}`, env));
    },
  };
}

/** What was typed, and how to look at what was imported. */
export function nextContext(
  { sandbox, mode, serve, links, plan }: Settings,
  commands: CommandLines,
): NextStepContext {
  const isThere = sandbox !== undefined && mode !== 'dry-run' && !serve;
  return {
    commands,
    lookAt: isThere ? lookAtCommand(sandbox) : undefined,
    isLinks: links !== undefined,
    isPlan: plan?.run !== undefined,
  };
}

/** How to look at what a sandbox in this folder holds. */
function lookAtCommand(dir: string): string {
  return `helpdesk-import sandbox${dir === SANDBOX_FOLDER ? '' : ` ${quoteArgument(dir)}`}`;
}

function question(settings: Settings, survey: Survey, url: string): string {
  const { requests, tickets, estimatedSeconds } = survey;
  if (settings.links !== undefined)
    return `Rewrite links in ${countOf(requests.messages, 'ticket')} of ${url}?`;
  if (settings.mode === 'trial') return `Import ${countOf(survey.trial.length, 'ticket')} into ${url}?`;
  const time =
    estimatedSeconds === undefined || estimatedSeconds < 60
      ? ''
      : `, about ${formatDuration(estimatedSeconds * 1000)}`;
  const rejected = tickets.rejected === 0 ? '' : ` ${countOf(tickets.rejected, 'ticket')} will be rejected.`;
  return `Import ${countOf(requests.creates, 'new ticket')} into ${url} (${countOf(requests.total, 'request')}${time})? Tickets cannot be deleted; undo can close and empty those nobody has edited.${rejected}`;
}

function resultLines(
  result: ImportResult,
  settings: Settings,
  next: NextStepContext,
  style: Style,
): string[] {
  const stop = stopLines(result, style);
  const { quiet, verbose } = settings.output;
  const view = viewOfRun(result, settings, nextSteps(result.summary, next), verbose);
  const plan = settings.mode === 'dry-run' && !quiet ? planBlocks(view) : [];
  return [
    ...stop,
    ...(stop.length === 0 ? [] : ['']),
    ...blockLines([...plan, ...summaryBlocks(view, { quiet, verbose })], style),
  ];
}

/** What `--json` prints: the summary with what to do next, and with commands as they are to be typed. */
export function summaryJson(summary: Summary, next: NextStepContext): object {
  const { inText } = next.commands;
  const { durationMs, exitCode, ...rest } = withCommands(summary, inText);
  return { ...rest, durationMs, next: nextSteps(summary, next), exitCode };
}

/** None where nothing stopped it. */
function stopLines({ stoppedBy }: ImportResult, style: Style): string[] {
  return stoppedBy === undefined ? [] : errorLines(stoppedBy, style);
}
