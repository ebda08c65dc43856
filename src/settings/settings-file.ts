/** The text of `helpdesk-import.yaml`, checked against its schema: every complaint with its line. */
import { dirname, isAbsolute, join } from 'node:path';
import type { z } from 'zod';
import type { Complaint } from './complaint.ts';
import { settingsFileSchema } from './file-schema.ts';
import {
  mayBeSecret,
  pathText,
  type SchemaComplaint,
  schemaComplaints,
  valueAt,
} from './schema-complaints.ts';
import type { FileSettings } from './table/table.ts';
import { readYaml } from './yaml-text.ts';

export interface SettingsFile {
  /** As the user named it. */
  readonly name: string;
  /** Only what is well-formed: with complaints it may be empty. */
  readonly value: FileSettings;
  readonly complaints: readonly Complaint[];
  /** `file:line:column` of a setting, by its dotted name. */
  placeOf(key: string): string;
  /** `index`: of an element, where the setting is a list. */
  complain(key: string, message: string, index?: number): Complaint;
  /** A path in the file is relative to the file's own folder. */
  resolve(path: string): string;
}

/** What is wrong with the `mapping` section: paths count from it on. For a language that a schema alone cannot check. */
export type MappingCheck = (
  mapping: unknown,
) => readonly { readonly path: readonly PropertyKey[]; readonly message: string }[];

/** Checks a settings file's text. Pure; never throws for what a person wrote. */
export function parseSettingsFile(
  text: string,
  name: string,
  mapping?: z.ZodType | MappingCheck,
  usageEvents?: MappingCheck,
): SettingsFile {
  const check = typeof mapping === 'function' ? mapping : undefined;
  const schema = settingsFileSchema(typeof mapping === 'function' ? undefined : mapping);
  const yaml = readYaml(text.replace(/^\ufeff/, ' '), name);
  const complaints = [...yaml.complaints];
  let value: FileSettings = {};
  if (complaints.length === 0) {
    const open = yaml.findWord('TODO');
    for (const { span, path } of open)
      complaints.push(
        yaml.complain(
          span,
          `${pathText(path)} is still to be decided: replace TODO with the value, or delete the line.`,
        ),
      );
    const data = withoutEmptySections(yaml.value ?? {});
    const checked = salvage(
      schema,
      without(
        data,
        open.map(({ path }) => path),
      ),
    );
    value = checked.value;
    for (const found of checked.complaints) {
      if (open.some(({ path }) => startsWith(path, found.path))) continue;
      const { at, path, message } = found;
      const span = yaml.spanOf(path, at);
      const isHidden = at === 'key' && mayBeSecret(String(path.at(-1)));
      complaints.push(isHidden ? { place: yaml.placeOf(span), message } : yaml.complain(span, message));
    }
    const events = value.appApi?.usageEvents;
    if (usageEvents !== undefined && events !== undefined && !open.some(({ path }) => path[0] === 'appApi'))
      for (const found of usageEvents(events)) {
        const path = ['appApi', 'usageEvents', ...found.path];
        complaints.push(yaml.complain(yaml.spanOf(path, 'key'), `${pathText(path)}: ${found.message}`));
      }
    // With a decision left open in it, the mapping is incomplete, and its other faults would be echoes of that.
    if (check !== undefined && value.mapping !== undefined && !open.some(({ path }) => path[0] === 'mapping'))
      for (const found of check(value.mapping)) {
        const path = ['mapping', ...found.path];
        // The key is right to mark for an unknown key and for a wrong value alike.
        complaints.push(yaml.complain(yaml.spanOf(path, 'key'), `${pathText(path)}: ${found.message}`));
      }
  }
  const at = (key: string, index?: number) =>
    yaml.spanOf(index === undefined ? key.split('.') : [...key.split('.'), index], 'value');
  const folder = dirname(name);
  return {
    name,
    value,
    complaints,
    placeOf: (key) => yaml.placeOf(at(key)),
    complain: (key, message, index) => yaml.complain(at(key, index), message),
    resolve: (path) => (path === '-' || isAbsolute(path) || folder === '.' ? path : join(folder, path)),
  };
}

/** A section whose keys are all commented out is as good as none, and so is a key without a value. `mapping` is kept. */
function withoutEmptySections(data: unknown, depth = 0): unknown {
  if (depth > 1 || typeof data !== 'object' || data === null || Array.isArray(data)) return data;
  const kept = Object.entries(data).filter(([, value]) => value !== null);
  return Object.fromEntries(
    kept.map(([key, value]) => {
      if (depth === 0 && key === 'mapping') return [key, withoutNone(value)];
      return [key, withoutEmptySections(value, depth + 1)];
    }),
  );
}

/** `null` for a column says that the export has none; in a map of values it is a value. */
function withoutNone(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNone);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).flatMap(([key, inner]) => {
    if (key === 'map' || key === 'values' || (key === 'maps' && inner !== null))
      return [[key, inner] as const];
    const clean = withoutNone(inner);
    const isGone = clean === null || isNoColumn(inner);
    return isGone ? [] : [[key, clean] as const];
  });
  return Object.fromEntries(kept);
}

function isNoColumn(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'column' in value && value.column === null;
}

type Path = readonly PropertyKey[];

/**
 * What of the data is well-formed, and what is wrong with the rest: the wrong parts are taken out, so that the values
 * that remain can be looked at too, and all complaints be made at once.
 */
function salvage(
  schema: ReturnType<typeof settingsFileSchema>,
  data: unknown,
): { value: FileSettings; complaints: readonly SchemaComplaint[] } {
  let complaints: readonly SchemaComplaint[] = [];
  let rest = data;
  for (let round = 0; round < SALVAGE_ROUNDS; round++) {
    const parsed = schema.safeParse(rest);
    if (parsed.success) return { value: parsed.data, complaints };
    const found = schemaComplaints(schema, rest, parsed.error);
    // Later rounds only find what the gaps of earlier ones made incomplete.
    if (round === 0) complaints = found;
    rest = without(
      rest,
      found.map(({ path }) => path),
    );
  }
  return { value: {}, complaints };
}

/** Taking a part out can make incomplete what holds it, a few levels up. */
const SALVAGE_ROUNDS = 5;

/** A copy of the data without what stands at these paths; where nothing stands there, without what should hold it. */
function without(data: unknown, paths: readonly Path[]): unknown {
  const copy: unknown = structuredClone(data);
  for (const path of paths) {
    let depth = path.length;
    while (depth > 0 && valueAt(copy, path.slice(0, depth)) === undefined) depth--;
    const holder = valueAt(copy, path.slice(0, depth - 1));
    const key = path[depth - 1];
    if (key !== undefined && typeof holder === 'object' && holder !== null)
      Reflect.deleteProperty(holder, key);
  }
  // Gaps that this leaves in lists are closed.
  return closeGaps(copy);
}

function closeGaps(data: unknown): unknown {
  if (Array.isArray(data)) return data.filter((_, index) => index in data).map(closeGaps);
  if (typeof data !== 'object' || data === null) return data;
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, closeGaps(value)]));
}

function startsWith(path: Path, start: Path): boolean {
  return start.every((part, index) => String(part) === String(path[index]));
}
