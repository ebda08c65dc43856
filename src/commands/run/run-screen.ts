/** The screen of a run: progress on standard error, the result on standard output; with `--json` only the summary there. */

import type { CliContext } from '../../cli/context.ts';
import { writeJson } from '../../cli/json-output.ts';
import type { RunEvent } from '../../domain/run-events.ts';
import type { ImportResult } from '../../import/run-import.ts';
import { type CommandLines, quoteArgument } from '../../present/terminal/command-line.ts';
import type { NextStepContext } from '../../present/terminal/next-steps.ts';
import { createScreen } from '../../present/terminal/screen.ts';
import { createStyle } from '../../present/terminal/style.ts';
import { wrap } from '../../present/terminal/text-block.ts';
import type { Settings } from '../../settings/settings.ts';
import { SANDBOX_FOLDER } from '../../settings/table/run.ts';

export interface RunScreen {
  emit(event: RunEvent): void;
  /** One sentence among the progress. */
  say(message: string): void;
  warn(message: string): void;
  /** Ends the progress. Harmless when it has ended. */
  close(): void;
  showResult(result: ImportResult): Promise<void>;
}

export async function openRunScreen(settings: Settings, context: CliContext): Promise<RunScreen> {
  const { output } = settings;
  const { stdout, stderr, env, clock, commands } = context;
  const style = createStyle({ stream: stderr, env, color: output.color, commands });
  const { progress, quiet, verbose } = output;
  const screen = await createScreen({
    stream: stderr,
    style,
    clock,
    env,
    budgets: settings.run.rate,
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
      const { resultLines, stopLines, summaryJson } = await loadResult();
      const next = nextContext(settings, commands);
      if (output.json) writeJson(stdout, summaryJson(result.summary, next));
      const stream = output.json ? stderr : stdout;
      const shown = createStyle({ stream, env, color: output.color, commands });
      // The summary has been told as JSON; what stopped the run stands nowhere in it.
      const lines =
        output.json && output.quiet ? stopLines(result, shown) : resultLines(result, settings, next, shown);
      if (lines.length > 0) stream.write(`${lines.join('\n')}\n`);
    },
  };
}

/** What was typed, and how to look at what was imported. */
export function nextContext({ sandbox, mode, serve }: Settings, commands: CommandLines): NextStepContext {
  const isThere = sandbox !== undefined && mode !== 'dry-run' && !serve;
  return { commands, lookAt: isThere ? lookAtCommand(sandbox) : undefined };
}

/** How to look at what a sandbox in this folder holds. */
export function lookAtCommand(dir: string): string {
  return `helpdesk-import sandbox${folderArgument(dir)}`;
}

function folderArgument(dir: string): string {
  return dir === SANDBOX_FOLDER ? '' : ` ${quoteArgument(dir)}`;
}
