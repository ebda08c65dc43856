/** Exports of the built-in layouts: a folder of fixtures each, with its settings and what it is expected to become. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fixtures } from './cli.ts';

const LAYOUTS = join(fixtures, 'layouts');
export const layoutNames = readdirSync(LAYOUTS);

export function layoutExport(name: string) {
  const folder = join(LAYOUTS, name);
  const files = readdirSync(folder).filter((file) => !/^(?:expected|settings)\.json$/.test(file));
  const read = (file: string) => readFileSync(join(folder, file), 'utf8');
  return {
    paths: files.map((file) => join(folder, file)),
    texts: Object.fromEntries(files.map((file) => [file, read(file)])),
    settings: JSON.parse(read('settings.json')) as Readonly<Record<string, unknown>>,
    expected: join(folder, 'expected.json'),
  };
}
