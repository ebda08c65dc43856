/** What a shell has to know of the program, taken from the commander program itself: nothing is listed a second time. */
import type { Argument, Command, Option } from 'commander';

/** What may stand for a value: files, folders, one of some words, or any text, for which there is nothing to offer. */
type ValueKind = 'file' | 'dir' | 'words' | 'text';

export interface CompletionValue {
  /** As the help calls it. */
  readonly name: string;
  readonly kind: ValueKind;
  readonly words: readonly string[];
}

export interface CompletionOption {
  readonly short?: string | undefined;
  readonly long?: string | undefined;
  readonly description: string;
  /** Absent where the option takes none. */
  readonly value?: CompletionValue | undefined;
  /** The option may stand without its value. */
  readonly isValueOptional: boolean;
  readonly isRepeatable: boolean;
}

export interface CompletionCommand {
  readonly name: string;
  readonly description: string;
  readonly options: readonly CompletionOption[];
  /** Of its arguments, the last one of which may stand several times. */
  readonly arguments: readonly CompletionValue[];
}

export interface CompletionModel {
  readonly name: string;
  readonly options: readonly CompletionOption[];
  readonly commands: readonly CompletionCommand[];
}

/** @param known words for a value by its name, where the program alone does not know them: `layout` */
export function completionModel(
  program: Command,
  known: Readonly<Record<string, readonly string[]>>,
): CompletionModel {
  const help = program.createHelp();
  const commands = help.visibleCommands(program);
  // What `help` takes.
  const words = { command: commands.map((command) => command.name()), ...known };
  return {
    name: program.name(),
    options: help.visibleOptions(program).map((option) => optionOf(option, words)),
    commands: commands.map((command) => ({
      name: command.name(),
      description: oneLine(command.description()),
      options: help.visibleOptions(command).map((option) => optionOf(option, words)),
      arguments: command.registeredArguments.map((argument) => argumentOf(argument, words)),
    })),
  };
}

function optionOf(option: Option, known: Readonly<Record<string, readonly string[]>>): CompletionOption {
  const placeholder = /[<[]([^>\]]+)[>\]]/.exec(option.flags)?.[1];
  return {
    short: option.short,
    long: option.long,
    description: oneLine(option.description),
    value: placeholder === undefined ? undefined : valueFor(placeholder, option.argChoices, known),
    isValueOptional: option.optional,
    isRepeatable: option.variadic || option.parseArg !== undefined,
  };
}

function argumentOf(argument: Argument, known: Readonly<Record<string, readonly string[]>>): CompletionValue {
  return valueFor(argument.name(), argument.argChoices, known);
}

const FILES: ReadonlySet<string> = new Set(['file', 'files', 'csv', 'checkpoints']);

function valueFor(
  name: string,
  choices: readonly string[] | undefined,
  known: Readonly<Record<string, readonly string[]>>,
): CompletionValue {
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
  return text.replace(/\s+/g, ' ').replace(/ \(default: [^)]*\)$/, '');
}
