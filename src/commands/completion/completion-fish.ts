/** The completion script for fish. Pure. */
import type {
  CompletionCommand,
  CompletionModel,
  CompletionOption,
  CompletionValue,
} from './completion-model.ts';

export function fishScript(model: CompletionModel): string {
  const names = model.commands.map(({ name }) => name).join(' ');
  const complete = `complete -c ${model.name}`;
  const atStart = `-n ${quote(`not __fish_seen_subcommand_from ${names}`)}`;
  return [
    `# Completion of ${model.name} for fish. To load it in this shell, and in every new one:`,
    `#   ${model.name} completion fish | source`,
    `#   ${model.name} completion fish > ~/.config/fish/completions/${model.name}.fish`,
    '',
    '# Files are offered only where one is meant.',
    `${complete} -f`,
    '',
    ...model.options.map((option) => `${complete} ${atStart} ${optionPart(option)}`),
    ...model.commands.map(
      ({ name, description }) => `${complete} ${atStart} -a ${name} -d ${quote(description)}`,
    ),
    ...model.commands.flatMap((command) => commandLines(command, complete)),
    '',
  ].join('\n');
}

function commandLines({ name, options, arguments: values }: CompletionCommand, complete: string): string[] {
  const within = `${complete} -n ${quote(`__fish_seen_subcommand_from ${name}`)}`;
  const [first, last] = [values[0], values.at(-1)];
  const parts = new Set([first, last].map((value) => (value === undefined ? '' : argumentPart(value))));
  parts.delete('');
  return [
    '',
    ...[...parts].map((offered) => `${within} ${offered}`),
    ...options.map((option) => `${within} ${optionPart(option)}`),
  ];
}

function argumentPart({ kind, words }: CompletionValue): string {
  return {
    words: `-a ${quote(words.join(' '))}`,
    dir: `-a '(__fish_complete_directories)'`,
    file: '-F',
    text: '',
  }[kind];
}

/** fish knows no optional values: such an option offers none, and takes one that is typed. */
function optionPart({ short, long, description, value, isValueOptional }: CompletionOption): string {
  const needed = value === undefined || isValueOptional ? '' : value.kind === 'file' ? '-r' : '-x';
  const offered = value === undefined || isValueOptional ? '' : argumentPart(value);
  return [
    short === undefined ? '' : `-s ${short.replace(/^-+/, '')}`,
    long === undefined ? '' : `-l ${long.replace(/^-+/, '')}`,
    needed,
    offered,
    `-d ${quote(description)}`,
  ]
    .filter((part) => part !== '')
    .join(' ');
}

function quote(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
