import type { z } from 'zod';

export interface OptionSpec {
  /** `-c, --config <file>`. */
  readonly flags: string;
  readonly description: string;
  readonly byDefault?: string | undefined;
  readonly group: OptionGroup;
  /** `--help` names it only, docs/reference.md explains it. */
  readonly advanced?: true | undefined;
  readonly choices?: readonly string[] | undefined;
  readonly conflicts?: readonly string[] | undefined;
  readonly repeat?: boolean | undefined;
  /** For an option that is no setting. */
  readonly parse?:
    | ((text: string) => { readonly value: string | number } | { readonly problem: string })
    | undefined;
}

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

/** Read by the file, the options of `run` and the reference. */
export interface SettingMeta {
  /** Absent: not in the file. */
  readonly description?: string;
  readonly examples?: unknown[];
  readonly flag?: OptionSpec;
  readonly alone?: string;
  readonly env?: string;
  readonly isPath?: true;
  /** For settings of one service: in a sandbox only the flag counts, and this is the default, with paths below its folder. */
  readonly inSandbox?: 'default' | { readonly default: string | readonly string[] };
}

export function optional<S extends z.ZodType>(schema: S, meta: SettingMeta) {
  return schema.optional().meta({ ...meta });
}

export function withDefault<S extends z.ZodType>(schema: S, value: NoInfer<z.input<S>>, meta: SettingMeta) {
  return schema.prefault(value as never).meta({ ...meta });
}

/** Only given flags have a key. */
export type Flags = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

export function longFlag(flags: string): string {
  return /--[a-z-]+/.exec(flags)?.[0] ?? '';
}

export function attributeOf(flag: string): string {
  return flag.replace(/^--(?:no-)?/, '').replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}
