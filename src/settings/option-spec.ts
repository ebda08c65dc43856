/** An option of the command line, and what a setting says of itself besides its schema. */

import type { z } from 'zod';

/** For commander and the reference. */
export interface OptionSpec {
  /** Syntax for commander: `-c, --config <file>`. */
  readonly flags: string;
  readonly description: string;
  /** The default, in words. */
  readonly byDefault?: string | undefined;
  readonly group: OptionGroup;
  /** Rarely needed: `--help` names it only, docs/reference.md explains it. */
  readonly advanced?: true | undefined;
  /** All allowed words. */
  readonly choices?: readonly string[] | undefined;
  /** Long flags that it cannot be combined with. */
  readonly conflicts?: readonly string[] | undefined;
  /** May be given more than once. */
  readonly repeat?: boolean | undefined;
  /** For an option that is no setting: its value, or what it must be. */
  readonly parse?:
    | ((text: string) => { readonly value: string | number } | { readonly problem: string })
    | undefined;
}

/** An option as declared by settings and commands. */
export function option(
  group: OptionGroup,
  flags: string,
  description: string,
  more: Partial<OptionSpec> = {},
): OptionSpec {
  return { flags, description, group, ...more };
}

export const OPTION_GROUPS = [
  'What to do',
  'What to read',
  'Where to send it',
  'How to send it',
  'What is written',
  'Display',
] as const;
export type OptionGroup = (typeof OPTION_GROUPS)[number];

/** `.meta` of a setting: the file, the options of `run`, the library and the reference read it. */
export interface SettingMeta {
  /** A sentence for the reference and for editors. Absent: the setting is not in the file. */
  readonly description?: string;
  readonly examples?: unknown[];
  /** Default: the setting's, unless given in words. */
  readonly flag?: OptionSpec;
  /** The value of a flag without a value. */
  readonly alone?: string;
  readonly env?: string;
  /** Its name in the options of the library, dotted. */
  readonly option?: string;
  /** A file or folder, relative to the settings file. */
  readonly isPath?: true;
  /**
   * For settings of one service: in a sandbox only the flag counts, and this is the default, for paths below its folder. `default`: the usual
   * one.
   */
  readonly inSandbox?: 'default' | { readonly default: string | readonly string[] };
}

export function optional<S extends z.ZodType>(schema: S, meta: SettingMeta) {
  return schema.optional().meta({ ...meta });
}

export function withDefault<S extends z.ZodType>(schema: S, value: NoInfer<z.input<S>>, meta: SettingMeta) {
  return schema.prefault(value as never).meta({ ...meta });
}

/** Parsed flags as text; only given flags have a key. */
export type Flags = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

/** `-c, --config <file>` → `--config` */
export function longFlag(flags: string): string {
  return /--[a-z-]+/.exec(flags)?.[0] ?? '';
}

/** `--source-name` → `sourceName`, `--no-progress` → `progress`, as commander names them. */
export function attributeOf(flag: string): string {
  return flag.replace(/^--(?:no-)?/, '').replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}
