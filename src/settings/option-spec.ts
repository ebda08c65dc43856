/** An option of the command line as data: commander and the reference in the docs read it. */
export interface OptionSpec {
  /** As commander takes it: `-c, --config <file>`. */
  readonly flags: string;
  readonly description: string;
  /** What happens when it is not given, in words. */
  readonly byDefault?: string | undefined;
  readonly group: OptionGroup;
  /** Rarely needed: `--help` names it only, docs/reference.md explains it. */
  readonly advanced?: true | undefined;
  /** All words that it takes. */
  readonly choices?: readonly string[] | undefined;
  /** Long flags that it cannot be combined with. */
  readonly conflicts?: readonly string[] | undefined;
  /** May be given more than once. */
  readonly repeat?: boolean | undefined;
  /** Says what an import is about, whatever its group: it goes along to other commands (`typedCommand`). */
  readonly carried?: true | undefined;
}

/** An option as the tables of settings and the commands write it. */
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

/** Parsed flags, still text; a key is there only when the flag was given. */
export type Flags = Readonly<Record<string, string | boolean | readonly string[] | undefined>>;

/** `-c, --config <file>` → `--config` */
export function longFlag(flags: string): string {
  return /--[a-z-]+/.exec(flags)?.[0] ?? '';
}

/** `--source-name` → `sourceName`, `--no-progress` → `progress`, as commander names them. */
export function attributeOf(flag: string): string {
  return flag.replace(/^--(?:no-)?/, '').replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}
