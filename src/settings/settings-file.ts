import { dirname, isAbsolute, join } from 'node:path';
import { z } from 'zod';
import { AppError } from '../domain/errors.ts';
import { readSmallFile, SmallFileError, whyUnread } from '../domain/files.ts';
import { BOUNDS } from '../domain/limits.ts';
import { nearest, retired } from '../domain/nearest.ts';
import { printable } from '../domain/printable.ts';
import { openPaths, valueAt } from '../domain/source-file.ts';
import { quoted } from './parsers.ts';
import { type Complaint, pathText, sentencesOf } from './sentences.ts';
import { ALL_SETTINGS, FILE_SECTIONS, type FileSettings, fileSchema, SETTINGS_FILE } from './table/table.ts';
import { readYaml } from './yaml-text.ts';

export interface SettingsFile {
  readonly name: string;
  readonly value: FileSettings;
  readonly complaints: readonly Complaint[];
  complain(path: readonly PropertyKey[], part: 'key' | 'value', message: string): Complaint;
  resolve(path: string): string;
}

export type MappingCheck = (
  section: unknown,
) => readonly { readonly path: readonly PropertyKey[]; readonly message: string }[];

/** By default the one with the default name, if any. Throws AppError `configuration`. */
export async function loadSettingsFile(
  named: string | undefined,
  options: {
    readonly hint: string;
    readonly pathOf: (name: string) => string;
    readonly checkMapping?: () => Promise<MappingCheck>;
    readonly isRehearsal?: boolean;
  },
): Promise<SettingsFile | undefined> {
  const name = named ?? SETTINGS_FILE;
  let text: string;
  try {
    text = readSmallFile(options.pathOf(name), BOUNDS.settings.most);
  } catch (error) {
    const why = whyUnread(error);
    if (why === 'does not exist' && named === undefined) return undefined;
    const isExport = error instanceof SmallFileError && error.code === 'too large';
    const message = `The settings file ${printable(name)} ${why}.${isExport ? ' Is it the export?' : ''}`;
    throw new AppError('configuration', message, { hint: options.hint, cause: error });
  }
  const isAsked = text.includes('mapping');
  const check = isAsked ? await options.checkMapping?.() : undefined;
  return parseSettingsFile(text, name, check, options.isRehearsal);
}

export function parseSettingsFile(
  text: string,
  name: string,
  checkMapping?: MappingCheck,
  isRehearsal = false,
): SettingsFile {
  const { complain, ...yaml } = readYaml(text, name);
  const open = openPaths(yaml.value);
  const complaints = [
    ...yaml.complaints,
    ...open
      .filter((path) => !isRehearsal || !isOfAgents(path))
      .map((path) =>
        complain(
          path,
          'value',
          `${pathText(path)} is still to be decided: replace TODO with the value, or delete the line.`,
        ),
      ),
    ...sentencesOf(
      yaml.value === undefined ? [] : (KEYS.safeParse(yaml.value).error?.issues ?? []),
      yaml.value,
    )
      // A section without keys counts as missing.
      .filter(({ path, isUnknownKey }) => isUnknownKey === true || valueAt(yaml.value, path) !== null)
      .map(({ path, message, isUnknownKey }) =>
        isUnknownKey === true
          ? unknownKey(complain, path)
          : complain(path, 'value', `${pathText(path) || 'the settings file'} ${message}`),
      ),
  ];
  const value: FileSettings =
    typeof yaml.value === 'object' && !Array.isArray(yaml.value) ? { ...yaml.value } : {};
  value.mapping = withoutNone(value.mapping) ?? undefined;
  // Other faults of an open mapping would be echoes.
  if (value.mapping !== undefined && !open.some(([first]) => first === 'mapping'))
    for (const { path, message } of checkMapping?.(value.mapping) ?? []) {
      const whole = ['mapping', ...path];
      complaints.push(complain(whole, 'key', `${pathText(whole)}: ${message}`));
    }
  for (const path of open) remove(value, path);
  const folder = dirname(name);
  return {
    name,
    value,
    complaints,
    complain,
    resolve: (path) => (path === '-' || isAbsolute(path) || folder === '.' ? path : join(folder, path)),
  };
}

/** The sandbox takes any agent, so their IDs can wait. */
const isOfAgents = ([section]: readonly unknown[]) => section === 'agents' || section === 'fallbackAgent';

function remove(value: unknown, path: readonly PropertyKey[]): void {
  const holder = valueAt(value, path.slice(0, -1));
  if (Array.isArray(holder)) remove(value, path.slice(0, -1));
  else if (typeof holder === 'object' && holder !== null) {
    Reflect.deleteProperty(holder, path.at(-1) ?? '');
    // An empty section would lack its keys.
    if (path.length > 1 && Object.keys(holder).length === 0) remove(value, path.slice(0, -1));
  }
}

const KEYS = fileSchema(() => z.unknown().optional(), z.unknown());
const NAMES = ALL_SETTINGS.filter(({ description }) => description !== undefined).map(({ name }) => name);
const TOP = [...Object.keys(FILE_SECTIONS), 'mapping', ...NAMES.filter((name) => !name.includes('.'))];

/** It may be a token. */
function unknownKey(complain: SettingsFile['complain'], path: readonly PropertyKey[]): Complaint {
  const key = String(path.at(-1));
  const section = pathText(path.slice(0, -1));
  const mayBeSecret = key.length >= 16 && /\d/.test(key) && /^[\w+/=.~-]+$/.test(key);
  const shown = mayBeSecret ? `A key of ${key.length} characters` : quoted(key);
  const kind = section === '' ? 'a setting' : `a key of ${section}`;
  const { marked, ...complaint } = complain(path, 'key', `${shown} is not ${kind}.${hintOf(section, key)}`);
  return mayBeSecret || marked === undefined ? complaint : { ...complaint, marked };
}

/** The replacement of a retired key, a similar key here, or the same key in another section. */
function hintOf(section: string, key: string): string {
  const instead = retired(section === '' ? key : `${section}.${key}`);
  if (instead !== undefined) return ` ${instead}`;
  const within = (prefix: string) =>
    NAMES.filter((name) => name.startsWith(`${prefix}.`)).map((name) => name.slice(prefix.length + 1));
  const here = section === '' ? TOP : within(section);
  const near = nearest(key, here);
  if (near !== undefined) return ` Did you mean "${near}"?`;
  for (const other of Object.keys(FILE_SECTIONS)) {
    const match = other === section ? undefined : nearest(key, within(other));
    if (match !== undefined) return ` Did you mean "${other}.${match}"?`;
  }
  if (TOP.includes(key)) return ' It belongs at the top of the file.';
  return here.length > 16 ? '' : ` Known here: ${here.join(', ')}.`;
}

/** `null` for a column: the export has none; in a value map it is a value. */
function withoutNone(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNone);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).flatMap(([key, inner]) => {
    if (key === 'map' || key === 'values' || (key === 'maps' && inner !== null))
      return [[key, inner] as const];
    const clean = withoutNone(inner);
    const isNoColumn =
      typeof inner === 'object' && inner !== null && 'column' in inner && inner.column === null;
    return clean === null || isNoColumn ? [] : [[key, clean] as const];
  });
  return Object.fromEntries(kept);
}
