/** The commander program, made from the list of commands. */

import { Command, CommanderError, Option } from 'commander';
import { printable } from '../domain/printable.ts';
import {
  attributeOf,
  longFlag,
  OPTION_GROUPS,
  type OptionGroup,
  type OptionSpec,
} from '../settings/option-spec.ts';
import { version } from '../version.ts';
import {
  asTyped,
  type CarriedFlags,
  type CommandLines,
  commandLines,
  type TypedOption,
} from '../view/command-line.ts';
import { type CommandSpec, PARENTS, titleOf } from './command.ts';
import { COMMANDS } from './command-list.ts';
import type { CliContext, Flags, ProcessContext } from './context.ts';
import { fold } from './fold.ts';
import { giveFilesBack } from './optional-values.ts';
import { showError, writeJson } from './show-error.ts';

const ABOUT =
  'Moves support tickets, with their messages and history, into a helpdesk: checked before anything is sent, never twice, never lost.';

const FIRST_STEPS = `First steps, with the files or the folder of your export in place of export/:
  helpdesk-import run export/ --sandbox --serve   your tickets in a local helpdesk, to look at
  helpdesk-import run export/ --dry-run           what is in it, and every problem; nothing is sent
  helpdesk-import init export/                    only if it was not recognised: write a mapping to edit
Then with HELPDESK_BASE_URL and HELPDESK_TOKEN of the real service:
  helpdesk-import doctor                          is everything ready?
  helpdesk-import run export/ --trial             8 representative tickets, then checked
  helpdesk-import run export/                     the rest; run it again after any stop, it continues from there`;

/** The text without arguments: where to begin. */
const BEGINNING = `${ABOUT.replace(': ', ':\n')}

${FIRST_STEPS}

Every command:           helpdesk-import --help
Every option of one:     helpdesk-import help run
`;

const EXIT_CODES = `
Exit codes: 0 done · 2 wrong usage or configuration · 3 some tickets rejected or failed · 4 some in doubt ·
  5 authentication refused · 6 stopped early, run again to resume · 130, 143 interrupted, run again to resume`;

/** Runs one command line and returns its exit code. Never throws for a user's mistake. */
export async function runCli(argv: readonly string[], process: ProcessContext): Promise<number> {
  let exitCode = 0;
  let context: CliContext = { ...process, commands: commandLines({ command: '', files: [], options: [] }) };
  const program = buildProgram(
    process,
    (code) => {
      exitCode = code;
    },
    (begun) => {
      context = begun;
    },
  );
  try {
    if (argv.length === 0) {
      context.stdout.write(asTyped(BEGINNING, context.env));
      return 0;
    }
    await program.parseAsync([...argv], { from: 'user' });
    return exitCode;
  } catch (error) {
    const mode = jsonMode(argv);
    if (error instanceof CommanderError) {
      // Commander has printed it.
      const hint = otherKind(error) ?? whatIsMissing(error, argv);
      if (hint !== undefined) context.stderr.write(asTyped(`${hint}\n`, context.env));
      if (error.exitCode !== 0 && mode !== undefined) writeJson(process.stdout, usageJson(error, mode, hint));
      return error.exitCode === 0 ? 0 : 2;
    }
    return await showError(error, context, { verbose: argv.includes('--verbose'), jsonMode: mode });
  }
}

/** A command that is an option, or an option that is a command, and how to type it. */
function otherKind({ code, message }: CommanderError): string | undefined {
  const word = /'-{0,2}([a-z][a-z-]*)/.exec(message)?.[1];
  if (word === undefined) return undefined;
  if (code === 'commander.unknownOption' && COMMANDS.some(({ name }) => name === word))
    return `(${word} is a command: helpdesk-import ${word})`;
  if (code !== 'commander.unknownCommand') return undefined;
  const owner = COMMANDS.find(({ options }) => options.some(({ flags }) => longFlag(flags) === `--${word}`));
  const option = owner?.options.find(({ flags }) => longFlag(flags) === `--${word}`);
  const value = /<[^<>]{1,50}>/.exec(option?.flags ?? '')?.[0];
  return (
    owner &&
    `(--${word} is an option: helpdesk-import ${owner.name} --${word}${value === undefined ? '' : ` ${value}`})`
  );
}

