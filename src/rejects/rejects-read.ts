/** Which inputs of a run are rejects: folders with the marker, given by name, by a link, or by a file in them. */

import { existsSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Shard } from '../domain/limits.ts';
import type { SourceFile } from '../domain/source-file.ts';
import { MARKER, readMarker } from './reject-folder.ts';

/** Rejects may have a folder for each ticket. */
const DEEPEST = 4;

/** The folders of rejects that hold inputs, by their real paths. */
export function rejectFoldersOf(inputs: readonly string[]): string[] {
  const found = new Set<string>();
  for (const input of inputs) {
    if (input === '-' || !existsSync(input)) continue;
    let folder = realpathSync(input);
    if (!statSync(folder).isDirectory()) folder = dirname(folder);
    for (let depth = 0; depth < DEEPEST; depth++, folder = dirname(folder)) {
      if (!existsSync(join(folder, MARKER))) continue;
      found.add(folder);
      break;
    }
  }
  return [...found];
}

/** Whether the export is this folder of rejects, or in it. */
export function isReadFrom(rejects: string, inputs: readonly string[]): boolean {
  if (!existsSync(rejects)) return false;
  return rejectFoldersOf(inputs).includes(realpathSync(resolve(rejects)));
}

/** `2/4` */
export function shardName({ index, count }: Shard): string {
  return `${index}/${count}`;
}

/** The rejects of this shard: it imports their tickets, also if a corrected address belongs to another shard. */
export function filesOfShard(
  files: readonly SourceFile[],
  shard: Shard | undefined,
): ReadonlySet<number> | undefined {
  if (shard === undefined) return undefined;
  const isOwn = (folder: string) => readMarker(folder)?.shard === shardName(shard);
  return new Set(files.filter(({ name }) => rejectFoldersOf([name]).some(isOwn)).map(({ id }) => id));
}
