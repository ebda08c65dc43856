/** `--only @file`: external ids from a file, one a line. */

import { readSmallFile, whyUnread } from '../disk/small-file.ts';
import { AppError } from '../domain/errors.ts';
import { BOUNDS } from '../domain/limits.ts';
import { printable } from '../domain/printable.ts';

/**
 * Replaces every entry `@file` by the IDs in that file. Throws AppError `usage` for an unreadable or empty file.
 */
export async function expandIdList(
  entries: readonly string[],
  pathOf: (name: string) => string,
): Promise<readonly string[]> {
  const ids = new Set<string>();
  for (const entry of entries) {
    const named = entry.startsWith('@') ? await idsIn(entry.slice(1), pathOf) : [entry];
    for (const id of named) ids.add(id);
  }
  return [...ids];
}

async function idsIn(name: string, pathOf: (name: string) => string): Promise<string[]> {
  let text: string;
  try {
    text = readSmallFile(pathOf(name), BOUNDS.ids.most);
  } catch (error) {
    throw new AppError('usage', `The list of tickets ${printable(name)} ${whyUnread(error)}.`, {
      hint: '--only takes comma-separated external ids, or @file for a file with one id per line.',
      cause: error,
    });
  }
  const ids = text
    .replace(/^\ufeff/, '')
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
  if (ids.length === 0) throw new AppError('usage', `The list of tickets ${printable(name)} is empty.`);
  return ids;
}
