/** The commander program, made from the list of commands: only the command that is typed is loaded. */
import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Argument, Command, CommanderError, Option } from 'commander';
import { AppError } from '../domain/errors.ts';
import { printable } from '../domain/printable.ts';
import { attributeOf, longFlag, OPTION_GROUPS, type OptionSpec } from '../settings/option-spec.ts';
import { version } from '../version.ts';
import { asTyped, type CommandLines, commandLines, type TypedOption } from '../view/command-line.ts';
import {
  allCommands,
  COMMANDS,
  type CommandEntry,
  type LoadedCommand,
  loadCommand,
  PARENTS,
  titleOf,
} from './command-list.ts';
import type { CliContext, Flags, ProcessContext } from './context.ts';
import { ABOUT, BEGINNING, fold, MORE, moreHelp } from './help.ts';
import { showError, writeJson } from './show-error.ts';

/** Runs one command line and returns its exit code. Never throws for a user's mistake. */
export async function runCli(argv: readonly string[], process: ProcessContext): Promise<number> {
  let exitCode = 0;
  let context: CliContext = { ...process, commands: commandLines({ command: '', files: [], options: [] }) };
  let command: LoadedCommand | undefined;
  try {
    if (argv.length === 0) {
      context.stdout.write(asTyped(BEGINNING, context.env));
      return 0;
    }
    const name = nameIn(argv);
    const entry = COMMANDS.find((each) => each.name === name);
    command = entry && (await loadCommand(entry));
    const all =
      name === 'completion'
        ? await allCommands()
        : COMMANDS.map((each) => (each.name === command?.name ? command : each));
    const settle = (code: number) => {
      exitCode = code;
    };
    const begin = (begun: CliContext) => {
      context = begun;
    };
    await buildProgram(process, all, settle, begin).parseAsync([...argv], { from: 'user' });
    return exitCode;
  } catch (error) {
    const mode = jsonMode(argv, command);
    if (error instanceof CommanderError) {
      // Commander has printed it.
      const hint = (await otherKind(error)) ?? whatIsMissing(error, command);
      if (hint !== undefined) context.stderr.write(asTyped(`${hint}\n`, context.env));
      if (error.exitCode !== 0 && mode !== undefined) writeJson(process.stdout, usageJson(error, mode, hint));
      return error.exitCode === 0 ? 0 : 2;
    }
    return await showError(error, context, { verbose: argv.includes('--verbose'), jsonMode: mode });
  }
}

function wordsIn(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--');
  return end < 0 ? argv : argv.slice(0, end);
}

/** The first word that may be the name of a command. */
function nameIn(argv: readonly string[]): string | undefined {
  const words = wordsIn(argv).filter((word) => !word.startsWith('-'));
  return words.find((word, at) => !(word in PARENTS) && (at > 0 || word !== 'help'));
}

/** A command that is an option, or an option that is a command, and how to type it. */
async function otherKind({ code, message }: CommanderError): Promise<string | undefined> {
  const word = /'-{0,2}([a-z][a-z-]*)/.exec(message)?.[1];
  if (word === undefined) return undefined;
  if (code === 'commander.unknownOption' && COMMANDS.some(({ name }) => name === word))
    return `(${word} is a command: helpdesk-import ${word})`;
  if (code !== 'commander.unknownCommand') return undefined;
  for (const { options, ...owner } of await allCommands()) {
    const option = options.find(({ flags }) => longFlag(flags) === `--${word}`);
    if (option === undefined) continue;
    const value = /<[^<>]{1,50}>/.exec(option.flags)?.[0] ?? '';
    return `(--${word} is an option: ${`helpdesk-import ${titleOf(owner)} --${word} ${value}`.trim()})`;
  }
  return undefined;
}

/** The missing argument of a command, and how to type it. */
function whatIsMissing({ code, message }: CommanderError, command: LoadedCommand | undefined) {
  if (code !== 'commander.missingArgument' || command === undefined) return undefined;
  const missing = command.arguments?.find(([syntax]) => message.includes(`'${nameOf(syntax)}'`));
  const [example] = command.examples[0] ?? [];
  return missing && `(${missing[1]}; for example: helpdesk-import ${example})`;
}

/** `<files...>` → `files` */
function nameOf(syntax: string): string {
  return syntax.replaceAll(/[^\w-]/g, '');
}

/** The mode of a command with --json, from its words, which may be wrong. */
function jsonMode(argv: readonly string[], command: LoadedCommand | undefined): string | undefined {
  const words = wordsIn(argv);
  const has = (flag: string) =>
    command?.options.some(({ flags }) => longFlag(flags) === flag) === true &&
    words.some((word) => word === flag || word.startsWith(`${flag}=`));
  if (command === undefined || !has('--json')) return undefined;
  if (has('--dry-run')) return 'dry-run';
  return has('--trial') ? 'trial' : command.name === 'usage-events' ? 'run' : command.name;
}

function usageJson({ message }: CommanderError, mode: string, hint: string | undefined): object {
  const [sentence = '', ...suggested] = message.replace(/^error: /, '').split('\n');
  const hints = [...suggested, ...(hint === undefined ? [] : [hint])].join(' ');
  const error = { code: 'usage', message: sentence, hint: hints === '' ? undefined : hints };
  return { version: 1, mode, error, exitCode: 2 };
}

