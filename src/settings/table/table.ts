/** All settings: their sections, and what is made from them. A new setting is one entry of one of these sections. */
import type { OptionSpec } from '../option-spec.ts';
import type { Setting } from '../setting.ts';
import { APP_API } from './app-api.ts';
import { FILES } from './files.ts';
import { OUTPUT, RUN, TASK } from './run.ts';
import { PEOPLE, REVIEW, SELECTION, SOURCE } from './source.ts';
import { TARGET } from './target.ts';

export const SETTINGS_FILE = 'helpdesk-import.yaml';

/** In the order in which they are read, told and documented; `file`: the section of the file, '' for its top. */
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

export interface NamedSetting extends Setting {
  /** Dotted, as in the settings file; of what has no place there the key alone. */
  readonly name: string;
  /** Where it is in `Settings`. */
  readonly section: Section;
  readonly key: string;
}

export const ALL_SETTINGS: readonly NamedSetting[] = SECTIONS.flatMap(({ section, file, settings }) =>
  Object.entries<Setting>(settings).map(([key, setting]) => ({
    ...setting,
    name: setting.meaning === undefined || file === '' ? key : `${file}.${key}`,
    section,
    key,
  })),
);

/** What the sections of the file mean, for the reference and for editors. */
export const FILE_SECTIONS = {
  target: 'The helpdesk service that tickets are imported into.',
  source: 'The export and how to read it.',
  run: 'How the run goes.',
  files: 'Files of the tickets: attachments, and what messages show.',
  appApi: 'The app API: usage events, customers, usage metrics.',
} as const;

type ValueOf<S> = S extends Setting<infer T> ? T : never;
type WrittenOf<S> = S extends Setting<unknown, infer W> ? W : never;

/** What the settings of a section become. */
type Values<S> = { readonly [K in keyof S]: ValueOf<S[K]> };

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

/** What may stand in a section of the file. */
type InFile<S> = {
  [K in keyof S as [WrittenOf<S[K]>] extends [never] ? never : K]?: WrittenOf<S[K]> | undefined;
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

/** What `--help` says of the flag of a setting. */
export function optionOf(setting: Setting): OptionSpec | undefined {
  const { flag, default: held } = setting;
  if (flag === undefined) return undefined;
  return {
    ...flag,
    byDefault:
      flag.byDefault ?? (typeof held === 'boolean' || held === undefined ? undefined : written(held)),
  };
}

function written(value: string | number | readonly string[]): string {
  return Array.isArray(value) ? value.join(' and ') : String(value);
}
