/** The completion script for bash; it works in the bash 3.2 of macOS as well. Pure. */
import {
  type CompletionCommand,
  type CompletionModel,
  type CompletionOption,
  type CompletionValue,
  quote,
} from './completion-model.ts';

export function bashScript(model: CompletionModel): string {
  const fn = `_${model.name.replaceAll('-', '_')}`;
  const names = model.commands.map(({ name }) => name);
  return `# Completion of ${model.name} for bash. To load it in this shell, and in every new one:
#   source <(${model.name} completion bash)
#   ${model.name} completion bash > ~/.local/share/bash-completion/completions/${model.name}

${fn}() {
  local cur prev command='' index
  COMPREPLY=()
  cur="\${COMP_WORDS[COMP_CWORD]}"
  prev="\${COMP_WORDS[COMP_CWORD-1]}"
  # bash takes --config=file apart into three words.
  if [[ "$cur" == '=' ]]; then
    cur=''
  elif [[ "$prev" == '=' && COMP_CWORD -ge 2 ]]; then
    prev="\${COMP_WORDS[COMP_CWORD-2]}"
  fi
  for (( index = 1; index < COMP_CWORD; index++ )); do
    case "\${COMP_WORDS[index]}" in
      ${names.join('|')}) command="\${COMP_WORDS[index]}"; break ;;
    esac
  done
  case "$command" in
    '')
      COMPREPLY=( $(compgen -W ${quote([...names, ...flagsOf(model.options)].join(' '))} -- "$cur") )
      return ;;
${model.commands.map((command) => commandCase(command, fn)).join('\n')}
  esac
}

# Words from a list.
${fn}_words() {
  COMPREPLY=( $(compgen -W "$1" -- "$cur") )
}

# Folders only.
${fn}_folders() {
  local IFS=$'\\n'
  COMPREPLY=( $(compgen -d -- "$cur") )
  compopt -o filenames 2>/dev/null
}

# Any text: nothing is offered, not even files.
${fn}_nothing() {
  compopt +o bashdefault +o default 2>/dev/null
}

complete -o bashdefault -o default -F ${fn} ${model.name}
`;
}

function commandCase(command: CompletionCommand, fn: string): string {
  const values = valueCases(command.options, fn);
  const last = command.arguments.at(-1);
  const first = command.arguments.length > 1 ? command.arguments[0] : undefined;
  return [
    `    ${command.name})`,
    ...(first === undefined
      ? []
      : [`      [[ "$prev" == ${command.name} ]] && { ${offer(first, fn)}; return; }`]),
    ...(values.length === 0 ? [] : ['      case "$prev" in', ...values, '      esac']),
    `      if [[ "$cur" == -* ]]; then`,
    `        ${fn}_words ${quote(flagsOf(command.options).join(' '))}; return`,
    '      fi',
    `      ${last === undefined ? `${fn}_nothing` : offer(last, fn)} ;;`,
  ].join('\n');
}

/** What is offered behind an option; options with the same offer share a line. */
function valueCases(options: readonly CompletionOption[], fn: string): string[] {
  const flagsByOffer = new Map<string, string[]>();
  for (const option of options) {
    const { value, isValueOptional } = option;
    // Where the value may be missing and nothing is known of it, an argument is as likely.
    if (value === undefined || (isValueOptional && value.kind === 'text')) continue;
    const offered = `${offer(value, fn)}; return`;
    const line = isValueOptional ? `[[ "$cur" == -* ]] || { ${offered}; }` : offered;
    flagsByOffer.set(line, [...(flagsByOffer.get(line) ?? []), ...flagsOf([option])]);
  }
  return [...flagsByOffer].map(([line, flags]) => `        ${flags.join('|')}) ${line} ;;`);
}

/** Without a reply bash completes files by itself, and does it best. */
function offer({ kind, words }: CompletionValue, fn: string): string {
  return {
    words: `${fn}_words ${quote(words.join(' '))}`,
    dir: `${fn}_folders`,
    file: ':',
    text: `${fn}_nothing`,
  }[kind];
}

function flagsOf(options: readonly CompletionOption[]): string[] {
  return options.flatMap(({ short, long }) => [short, long].filter((flag) => flag !== undefined));
}
