/** The settings file and the JSON schema beside it. Nothing that is there is replaced unless that is asked for. */
import { readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { requireOutputFile } from '../../cli/output-file.ts';
import { AppError } from '../../domain/errors.ts';
import { mappingSchema } from '../../mapping/language/layout.ts';
import { settingsJsonSchema } from '../../settings/file-schema.ts';

export const SCHEMA_FILE = 'helpdesk-import.schema.json';

/** Throws AppError `usage` where the file already exists. */
export async function refuseToReplace(path: string, name: string, force: boolean): Promise<void> {
  requireOutputFile(path, name);
  if (force || (await textOf(path)) === undefined) return;
  throw new AppError('usage', `The settings file ${name} already exists.`, {
    hint: 'Write another one with --output <file>, or replace it with --force.',
  });
}

/** Throws AppError `disk-write` where a file cannot be written, `usage` where it has appeared in the meantime. */
export async function writeSettings(path: string, name: string, text: string, force: boolean): Promise<void> {
  await write(path, name, text, force ? 'w' : 'wx');
  await writeSchema(join(dirname(path), SCHEMA_FILE));
}

/** The schema is the program's own: one of another version is replaced, a file that is something else is not. */
async function writeSchema(path: string): Promise<void> {
  const schema = settingsJsonSchema(mappingSchema);
  const text = `${JSON.stringify(schema, null, 2)}\n`;
  const there = await textOf(path);
  if (there === text) return;
  if (there !== undefined && !there.includes(`"title": ${JSON.stringify(schema['title'])}`)) {
    throw new AppError(
      'usage',
      `${basename(path)} is there already and is not the schema of these settings.`,
      {
        hint: 'Move it away and run init again with --force.',
      },
    );
  }
  await write(path, basename(path), text, 'w');
}

async function write(path: string, name: string, text: string, flag: 'w' | 'wx'): Promise<void> {
  try {
    await writeFile(path, text, { flag });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    if (code === 'EEXIST')
      throw new AppError('usage', `The settings file ${name} already exists.`, {
        hint: 'Replace it with --force.',
      });
    throw new AppError('disk-write', `${name} cannot be written (${code}).`, {
      hint: 'Check the folder, its permissions and the space on the disk.',
      cause: error,
    });
  }
}

async function textOf(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw new AppError('usage', `${path} cannot be read, so it is not written either.`, { cause: error });
  }
}