/** The missing argument of a command, and how to type it. */
function whatIsMissing({ code }: CommanderError, argv: readonly string[]): string | undefined {
  if (code !== 'commander.missingArgument') return undefined;
  const [name] = argv.filter((word) => !word.startsWith('-') && !(word in PARENTS));
  const spec = COMMANDS.find((candidate) => candidate.name === name);
  const [example] = spec?.examples[0] ?? [];
  return spec?.argument && `(${spec.argument[1]}; for example: helpdesk-import ${example})`;
}

/** The mode of a command with --json, from its words, which may be wrong. */
function jsonMode(argv: readonly string[]): string | undefined {
  const end = argv.indexOf('--');
  const words = end < 0 ? argv : argv.slice(0, end);
  const typed = words.filter((word) => !word.startsWith('-') && !(word in PARENTS));
  const spec = COMMANDS.find(({ name }) => name === typed[0]);
  const has = (flag: string) =>
    spec?.options.some((option) => longFlag(option.flags) === flag) === true &&
    words.some((word) => word === flag || word.startsWith(`${flag}=`));
  if (spec === undefined || !has('--json')) return undefined;
  if (has('--dry-run')) return 'dry-run';
  return has('--trial') ? 'trial' : spec.name === 'usage-events' ? 'run' : spec.name;
}

function usageJson({ message }: CommanderError, mode: string, hint: string | undefined): object {
  const [sentence = '', ...suggested] = message.replace(/^error: /, '').split('\n');
  const hints = hint === undefined ? suggested : [...suggested, hint];
  const error = {
    code: 'usage',
    message: sentence,
    ...(hints.length === 0 ? {} : { hint: hints.join(' ') }),
  };
  return { version: 1, mode, error, exitCode: 2 };
}

/** The program with all of its commands; `settle` receives the exit code of the one that ran. */
export function buildProgram(
  context: ProcessContext,
  settle: (exitCode: number) => void,
  begin: (context: CliContext) => void = () => undefined,
): Command {
  const program = new Command('helpdesk-import')
    .description(ABOUT)
    .version(version(), '-V, --version')
    .helpOption('-h, --help', 'show help')
    .addHelpCommand(
      new Command('help').argument('[command]').description('show help for a command').helpGroup('Tools:'),
    )
    .addHelpText('after', () =>
      fold(asTyped(`\n${FIRST_STEPS}\n${EXIT_CODES}`, context.env), helpWidth(context)),
    )
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
      getOutHelpWidth: () => helpWidth(context),
      getErrHelpWidth: () => helpWidth(context),
    });
  const parents = new Map<string, Command>();
  const parentOf = (name: keyof typeof PARENTS) => {
    const made = parents.get(name) ?? addParent(program, name);
    parents.set(name, made);
    return made;
  };
  for (const spec of COMMANDS) {
    const ports = { begin, settle, program };
    addCommand(spec.parent === undefined ? program : parentOf(spec.parent), spec, context, ports);
  }
  return program;
}

function addParent(program: Command, name: keyof typeof PARENTS): Command {
  return program
    .command(name)
    .helpGroup('Billing data:')
    .description(PARENTS[name])
    .helpOption('-h, --help', 'show help')
    .helpCommand(false)
    .exitOverride()
    .configureOutput(program.configureOutput());
}

interface CommandPorts {
  begin(context: CliContext): void;
  settle(exitCode: number): void;
  /** The whole list for the command. */
  readonly program: Command;
}

