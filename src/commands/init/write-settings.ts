/** The settings file, and the JSON schema next to it. Existing files are replaced only when that is asked for. */
import { writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { requireOutput } from '../../cli/output-file.ts';
import { AppError } from '../../domain/errors.ts';
import { mappingSchema } from '../../mapping/language/layout.ts';
import { settingsJsonSchema } from '../../settings/table/table.ts';

export const SCHEMA_FILE = 'helpdesk-import.schema.json';

/** Settings are edited by hand once they are written, so none are replaced unasked. Throws AppError `usage`. */
export function refuseToReplace(path: string, name: string, force: boolean): void {
  requireOutput({ path, name: `The settings file ${name}`, isOurs: () => false, force });
}

/** Throws AppError `disk-write` where a file cannot be written, `usage` where it has appeared in the meantime. */
export async function writeSettings(path: string, name: string, text: string, force: boolean): Promise<void> {
  refuseToReplace(path, name, force);
  write(path, name, text);
  writeSchema(join(dirname(path), SCHEMA_FILE), force);
}

/** The schema is the program's own: one of another version is replaced. */
function writeSchema(path: string, force: boolean): void {
  const schema = settingsJsonSchema(mappingSchema);
  const title = `"title": ${JSON.stringify(schema['title'])}`;
  requireOutput({ path, name: basename(path), isOurs: (head) => head.includes(title), force });
  write(path, basename(path), `${JSON.stringify(schema, null, 2)}\n`);
}

function write(path: string, name: string, text: string): void {
  try {
    writeFileSync(path, text);
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown';
    throw new AppError('disk-write', `${name} cannot be written (${code}).`, {
      hint: 'Check the folder, its permissions and the space on the disk.',
      cause,
    });
  }
}
