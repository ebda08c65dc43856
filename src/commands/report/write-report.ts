/**
 * Writes the report to its file. Before a run begins it is made sure that it can be: nobody should learn after five hours
 * that the folder does not exist, and no file that is not a report is ever written over.
 */
import { open, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { requireOutputFile } from '../../cli/output-file.ts';
import { writeWhole } from '../../disk/whole-file.ts';
import { AppError } from '../../domain/errors.ts';
import { hideSecrets } from '../../domain/secret.ts';
import { redactReport } from '../../present/html/redact-report.ts';
import { GENERATOR, renderReport } from '../../present/html/render-report.ts';
import type { ReportData } from '../../present/html/report-data.ts';

/** The generator stands within the first so many bytes of a report. */
const HEAD_BYTES = 512;

/** Throws AppError `usage` where the report cannot be written there. */
export async function requireReportPath(path: string): Promise<void> {
  const folder = await statOf(dirname(resolve(path)));
  if (folder?.isDirectory() !== true)
    throw new AppError('usage', `The folder of the report ${path} does not exist.`, {
      hint: 'Create it, or name another file.',
    });
  requireOutputFile(path, path);
  const there = await statOf(path);
  if (there === undefined) return;
  if (there.isDirectory())
    throw new AppError('usage', `The report cannot be written to ${path}, which is a folder.`, {
      hint: 'Name a file in it, e.g. report.html.',
    });
  if (there.size > 0 && !(await isReport(path)))
    throw new AppError('usage', `The file ${path} already exists and is not a report of this program.`, {
      hint: 'Name another file for the report, or remove this one.',
    });
}

/**
 * Renders and writes, whole or not at all: a reader never finds half a report, and an old one stays until the new one is
 * complete. Resolves with its size in bytes. Throws AppError `disk-write`.
 */
export async function writeReport(
  path: string,
  data: ReportData,
  options: { readonly redact?: boolean } = {},
): Promise<number> {
  const page = Buffer.from(hideSecrets(renderReport(options.redact === true ? redactReport(data) : data)));
  try {
    await writeWhole(path, page);
  } catch (error) {
    throw new AppError('disk-write', `The report cannot be written to ${path} (${codeOf(error)}).`, {
      hint: 'The import itself is recorded; "helpdesk-import report" writes the report again.',
      cause: error,
    });
  }
  return page.length;
}

export async function isReport(path: string): Promise<boolean> {
  // To open a pipe waits for who writes into it.
  if ((await statOf(path))?.isFile() !== true) return false;
  try {
    await using file = await open(path, 'r');
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return buffer.toString('latin1', 0, bytesRead).includes(`content="${GENERATOR}"`);
  } catch {
    return false;
  }
}

async function statOf(path: string) {
  try {
    return await stat(path);
  } catch {
    return undefined;
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}
