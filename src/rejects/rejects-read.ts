/** Which inputs of a run are rejects: folders with the marker, named as they are, by a link, or by a file in them. */

import { existsSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Shard } from '../domain/limits.ts';
import type { SourceFile } from '../domain/source-file.ts';
import { MARKER, readMarker } from './reject-folder.ts';

/** Files of rejects may stand in folders of their own, one a ticket. */
const DEEPEST = 4;

/** The folders of rejects in which inputs lie, by their own names. */
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

/** The files in rejects of this shard alone: their tickets are its own, whatever address a person corrected in them. */
export function filesOfShard(
  files: readonly SourceFile[],
  shard: Shard | undefined,
): ReadonlySet<number> | undefined {
  if (shard === undefined) return undefined;
  const isOwn = (folder: string) => readMarker(folder)?.shard === shardName(shard);
  return new Set(files.filter(({ name }) => rejectFoldersOf([name]).some(isOwn)).map(({ id }) => id));
}
