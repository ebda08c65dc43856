/** `helpdesk-import completion <shell>`: the completion script of a shell, made from the program as it is; `install` puts it where that shell looks. */
import { mkdir, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';
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

/** Where each shell looks for the completions of a user, and what is left for the user to do. */
const PLACES: Readonly<
  Record<Shell, (env: CliContext['env'], home: string) => [path: string, then: string]>
> = {
  bash: (env, home) => [
    join(env['XDG_DATA_HOME'] || join(home, '.local/share'), 'bash-completion/completions/helpdesk-import'),
    'It works in every new shell where the package bash-completion is installed.',
  ],
  zsh: (env, home) => {
    const folder = join(env['XDG_DATA_HOME'] || join(home, '.local/share'), 'zsh/site-functions');
    return [
      join(folder, '_helpdesk-import'),
      `Add this line to ~/.zshrc, before compinit: fpath=('${folder}' $fpath)`,
    ];
  },
  fish: (env, home) => [
    join(env['XDG_CONFIG_HOME'] || join(home, '.config'), 'fish/completions/helpdesk-import.fish'),
    'It works in every new shell.',
  ],
};

export async function completionCommand(
  args: readonly string[],
  _flags: Flags,
  context: CliContext,
  program: Command,
): Promise<number> {
  const [first = '', second, ...more] = args;
  const isInstall = first === 'install';
  const asked = isInstall ? (second ?? basename(context.env['SHELL'] ?? '')) : first;
  const shell = SHELLS.find((name) => name === asked);
  if (shell === undefined)
    throw new AppError('usage', `There is no completion for "${asked}".${didYouMean(asked, SHELLS)}`, {
      hint: `Name one of ${SHELLS.join(', ')}.`,
    });
  if (more.length > 0 || (second !== undefined && !isInstall))
    throw new AppError('usage', 'completion takes one shell.', { hint: `Name one of ${SHELLS.join(', ')}.` });
  const layout = builtinLayouts().map(({ name }) => name);
  const script = SCRIPTS[shell](completionModel(program, { layout, shell: [...SHELLS, 'install'] }));
  if (!isInstall) {
    context.stdout.write(script);
    return 0;
  }
  const [path, then] = PLACES[shell](context.env, context.env['HOME'] || homedir());
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, script);
  } catch (error) {
    throw new AppError('disk-write', `${path} cannot be written (${String(Object(error).code)}).`, {
      hint: `Write the script elsewhere: helpdesk-import completion ${shell} > FILE`,
    });
  }
  context.stdout.write(`${path} is written. ${then}\n`);
  return 0;
}
