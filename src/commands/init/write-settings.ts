/** The settings file and the JSON schema beside it. Nothing that is there is replaced unless that is asked for. */
import { readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { requireOutput } from '../../cli/output-file.ts';
import { AppError } from '../../domain/errors.ts';
import { mappingSchema } from '../../mapping/language/layout.ts';
import { settingsJsonSchema } from '../../settings/file-schema.ts';

export const SCHEMA_FILE = 'helpdesk-import.schema.json';

/** Settings are edited by hand once they are written, so none are replaced unasked. Throws AppError `usage`. */
export function refuseToReplace(path: string, name: string, force: boolean): void {
  requireOutput({ path, name: `The settings file ${name}`, isOurs: () => false, force });
}

/** Throws AppError `disk-write` where a file cannot be written, `usage` where it has appeared in the meantime. */
export async function writeSettings(path: string, name: string, text: string, force: boolean): Promise<void> {
  refuseToReplace(path, name, force);
  await write(path, name, text);
  await writeSchema(join(dirname(path), SCHEMA_FILE), force);
}

/** The schema is the program's own: one of another version is replaced. */
async function writeSchema(path: string, force: boolean): Promise<void> {
  const schema = settingsJsonSchema(mappingSchema);
  const text = `${JSON.stringify(schema, null, 2)}\n`;
  if ((await textOf(path)) === text) return;
  const title = `"title": ${JSON.stringify(schema['title'])}`;
  requireOutput({ path, name: basename(path), isOurs: (head) => head.includes(title), force });
  await write(path, basename(path), text);
}

async function write(path: string, name: string, text: string): Promise<void> {
  try {
    await writeFile(path, text);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    throw new AppError('disk-write', `${name} cannot be written (${code}).`, {
      hint: 'Check the folder, its permissions and the space on the disk.',
      cause: error,
    });
  }
}

async function textOf(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch {
    return undefined;
  }
}
