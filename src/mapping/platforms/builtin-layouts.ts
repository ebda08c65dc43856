/**
 * The layouts that ship with the program: one YAML file each, in the language that users write. The built program has them
 * in one more file, read and checked already, because that takes some tenths of a second at every start.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { extname, join } from 'node:path';
import { AppError } from '../../domain/errors.ts';
import { didYouMean } from '../../domain/nearest.ts';
import type { FileOutline } from '../../domain/source-file.ts';
import { type Detection, detectLayout } from '../detect/detect.ts';
import type { Layout } from '../language/layout.ts';
import type { FindLayout } from '../language/read-layout.ts';

const FOLDER = import.meta.dirname;
/** Written by `npm run build` with what `compiledLayouts` gives. */
const COMPILED = join(import.meta.dirname, 'builtin.json');
/** The parser of layouts, loaded only without compiled ones. */
const RESOLVER = `../language/read-layout${extname(import.meta.filename)}`;
const loaded = new Map<string, Layout>();
let isCompiledRead = false;

/** Names of all of them, in alphabetical order. */
export function builtinLayoutNames(): string[] {
  return readdirSync(FOLDER)
    .filter((name) => name.endsWith('.yaml'))
    .map((name) => name.slice(0, -'.yaml'.length))
    .sort();
}

/** One layout; read once. A layout's file has its name. Throws AppError `usage` for an unknown name. */
export const builtinLayout: FindLayout = (name) => {
  readCompiled();
  const known = loaded.get(name);
  if (known !== undefined) return known;
  const names = builtinLayoutNames();
  if (!names.includes(name))
    throw new AppError('usage', `There is no layout "${name}".${didYouMean(name, names)}`, {
      hint: `Known layouts: ${names.join(', ')}.`,
    });
  const file = join(FOLDER, `${name}.yaml`);
  const { parseLayout } = createRequire(import.meta.url)(
    RESOLVER,
  ) as typeof import('../language/read-layout.ts');
  // many of its columns are there in some exports only, so a missing one is no news
  const { ownColumns: _, ...layout } = parseLayout(readFileSync(file, 'utf8'), `${name}.yaml`, builtinLayout);
  if (layout.name !== name)
    throw new AppError('internal', `The layout in ${name}.yaml is named ${layout.name}.`);
  loaded.set(name, layout);
  return layout;
};

function readCompiled(): void {
  if (isCompiledRead) return;
  isCompiledRead = true;
  if (!existsSync(COMPILED)) return;
  for (const layout of JSON.parse(readFileSync(COMPILED, 'utf8')) as Layout[])
    loaded.set(layout.name, layout);
}

/** All of them as JSON, from the YAML files whatever was compiled before. They are plain data: nothing is lost on the way. */
export function compiledLayouts(): string {
  isCompiledRead = true;
  loaded.clear();
  return JSON.stringify(builtinLayouts());
}

export function builtinLayouts(): Layout[] {
  return builtinLayoutNames().map(builtinLayout);
}

/** As `detectLayout` among all built-in layouts. */
export function detectBuiltin(outlines: readonly FileOutline[], from?: string): Detection {
  return detectLayout(outlines, from === undefined ? builtinLayouts() : [builtinLayout(from)], from);
}