/** The program; `settle` receives the exit code of the command that ran. */
export function buildProgram(
  context: ProcessContext,
  commands: readonly (CommandEntry | LoadedCommand)[],
  settle: (exitCode: number) => void,
  begin: (context: CliContext) => void = () => undefined,
): Command {
  const width = Math.min(context.stdout.columns ?? 110, 120);
  const program = new Command('helpdesk-import')
    .description(ABOUT)
    .version(version(), '-V, --version')
    .helpOption('-h, --help', 'show help')
    .addHelpCommand(
      new Command('help').argument('[command]').description('show help for a command').helpGroup('Tools:'),
    )
    .addHelpText('after', () => fold(asTyped(MORE, context.env), width))
    .showSuggestionAfterError()
    .exitOverride()
    .configureOutput({
      writeOut: (text) => context.stdout.write(text),
      writeErr: (text) => context.stderr.write(text),
      // arguments are repeated in it
      outputError: (text, write) =>
        write(
          text
            .split('\n')
            .map((line) => printable(line))
            .join('\n'),
        ),
      getOutHelpWidth: () => width,
      getErrHelpWidth: () => width,
    });
  const made = (parent: Command, name: string, group: string, description: string) =>
    parent
      .command(name)
      .helpGroup(`${group}:`)
      .description(description)
      .helpOption('-h, --help', 'show help')
      .exitOverride()
      .configureOutput(program.configureOutput());
  const parents = new Map<string, Command>();
  for (const command of commands) {
    const { name, parent, group, description } = command;
    let above = program;
    if (parent !== undefined) {
      above = parents.get(parent) ?? made(program, parent, group, PARENTS[parent]).helpCommand(false);
      parents.set(parent, above);
    }
    const added = made(above, name, group, description);
    if (!('run' in command)) continue;
    addOptions(added, command);
    added.addHelpText('after', () => fold(moreHelp(command), width));
    added.action(async (...given: unknown[]) => {
      const { args, flags } = giveFilesBack(command, given, added.opts<Flags>(), context.cwd);
      const begun = { ...context, commands: typedCommand(command, args, flags) };
      begin(begun);
      settle(await command.run(args, flags, begun, program));
    });
  }
  return program;
}

function addOptions(to: Command, { arguments: args = [], options }: LoadedCommand): void {
  for (const [syntax, description, choices] of args) {
    const argument = new Argument(syntax, description);
    to.addArgument(choices === undefined ? argument : argument.choices(choices));
  }
  for (const group of OPTION_GROUPS)
    for (const option of options.filter((candidate) => candidate.group === group))
      to.addOption(optionOf(option));
}

function optionOf(spec: OptionSpec): Option {
  const { flags, description, byDefault, group, repeat, advanced, choices, conflicts = [], parse } = spec;
  const text = byDefault === undefined ? description : `${description} (default: ${byDefault})`;
  const option = new Option(flags, text).helpGroup(`${group}:`);
  option.hidden = advanced === true;
  option.conflicts(conflicts.map(attributeOf));
  if (choices !== undefined) option.choices(choices);
  if (repeat === true)
    option.argParser((value: string, before: string[] | undefined) => [...(before ?? []), value]);
  if (parse !== undefined)
    option.argParser((value: string) => {
      const parsed = parse(value);
      if ('problem' in parsed) throw new AppError('usage', `${longFlag(flags)} ${parsed.problem}.`);
      return parsed.value;
    });
  return option;
}

/**
 * `--sandbox [dir]` and `--trial [n]` have optional values, so `run --sandbox export.jsonl` would take the export as the
 * sandbox's folder: an impossible value is a file. Reads the disk, changes nothing.
 */
function giveFilesBack(
  { arguments: declared = [] }: LoadedCommand,
  given: readonly unknown[],
  flags: Flags,
  cwd: string,
): { readonly args: readonly string[]; readonly flags: Flags } {
  const single = given.slice(0, declared.length).filter((value) => typeof value === 'string');
  const list = given.find(Array.isArray);
  if (list === undefined) return { args: single, flags };
  const files = list.map(String);
  const kept = { ...flags };
  const giveBack = (flag: string, isFile: (path: string) => boolean) => {
    const value = flags[flag];
    if (typeof value !== 'string' || !isFile(resolve(cwd, value))) return;
    files.unshift(value);
    kept[flag] = true;
  };
  giveBack('trial', (path) => !/^\d+$/.test(String(flags['trial'])) && existsSync(path));
  giveBack('sandbox', (path) => isExportAt(path, files.length > 0));
  return { args: [...single, ...files], flags: kept };
}

/** A file is no sandbox folder; nor is a folder with other contents, if nothing else is to read. */
function isExportAt(path: string, hasOthers: boolean): boolean {
  if (!existsSync(path)) return false;
  return !statSync(path).isDirectory() || (!hasOthers && !existsSync(join(path, 'service.sqlite')));
}

/** The typed command, from its own options. `args` and `flags` as meant. */
export function typedCommand(
  { name, options }: Pick<LoadedCommand, 'name' | 'options'>,
  args: readonly string[],
  flags: Flags,
): CommandLines {
  const typed = options.flatMap((spec): TypedOption[] => {
    const flag = longFlag(spec.flags);
    const value = flags[attributeOf(flag)];
    if (flag.startsWith('--no-')) return value === false ? [{ flag, values: [] }] : [];
    // --force was meant for an earlier file.
    if (value === undefined || value === false || flag === '--force') return [];
    return [{ flag, values: value === true ? [] : [value].flat().map(String) }];
  });
  const takes = new Map(COMMANDS.map((entry) => [entry.name, entry.takes]));
  const titles = new Map(COMMANDS.map((entry) => [entry.name, titleOf(entry)]));
  return commandLines({ command: name, files: args, options: typed }, takes, titles);
}
