/** Loads only the typed command. */
import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Argument, Command, CommanderError, Option } from 'commander';
import { AppError } from '../domain/errors.ts';
import { retired } from '../domain/nearest.ts';
import { printable } from '../domain/printable.ts';
import { requireKnownVariables } from '../settings/credentials.ts';
import { attributeOf, longFlag, type OptionSpec } from '../settings/option-spec.ts';
import { ALL_SETTINGS } from '../settings/table/table.ts';
import { version } from '../version.ts';
import { type CommandLines, commandLines, programIn, type TypedOption } from '../view/command-line.ts';
import { everyOption } from './command.ts';
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
import { ABOUT, beginning, fold, more, moreHelp } from './help.ts';
import { showError, writeJson } from './show-error.ts';

export async function runCli(argv: readonly string[], process: ProcessContext): Promise<number> {
  let exitCode = 0;
  let context: CliContext = {
    ...process,
    commands: commandLines({ command: '', files: [], options: [] }, process.env),
  };
  let command: LoadedCommand | undefined;
  try {
    if (argv.length === 0) {
      context.stdout.write(beginning(programIn(context.env)));
      return 0;
    }
    if (String(argv) === 'version') {
      context.stdout.write(`${version()}\n`);
      return 0;
    }
    const name = nameIn(argv);
    const entry = COMMANDS.find(
      (each) => each.name === name && (each.parent === undefined || argv.includes(each.parent)),
    );
    command = entry && (await loadCommand(entry));
    refuseRetired(argv);
    const all = COMMANDS.map((each) => (each.name === command?.name ? command : each));
    const settle = (code: number) => {
      exitCode = code;
    };
    const begin = (begun: CliContext) => {
      context = begun;
    };
    await buildProgram(process, all, settle, begin).parseAsync(asked(argv, name, entry), { from: 'user' });
    return exitCode;
  } catch (error) {
    const mode = jsonMode(argv, command);
    if (error instanceof CommanderError) {
      const hint = (await meant(error, command, argv)) ?? whatIsMissing(error, command);
      if (hint !== undefined) context.stderr.write(`${context.commands.inText(hint)}\n`);
      if (error.exitCode !== 0 && mode !== undefined) writeJson(context, usageJson(error, mode, hint));
      return error.exitCode === 0 ? 0 : 2;
    }
    return await showError(error, context, {
      verbose: argv.includes('--verbose') || argv.includes('-v'),
      jsonMode: mode,
    });
  }
}

/** `links plan` or `init --propose`. */
function refuseRetired(argv: readonly string[]): void {
  const [name = '', second = '', ...more] = wordsIn(argv);
  const typed = [name, `${name} ${second}`, ...more.map((word) => `${name} ${word.split('=')[0]}`)];
  const instead = typed.map(retired).find((sentence) => sentence !== undefined);
  if (instead !== undefined) throw new AppError('usage', instead);
}

function wordsIn(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--');
  return end < 0 ? argv : argv.slice(0, end);
}

function nameIn(argv: readonly string[]): string | undefined {
  const words = wordsIn(argv).filter((word) => !word.startsWith('-'));
  return words.find((word, at) => !(word in PARENTS) && (at > 0 || word !== 'help'));
}

/** Commander would show the main help for an unknown command, and succeed. */
function asked(argv: readonly string[], name: string | undefined, entry: CommandEntry | undefined): string[] {
  if (name === undefined || entry !== undefined) return [...argv];
  const isHelp = (word: string) => word === '-h' || word === '--help';
  const words = argv.filter((word) => !isHelp(word));
  return words[0] === 'help' ? words.slice(1) : words;
}

/** `--rate 100/1` and `--source-name x` are settings: `(Did you mean: --set run.rate=100/1)`. */
function asSetting(word: string, argv: readonly string[], command: LoadedCommand | undefined) {
  if (command?.options.some(({ flags }) => longFlag(flags) === '--set') !== true) return undefined;
  const key = attributeOf(word);
  const { name, schema } =
    ALL_SETTINGS.find((each) => each.key === key) ??
    ALL_SETTINGS.find((each) => attributeOf(each.name.replace('.', '-')) === key) ??
    {};
  if (name === undefined) return undefined;
  const at = argv.findIndex((arg) => arg === `--${word}` || arg.startsWith(`--${word}=`));
  const [, joined] = argv[at]?.split('=') ?? [];
  const value = schema?.safeParse(true).success === true ? 'true' : (joined ?? argv[at + 1] ?? '<value>');
  return `(Did you mean: --set ${printable(`${name}=${value}`)})`;
}

/** Options that went, and what does their work. */
const GONE: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'sandbox agents': 'The sandbox has a team member for every address that is asked for.',
    'sandbox fault':
      'The sandbox does not fail on request. To rehearse a failure, end a run with Ctrl-C or kill it, and run the same command again.',
    'sandbox strict': 'The sandbox is always strict: it refuses fields that the API does not have.',
  }),
);

const OTHER_WORDS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    canary: '`helpdesk-import doctor --mail you@example.com`',
    files: '`helpdesk-import run export/ --files <where> --files-only`',
    explain: '`helpdesk-import inspect export/ --ticket <id>`',
    import: '`helpdesk-import run`',
    map: '`helpdesk-import links`',
    migrate: '`helpdesk-import run`',
    resume: '`helpdesk-import run`',
    token: 'set HELPDESK_TOKEN or HELPDESK_TOKEN_FILE; a token is never typed',
    url: '`helpdesk-import run --base-url`',
  }),
);

