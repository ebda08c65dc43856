/** The declaration of a command: program, completion, reference and help come from it. */
import type { Command } from 'commander';
import { AppError } from '../domain/errors.ts';
import { longFlag, OPTION_GROUPS, type OptionSpec, option } from '../settings/option-spec.ts';
import { ALL_SETTINGS, optionOf, SETTINGS_FILE, SWITCHES } from '../settings/table/table.ts';
import type { CliContext, Flags } from './context.ts';

/** What a command file declares; its name and summary are in the list of commands, which is read without it. */
export interface CommandSpec {
  /** In the order of typing; the last one may be a list. */
  readonly arguments?: readonly Argument[];
  readonly options: readonly OptionSpec[];
  /** One to six, with their purpose. */
  readonly examples: readonly (readonly [command: string, purpose: string])[];
  /** Further text below the options. */
  readonly help?: () => string;
  /**
   * Resolves with the exit code.
   *
   * @param program every command, for completion
   */
  run(args: readonly string[], flags: Flags, context: CliContext, program?: Command): Promise<number>;
}

/** Syntax for commander, such as `[files...]`, its description, and all allowed words. */
export type Argument = readonly [syntax: string, description: string, choices?: readonly string[]];

export const FILES: Argument = ['[files...]', 'export files or folders; - is standard input (JSONL)'];
export const NEEDED_FILES: Argument = ['<files...>', FILES[1]];

const CONFIG: OptionSpec = option('What to read', '-c, --config <file>', 'settings file', {
  byDefault: `${SETTINGS_FILE} if there`,
});
/** Given for one dry run, never in a settings file. */
const PLAN: OptionSpec = option(
  'What is written',
  '--plan <file>',
  'with --dry-run: keep the plan in a file; "run <file>" sends exactly that',
);
const FORCE: OptionSpec = option(
  'What is written',
  '--force',
  'replace a file that this command did not write',
);

const [dryRun, ...switches] = SWITCHES;
const ALL: readonly OptionSpec[] = [
  CONFIG,
  ...[...(dryRun === undefined ? [] : [dryRun]), ...ALL_SETTINGS, ...switches].flatMap(
    (setting) => optionOf(setting) ?? [],
  ),
  PLAN,
  FORCE,
];

/** By group, for help and for repeated commands. */
export const RUN_OPTIONS: readonly OptionSpec[] = OPTION_GROUPS.flatMap((name) =>
  ALL.filter(({ group, flags }) => group === name && !flags.startsWith('--app-')),
);

/** An option of settings and runs by its long flag, with changes for another command. */
export function shared(flag: string, changes: Partial<Omit<OptionSpec, 'flags'>> = {}): OptionSpec {
  const spec = ALL.find(({ flags }) => longFlag(flags) === flag);
  if (spec === undefined) throw new AppError('internal', `No setting has the option ${flag}.`);
  return { ...spec, ...changes };
}

/** Options of every command that reads an export. */
export const EXPORT_OPTIONS = ['--config', '--from', '--encoding', '--delimiter'].map((flag) => shared(flag));

export const JSON_RESULT = shared('--json', { description: 'one JSON object on standard output' });

/** Options of commands about a checkpoint. */
export const WHICH_CHECKPOINT: readonly OptionSpec[] = [
  shared('--checkpoint', { group: 'What to read' }),
  shared('--sandbox', {
    description: 'the checkpoint of the imports into the local sandbox service',
    group: 'What to read',
  }),
];
