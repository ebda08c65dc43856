/** All settings by section. A new setting is one entry. */
import { z } from 'zod';
import type { OptionSpec } from '../option-spec.ts';
import { metaOf, type Setting, type SettingMeta } from '../setting.ts';
import { APP_API } from './app-api.ts';
import { FILES } from './files.ts';
import { OUTPUT, RUN, TASK } from './run.ts';
import { PEOPLE, REVIEW, SELECTION, SOURCE } from './source.ts';
import { TARGET } from './target.ts';

export const SETTINGS_FILE = 'helpdesk-import.yaml';

/** In the order in which they are read and documented; `file`: the section of the file, '' for its top. */
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

export type Section = (typeof SECTIONS)[number]['section'];

export interface NamedSetting extends SettingMeta {
  readonly schema: Setting;
  /** Dotted, as in the settings file; otherwise the key. */
  readonly name: string;
  /** Where it is in `Settings`. */
  readonly section: Section;
  readonly key: string;
}

export const ALL_SETTINGS: readonly NamedSetting[] = SECTIONS.flatMap(({ section, file, settings }) =>
  Object.entries<Setting>(settings).map(([key, schema]): NamedSetting => {
    const meta = metaOf(schema);
    const name = meta.description === undefined || file === '' ? key : `${file}.${key}`;
    return { ...meta, schema, name, section, key };
  }),
);

/** The meaning of the sections, for the reference and for editors. */
export const FILE_SECTIONS = {
  target: 'The helpdesk service that tickets are imported into.',
  source: 'The export and how to read it.',
  run: 'How the run goes.',
  files: 'Files of the tickets: attachments, and what messages show.',
  appApi: 'The app API: usage events, customers, usage metrics.',
} as const;

/** The results of a section. */
type Values<S> = { readonly [K in keyof S]: z.output<S[K]> };

export interface AllValues {
  readonly task: Values<typeof TASK & typeof REVIEW>;
  readonly target: Values<typeof TARGET>;
  readonly source: Values<typeof SOURCE>;
  readonly selection: Values<typeof SELECTION>;
  readonly run: Values<typeof RUN>;
  readonly output: Values<typeof OUTPUT>;
  readonly files: Values<typeof FILES>;
  readonly people: Values<typeof PEOPLE>;
  readonly appApi: Values<typeof APP_API>;
}

/** The form of a section in the file. */
type InFile<S> = {
  [K in keyof S as [Exclude<z.input<S[K]>, undefined>] extends [never] ? never : K]?: z.input<S[K]>;
};

/** The settings file as data. Every key is optional. */
export interface FileSettings extends InFile<typeof PEOPLE & typeof REVIEW> {
  target?: InFile<typeof TARGET> | undefined;
  source?: InFile<typeof SOURCE> | undefined;
  run?: (InFile<typeof RUN> & InFile<typeof OUTPUT>) | undefined;
  files?: InFile<typeof FILES> | undefined;
  appApi?: InFile<typeof APP_API> | undefined;
  /** The layout of the export, in the language of layouts. */
  mapping?: unknown;
}

/** The option of `run` for a setting, if any. */
export function optionOf(setting: SettingMeta): OptionSpec | undefined {
  const { flag, default: held } = setting;
  if (flag === undefined) return undefined;
  const isInWords = flag.byDefault !== undefined || held === undefined || typeof held === 'boolean';
  return { ...flag, byDefault: isInWords ? flag.byDefault : [held].flat().join(' and ') };
}

/** A JSON schema of the file, for editors; `mapping`: of the section of that name, which the layouts' language defines. */
export function settingsJsonSchema(mapping: z.ZodType = z.unknown()): Record<string, unknown> {
  const inFile = ALL_SETTINGS.filter(({ description }) => description !== undefined);
  const keysOf = (prefix: string) =>
    Object.fromEntries(
      inFile
        .filter(({ name, key }) => name === `${prefix}${key}`)
        .map(({ key, schema }) => [key, schema] as const),
    );
  const sections = Object.entries(FILE_SECTIONS).map(
    ([name, description]) =>
      [
        name,
        z
          .strictObject(keysOf(`${name}.`))
          .optional()
          .meta({ description }),
      ] as const,
  );
  const file = z.strictObject({
    ...Object.fromEntries(sections),
    ...keysOf(''),
    mapping: mapping.optional(),
  });
  const schema = z.toJSONSchema(file, {
    io: 'input',
    target: 'draft-07',
    unrepresentable: 'any',
    override: ({ jsonSchema }) => {
      for (const key of ['flag', 'alone', 'env', 'option', 'isPath', 'inSandbox'])
        Reflect.deleteProperty(jsonSchema, key);
    },
  });
  // First, as a file is recognised by its beginning.
  return { title: 'Settings of helpdesk-import', ...schema };
}
