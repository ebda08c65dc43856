/** Where a mutant's text and its tests stand, which may be elsewhere since it was listed: files are moved and joined. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Mutant } from './mutant.ts';

export interface Place {
  readonly file: string;
  readonly tests: readonly string[];
}

/** The place, or what is wrong with the list. */
export function placeOf({ file, search, tests }: Mutant, root: string): Place | string {
  const standsOnce = (path: string) => readFileSync(join(root, path), 'utf8').split(search).length === 2;
  const [found, another] =
    existsSync(join(root, file)) && standsOnce(file)
      ? [file]
      : globSync('src/**/*.ts', { cwd: root }).filter(standsOnce);
  if (found === undefined || another !== undefined)
    return `its text does not stand once in ${file}, nor in one other file alone`;
  const moved = tests.map((test) =>
    existsSync(join(root, test)) ? [test] : globSync(`test/**/${basename(test)}`, { cwd: root }),
  );
  const lost = moved.findIndex((paths) => paths.length !== 1);
  return lost === -1 ? { file: found, tests: moved.flat() } : `there is no test ${tests[lost]}`;
}
