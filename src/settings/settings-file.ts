/** The text of `helpdesk-import.yaml`: its keys checked, each complaint with its line. */
import { dirname, isAbsolute, join } from 'node:path';
import { nearest } from '../domain/nearest.ts';
import type { Complaint } from './complaint.ts';
import { mayBeSecret, pathText, unknownKey, valueAt } from './sentences.ts';
import { ALL_SETTINGS, FILE_SECTIONS, type FileSettings } from './table/table.ts';
import { readYaml } from './yaml-text.ts';

export interface SettingsFile {
  /** As the user named it. */
  readonly name: string;
  /** The unchecked data, without unknown keys and open decisions. */
  readonly value: FileSettings;
  readonly complaints: readonly Complaint[];
  /** A complaint about the value or key at a path. */
  complain(path: readonly PropertyKey[], part: 'key' | 'value', message: string): Complaint;
  /** Resolves a path relative to the file's folder. */
  resolve(path: string): string;
}

/** Checks a section with its own language; paths start at the section. */
export type MappingCheck = (
  section: unknown,
) => readonly { readonly path: readonly PropertyKey[]; readonly message: string }[];

export interface SectionChecks {
  readonly mapping?: MappingCheck;
  readonly usageEvents?: MappingCheck;
}

/** Never throws for what a person wrote. */
export function parseSettingsFile(text: string, name: string, checks: SectionChecks = {}): SettingsFile {
  const yaml = readYaml(text.replace(/^\ufeff/, ' '), name);
  const complaints = [...yaml.complaints];
  const open = openPaths(yaml.value);
  for (const path of open)
    complaints.push(
      yaml.complain(
        path,
        /^TODO\b/.test(String(path.at(-1))) ? 'key' : 'value',
        `${pathText(path)} is still to be decided: replace TODO with the value, or delete the line.`,
      ),
    );
  const value = checkedKeys(yaml.value, (path, at, message) => {
    if (at === 'value' || !mayBeSecret(String(path.at(-1))))
      complaints.push(yaml.complain(path, at, message));
    else complaints.push({ place: yaml.complain(path, at, message).place ?? name, message });
  });
  // Other faults of a section with an open decision would be echoes.
  const sections = [
    [['mapping'], value.mapping, checks.mapping],
    [['appApi', 'usageEvents'], value.appApi?.usageEvents, checks.usageEvents],
  ] as const;
  for (const [above, section, check] of sections)
    if (section !== undefined && !open.some(([first]) => first === above[0]))
      for (const { path, message } of check?.(section) ?? []) {
        const whole = [...above, ...path];
        complaints.push(yaml.complain(whole, 'key', `${pathText(whole)}: ${message}`));
      }
  for (const path of open) remove(value, path);
  const folder = dirname(name);
  return {
    name,
    value,
    complaints,
    complain: yaml.complain,
    resolve: (path) => (path === '-' || isAbsolute(path) || folder === '.' ? path : join(folder, path)),
  };
}

/** Open decisions of `init`. */
function openPaths(value: unknown, path: readonly PropertyKey[] = []): (readonly PropertyKey[])[] {
  if (typeof value === 'string') return /^TODO\b/.test(value) ? [path] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const at = [...path, Array.isArray(value) ? Number(key) : key];
    return /^TODO\b/.test(key) ? [at] : openPaths(inner, at);
  });
}

/** Of a list all of it. */
function remove(value: unknown, path: readonly PropertyKey[]): void {
  const holder = valueAt(value, path.slice(0, -1));
  if (Array.isArray(holder)) remove(value, path.slice(0, -1));
  else if (typeof holder === 'object' && holder !== null) Reflect.deleteProperty(holder, path.at(-1) ?? '');
}

type Complain = (path: readonly string[], at: 'key' | 'value', message: string) => void;

const KEYS = ALL_SETTINGS.filter(({ description }) => description !== undefined).map(({ name }) => name);
const TOP = [...Object.keys(FILE_SECTIONS), 'mapping', ...KEYS.filter((name) => !name.includes('.'))];

/** The known keys of the file. A key without a value counts as missing. */
function checkedKeys(data: unknown, complain: Complain): FileSettings {
  const value: Record<string, unknown> = {};
  const isSection = (written: unknown): written is Record<string, unknown> =>
    typeof written === 'object' && written !== null && !Array.isArray(written);
  const section = 'must be a section with its own keys, not';
  if (data === undefined) return value;
  if (!isSection(data)) complain([], 'value', `the settings file ${section} ${kindOf(data)}.`);
  else
    for (const [key, written] of Object.entries(data)) {
      if (!TOP.includes(key))
        complain([key], 'key', `${unknownKey(key)} is not a setting.${hintOf('', key)}`);
      else if (written === null) continue;
      else if (!(key in FILE_SECTIONS)) value[key] = key === 'mapping' ? withoutNone(written) : written;
      else if (!isSection(written)) complain([key], 'value', `${key} ${section} ${kindOf(written)}.`);
      else {
        const known = Object.entries(written).filter(([inner, held]) => {
          const isKnown = KEYS.includes(`${key}.${inner}`);
          if (!isKnown)
            complain(
              [key, inner],
              'key',
              `${unknownKey(inner)} is not a key of ${key}.${hintOf(key, inner)}`,
            );
          return isKnown && held !== null;
        });
        value[key] = Object.fromEntries(known);
      }
    }
  return value;
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  // A text instead of a section may be a token.
  return typeof value === 'string' ? 'a text' : String(value);
}

/** ` Did you mean …?`: a similar key here, or the same key in another section. */
function hintOf(section: string, key: string): string {
  const within = (prefix: string) =>
    KEYS.filter((name) => name.startsWith(`${prefix}.`)).map((name) => name.slice(prefix.length + 1));
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

/** `null` for a column: the export has no such column; in a value map it is a value. */
function withoutNone(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNone);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).flatMap(([key, inner]) => {
    if (key === 'map' || key === 'values' || (key === 'maps' && inner !== null))
      return [[key, inner] as const];
    const clean = withoutNone(inner);
    return clean === null || isNoColumn(inner) ? [] : [[key, clean] as const];
  });
  return Object.fromEntries(kept);
}

function isNoColumn(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'column' in value && value.column === null;
}
