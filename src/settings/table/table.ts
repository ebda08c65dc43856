/** A new setting is one entry. */
import { z } from 'zod';
import type { OptionSpec, SettingMeta } from '../option-spec.ts';
import { OUTPUT, OUTPUT_SWITCHES, RUN, TASK, TASK_SWITCHES } from './run.ts';
import { PEOPLE, REVIEW, SELECTION, SOURCE } from './source.ts';
import { APP_API, FILES, TARGET } from './target.ts';

export const SETTINGS_FILE = 'helpdesk-import.yaml';

/** `file`: the section of the file, '' for its top. */
const SECTIONS = [
  { section: 'task', file: '', settings: TASK },
  { section: 'target', file: 'target', settings: TARGET },
  { section: 'source', file: 'source', settings: SOURCE },
  { section: 'selection', file: '', settings: SELECTION },
  { section: 'run', file: 'run', settings: RUN },
  { section: 'output', file: 'run', settings: OUTPUT },
  { section: 'files', file: 'files', settings: FILES },
  { section: 'people', file: '', settings: PEOPLE },
  { section: 'appApi', file: 'appApi', settings: APP_API },
  { section: 'task', file: '', settings: REVIEW },
] as const;

const SWITCH_SECTIONS = [
  { section: 'task', file: '', settings: TASK_SWITCHES },
  { section: 'output', file: '', settings: OUTPUT_SWITCHES },
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
  readonly task: Values<typeof TASK> & Values<typeof TASK_SWITCHES> & Values<typeof REVIEW>;
  readonly target: Values<typeof TARGET>;
  readonly source: Values<typeof SOURCE>;
  readonly selection: Values<typeof SELECTION>;
  readonly run: Values<typeof RUN>;
  readonly output: Values<typeof OUTPUT> & Values<typeof OUTPUT_SWITCHES>;
  readonly files: Values<typeof FILES>;
  readonly people: Values<typeof PEOPLE>;
  readonly appApi: Values<typeof APP_API>;
}

export interface FileSettings extends z.input<typeof PEOPLE>, z.input<typeof REVIEW> {
  target?: z.input<typeof TARGET> | undefined;
  source?: z.input<typeof SOURCE> | undefined;
  run?: (z.input<typeof RUN> & z.input<typeof OUTPUT>) | undefined;
  files?: z.input<typeof FILES> | undefined;
  appApi?: z.input<typeof APP_API> | undefined;
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
