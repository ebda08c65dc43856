import { AppError } from '../domain/errors.ts';
import { longFlag, OPTION_GROUPS, type OptionSpec, option } from '../settings/option-spec.ts';
import { ALL_SETTINGS, optionOf, SETTINGS_FILE, SWITCHES } from '../settings/table/table.ts';
import type { CliContext, Flags } from './context.ts';

export interface CommandSpec {
  readonly arguments?: readonly Argument[];
  /** In addition to those of every command (`COMMON`). */
  readonly options: readonly OptionSpec[];
  /** The common options that it has no use for. */
  readonly without?: readonly string[];
  readonly examples: readonly (readonly [command: string, purpose: string])[];
  readonly help?: () => string;
  run(args: readonly string[], flags: Flags, context: CliContext): Promise<number>;
}

export type Argument = readonly [syntax: string, description: string, choices?: readonly string[]];

export const FILES: Argument = ['[files...]', 'export files or folders; - is standard input (JSONL)'];
export const NEEDED_FILES: Argument = ['<files...>', FILES[1]];

const CONFIG: OptionSpec = option('What to read', '-c, --config <file>', 'settings file', {
  byDefault: `${SETTINGS_FILE} if there`,
});
export const SET: OptionSpec = option(
  'What to read',
  '--set <name=value>',
  'a setting, such as source.encoding=windows-1252, or a field of the table of init, such as ticket.subject=Title; repeatable',
  { repeat: true },
);
/** Never in a settings file. */
const PLAN: readonly OptionSpec[] = [
  option(
    'What is written',
    '--plan <file>',
    'with --dry-run: write every ticket as it would be sent to a SQLite file, to look at and to approve',
  ),
  option(
    'What to do',
    '--approved <file>',
    'compare every ticket with this plan first; if one differs, nothing is sent',
  ),
];
const FILES_ONLY: OptionSpec = option(
  'What to do',
  '--files-only',
  'fetch the files of the tickets to where --files says, and import nothing yet',
  { conflicts: ['--dry-run', '--trial', '--delta', '--serve', '--plan', '--approved'] },
);

const [dryRun, ...switches] = SWITCHES;
const ALL: readonly OptionSpec[] = [
  ...[...(dryRun === undefined ? [] : [dryRun]), ...ALL_SETTINGS, ...switches].flatMap(
    (setting) => optionOf(setting) ?? [],
  ),
  FILES_ONLY,
  ...PLAN,
  SET,
];

export const RUN_OPTIONS: readonly OptionSpec[] = ALL.filter(({ flags }) => flags !== '--json');

export function shared(flag: string, changes: Partial<Omit<OptionSpec, 'flags'>> = {}): OptionSpec {
  const spec = ALL.find(({ flags }) => longFlag(flags) === flag);
  if (spec === undefined) throw new AppError('internal', `No setting has the option ${flag}.`);
  return { ...spec, ...changes };
}

/** The options of every command. */
export const COMMON: readonly OptionSpec[] = [CONFIG, shared('--json')];

/** With its own ones, by group. */
export function everyOption({
  options,
  without = [],
}: Pick<CommandSpec, 'options' | 'without'>): OptionSpec[] {
  const all = [...COMMON.filter(({ flags }) => !without.includes(longFlag(flags))), ...options];
  return OPTION_GROUPS.flatMap((name) => all.filter(({ group }) => group === name));
}

export const WHICH_CHECKPOINT: readonly OptionSpec[] = [
  shared('--checkpoint', { group: 'What to read' }),
  shared('--sandbox', {
    description: 'the checkpoint of the imports into the local sandbox',
    group: 'What to read',
  }),
];
