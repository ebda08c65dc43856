/** The options of `run`, from the table of settings, and those of other commands that have some of them too. */
import { AppError } from '../domain/errors.ts';
import { longFlag, OPTION_GROUPS, type OptionGroup, type OptionSpec } from '../settings/option-spec.ts';
import type { Setting } from '../settings/setting.ts';
import { SWITCHES } from '../settings/table/run.ts';
import { ALL_SETTINGS, optionOf, SETTINGS_FILE } from '../settings/table/table.ts';

export { longFlag, OPTION_GROUPS, type OptionGroup, type OptionSpec } from '../settings/option-spec.ts';

const CONFIG: OptionSpec = {
  flags: '-c, --config <file>',
  description: 'settings file',
  byDefault: `${SETTINGS_FILE} if there`,
  group: 'What to read',
};

/** Typed for one command, and in no settings file. */
const FORCE: OptionSpec = {
  flags: '--force',
  description: 'replace a file that this command did not write',
  group: 'What is written',
};

const { dryRun, ...otherSwitches } = SWITCHES;

const ALL: readonly OptionSpec[] = [
  CONFIG,
  dryRun,
  ...ALL_SETTINGS.filter(({ section }) => section !== 'appApi').flatMap((setting) => optionOf(setting) ?? []),
  ...Object.values(otherSwitches),
  FORCE,
];

/** Group by group, as they are shown, and as a command is written that was typed. */
export const RUN_OPTIONS: readonly OptionSpec[] = OPTION_GROUPS.flatMap((name) =>
  ALL.filter(({ group }) => group === name),
);

/** How an export is read: for every command that reads one. */
export const READING = ['--config', '--from', '--encoding', '--delimiter'] as const;

/** An option of `run` by its long flag, with what is otherwise about it; the flag of a setting; or an option of the command's own. */
type OptionChoice =
  | string
  | readonly [
      flag: string,
      description?: string | undefined,
      byDefault?: string | undefined,
      group?: OptionGroup,
    ]
  | Setting
  | OptionSpec;

/** In the order of the choices. */
export function optionsOfRun(choices: readonly OptionChoice[]): readonly OptionSpec[] {
  return choices.flatMap((choice) => {
    if (typeof choice !== 'string' && 'flags' in choice) return choice;
    if (typeof choice !== 'string' && 'kind' in choice) return optionOf(choice) ?? [];
    const [flag, description, byDefault, group] = typeof choice === 'string' ? [choice] : choice;
    const spec = RUN_OPTIONS.find(({ flags }) => longFlag(flags) === flag);
    if (spec === undefined) throw new AppError('internal', `The command run has no option ${flag}.`);
    return {
      ...spec,
      description: description ?? spec.description,
      byDefault: byDefault ?? spec.byDefault,
      group: group ?? spec.group,
    };
  });
}
