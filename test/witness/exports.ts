/** The exports beside the repository, where they are there: genuine ones, and small ones that once came in wrong. */
import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DATA, hasData, REAL_EXPORTS, settingsFile } from '../real-data/exports.ts';
import { root } from '../support/cli.ts';

export interface GivenExport {
  readonly name: string;
  readonly path: string;
  readonly config: string;
}

const CASES = resolve(root, '../shared/cases');
const KINDS = ['fate', 'own-files', 'own-files-2', 'reading'];
const OWN = ['settings.yaml', 'helpdesk-import.yaml'];

export function givenExports(): GivenExport[] {
  const real = hasData ? REAL_EXPORTS : [];
  const cases = existsSync(CASES) ? KINDS.flatMap((kind) => casesIn(kind)) : [];
  return [
    ...real.map((each) => ({ name: each.folder, path: join(DATA, each.folder), config: settingsFile(each) })),
    ...cases,
  ];
}

/** A folder with files of data is a case. */
function casesIn(name: string): GivenExport[] {
  const path = join(CASES, name);
  const entries = readdirSync(path, { withFileTypes: true });
  const isCase = entries.some((entry) => entry.isFile() && /\.(?:csv|tsv|json|jsonl)$/.test(entry.name));
  if (!isCase)
    return entries.flatMap((entry) => (entry.isDirectory() ? casesIn(join(name, entry.name)) : []));
  const own = OWN.map((file) => join(path, file)).find((file) => existsSync(file));
  return [{ name, path, config: own ?? join(CASES, 'fate/hi.yaml') }];
}
