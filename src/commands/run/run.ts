/**
 * `helpdesk-import run`: settings → target → import → screen. What it does is import/run-import.ts. What only some runs have
 * (a target, a report, made-up names) is loaded before anything is sent, when they do: a dry run is there to be quick, and
 * an import may end hours later, when the installation has been replaced.
 */

import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { CliContext, Flags } from '../../cli/context.ts';
import { type LoadedSettings, loadSettings } from '../../cli/load-settings.ts';
import { listenForStop, portsOf, READING } from '../../cli/signals.ts';
import { looks } from '../../import/dry-run/dry-run.ts';
import { runImport } from '../../import/run-import.ts';
import type { TargetAddress } from '../../import/target.ts';
import { addressToLookAt, openTarget } from '../../import/target.ts';
import { unreadableFile } from '../../source/problems.ts';
import { version } from '../../version.ts';
import { importAll } from '../../view/command-line.ts';
import { explainCommand } from './explain.ts';
import { withKeptPlan } from './kept-plan.ts';
import { openRunLog, type RunLog } from './run-log.ts';
import { nextContext, openRunScreen } from './run-screen.ts';

export async function runCommand(
  files: readonly string[],
  flags: Flags,
  context: CliContext,
): Promise<number> {
  const needs = ['files', 'target', 'credentials'] as const;
  const loaded = await loadSettings(files, flags, needs, context).catch(async (error: unknown) => {
    await requireFiles(files, context.cwd);
    throw error;
  });
  const { plan, force } = flags;
  const isForced = force === true;
  const settings = typeof plan === 'string' ? withKeptPlan(loaded.settings, plan, isForced) : loaded.settings;
  return await runLoaded({ ...loaded, settings }, context, { force: isForced });
}

export async function runLoaded(
  { settings, warnings, folder }: Pick<LoadedSettings, 'settings' | 'warnings' | 'folder'>,
  context: CliContext,
  { force = false }: { readonly force?: boolean } = {},
): Promise<number> {
  if (settings.explain !== undefined)
    return await explainCommand(settings.explain, settings, folder, context);
  const { clock, commands } = context;
  const { redact, json, quiet } = settings.output;
  const hide = redact ? await import('../../view/redact.ts') : undefined;
  const report =
    settings.output.report === undefined
      ? undefined
      : await (await import('../report/run-report.ts')).openRunReport({
          settings,
          clock,
          version: version(),
          redact,
          force,
          next: nextContext(settings, commands),
        });
  const screen = await openRunScreen(settings, context);
  let isServing = false;
  using stop = listenForStop(
    context,
    (message) => {
      // Then nothing is in flight, and its end has a sentence of its own.
      if (!isServing) screen.say(message);
    },
    settings.mode === 'dry-run' ? READING : undefined,
  );
  let target: TargetAddress | undefined;
  let unattended: RunLog | undefined;
  try {
    const { output } = settings;
    if (output.logFile !== undefined)
      unattended = await openRunLog(output.logFile, settings, context, screen.warn, force);
    for (const warning of warnings) screen.warn(warning);
    if (settings.mode !== 'dry-run') target = await openTarget(settings, clock);
    else if (looks(settings)) target = await addressToLookAt(settings, screen.warn);
    const url = target?.baseUrl ?? '';
    const result = await runImport(settings, target, {
      ...portsOf(context, stop),
      emit: (event) => {
        screen.emit(event);
        unattended?.emit(event);
      },
      typed: {
        again: commands.again(),
        all: importAll(commands),
        folder: context.cwd,
        inText: commands.inText,
      },
      settingsFolder: folder,
      frames: !redact && (!(json && quiet) || report !== undefined),
      confirm: (survey) => screen.confirm(survey, url, stop.soft),
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
    screen.showResult(shown);
    await unattended?.ended(shown.summary);
    unattended = undefined;
    if (written?.failure !== undefined) throw written.failure;
    if (settings.serve && settings.sandbox !== undefined && target !== undefined && !stop.soft.aborted) {
      isServing = true;
      await screen.keepServing(target.sandbox?.page ?? url, settings.sandbox, stop.soft);
    }
    return result.summary.exitCode;
  } catch (error) {
    await unattended?.failed(error);
    throw error;
  } finally {
    screen.close();
    await target?.sandbox?.close();
  }
}

/** What is not there is said before what is wrong in the settings: none of them helps with that. Throws AppError `source`. */
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
