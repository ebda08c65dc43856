/**
 * Writes the report to its file. Before a run begins it is made sure that it can be: it must not turn out after five hours
 * that the folder does not exist, and no file that is not a report is ever written over.
 */
import { requireOutput } from '../../cli/output-file.ts';
import { writeWhole } from '../../disk/whole-file.ts';
import { AppError } from '../../domain/errors.ts';
import { hideSecrets } from '../../domain/secret.ts';
import { GENERATOR, renderReport } from '../../view/html/report.ts';
import { redactReport } from '../../view/redact.ts';
import type { ReportData } from '../../view/run-view.ts';

/** Throws AppError `usage` where the report cannot be written there. */
export function requireReportPath(path: string, force: boolean): void {
  requireOutput({ path, name: `The report ${path}`, isOurs: isReport, force });
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

/** By the first bytes of a file. */
export function isReport(head: string): boolean {
  return head.includes(`content="${GENERATOR}"`);
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}
