/** Loads optional parts before sending: an update during a long run must not break it. */
import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { relative, resolve } from 'node:path';
import { isFileThere } from '../checkpoint/file.ts';
import { type TrialMarks, trialMarks } from '../checkpoint/marks.ts';
import { readCheckpoint } from '../checkpoint/read-checkpoint.ts';
import { type CommandSpec, FILES, RUN_OPTIONS } from '../cli/command.ts';
import { type CliContext, type Flags, listenForStop, portsOf, READ_ONLY } from '../cli/context.ts';
import { type LoadedSettings, loadSettings, sandboxAt } from '../cli/load-settings.ts';
import { headOf } from '../cli/output-file.ts';
import { withPlan } from '../cli/plan-of-run.ts';
import { askYesOrNo, openScreen, shouldConfirm, showEnd } from '../cli/screen.ts';
import { countOf } from '../domain/printable.ts';
import { type ImportResult, runImport } from '../import/run-import.ts';
import { addressToLookAt, openTarget, type TargetAddress } from '../import/target.ts';
import type { Facts } from '../plan/facts.ts';
import type { Settings } from '../settings/settings.ts';
import { INIT_LINE, SETTINGS_FILE } from '../settings/table/table.ts';
import { unreadableFile } from '../source/problems.ts';
import { importAll, quoteArgument } from '../view/command-line.ts';
import { formatDuration } from '../view/format.ts';
import { type NextStepContext, nextSteps } from '../view/next-steps.ts';
import { screenBlocks } from '../view/sections.ts';
import { trialQuestion } from '../view/trial-words.ts';
import { changesOf } from '../view/verdict.ts';

export const command: CommandSpec = {
  arguments: [FILES],
  options: RUN_OPTIONS,
  examples: [
    ['run export/ --dry-run', 'see its contents and every problem'],
    ['run export/ --sandbox --serve', 'import into a local helpdesk and look at it'],
    ['run export/ --approved approved.plan', 'import the signed-off tickets only'],
    ['run export/ --trial --serve', 'import 8 tickets, compare them with the export, sign'],
    ['run export/', 'import the rest; run it again after any stop'],
    ['run export-of-today/ --delta', 'import new tickets since then'],
  ],
  run: runCommand,
};

async function runCommand(files: readonly string[], flags: Flags, context: CliContext): Promise<number> {
  if (flags['filesOnly'] === true) return await (await import('./files.ts')).filesOnly(files, flags, context);
  const needs = ['files', 'target', 'credentials'] as const;
  const loaded = await loadSettings(files, flags, needs, context).catch(async (error: unknown) => {
    await requireFiles(files, context.cwd);
    throw error;
  });
  return await runLoaded({ ...loaded, settings: withPlan(loaded.settings, flags) }, context);
}

