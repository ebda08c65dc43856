/**
 * `helpdesk-import run`: settings → target → import → screen. What it does is app/run-import.ts. What only some runs have
 * (a target, a report, a question, the service kept open) is loaded when they do: a dry run is there to be quick.
 */

import type { CliContext, Flags } from '../../cli/context.ts';
import { loadSettings } from '../../cli/load-settings.ts';
import { loadErrorView } from '../../cli/show-error.ts';
import { listenForStop } from '../../cli/signals.ts';
import { type ImportResult, runImport } from '../../import/run-import.ts';
import type { TargetAddress } from '../../import/target.ts';
import { importAll } from '../../present/terminal/command-line.ts';
import type { Settings } from '../../settings/settings.ts';
import { version } from '../../version.ts';
import type { RunReport } from '../report/run-report.ts';
import { nextContext, openRunScreen } from './run-screen.ts';

export async function runCommand(
  files: readonly string[],
  flags: Flags,
  context: CliContext,
): Promise<number> {
  const { settings, warnings, folder } = await loadSettings(
    files,
    flags,
    ['files', 'target', 'credentials'],
    context,
  );
  if (settings.explain !== undefined) {
    const { explainCommand } = await import('./explain.ts');
    return await explainCommand(settings.explain, settings, folder, context);
  }
  const redact = flags['redact'] === true;
  const report = await openReport(settings, redact, context);
  const screen = await openRunScreen(settings, context);
  let isServing = false;
  using stop = listenForStop(context, (message) => {
    // Then nothing is in flight, and its end has a sentence of its own.
    if (!isServing) screen.say(message);
  });
  let target: TargetAddress | undefined;
  try {
    for (const warning of warnings) screen.warn(warning);
    target = await openTarget(settings, context);
    if (target !== undefined) await loadTheEnd(settings, redact);
    const confirm =
      target === undefined
        ? undefined
        : (await import('./confirm.ts')).confirmOnTerminal(settings, target, screen, context, stop.soft);
    const result = await runImport(settings, target, {
      clock: context.clock,
      random: Math.random,
      emit: (event) => {
        screen.emit(event);
        report?.emit(event);
      },
      env: context.env,
      stdin: context.stdin,
      soft: stop.soft,
      hard: stop.hard,
      version: version(),
      typed: {
        again: context.commands.again(),
        all: importAll(context.commands),
        folder: context.cwd,
        inText: context.commands.inText,
      },
      settingsFolder: folder,
      frames: !redact && (!(settings.output.json && settings.output.quiet) || report !== undefined),
      ...(confirm === undefined ? {} : { confirm }),
      ...(report === undefined ? {} : { beforeClose: report.look }),
    });
    const written = await report?.write(result);
    screen.close();
    const told = written?.result ?? result;
    await screen.showResult(redact ? await redacted(told) : told);
    if (written?.failure !== undefined) throw written.failure;
    if (settings.serve && settings.sandbox !== undefined && target !== undefined && !stop.soft.aborted) {
      isServing = true;
      const { keepServing } = await import('../../cli/keep-serving.ts');
      await keepServing({ url: target.baseUrl, dir: settings.sandbox }, screen, context, stop.soft);
    }
    return result.summary.exitCode;
  } finally {
    screen.close();
    await target?.sandbox?.close();
  }
}

/** Loads what the end of an import takes: it comes hours later, and the installation may have been replaced by then. */
async function loadTheEnd(settings: Settings, redact: boolean): Promise<void> {
  await Promise.all([
    loadErrorView(),
    ...(redact ? [import('../../present/html/redact-report.ts')] : []),
    ...(settings.serve ? [import('../../cli/keep-serving.ts')] : []),
  ]);
}

/** `--redact`: what is shown names no person and quotes no value; the checklist of a trial is left to the report. */
async function redacted({ checklist: _, ...result }: ImportResult): Promise<ImportResult> {
  const { redactLossReport, redactSummary } = await import('../../present/html/redact-report.ts');
  return { ...result, summary: redactSummary(result.summary), loss: redactLossReport(result.loss) };
}

async function openReport(
  settings: Settings,
  redact: boolean,
  { clock, commands }: CliContext,
): Promise<RunReport | undefined> {
  if (settings.output.report === undefined) return undefined;
  const { openRunReport } = await import('../report/run-report.ts');
  return await openRunReport({
    settings,
    clock,
    version: version(),
    redact,
    next: nextContext(settings, commands),
  });
}

async function openTarget(settings: Settings, context: CliContext): Promise<TargetAddress | undefined> {
  if (settings.mode === 'dry-run') return undefined;
  const { addressOf, openSandbox } = await import('../../import/target.ts');
  return settings.sandbox === undefined
    ? await addressOf(settings)
    : await openSandbox(settings.sandbox, settings, context.clock);
}
