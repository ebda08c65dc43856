/** `helpdesk-import completion bash|zsh|fish`: a script that completes commands and options; files are left to the shell. */
import type { Command } from 'commander';
import type { CommandSpec } from '../cli/command.ts';
import type { CliContext, Flags } from '../cli/context.ts';
import { AppError } from '../domain/errors.ts';
import { didYouMean } from '../domain/nearest.ts';

export const command: CommandSpec = {
  arguments: [['<shell>', 'bash, zsh or fish']],
  options: [],
  examples: [['completion bash', 'load it with: source <(helpdesk-import completion bash)']],
  run: completionCommand,
};

/** The commands behind a name, and the long flags of it and of those. */
interface Words {
  readonly name: string;
  readonly commands: string;
  readonly flags: string;
}

const SCRIPTS = {
  bash: (all: readonly Words[]) => [
    '# source <(helpdesk-import completion bash)',
    '_helpdesk_import() {',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of the shell
    "  local cur=${COMP_WORDS[COMP_CWORD]} words=''",
    `  if [[ $COMP_CWORD == 1 ]]; then words='${namesOf(all)}'; else`,
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of the shell
    '  case ${COMP_WORDS[1]} in',
    ...all.map(
      ({ name, commands, flags }) =>
        `    ${name}) words='${commands}'; [[ $cur == -* ]] && words='${flags}' ;;`,
    ),
    '  esac; fi',
    '  COMPREPLY=( $(compgen -W "$words" -- "$cur") )',
    '}',
    'complete -o default -F _helpdesk_import helpdesk-import',
  ],
  zsh: (all: readonly Words[]) => [
    '#compdef helpdesk-import',
    '_helpdesk_import() {',
    `  if (( CURRENT == 2 )); then compadd -- ${namesOf(all)}; return; fi`,
    '  case $words[2] in',
    ...all.map(({ name, commands, flags }) => {
      const plain = commands === '' ? '_files' : `compadd -- ${commands}`;
      return `    ${name}) if [[ $PREFIX == -* ]]; then compadd -- ${flags}; else ${plain}; fi ;;`;
    }),
    '  esac',
    '}',
    'compdef _helpdesk_import helpdesk-import',
  ],
  fish: (all: readonly Words[]) => [
    `complete -c helpdesk-import -f -n __fish_use_subcommand -a '${namesOf(all)}'`,
    ...all.flatMap(({ name, commands, flags }) => {
      const line = `complete -c helpdesk-import -n '__fish_seen_subcommand_from ${name}`;
      return [
        `${line}; and string match -q -- "-*" (commandline -ct)' -a '${flags}'`,
        ...(commands === '' ? [] : [`${line}' -f -a '${commands}'`]),
      ];
    }),
  ],
};

async function completionCommand(
  [shell = '', ...more]: readonly string[],
  _flags: Flags,
  { stdout }: CliContext,
  program?: Command,
): Promise<number> {
  const shells = Object.keys(SCRIPTS);
  const script = Object.entries(SCRIPTS).find(([name]) => name === shell)?.[1];
  if (script === undefined || more.length > 0)
    throw new AppError('usage', `There is no completion for "${shell}".${didYouMean(shell, shells)}`, {
      hint: `Name one of ${shells.join(', ')}.`,
    });
  stdout.write(`${script((program?.commands ?? []).map(wordsOf)).join('\n')}\n`);
  return 0;
}

function wordsOf(command: Command): Words {
  const inside = command.commands;
  const flags = [command, ...inside].flatMap(({ options }) => options.flatMap(({ long }) => long ?? []));
  return {
    name: command.name(),
    commands: inside.map((one) => one.name()).join(' '),
    flags: [...new Set([...flags, '--help'])].join(' '),
  };
}

function namesOf(all: readonly Words[]): string {
  return all.map(({ name }) => name).join(' ');
}