async function meant(
  { code, message }: CommanderError,
  command: LoadedCommand | undefined,
  argv: readonly string[],
): Promise<string | undefined> {
  const word = /'-{0,2}([a-z][a-z-]*)/.exec(message)?.[1];
  if (word === undefined || !/unknown(?:Option|Command)$/.test(code)) return undefined;
  const gone = GONE.get(`${command?.name} ${word}`);
  if (gone !== undefined) return gone;
  const setting = asSetting(word, argv, command);
  if (setting !== undefined) return setting;
  const other = OTHER_WORDS.get(word);
  if (other !== undefined) return `(Did you mean: ${other})`;
  // `report --report page.html`
  if (command?.name === word && everyOption(command).some(({ flags }) => longFlag(flags) === '--output'))
    return '(Did you mean --output?)';
  const entry = COMMANDS.find(({ name }) => name === word);
  if (entry !== undefined) return `(${word} is a command: \`helpdesk-import ${titleOf(entry)}\`)`;
  if (code === 'commander.unknownOption') {
    const longer = (command === undefined ? [] : everyOption(command))
      .map(({ flags }) => longFlag(flags))
      .find((flag) => flag.startsWith(`--${word}`));
    return longer === undefined || message.includes('Did you mean') ? undefined : `(Did you mean ${longer}?)`;
  }
  for (const { options, ...owner } of await allCommands()) {
    const option = options.find(({ flags }) => longFlag(flags) === `--${word}`);
    if (option === undefined) continue;
    const value = /<[^<>]{1,50}>/.exec(option.flags)?.[0] ?? '';
    return `(--${word} is an option: \`${`helpdesk-import ${titleOf(owner)} --${word} ${value}`.trim()}\`)`;
  }
  return undefined;
}

function whatIsMissing({ code, message }: CommanderError, command: LoadedCommand | undefined) {
  if (code !== 'commander.missingArgument' || command === undefined) return undefined;
  const missing = command.arguments?.find(([syntax]) => message.includes(`'${nameOf(syntax)}'`));
  const [example] = command.examples[0] ?? [];
  return missing && `(${missing[1]}; for example: \`helpdesk-import ${example}\`)`;
}

function nameOf(syntax: string): string {
  return syntax.replaceAll(/[^\w-]/g, '');
}

/** The words may be wrong. */
function jsonMode(argv: readonly string[], command: LoadedCommand | undefined): string | undefined {
  const words = wordsIn(argv);
  const has = (flag: string) => words.some((word) => word === flag || word.startsWith(`${flag}=`));
  if (command === undefined || !has('--json')) return undefined;
  if (has('--dry-run') || has('-n')) return 'dry-run';
  return has('--trial') ? 'trial' : command.name === 'usage-events' ? 'run' : command.name;
}

function usageJson({ message }: CommanderError, mode: string, hint: string | undefined): object {
  const [sentence = '', ...suggested] = message.replace(/^error: /, '').split('\n');
  const hints = [...suggested, ...(hint === undefined ? [] : [hint])].join(' ');
  const error = { code: 'usage', message: sentence, hint: hints === '' ? undefined : hints };
  return { version: 2, mode, error, exitCode: 2 };
}

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
    .addHelpText('after', () => fold(more(programIn(context.env)), width))
    .showSuggestionAfterError()
    .exitOverride()
    .configureOutput({
      writeOut: (text) => context.stdout.write(text),
      writeErr: (text) => context.stderr.write(text),
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
    added.addHelpText('after', () => fold(moreHelp(command, programIn(context.env)), width));
    added.action(async (...given: unknown[]) => {
      const { args, flags } = giveFilesBack(command, given, added.opts<Flags>(), context.cwd);
      const begun = { ...context, commands: typedCommand(command, args, flags, context.env) };
      begin(begun);
      requireKnownVariables(context.env);
      settle(await command.run(args, flags, begun));
    });
  }
  return program;
}

function addOptions(to: Command, { arguments: args = [], ...command }: LoadedCommand): void {
  for (const [syntax, description, choices] of args) {
    const argument = new Argument(syntax, description);
    to.addArgument(choices === undefined ? argument : argument.choices(choices));
  }
  for (const option of everyOption(command)) to.addOption(optionOf(option));
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
 * `--sandbox [dir]` and `--trial [n]` take optional values, so `run --sandbox export.jsonl` would take the export as a folder:
 * an impossible value is a file. Reads the disk.
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

/** Nor is a folder with other contents, if nothing else is to be read. */
function isExportAt(path: string, hasOthers: boolean): boolean {
  if (!existsSync(path)) return false;
  return !statSync(path).isDirectory() || (!hasOthers && !existsSync(join(path, 'service.sqlite')));
}

/** `args` and `flags` as meant. */
export function typedCommand(
  { name, ...spec }: Pick<LoadedCommand, 'name' | 'options' | 'without'>,
  args: readonly string[],
  flags: Flags,
  env: CliContext['env'],
): CommandLines {
  const typed = everyOption(spec).flatMap(({ flags: syntax }): TypedOption[] => {
    const flag = longFlag(syntax);
    const value = flags[attributeOf(flag)];
    if (value === undefined || value === false) return [];
    return [{ flag, values: value === true ? [] : [value].flat().map(String) }];
  });
  const takes = new Map(COMMANDS.map((entry) => [entry.name, entry.takes]));
  const titles = new Map(COMMANDS.map((entry) => [entry.name, titleOf(entry)]));
  return commandLines({ command: name, files: args, options: typed }, env, takes, titles);
}
