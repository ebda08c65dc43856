/**
 * `--sandbox [dir]`, `--trial [n]` and `--look [auto|on|off]` take a value or none, so `run --sandbox export.jsonl` would take the export for the
 * sandbox's folder. What cannot be meant as the value is the file that it looks like.
 */
import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Flags } from './context.ts';

export interface Arguments {
  readonly files: readonly string[];
  readonly flags: Flags;
}

/** Looks at the disk; changes nothing. */
export function giveFilesBack({ files, flags }: Arguments, cwd: string): Arguments {
  const back: string[] = [];
  const kept: Record<string, Flags[string]> = { ...flags };
  const { sandbox, trial, look } = flags;
  if (typeof look === 'string' && !/^(?:auto|on|off)$/.test(look) && existsSync(resolve(cwd, look))) {
    back.push(look);
    kept['look'] = true;
  }
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

/** A file is no folder of a sandbox; neither is a folder with other things in it, when there is nothing else to read. */
function isExport(path: string, hasOthers: boolean): boolean {
  if (!existsSync(path)) return false;
  return !statSync(path).isDirectory() || (!hasOthers && !existsSync(join(path, 'service.sqlite')));
}
