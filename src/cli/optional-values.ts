/**
 * `--sandbox [dir]` and `--trial [n]` have optional values, so `run --sandbox export.jsonl` would take the export as the sandbox's folder. An
 * impossible value is a file.
 */
import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Flags } from './context.ts';

export interface Arguments {
  readonly files: readonly string[];
  readonly flags: Flags;
}

/** Reads the disk, changes nothing. */
export function giveFilesBack({ files, flags }: Arguments, cwd: string): Arguments {
  const back: string[] = [];
  const kept: Record<string, Flags[string]> = { ...flags };
  const { sandbox, trial } = flags;
  if (typeof trial === 'string' && !/^\d+$/.test(trial) && existsSync(resolve(cwd, trial))) {
    back.push(trial);
    kept['trial'] = true;
  }
  if (typeof sandbox === 'string' && isExport(resolve(cwd, sandbox), files.length + back.length > 0)) {
    back.push(sandbox);
    kept['sandbox'] = true;
  }
  return { files: [...back, ...files], flags: kept };
}

/** A file is no sandbox folder; nor is a folder with other contents, if nothing else is to read. */
function isExport(path: string, hasOthers: boolean): boolean {
  if (!existsSync(path)) return false;
  return !statSync(path).isDirectory() || (!hasOthers && !existsSync(join(path, 'service.sqlite')));
}