/** Reported before wrong settings, as no setting helps. Throws AppError `source`. */
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
  { settings, warnings, file }: Pick<LoadedSettings, 'settings' | 'warnings' | 'file'>,
  context: CliContext,
): Promise<number> {
  const { clock, commands } = context;
  const { redact, json, quiet } = settings.output;
  const hide = redact ? await import('../view/redact.ts') : undefined;
  const next = nextContext(settings, context, file);
  const report =
    settings.output.report === undefined
      ? undefined
      : (await import('./report.ts')).openRunReport(settings, clock, next);
  const marks = marksIn(settings.output.checkpoint);
  const { screen, say, warn } = await openScreen(settings, context);
  let isServing = false;
  using stop = listenForStop(
    context,
    (message) => {
      // By then no request is under way.
      if (!isServing) say(message);
    },
    settings.mode === 'dry-run' ? READ_ONLY : undefined,
  );
  let target: TargetAddress | undefined;
  try {
    for (const warning of warnings) warn(warning);
    if (settings.mode !== 'dry-run') target = await openTarget(settings);
    else target = await addressToLookAt(settings, warn);
    const url = target?.baseUrl ?? '';
    const result = await runImport(settings, target, {
      ...portsOf(context, stop),
      emit: screen.emit,
      typed: {
        again: commands.again(),
        all: importAll(commands),
        folder: context.cwd,
        inText: commands.inText,
      },
      frames: !redact && (!(json && quiet) || report !== undefined),
      confirm: async (facts) => {
        if (!shouldConfirm(settings, context)) return true;
        screen.close();
        const marked = settings.mode === 'trial' ? undefined : trialQuestion(marks);
        if (marked !== undefined && !(await askYesOrNo(marked, context, stop.soft))) return false;
        const isYes = await askYesOrNo(question(settings, facts, url), context, stop.soft);
        if (isYes) screen.reopen?.();
        return isYes;
      },
      beforeClose: report?.look,
    });
    const written = await report?.write(result);
    screen.close();
    const ended = written?.result ?? result;
    const shown = hide === undefined ? ended : { ...ended, facts: hide.redactFacts(ended.facts) };
    showResult(shown, settings.output, next, context);
    if (written?.failure !== undefined) throw written.failure;
    if (settings.serve && target !== undefined && !stop.soft.aborted) {
      isServing = true;
      const { serveTrial } = await import('./trial/serve.ts');
      await using desk = await serveTrial({ settings, target, facts: result.facts }, context, stop);
      say('');
      // A broken line cannot be opened.
      if (target.sandbox !== undefined)
        screen.print([`Look at your tickets in a browser: ${target.sandbox.page}`]);
      if (desk !== undefined) screen.print([`Compare the trial with the export, and sign it: ${desk.url}`]);
      say('Press Ctrl-C to stop. Your data is kept.');
      await new Promise((stopped) => stop.soft.addEventListener('abort', stopped));
      if (settings.sandbox !== undefined)
        say(`The sandbox has stopped. To look again: \`${sandboxAt(settings.sandbox, commands)}\``);
    }
    return result.facts.exitCode;
  } finally {
    screen.close();
    await target?.[Symbol.asyncDispose]();
  }
}

/** The marks of a trial, read before the run takes the checkpoint. */
function marksIn(path: string): TrialMarks | undefined {
  if (!isFileThere(path)) return undefined;
  using reader = readCheckpoint(path);
  return trialMarks(reader);
}

function nextContext(
  { sandbox, mode, serve }: Settings,
  { commands, cwd }: CliContext,
  file: string | undefined,
): NextStepContext {
  const isThere = sandbox !== undefined && mode !== 'dry-run' && !serve;
  const path = file === undefined ? resolve(cwd, SETTINGS_FILE) : resolve(cwd, file);
  const more = path === resolve(cwd, SETTINGS_FILE) ? [] : ['-o', quoteArgument(relative(cwd, path))];
  return {
    commands,
    lookAt: isThere ? sandboxAt(sandbox, commands) : undefined,
    init: isFileThere(path) && headOf(path)?.startsWith(`# ${INIT_LINE}`) !== true ? undefined : { more },
    get isGone() {
      return commands.files.some((name) => name !== '-' && !existsSync(resolve(cwd, name)));
    },
  };
}

function question({ mode }: Pick<Settings, 'mode'>, facts: Facts, url: string): string {
  const { plan, tickets, picks } = facts;
  const { requests, estimatedSeconds = 0 } = plan;
  if (mode === 'trial') return `Import ${countOf(picks.length, 'ticket')} into ${url}?`;
  const time = estimatedSeconds < 60 ? '' : `, about ${formatDuration(estimatedSeconds * 1000)}`;
  const rejected = tickets.rejected === 0 ? '' : ` ${countOf(tickets.rejected, 'ticket')} will be rejected.`;
  const cost = `(${countOf(requests.total, 'request')}${time})`;
  const what =
    tickets.update === 0
      ? `Import ${countOf(tickets.create, 'new ticket')} into ${url} ${cost}?`
      : `Send to ${url}: ${changesOf(facts, false).slice(0, -1)} ${cost}?`;
  return `${what} Tickets cannot be deleted; undo can close and empty those no one has edited.${rejected}`;
}

function showResult(
  result: ImportResult,
  output: Settings['output'],
  given: NextStepContext,
  context: CliContext,
): void {
  const { facts, stoppedBy } = result;
  const next = nextSteps(facts, given);
  const { durationMs, exitCode, ...rest } = facts;
  const json = { ...rest, durationMs, next, exitCode };
  showEnd(
    context,
    output,
    json,
    stoppedBy,
    screenBlocks({ ...result, next }, { ...output, isSandbox: given.lookAt !== undefined }),
  );
}
