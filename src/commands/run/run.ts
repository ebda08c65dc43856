/**
 * `helpdesk-import run`: settings → target → import → screen. What it does is import/run-import.ts. What only some runs have
 * (a target, a report, made-up names) is loaded before anything is sent, when they do: a dry run is there to be quick, and
 * an import may end hours later, when the installation has been replaced.
 */
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type CommandSpec, FILES, RUN_OPTIONS } from '../../cli/command.ts';
import { type CliContext, type Flags, listenForStop, portsOf, READ_ONLY } from '../../cli/context.ts';
import { withKeptPlan } from '../../cli/kept-plan.ts';
import { type LoadedSettings, loadSettings } from '../../cli/load-settings.ts';
import { askYesOrNo, openScreen, shouldConfirm, showEnd } from '../../cli/screen.ts';
import type { Survey } from '../../domain/survey.ts';
import { looks } from '../../import/dry-run/dry-run.ts';
import { type ImportResult, runImport } from '../../import/run-import.ts';
import { addressToLookAt, openTarget, type TargetAddress } from '../../import/target.ts';
import type { Settings } from '../../settings/settings.ts';
import { SANDBOX_FOLDER } from '../../settings/table/run.ts';
import { unreadableFile } from '../../source/problems.ts';
import { withCommands } from '../../summary/summary.ts';
import { version } from '../../version.ts';
import { asTyped, type CommandLines, importAll, quoteArgument } from '../../view/command-line.ts';
import { countOf, formatDuration } from '../../view/format.ts';
import { type NextStepContext, nextSteps } from '../../view/next-steps.ts';
import { planBlocks } from '../../view/plan.ts';
import { summaryBlocks } from '../../view/summary.ts';
import { viewOfRun } from '../report/report-data.ts';
import { explainCommand } from './explain.ts';
import { openRunLog, type RunLog } from './run-log.ts';

export const command: CommandSpec = {
  arguments: [FILES],
  options: RUN_OPTIONS,
  examples: [
    ['run export/ --dry-run', 'see its contents and every problem'],
    ['run export/ --sandbox --serve', 'import into a local helpdesk and look at it'],
    ['run export/ --dry-run --plan approved.plan', 'keep the plan that is signed off; run it later'],
    ['run export/ --trial', 'import 8 representative tickets and check them'],
    ['run export/', 'import the rest; run it again after any stop'],
    ['run export-of-today/ --delta', 'import what is new since then'],
  ],
  run: runCommand,
};

async function runCommand(files: readonly string[], flags: Flags, context: CliContext): Promise<number> {
  const needs = ['files', 'target', 'credentials'] as const;
  const loaded = await loadSettings(files, flags, needs, context).catch(async (error: unknown) => {
    await requireFiles(files, context.cwd);
    throw error;
  });
  const { plan } = flags;
  const force = flags['force'] === true;
  const settings = typeof plan === 'string' ? withKeptPlan(loaded.settings, plan, force) : loaded.settings;
  return await runLoaded({ ...loaded, settings }, context, force);
}

/** Missing files are reported before wrong settings, as no setting helps with them. Throws AppError `source`. */
async function requireFiles(files: readonly string[], folder: string): Promise<void> {
  for (const file of files) {
    if (file === '-') continue;
    try {
      await stat(resolve(folder, file));
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code === 'ENOENT') throw unreadableFile(file, cause);
    }
  }
}

