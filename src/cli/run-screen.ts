/** The screen of a run: progress on standard error, the result on standard output; with `--json` only the summary there. */
import type { ImportResult } from '../app/run-import.ts';
import type { RunEvent } from '../domain/run-events.ts';
import { type NextStepContext, quoteArgument } from '../report/next-steps.ts';
import { createScreen } from '../report/screen.ts';
import { createStyle } from '../report/style.ts';
import { wrap } from '../report/text-block.ts';
import { DEFAULTS, type Settings } from '../settings/settings.ts';
import type { CliContext } from './context.ts';

export interface RunScreen {
  emit(event: RunEvent): void;
  /** One sentence among the progress. */
  say(message: string): void;
  warn(message: string): void;
  /** Ends the progress. Harmless when it has ended. */
  close(): void;
  showResult(result: ImportResult): Promise<void>;
}

export async function openRunScreen(
  settings: Settings,
  files: readonly string[],
  context: CliContext,
): Promise<RunScreen> {
  const { output } = settings;
  const { stdout, stderr, env, clock } = context;
  const style = createStyle({ stream: stderr, env, color: output.color });
  const { progress, quiet, verbose } = output;
  const screen = await createScreen({
    stream: stderr,
    style,
    clock,
    env,
    budgets: settings.run.rates,
    progress,
    quiet,
    verbose,
  });
  // Of a dry run loaded when there is something to show. An import loads it before anything is sent: it takes hours, and the
  // installation may have been replaced by its end.
  const loadResult = () => import('./run-result.ts');
  if (settings.mode !== 'dry-run') await loadResult();
  return {
    emit: screen.emit,
    say: (message) => screen.print(wrap(message, style)),
    warn: (message) => screen.print(wrap(message, style, { lead: 'Warning: ', paintLead: style.yellow })),
    close: () => screen.close(),
    showResult: async (result) => {
      if (output.json) stdout.write(`${JSON.stringify(result.summary, null, 2)}\n`);
      const stream = output.json ? stderr : stdout;
      const shown = createStyle({ stream, env, color: output.color });
      const { resultLines, stopLines } = await loadResult();
      // The summary has been told as JSON; what stopped the run stands nowhere in it.
      const lines =
        output.json && output.quiet ? stopLines(result, shown) : resultLines(result, settings, files, shown);
      if (lines.length > 0) stream.write(`${lines.join('\n')}\n`);
    },
  };
}

/** The command line as it was typed, without the flags of its mode, and how to look at what was imported. */
export function nextContext(settings: Settings, files: readonly string[]): NextStepContext {
  const { sandbox } = settings;
  const command = ['helpdesk-import run', ...files.map(quoteArgument)].join(' ');
  if (sandbox === undefined) return { command };
  return {
    command: `${command} --sandbox${folderArgument(sandbox)}`,
    ...(settings.mode === 'dry-run' || settings.serve ? {} : { lookAt: lookAtCommand(sandbox) }),
  };
}

/** How to look at what a sandbox in this folder holds. */
export function lookAtCommand(dir: string): string {
  return `helpdesk-import sandbox${folderArgument(dir)}`;
}

function folderArgument(dir: string): string {
  return dir === DEFAULTS.sandbox ? '' : ` ${quoteArgument(dir)}`;
}
