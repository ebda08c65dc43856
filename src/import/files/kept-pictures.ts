/** Pictures of a conversation from the folder of files, for a report, which sends no requests. */
import { readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { typeOfBytes } from '../../attachments/file-kind.ts';
import type { Settings } from '../../settings/settings.ts';

/** Of all that a report shows, bytes: it is sent by mail. */
const MOST_BYTES = 60_000;
/** A file is called by its content (`ab/abcd….png`), wherever the folder is shown. */
const KEPT = /\/([\da-f]{2}\/[\da-f]{64}(?:\.[a-z\d]{1,8})?)(?![\w.])/g;

/** The pictures of a text with new addresses, each once in all, as `data:` addresses. Nothing where files are elsewhere. */
export function keptPictures({ files }: Settings): (text: string) => string[] {
  const { to } = files;
  const seen = new Set<string>();
  let left = MOST_BYTES;
  return (text) => {
    if (typeof to !== 'string') return [];
    return [...text.matchAll(KEPT)].flatMap(([, name = '']) => {
      const path = join(resolve(to), name);
      const size = seen.has(name) ? undefined : statSync(path, { throwIfNoEntry: false })?.size;
      if (size === undefined || size > left) return [];
      seen.add(name);
      const bytes = readFileSync(path);
      const type = typeOfBytes(bytes);
      if (type?.startsWith('image/') !== true) return [];
      left -= size;
      return [`data:${type};base64,${bytes.toString('base64')}`];
    });
  };
}
