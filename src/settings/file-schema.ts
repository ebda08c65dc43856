/**
 * The schema of the settings file, made from the table of settings. Values that have a spelling of their own (a rate, a
 * share) are only typed here and read as those of flags are, so that both are complained about in the same words.
 */
import { z } from 'zod';
import type { Setting, Written } from './setting.ts';
import { ALL_SETTINGS, FILE_SECTIONS, type FileSettings } from './table/table.ts';

const KINDS: Readonly<Record<keyof Written, z.ZodType>> = {
  text: z.string(),
  switch: z.boolean(),
  amount: z.union([z.number(), z.string()]),
  texts: z.union([z.string(), z.array(z.string())]),
  agents: z.union([z.string(), z.record(z.string(), z.union([z.string(), z.number()]))]),
  emails: z.union([z.literal('reject'), z.strictObject({ synthesize: z.string() })]),
  mapping: z.record(z.string(), z.unknown()),
  answers: z.record(z.string(), z.boolean()),
};

function schemaOf({ kind, words, meaning, default: held, examples }: Setting): z.ZodType {
  return (words === undefined ? KINDS[kind] : z.enum(words))
    .meta({
      description: meaning,
      ...(held !== undefined && { default: held }),
      ...(examples !== undefined && { examples }),
    })
    .optional();
}

/** The keys of one section, or with an empty name those at the top. */
function keysOf(section: string): Record<string, z.ZodType> {
  const path = (name: string) => (name.includes('.') ? name.split('.') : ['', name]);
  return Object.fromEntries(
    ALL_SETTINGS.filter(({ name, meaning }) => meaning !== undefined && path(name)[0] === section).map(
      (setting) => [setting.key, schemaOf(setting)],
    ),
  );
}

function section(name: keyof typeof FILE_SECTIONS): z.ZodType {
  return z.strictObject(keysOf(name)).meta({ description: FILE_SECTIONS[name] }).optional();
}

/** The whole file; `mapping` is the schema of the section of that name, which the layouts' language defines. */
export function settingsFileSchema(mapping: z.ZodType = z.unknown()): z.ZodType<FileSettings> {
  return z.strictObject({
    target: section('target'),
    source: section('source'),
    run: section('run'),
    files: section('files'),
    ...keysOf(''),
    appApi: section('appApi'),
    mapping: mapping.optional(),
  }) as z.ZodType<FileSettings>;
}

/** A JSON schema of the file, for editors. */
export function settingsJsonSchema(mapping?: z.ZodType): Record<string, unknown> {
  return {
    ...z.toJSONSchema(settingsFileSchema(mapping), {
      io: 'input',
      target: 'draft-07',
      unrepresentable: 'any',
    }),
    title: 'Settings of helpdesk-import',
  };
}
