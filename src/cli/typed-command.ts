/** What was typed, taken from the commands' own options: one that is added to them is carried with no further word. */
import {
  type CarriedFlags,
  type CommandLines,
  commandLines,
  type TypedOption,
} from '../present/terminal/command-line.ts';
import { COMMANDS } from './command-list.ts';
import type { Flags } from './context.ts';
import { longFlag, type OptionGroup } from './options.ts';

/** What is read, where it goes and how: that is the same for every command about one import. */
const CARRIED_GROUPS: readonly OptionGroup[] = ['What to read', 'Where to send it', 'How to send it'];

/** `files` and `flags` as they are meant, which may not be as they were cut. */
export function typedCommand(name: string, files: readonly string[], flags: Flags): CommandLines {
  const options = (COMMANDS.find((spec) => spec.name === name)?.options ?? []).flatMap(
    (spec): TypedOption[] => {
      const flag = longFlag(spec.flags);
      const isNegative = flag.startsWith('--no-');
      const value = flags[attributeOf(flag)];
      if (isNegative) return value === false ? [{ flag, values: [] }] : [];
      if (value === undefined || value === false) return [];
      return [{ flag, values: value === true ? [] : [value].flat().map(String) }];
    },
  );
  return commandLines({ command: name, files, options }, CARRIED);
}

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

/** `--on-in-doubt` → `onInDoubt`, `--no-color` → `color`, as commander names them. */
function attributeOf(flag: string): string {
  return flag.replace(/^--(?:no-)?/, '').replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}
