/** `helpdesk-import completion <shell>`: the completion script of a shell, made from the program as it is. */
import type { Command } from 'commander';
import type { CliContext, Flags } from '../../cli/context.ts';
import { AppError } from '../../domain/errors.ts';
import { didYouMean } from '../../domain/nearest.ts';
import { builtinLayouts } from '../../mapping/platforms/builtin-layouts.ts';
import { bashScript } from './completion-bash.ts';
import { fishScript } from './completion-fish.ts';
import { type CompletionModel, completionModel } from './completion-model.ts';
import { zshScript } from './completion-zsh.ts';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

const SCRIPTS: Readonly<Record<Shell, (model: CompletionModel) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

export async function completionCommand(
  args: readonly string[],
  _flags: Flags,
  context: CliContext,
  program: Command,
): Promise<number> {
  const [asked = ''] = args;
  const shell = SHELLS.find((name) => name === asked);
  if (shell === undefined)
    throw new AppError('usage', `There is no completion for "${asked}".${didYouMean(asked, SHELLS)}`, {
      hint: `Name one of ${SHELLS.join(', ')}.`,
    });
  const layout = builtinLayouts().map(({ name }) => name);
  context.stdout.write(SCRIPTS[shell](completionModel(program, { layout, shell: SHELLS })));
  return 0;
}
