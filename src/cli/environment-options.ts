/**
 * Options from the environment, for machines on which nobody types: `HELPDESK_IMPORT_BATCH_SIZE` is `--batch-size`. What is
 * typed goes before it, and it goes before the settings file.
 */
import { AppError } from '../domain/errors.ts';
import { didYouMean } from '../domain/nearest.ts';
import { printable } from '../domain/printable.ts';
import { attributeOf } from '../settings/option-spec.ts';
import { parseBoolean } from '../settings/parsers.ts';
import { ALL_SETTINGS } from '../settings/table/table.ts';
import type { Flags } from './context.ts';
import { longFlag, type OptionSpec } from './options.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const PREFIX = 'HELPDESK_IMPORT_';

/** `--batch-size` → `HELPDESK_IMPORT_BATCH_SIZE`; of billing data `HELPDESK_IMPORT_BILLING_CHECKPOINT`, as it has a checkpoint of its own. */
export function variableOf({ flags }: Pick<OptionSpec, 'flags'>, isBilling: boolean): string {
  const name = longFlag(flags).slice(2).replaceAll('-', '_').toUpperCase();
  return `${PREFIX}${isBilling ? 'BILLING_' : ''}${name}`;
}

export interface WithVariables {
  readonly flags: Flags;
  /** By the attribute of its flag: the variable that gave a value. */
  readonly variables: ReadonlyMap<string, string>;
}

/**
 * The flags that were typed, and those that variables give besides. In a sandbox a variable that is meant for the real service
 * (its checkpoint, its rejects) does not count. Throws AppError `usage` for switches that are neither true nor false, all of them.
 */
export function withVariables(
  typed: Flags,
  options: readonly OptionSpec[],
  env: Environment,
  isBilling: boolean,
): WithVariables {
  const flags: Record<string, Flags[string]> = { ...typed };
  const variables = new Map<string, string>();
  const wrong: string[] = [];
  const add = (spec: OptionSpec) => {
    const attribute = attributeOf(longFlag(spec.flags));
    const variable = variableOf(spec, isBilling);
    const text = env[variable]?.trim() ?? '';
    if (text === '' || flags[attribute] !== undefined) return;
    const read = readValue(spec, text);
    if ('problem' in read) {
      wrong.push(`${variable} ${read.problem}.`);
      return;
    }
    const { value } = read;
    if (value === undefined) return;
    flags[attribute] = value;
    variables.set(attribute, variable);
  };
  for (const spec of options) if (!isOfTheService(spec)) add(spec);
  if (flags['sandbox'] === undefined) for (const spec of options) if (isOfTheService(spec)) add(spec);
  const [first, ...others] = wrong;
  if (first !== undefined) throw new AppError('usage', first, { lines: others });
  return { flags, variables };
}

/** No value for a switch that is off. */
function readValue(
  { flags, repeat }: OptionSpec,
  text: string,
): { value: Flags[string] } | { problem: string } {
  const takesValue = /[<[]/.test(flags);
  const parsed = parseBoolean(text);
  // `--trial [n]`, `--sandbox [dir]`: what they are given without a value for.
  const isSwitch = !takesValue || (flags.includes('[') && /^(true|false|0)$/.test(text));
  if (!isSwitch) return { value: repeat === true ? text.split(/[\s,]+/) : text };
  if (!('value' in parsed)) return parsed;
  return { value: parsed.value ? !longFlag(flags).startsWith('--no-') : undefined };
}

const OF_THE_SERVICE: ReadonlySet<string> = new Set(
  ALL_SETTINGS.flatMap(({ inSandbox, flag }) =>
    inSandbox === undefined || flag === undefined ? [] : [longFlag(flag.flags)],
  ),
);

function isOfTheService({ flags }: OptionSpec): boolean {
  return OF_THE_SERVICE.has(longFlag(flags));
}

/** One sentence for each variable of this program's prefix that it does not know. */
export function unknownVariables(env: Environment, known: ReadonlySet<string>): string[] {
  return Object.keys(env)
    .filter((name) => name.startsWith(PREFIX) && !known.has(name))
    .map((name) => `${printable(name)} is set, and no option has that variable.${didYouMean(name, known)}`);
}
