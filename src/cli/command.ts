/** The declaration of a command: program, completion, reference and help come from it. */
import type { Command } from 'commander';
import { AppError } from '../domain/errors.ts';
import { longFlag, OPTION_GROUPS, type OptionSpec, option } from '../settings/option-spec.ts';
import { ALL_SETTINGS, optionOf, SETTINGS_FILE, SWITCHES } from '../settings/table/table.ts';
import type { CliContext, Flags } from './context.ts';

/** Resolves with the exit code. */
type CommandWork = (
  args: readonly string[],
  flags: Flags,
  context: CliContext,
  program: Command,
) => Promise<number>;

export interface CommandSpec {
  readonly name: string;
  /** It is typed behind this word. */
  readonly parent?: keyof typeof PARENTS | undefined;
  /** Syntax for commander, such as `[files...]`, and its description. */
  readonly argument?: readonly [syntax: string, description: string];
  readonly description: string;
  readonly group: 'Import' | 'Before' | 'After' | 'Billing data' | 'Tools';
  readonly options: readonly OptionSpec[];
  /** One to six, with their purpose. */
  readonly examples: readonly (readonly [command: string, purpose: string])[];
  /** Further text below the options. */
  readonly help?: () => string;
  /** Loads the code of the command: a start needs only one. */
  load(): Promise<CommandWork>;
}

/** Words before subcommands. */
export const PARENTS = {
  billing: 'usage events, customers and feature gates of the app API',
} as const;

/** As typed: `run`, `billing usage-events`. */
export function titleOf({ name, parent }: Pick<CommandSpec, 'name' | 'parent'>): string {
  return parent === undefined ? name : `${parent} ${name}`;
}

export const FILES = ['[files...]', 'export files or folders; - is standard input (JSONL)'] as const;
export const NEEDED_FILES = ['<files...>', FILES[1]] as const;

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
const OF_RUN = [dryRun, ...ALL_SETTINGS.filter(({ section }) => section !== 'appApi'), ...switches];
const ALL: readonly OptionSpec[] = [
  CONFIG,
  ...OF_RUN.flatMap((setting) => (setting && optionOf(setting)) ?? []),
  PLAN,
  FORCE,
];

/** By group, for help and for repeated commands. */
export const RUN_OPTIONS: readonly OptionSpec[] = OPTION_GROUPS.flatMap((name) =>
  ALL.filter(({ group }) => group === name),
);

/** An option of `run` by its long flag, with changes for another command. */
export function shared(flag: string, changes: Partial<Omit<OptionSpec, 'flags'>> = {}): OptionSpec {
  const spec = RUN_OPTIONS.find(({ flags }) => longFlag(flags) === flag);
  if (spec === undefined) throw new AppError('internal', `The command run has no option ${flag}.`);
  return { ...spec, ...changes };
}

/** Options of every command that reads an export. */
export const READING = ['--config', '--from', '--encoding', '--delimiter'].map((flag) => shared(flag));

export const JSON_RESULT = shared('--json', { description: 'one JSON object on standard output' });

/** Options of commands about a checkpoint. */
export const WHICH_CHECKPOINT: readonly OptionSpec[] = [
  shared('--checkpoint', { group: 'What to read' }),
  shared('--sandbox', {
    description: 'the checkpoint of the imports into the local sandbox service',
    group: 'What to read',
  }),
];