function addCommand(
  parent: Command,
  spec: CommandSpec,
  process: ProcessContext,
  { begin, settle, program }: CommandPorts,
): void {
  const made = parent
    .command(spec.name)
    .helpGroup(`${spec.group}:`)
    .description(spec.description)
    .helpOption('-h, --help', 'show help')
    .exitOverride()
    .configureOutput(program.configureOutput());
  if (spec.argument !== undefined) made.argument(...spec.argument);
  for (const group of OPTION_GROUPS)
    for (const option of spec.options.filter((candidate) => candidate.group === group))
      made.addOption(optionOf(option));
  const { help } = spec;
  const more = () => (help === undefined ? moreHelp(spec) : `${moreHelp(spec)}\n\n${help().trim()}`);
  made.addHelpText('after', () => fold(more(), helpWidth(process)));
  made.action(async (...given: unknown[]) => {
    const args = spec.argument === undefined ? [] : [given[0]].flat().filter((text) => text !== undefined);
    const cut = { files: args.map(String), flags: made.opts<Flags>() };
    const typed = spec.argument?.[0].includes('...') === true ? giveFilesBack(cut, process.cwd) : cut;
    const { files, flags } = typed;
    const context = { ...process, commands: typedCommand(spec.name, files, flags) };
    begin(context);
    const work = await spec.load();
    settle(await work(files, flags, context, program));
  });
}

function helpWidth({ stdout }: ProcessContext): number {
  return Math.min(stdout.columns ?? 110, 120);
}

/** Below the options: the names of rare ones, and examples. */
function moreHelp({ options, examples }: CommandSpec): string {
  const rare = options.filter(({ advanced }) => advanced).map(({ flags }) => longFlag(flags));
  const widest = Math.max(0, ...examples.map(([command]) => command.length));
  return [
    ...(rare.length === 0 ? [] : ['', 'Rare options, explained in docs/reference.md:', ...inRows(rare)]),
    '',
    'Examples:',
    ...examples.map(([command, purpose]) => `  helpdesk-import ${command.padEnd(widest)}   ${purpose}`),
  ].join('\n');
}

/** Words in rows of at most 100 characters. */
function inRows(words: readonly string[]): string[] {
  const rows: string[] = [];
  for (const word of words) {
    const row = rows.at(-1);
    if (row === undefined || row.length + word.length + 2 > 100) rows.push(`  ${word}`);
    else rows[rows.length - 1] = `${row}  ${word}`;
  }
  return rows;
}

function optionOf(spec: OptionSpec): Option {
  const { flags, description, byDefault, group, repeat, advanced, choices, conflicts = [] } = spec;
  const text = byDefault === undefined ? description : `${description} (default: ${byDefault})`;
  const option = new Option(flags, text).helpGroup(`${group}:`);
  option.hidden = advanced === true;
  option.conflicts(conflicts.map(attributeOf));
  if (choices !== undefined) option.choices(choices);
  if (repeat === true)
    option.argParser((value: string, before: string[] | undefined) => [...(before ?? []), value]);
  return option;
}

/** Options that are the same for every command about one import. */
const CARRIED_GROUPS: readonly OptionGroup[] = ['What to read', 'Where to send it', 'How to send it'];

/**
 * The typed command, from the commands' own options. `files` and `flags` as meant.
 */
export function typedCommand(name: string, files: readonly string[], flags: Flags): CommandLines {
  const options = (COMMANDS.find((spec) => spec.name === name)?.options ?? []).flatMap(
    (spec): TypedOption[] => {
      const flag = longFlag(spec.flags);
      const isNegative = flag.startsWith('--no-');
      const value = flags[attributeOf(flag)];
      if (isNegative) return value === false ? [{ flag, values: [] }] : [];
      // --force was meant for an earlier file.
      if (value === undefined || value === false || flag === '--force') return [];
      return [{ flag, values: value === true ? [] : [value].flat().map(String) }];
    },
  );
  return commandLines({ command: name, files, options }, CARRIED, TITLES);
}

const TITLES: ReadonlyMap<string, string> = new Map(COMMANDS.map((spec) => [spec.name, titleOf(spec)]));

const CARRIED: CarriedFlags = new Map(
  COMMANDS.map(({ name, options }) => [
    name,
    new Set(
      options
        .filter(({ group, carried }) => carried === true || CARRIED_GROUPS.includes(group))
        .map(({ flags }) => longFlag(flags)),
    ),
  ]),
);
