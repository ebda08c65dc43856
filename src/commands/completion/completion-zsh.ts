/** The completion script for zsh. Pure. */
import {
  type CompletionCommand,
  type CompletionModel,
  type CompletionOption,
  type CompletionValue,
  quote,
} from './completion-model.ts';

export function zshScript(model: CompletionModel): string {
  const fn = `_${model.name.replaceAll('-', '_')}`;
  const described = model.commands.map(({ name, description }) =>
    quote(`${name.replaceAll(':', '\\:')}:${description}`),
  );
  return `#compdef ${model.name}
# Completion of ${model.name} for zsh. To load it in this shell, and in every new one:
#   source <(${model.name} completion zsh)
#   ${model.name} completion zsh > "\${fpath[1]}/_${model.name}"

${fn}() {
  local context state state_descr line
  typeset -A opt_args
  _arguments -C \\
${model.options.map((option) => `    ${optionSpec(option)} \\`).join('\n')}
    '1:command:->command' \\
    '*::argument:->argument'
  case "$state" in
    command)
      local -a commands
      commands=(
${described.map((entry) => `        ${entry}`).join('\n')}
      )
      _describe -t commands command commands ;;
    argument)
      case "$line[1]" in
${model.commands.map(commandCase).join('\n')}
      esac ;;
  esac
}

# Loaded by itself as a function of the fpath, or by source.
if [[ "$funcstack[1]" == ${quote(fn)} ]]; then
  ${fn} "$@"
else
  compdef ${fn} ${model.name}
fi
`;
}

function commandCase({ name, options, arguments: values }: CompletionCommand): string {
  const specs = [
    ...options.map(optionSpec),
    ...values.map((value, index) =>
      quote(
        `${index === values.length - 1 ? '*' : String(index + 1)}:${inSpec(value.name)}:${action(value)}`,
      ),
    ),
  ];
  return [
    `        ${name})`,
    `          _arguments ${specs.map((spec) => `\\\n            ${spec}`).join(' ')} ;;`,
  ].join('\n');
}

/** `'(-c --config)'{-c,--config}'[description]:file:_files'` */
function optionSpec(option: CompletionOption): string {
  const { short, long, description, value, isValueOptional, isRepeatable } = option;
  const argument =
    value === undefined ? '' : `${isValueOptional ? '::' : ':'}${inSpec(value.name)}:${action(value)}`;
  const rest = `[${inSpec(description)}]${argument}`;
  if (short === undefined || long === undefined)
    return quote(`${isRepeatable ? '*' : ''}${short ?? long ?? ''}${rest}`);
  return `${isRepeatable ? "'*'" : quote(`(${short} ${long})`)}{${short},${long}}${quote(rest)}`;
}

function action({ kind, words }: CompletionValue): string {
  return { words: `(${words.map(inSpec).join(' ')})`, dir: '_files -/', file: '_files', text: ' ' }[kind];
}

/** What has a meaning within a specification of _arguments. */
function inSpec(text: string): string {
  return text.replace(/[\\[\]:]/g, (sign) => `\\${sign}`);
}
