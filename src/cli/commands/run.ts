/** `helpdesk-import run`: settings → target → import → screen. What it does is app/run-import.ts. */

import { type ImportResult, runImport } from '../../app/run-import.ts';
import { openRunReport } from '../../app/run-report.ts';
import { addressOf, openSandbox, type TargetAddress } from '../../app/target.ts';
import { redactLossReport, redactSummary } from '../../report/html/redact-report.ts';
import type { Settings } from '../../settings/settings.ts';
import { version } from '../../version.ts';
import { confirmOnTerminal } from '../confirm.ts';
import type { CliContext } from '../context.ts';
import { keepServing } from '../keep-serving.ts';
import { loadSettings } from '../load-settings.ts';
import { giveFilesBack } from '../optional-values.ts';
import type { Flags } from '../program.ts';
import { nextContext, openRunScreen } from '../run-screen.ts';
import { listenForStop } from '../signals.ts';

export async function runCommand(
  givenFiles: readonly string[],
  givenFlags: Flags,
  context: CliContext,
): Promise<number> {
  const { files, flags } = giveFilesBack({ files: givenFiles, flags: givenFlags }, context.cwd);
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
  const report = await openRunReport({
    settings,
    clock: context.clock,
    version: version(),
    redact,
    next: nextContext(settings, files),
  });
  const screen = openRunScreen(settings, files, context);
  let isServing = false;
  using stop = listenForStop(context, (message) => {
    // Then nothing is in flight, and its end has a sentence of its own.
    if (!isServing) screen.say(message);
  });
  let target: TargetAddress | undefined;
  try {
    for (const warning of warnings) screen.warn(warning);
    target = await openTarget(settings, context);
    const confirm = confirmOnTerminal(settings, target, screen, context);
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
      settingsFolder: folder,
      frames: !redact && (!(settings.output.json && settings.output.quiet) || report !== undefined),
      ...(confirm === undefined ? {} : { confirm }),
      ...(report === undefined ? {} : { beforeClose: report.look }),
    });
    const written = await report?.write(result);
    screen.close();
    const told = written?.result ?? result;
    screen.showResult(redact ? redacted(told) : told);
    if (written?.failure !== undefined) throw written.failure;
    if (settings.serve && settings.sandbox !== undefined && target !== undefined && !stop.soft.aborted) {
      isServing = true;
      await keepServing({ url: target.baseUrl, dir: settings.sandbox }, screen, context, stop.soft);
    }
    return result.summary.exitCode;
  } finally {
    screen.close();
    await target?.sandbox?.close();
  }
}

/** `--redact`: what is shown names no person and quotes no value; the checklist of a trial is left to the report. */
function redacted({ checklist: _, ...result }: ImportResult): ImportResult {
  return { ...result, summary: redactSummary(result.summary), loss: redactLossReport(result.loss) };
}

async function openTarget(settings: Settings, context: CliContext): Promise<TargetAddress | undefined> {
  if (settings.mode === 'dry-run') return undefined;
  return settings.sandbox === undefined
    ? await addressOf(settings)
    : await openSandbox(settings.sandbox, settings, context.clock);
}
