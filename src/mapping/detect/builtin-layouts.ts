/**
 * The layouts that ship with the program: one YAML file each, in the language that users write. The built program has them
 * in one more file, read and checked already, because that takes some tenths of a second at every start.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../../domain/errors.ts';
import { didYouMean } from '../../domain/nearest.ts';
import type { FileOutline } from '../../domain/source-file.ts';
import type { Layout } from '../language/layout.ts';
import { parseLayout } from '../language/read-layout.ts';
import { type Detection, detectLayout } from './detect.ts';

const FOLDER = join(import.meta.dirname, '../platforms');
/** Written by `npm run build` with what `compiledLayouts` gives. */
const COMPILED = join(FOLDER, 'builtin.json');
let loaded: Map<string, Layout> | undefined;

/** Names of all of them, in alphabetical order. */
export function builtinLayoutNames(): string[] {
  const files = readdirSync(FOLDER).filter((name) => name.endsWith('.yaml'));
  return files.map((name) => name.slice(0, -'.yaml'.length)).sort();
}

/** One layout; read once. A layout's file has its name. Throws AppError `usage` for an unknown name. */
export function builtinLayout(name: string): Layout {
  loaded ??= new Map(compiled().map((layout) => [layout.name, layout]));
  const known = loaded.get(name);
  if (known !== undefined) return known;
  const names = builtinLayoutNames();
  if (!names.includes(name))
    throw new AppError('usage', `There is no layout "${name}".${didYouMean(name, names)}`, {
      hint: `Known layouts: ${names.join(', ')}.`,
    });
  const text = readFileSync(join(FOLDER, `${name}.yaml`), 'utf8');
  // many of its columns are there in some exports only, so a missing one is no news
  const { ownColumns: _, ...layout } = parseLayout(text, `${name}.yaml`, builtinLayout);
  loaded.set(name, layout);
  return layout;
}

function compiled(): Layout[] {
  return existsSync(COMPILED) ? (JSON.parse(readFileSync(COMPILED, 'utf8')) as Layout[]) : [];
}

/** All of them as JSON, from the YAML files whatever was compiled before. They are plain data: nothing is lost on the way. */
export function compiledLayouts(): string {
  loaded = new Map();
  return JSON.stringify(builtinLayouts());
}

export function builtinLayouts(): Layout[] {
  return builtinLayoutNames().map(builtinLayout);
}

/** As `detectLayout` among all built-in layouts. */
export function detectBuiltin(outlines: readonly FileOutline[], from?: string): Detection {
  return detectLayout(outlines, from === undefined ? builtinLayouts() : [builtinLayout(from)], from);
}
