/** What a shell has to know of the program, taken from the commander program itself: nothing is listed a second time. */
import type { Command, Option } from 'commander';

/** By the name of a value: its words, where the program alone does not know them (`layout`). */
type KnownWords = Readonly<Record<string, readonly string[]>>;

/** What may stand for a value: files, folders, one of some words, or any text, for which there is nothing to offer. */
export interface CompletionValue {
  /** As the help calls it. */
  readonly name: string;
  readonly kind: 'file' | 'dir' | 'words' | 'text';
  readonly words: readonly string[];
}

export type CompletionModel = ReturnType<typeof completionModel>;
export type CompletionCommand = CompletionModel['commands'][number];
export type CompletionOption = CompletionModel['options'][number];

export function completionModel(program: Command, known: KnownWords) {
  const help = program.createHelp();
  const commands = help.visibleCommands(program);
  // What `help` takes.
  const words = { command: commands.map((command) => command.name()), ...known };
  // Those that the help only names are offered too.
  const optionsOf = (command: Command) =>
    [...new Set([...command.options, ...help.visibleOptions(command)])].map((option) =>
      optionOf(option, words),
    );
  return {
    name: program.name(),
    options: optionsOf(program),
    commands: commands.map((command) => {
      const below = command.commands;
      return {
        name: command.name(),
        description: oneLine(command.description()),
        options: uniqueByName([command, ...below].flatMap(optionsOf)),
        /** The last one may stand several times. Behind the name of a command below it stand its files. */
        arguments:
          below.length === 0
            ? command.registeredArguments.map((argument) =>
                valueFor(argument.name(), argument.argChoices, words),
              )
            : [
                valueFor(
                  'command',
                  below.map((each) => each.name()),
                  words,
                ),
                valueFor('files', undefined, words),
              ],
      };
    }),
  };
}

function uniqueByName<T extends { readonly name?: string; readonly long?: string | undefined }>(
  items: readonly T[],
): T[] {
  return [...new Map(items.map((item) => [item.long ?? item.name, item])).values()];
}

function optionOf(option: Option, known: KnownWords) {
  const placeholder = /[<[]([^<>[\]]+)[>\]]/.exec(option.flags)?.[1];
  return {
    short: option.short,
    long: option.long,
    description: oneLine(option.description),
    /** Absent where the option takes none. */
    value: placeholder === undefined ? undefined : valueFor(placeholder, option.argChoices, known),
    /** The option may stand without its value. */
    isValueOptional: option.optional,
    isRepeatable: option.variadic || option.parseArg !== undefined,
  };
}

const FILES: ReadonlySet<string> = new Set(['file', 'files', 'csv', 'checkpoints']);

function valueFor(name: string, choices: readonly string[] | undefined, known: KnownWords): CompletionValue {
  const words = choices ?? known[name] ?? alternatives(name);
  if (words.length > 0) return { name, kind: 'words', words };
  return { name, kind: FILES.has(name) ? 'file' : name === 'dir' ? 'dir' : 'text', words: [] };
}

/** `hold|lookup|retry` names words; in `n|auto` and `n|n%` the `n` stands for a number. */
function alternatives(name: string): string[] {
  const parts = name.split('|');
  return parts.length < 2 ? [] : parts.filter((part) => /^(?:\d+|[a-z][a-z-]+)$/.test(part));
}

/** Shells show one line; what the help says in brackets at the end is left to it. */
function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').replace(/ \(default: [^()]*\)$/, '');
}

/** One word of bash and zsh. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
