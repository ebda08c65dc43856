/** The commands as commander knows them. Each command's code is loaded when it is called, so that `--help` is quick. */
import { readFileSync } from 'node:fs';
import { Command, CommanderError, Option } from 'commander';
import { AppError } from '../domain/errors.ts';
import type { CliContext } from './context.ts';
import { OPTION_GROUPS, type OptionSpec, RUN_OPTIONS } from './options.ts';

/** Parsed flags, still text; a key is there only when the flag was given. */
export type Flags = Readonly<Record<string, string | boolean | readonly string[] | undefined>>;

const FIRST_STEPS = `
First steps:
  helpdesk-import run export.jsonl --dry-run      check an export; nothing is sent
  helpdesk-import run export.jsonl --sandbox      import it into a local helpdesk service and look at it
  helpdesk-import run export.jsonl --trial        8 telling tickets into the real service, then checked
  helpdesk-import run export.jsonl                the rest

Exit codes: 0 done · 2 wrong usage or configuration · 3 some tickets rejected or failed · 4 some in doubt ·
  5 authentication refused · 6 stopped early, run again to resume · 130, 143 interrupted, run again to resume`;

/** Runs one command line to its exit code. Never throws for a user's mistake. */
export async function runCli(argv: readonly string[], context: CliContext): Promise<number> {
  let exitCode = 0;
  const program = buildProgram(context, (code) => {
    exitCode = code;
  });
  try {
    if (argv.length === 0) {
      program.outputHelp();
      return 0;
    }
    await program.parseAsync([...argv], { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    const { showError } = await import('./show-error.ts');
    return showError(error, context, argv.includes('--verbose'));
  }
}

/** The program with all of its commands; `settle` receives the exit code of the one that ran. */
export function buildProgram(context: CliContext, settle: (exitCode: number) => void): Command {
  const program = new Command('helpdesk-import')
    .description(
      'Moves support tickets with their messages and history into a helpdesk: checked before anything is sent, never twice, never lost.',
    )
    .version(version(), '-V, --version')
    .helpOption('-h, --help', 'show help')
    .addHelpText('after', FIRST_STEPS)
    .showSuggestionAfterError()
    .exitOverride()
    .configureOutput({
      writeOut: (text) => context.stdout.write(text),
      writeErr: (text) => context.stderr.write(text),
      getOutHelpWidth: () => Math.min(context.stdout.columns ?? 110, 120),
      getErrHelpWidth: () => Math.min(context.stderr.columns ?? 110, 120),
    });

  const run = command(program, 'run', 'import; --dry-run and --trial are modes of it', RUN_OPTIONS)
    .argument('[files...]', 'export files or folders; - is standard input (JSONL)')
    .action(async (files: string[], flags: Flags) => {
      const { runCommand } = await import('./commands/run.ts');
      settle(await runCommand(files, flags, context));
    });
  run.addHelpText('after', examples(RUN_OPTIONS));
  return program;
}

/** Adds a command whose options come from a table, grouped in `--help` as the table says. */
export function command(
  program: Command,
  name: string,
  description: string,
  specs: readonly OptionSpec[],
): Command {
  const made = program.command(name).description(description).helpOption('-h, --help', 'show help');
  made.exitOverride().configureOutput(program.configureOutput());
  for (const group of OPTION_GROUPS) {
    for (const spec of specs.filter((candidate) => candidate.group === group)) {
      const option = new Option(spec.flags, describe(spec)).helpGroup(`${group}:`);
      if (spec.repeat === true)
        option.argParser((value: string, before: string[] | undefined) => [...(before ?? []), value]);
      made.addOption(option);
    }
  }
  return made;
}

function describe(spec: OptionSpec): string {
  return spec.byDefault === undefined ? spec.description : `${spec.description} (default: ${spec.byDefault})`;
}

function examples(specs: readonly OptionSpec[]): string {
  const lines = specs.flatMap((spec) => (spec.example === undefined ? [] : [`  ${spec.example}`]));
  return `\nExamples:\n${lines.join('\n')}`;
}

/** The version in package.json, which stands one folder above both src/ and dist/. */
export function version(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  const found: unknown = JSON.parse(text);
  if (typeof found === 'object' && found !== null && 'version' in found && typeof found.version === 'string')
    return found.version;
  throw new AppError('internal', 'package.json has no version');
}
