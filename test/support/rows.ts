/** Rows of a table that a test tries, from a YAML file beside it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

export function rowsOf<Tables>(folder: string, file: string): Tables {
  return parse(readFileSync(join(folder, file), 'utf8')) as Tables;
}