export async function runLoaded(
  { settings, warnings, folder }: Pick<LoadedSettings, 'settings' | 'warnings' | 'folder'>,
  context: CliContext,
  force = false,
): Promise<number> {
  if (settings.explain !== undefined)
    return await explainCommand(settings.explain, settings, folder, context);
  const { clock, commands } = context;
  const { redact, json, quiet, logFile } = settings.output;
  const hide = redact ? await import('../../view/redact.ts') : undefined;
  const next = nextContext(settings, commands);
  const report =
    settings.output.report === undefined
      ? undefined
      : (await import('../report/run-report.ts')).openRunReport({
          settings,
          clock,
          version: version(),
          redact,
          force,
          next,
        });
  const { screen, say, warn } = await openScreen(settings, context);
  let isServing = false;
  using stop = listenForStop(
    context,
    (message) => {
      // Then nothing is in flight, and its end has a sentence of its own.
      if (!isServing) say(message);
    },
    settings.mode === 'dry-run' ? READ_ONLY : undefined,
  );
  let target: TargetAddress | undefined;
  let log: RunLog | undefined;
  try {
    if (logFile !== undefined) log = await openRunLog(logFile, settings, context, warn, force);
    for (const warning of warnings) warn(warning);
    if (settings.mode !== 'dry-run') target = await openTarget(settings, clock);
    else if (looks(settings)) target = await addressToLookAt(settings, warn);
    const url = target?.baseUrl ?? '';
    const result = await runImport(settings, target, {
      ...portsOf(context, stop),
      emit: (event) => {
        screen.emit(event);
        log?.emit(event);
      },
      typed: {
        again: commands.again(),
        all: importAll(commands),
        folder: context.cwd,
        inText: commands.inText,
      },
      settingsFolder: folder,
      frames: !redact && (!(json && quiet) || report !== undefined),
      confirm: async (survey) => {
        if (!shouldConfirm(settings, context)) return true;
        screen.close();
        const isYes = await askYesOrNo(question(settings, survey, url), context, stop.soft);
        if (isYes) screen.reopen?.();
        return isYes;
      },
      beforeClose: report?.look,
    });
    const written = await report?.write(result);
    screen.close();
    const { checklist, ...reported } = written?.result ?? result;
    // What is shown names no person and quotes no value; the checklist of a trial is left to the report.
    const shown =
      hide === undefined
        ? { ...reported, checklist }
        : {
            ...reported,
            summary: hide.redactSummary(reported.summary),
            loss: hide.redactLossReport(reported.loss),
          };
    showResult(shown, settings, next, context);
    await log?.ended(shown.summary);
    log = undefined;
    if (written?.failure !== undefined) throw written.failure;
    if (settings.serve && settings.sandbox !== undefined && target !== undefined && !stop.soft.aborted) {
      isServing = true;
      say('');
      // An address that is broken over lines cannot be opened.
      screen.print([`Look at your tickets in a browser: ${target.sandbox?.page ?? url}`]);
      say('Press Ctrl-C to stop. Your data is kept.');
      await new Promise((stopped) => stop.soft.addEventListener('abort', stopped));
      const again = asTyped(lookAtCommand(settings.sandbox), context.env);
      say(`The service has ended. To look again: ${again}`);
    }
    return result.summary.exitCode;
  } catch (error) {
    await log?.failed(error);
    throw error;
  } finally {
    screen.close();
    await target?.sandbox?.close();
  }
}

/** What was typed, and how to look at what was imported. */
function nextContext(
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

/** Before the first ticket goes to a real helpdesk. */
function question(settings: Settings, survey: Survey, url: string): string {
  const { requests, tickets, estimatedSeconds = 0 } = survey;
  if (settings.links !== undefined)
    return `Rewrite links in ${countOf(requests.messages, 'ticket')} of ${url}?`;
  if (settings.mode === 'trial') return `Import ${countOf(survey.trial.length, 'ticket')} into ${url}?`;
  const time = estimatedSeconds < 60 ? '' : `, about ${formatDuration(estimatedSeconds * 1000)}`;
  const rejected = tickets.rejected === 0 ? '' : ` ${countOf(tickets.rejected, 'ticket')} will be rejected.`;
  return `Import ${countOf(requests.creates, 'new ticket')} into ${url} (${countOf(requests.total, 'request')}${time})? Tickets cannot be deleted; undo can close and empty those nobody has edited.${rejected}`;
}

function showResult(
  result: ImportResult,
  settings: Settings,
  given: NextStepContext,
  context: CliContext,
): void {
  const { summary, loss, stoppedBy } = result;
  const { output, mode } = settings;
  const next = nextSteps(summary, { ...given, unknownAgents: loss.agentsWithoutId });
  const { durationMs, exitCode, ...rest } = withCommands(summary, context.commands.inText);
  const view = viewOfRun(result, settings, next, output.verbose);
  const plan = mode === 'dry-run' && !output.quiet ? planBlocks(view) : [];
  const blocks = [...plan, ...summaryBlocks(view, output)];
  showEnd(context, output, { ...rest, durationMs, next, exitCode }, stoppedBy, blocks);
}
