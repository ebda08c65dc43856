/** A new setting is one entry. */
import { z } from 'zod';
import type { OptionSpec, SettingMeta } from '../option-spec.ts';
import * as own from './sections.ts';

export const SETTINGS_FILE = 'helpdesk-import.yaml';
export const SCHEMA_FILE = 'helpdesk-import.schema.json';
/** The first line of settings that `init` wrote and goes on with. */
export const INIT_LINE = `yaml-language-server: $schema=./${SCHEMA_FILE}`;

/** `file`: the section of the file, '' for its top. */
const SECTIONS = [
  { section: 'task', file: '', settings: own.TASK },
  { section: 'target', file: 'target', settings: own.TARGET },
  { section: 'source', file: 'source', settings: own.SOURCE },
  { section: 'selection', file: '', settings: own.SELECTION },
  { section: 'run', file: 'run', settings: own.RUN },
  { section: 'output', file: 'run', settings: own.OUTPUT },
  { section: 'files', file: 'files', settings: own.FILES },
  { section: 'people', file: '', settings: own.PEOPLE },
  { section: 'appApi', file: 'appApi', settings: own.APP_API },
  { section: 'task', file: '', settings: own.REVIEW },
] as const;

const SWITCH_SECTIONS = [
  { section: 'task', file: '', settings: own.TASK_SWITCHES },
  { section: 'output', file: '', settings: own.OUTPUT_SWITCHES },
] as const;

export type Section = (typeof SECTIONS)[number]['section'];

export interface NamedSetting extends SettingMeta {
  readonly schema: z.ZodType;
  readonly default: unknown;
  readonly name: string;
  readonly section: Section;
  readonly key: string;
}

function named(sections: typeof SECTIONS | typeof SWITCH_SECTIONS): readonly NamedSetting[] {
  return sections.flatMap(({ section, file, settings }) =>
    Object.entries<z.ZodType>(settings.shape).map(([key, schema]): NamedSetting => {
      const meta = (schema.meta() ?? {}) as SettingMeta;
      const name = meta.description === undefined || file === '' ? key : `${file}.${key}`;
      const held = schema instanceof z.ZodPrefault ? schema.def.defaultValue : undefined;
      return { ...meta, schema, default: held, name, section, key };
    }),
  );
}

export const ALL_SETTINGS = named(SECTIONS);
export const SWITCHES = named(SWITCH_SECTIONS);

export const FILE_SECTIONS = {
  target: 'The helpdesk service that tickets are imported into.',
  source: 'The export and how to read it.',
  run: 'How the run goes.',
  files: 'Files of the tickets: attachments, and what messages show.',
  appApi: 'The app API: usage events, customers, usage metrics.',
} as const;

type Values<S extends z.ZodObject> = { readonly [K in keyof S['shape']]: z.output<S['shape'][K]> };

export interface AllValues {
  readonly task: Values<typeof own.TASK> & Values<typeof own.TASK_SWITCHES> & Values<typeof own.REVIEW>;
  readonly target: Values<typeof own.TARGET>;
  readonly source: Values<typeof own.SOURCE>;
  readonly selection: Values<typeof own.SELECTION>;
  readonly run: Values<typeof own.RUN>;
  readonly output: Values<typeof own.OUTPUT> & Values<typeof own.OUTPUT_SWITCHES>;
  readonly files: Values<typeof own.FILES>;
  readonly people: Values<typeof own.PEOPLE>;
  readonly appApi: Values<typeof own.APP_API>;
}

export interface FileSettings extends z.input<typeof own.PEOPLE>, z.input<typeof own.REVIEW> {
  target?: z.input<typeof own.TARGET> | undefined;
  source?: z.input<typeof own.SOURCE> | undefined;
  run?: (z.input<typeof own.RUN> & z.input<typeof own.OUTPUT>) | undefined;
  files?: z.input<typeof own.FILES> | undefined;
  appApi?: z.input<typeof own.APP_API> | undefined;
  mapping?: unknown;
}

export function optionOf({ flag, default: held }: NamedSetting): OptionSpec | undefined {
  if (flag === undefined) return undefined;
  const isInWords = flag.byDefault !== undefined || held === undefined || typeof held === 'boolean';
  return { ...flag, byDefault: isInWords ? flag.byDefault : [held].flat().join(' and ') };
}

/** `mapping`: the schema of that section. */
export function fileSchema(of: (setting: NamedSetting) => z.ZodType, mapping: z.ZodType) {
  const keysOf = (prefix: string) =>
    Object.fromEntries(
      ALL_SETTINGS.filter(
        ({ name, key, description }) => description !== undefined && name === `${prefix}${key}`,
      ).map((setting) => [setting.key, of(setting)] as const),
    );
  const sections = Object.entries(FILE_SECTIONS).map(([name, description]) => {
    const section = z.strictObject(keysOf(`${name}.`)).optional();
    return [name, section.meta({ description })] as const;
  });
  return z.strictObject({ ...Object.fromEntries(sections), ...keysOf(''), mapping: mapping.optional() });
}

export function settingsJsonSchema(mapping: z.ZodType = z.unknown()): Record<string, unknown> {
  const schema = z.toJSONSchema(
    fileSchema(({ schema: own }) => own, mapping),
    {
      io: 'input',
      target: 'draft-07',
      unrepresentable: 'any',
      override: ({ jsonSchema }) => {
        for (const key of ['flag', 'alone', 'env', 'option', 'isPath', 'inSandbox'])
          Reflect.deleteProperty(jsonSchema, key);
      },
    },
  );
  // First, as a file is recognised by its beginning.
  return { title: 'Settings of helpdesk-import', ...schema };
}
