/** Real exports from `../shared/data` (licences differ), and what the program makes of each, one a row. */
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';

const root = resolve(import.meta.dirname, '../..');
export const DATA = resolve(root, '../shared/data');
export const SETTINGS = join(root, 'fixtures/real-data');
export const hasData = existsSync(DATA);

export interface RealExport {
  /** Below DATA. */
  readonly folder: string;
  /** What a person changes in the table of `init`, as behind `--set`. */
  readonly set: readonly string[];
  /** The layout under which the dry run goes with the settings; `export` is a mapping that `init` proposed. */
  readonly layout: string;
  /** With the settings. */
  readonly tickets: {
    readonly read: number;
    readonly good: number;
    readonly rejected: number;
    readonly left: number;
  };
  readonly messages: number;
  readonly events: number;
  /** Without any settings: rejected tickets and the errors by code; undefined where the layout is not known. */
  readonly alone?: { readonly rejected: number; readonly errors: Readonly<Record<string, number>> };
}

export const REAL_EXPORTS = parse(
  readFileSync(join(import.meta.dirname, 'exports.yaml'), 'utf8'),
) as readonly RealExport[];

/** Name of an export's settings file. */
export function settingsFile({ folder }: RealExport): string {
  return join(SETTINGS, `${folder.replaceAll('/', '.')}.yaml`);
}
