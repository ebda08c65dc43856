/**
 * Layouts that ship with the program: one YAML file each. The built program has them checked in one file, as reading them takes
 * tenths of a second.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { didYouMean, retired } from '../../domain/nearest.ts';
import type { SourceFile } from '../../domain/source-file.ts';
import { stop } from '../../domain/text/stops.ts';
import type { LayoutIssue } from '../language/expression.ts';
import type { Layout } from '../language/layout.ts';
import { parseLayout, readMapping } from '../language/read-layout.ts';
import { type Detection, detectLayout } from './detect.ts';

const FOLDER = join(import.meta.dirname, '../platforms');
const COMPILED = join(FOLDER, 'builtin.json');
let loaded: Map<string, Layout> | undefined;

export function builtinLayoutNames(): string[] {
  const files = readdirSync(FOLDER).filter((name) => name.endsWith('.yaml'));
  return files.map((name) => name.slice(0, -'.yaml'.length)).sort();
}

/** A layout's file has its name. Throws AppError `usage` for an unknown one. */
export function builtinLayout(name: string): Layout {
  loaded ??= new Map(compiled().map((layout) => [layout.name, layout]));
  const known = loaded.get(name);
  if (known !== undefined) return known;
  const names = builtinLayoutNames();
  if (!names.includes(name)) {
    const gone = retired(`layout ${name}`);
    const near = gone === undefined ? didYouMean(name, names) : ` ${gone}`;
    throw stop('no-layout', { name, near, names: names.join(', ') });
  }
  const text = readFileSync(join(FOLDER, `${name}.yaml`), 'utf8');
  // Exports lack many of its columns, so a missing one is no news.
  const { ownColumns: _, isOwn: __, ...layout } = parseLayout(text, `${name}.yaml`, builtinLayout);
  loaded.set(name, layout);
  return layout;
}

function compiled(): Layout[] {
  return existsSync(COMPILED) ? (JSON.parse(readFileSync(COMPILED, 'utf8')) as Layout[]) : [];
}

/** As JSON, from the YAML files. */
export function compiledLayouts(): string {
  loaded = new Map();
  return JSON.stringify(builtinLayouts());
}

export function builtinLayouts(): Layout[] {
  return builtinLayoutNames().map(builtinLayout);
}

export function detectBuiltin(files: readonly SourceFile[], from?: string): Detection {
  return detectLayout(files, from === undefined ? builtinLayouts() : [builtinLayout(from)], from);
}

export function checkMapping(mapping: unknown): readonly LayoutIssue[] {
  const read = readMapping(mapping, builtinLayout);
  return 'issues' in read ? read.issues : [];
}
