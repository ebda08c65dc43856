/** The library as users get it: the built package, by the entry that package.json names. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from '../support/cli.ts';

export type Library = typeof import('../../src/index.ts');

export async function importLibrary(): Promise<Library> {
  return (await import(pathToFileURL(join(root, 'dist/index.js')).href)) as Library;
}
