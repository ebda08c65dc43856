/** Options of `run` that another command has too. */

import { longFlag, type OptionGroup, type OptionSpec, RUN_OPTIONS } from '../../cli/options.ts';
import { AppError } from '../../domain/errors.ts';

/** Which records of an export are read, and how. */
export const READING = [
  '--config',
  '--from',
  '--encoding',
  '--delimiter',
  '--since',
  '--until',
  '--only',
  '--limit',
  '--shard',
] as const;

/** An option of `run` by its long flag, with what is otherwise about it, or an option of the command's own. */
type OptionChoice =
  | string
  | readonly [
      flag: string,
      description?: string | undefined,
      example?: string | undefined,
      byDefault?: string | undefined,
      group?: OptionGroup,
    ]
  | OptionSpec;

/**
 * In the order of the choices. `command`: for the examples, with its file or customer where that is another than of `run`;
 * the example of a choice is what stands behind that. `takesFiles`: the file of the example of `run` is one of this command too.
 */
export function optionsOfRun(
  command: string,
  choices: readonly OptionChoice[],
  takesFiles = !command.includes(' '),
): readonly OptionSpec[] {
  return choices.map((choice) => {
    if (typeof choice !== 'string' && 'flags' in choice) return choice;
    const [flag, description, example, byDefault, group] = typeof choice === 'string' ? [choice] : choice;
    const spec = RUN_OPTIONS.find(({ flags }) => longFlag(flags) === flag);
    if (spec === undefined) throw new AppError('internal', `The command run has no option ${flag}.`);
    const [, file = '', rest = ''] = /^helpdesk-import run( \S+)? (.*)$/.exec(spec.example ?? '') ?? [];
    return {
      ...spec,
      description: description ?? spec.description,
      ...(byDefault && { byDefault }),
      ...(group && { group }),
      example: `helpdesk-import ${takesFiles ? command + file : command} ${example ?? rest}`,
    };
  });
}
