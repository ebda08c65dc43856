/**
 * One setting, declared once as a zod schema with `.meta`: its meaning, form and result, its flag, variable and option of the library. The
 * file, the options of `run`, the reference and the type `Settings` come from these entries.
 */
import { z } from 'zod';
import type { OptionSpec } from './option-spec.ts';
import { good, type Parser } from './parsers.ts';

export interface SettingMeta {
  /** A sentence for the reference and for editors. Absent: the setting is not in the file. */
  readonly description?: string;
  /** An example. */
  readonly default?: string | number | boolean | readonly string[];
  readonly examples?: readonly unknown[];
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

/** `T`: the result. `W`: the form in the file, or never. */
export type Setting<T = unknown, W = unknown> = z.ZodType<T, W>;

type Declared<T, W, M> = Setting<
  M extends { readonly default: unknown } ? T : T | undefined,
  M extends { readonly description: string } ? W | undefined : undefined
>;

/** The meta data of a setting. */
export function metaOf(setting: Setting): SettingMeta {
  return (setting.meta() ?? {}) as SettingMeta;
}

function declare<T, W, const M extends SettingMeta>(schema: z.ZodType<T, W>, meta: M): Declared<T, W, M> {
  const { default: held } = meta;
  const whole = held === undefined ? schema.optional() : schema.prefault(held as never);
  return whole.meta({ ...meta } as Record<string, unknown>) as unknown as Declared<T, W, M>;
}

/** Reads a value as a flag; elements of a list one by one. */
function reading<T>(parse: Parser<T>) {
  return (written: string | number, context: z.core.$RefinementCtx, path: PropertyKey[] = []): T => {
    const parsed = parse(String(written));
    if ('value' in parsed) return parsed.value;
    const { problem } = parsed;
    const message = /[.?!]$/.test(problem) ? problem : `${problem}.`;
    context.issues.push({ code: 'custom', message, input: written, path });
    return z.NEVER;
  };
}

export function text<T, const M extends SettingMeta>(parse: Parser<T>, meta: M): Declared<T, string, M> {
  return declare(z.string().transform(reading(parse)), meta);
}

/** A number, or a text with a number in it. */
export function amount<T, const M extends SettingMeta>(
  parse: Parser<T>,
  meta: M,
): Declared<T, number | string, M> {
  return declare(z.union([z.number(), z.string()]).transform(reading(parse)), meta);
}

/** One or several texts. */
export function texts<T, const M extends SettingMeta>(
  parse: Parser<T>,
  meta: M,
): Declared<readonly T[], string | string[], M> {
  const read = reading(parse);
  const schema = z
    .union([z.string(), z.array(z.string())])
    .transform((written, context): readonly T[] =>
      typeof written === 'string'
        ? [read(written, context)]
        : written.map((one, index) => read(one, context, [index])),
    );
  return declare(schema, meta);
}

export function toggle<const M extends SettingMeta>(meta: M): Declared<boolean, boolean, M> {
  return declare(z.boolean(), meta);
}

export function word<const W extends string, const M extends SettingMeta, T = W>(
  words: readonly W[],
  meta: M,
  become: (word: W) => T = (chosen) => chosen as unknown as T,
): Declared<T, W, M> {
  return declare(z.enum(words).transform(become) as unknown as z.ZodType<T, W>, meta);
}

/** A structure of its own. */
export function structure<T, W, const M extends SettingMeta>(
  schema: z.ZodType<T, W>,
  meta: M,
): Declared<T, W, M> {
  return declare(schema, meta);
}

/** Any text. */
export const anyText: Parser<string> = (written) => good(written);
