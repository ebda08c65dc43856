/** `--only @file`: external ids from a file, one a line. */
import { readFile } from 'node:fs/promises';
import { AppError } from '../domain/errors.ts';

/**
 * Replaces every entry `@file` by the ids in that file; empty lines are passed over. `pathOf` makes the name a path.
 * Throws AppError `usage` when a file cannot be read or names no id.
 */
export async function expandIdList(
  entries: readonly string[],
  pathOf: (name: string) => string,
): Promise<readonly string[]> {
  const ids: string[] = [];
  for (const entry of entries) {
    if (entry.startsWith('@')) ids.push(...(await idsIn(entry.slice(1), pathOf)));
    else ids.push(entry);
  }
  return [...new Set(ids)];
}

async function idsIn(name: string, pathOf: (name: string) => string): Promise<string[]> {
  let text: string;
  try {
    text = await readFile(pathOf(name), 'utf8');
  } catch (error) {
    throw new AppError('usage', `The list of tickets ${name} cannot be read.`, {
      hint: '--only takes external ids with commas between, or @file for a file with one id a line.',
      cause: error,
    });
  }
  const ids = text
    .replace(/^\ufeff/, '')
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
  if (ids.length === 0) throw new AppError('usage', `The list of tickets ${name} is empty.`);
  return ids;
}
