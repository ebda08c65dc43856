/** Exports in a temporary folder, opened and read to the end: what the tests of reading, staging and rejects share. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { AppError } from '../../src/domain/errors.ts';
import type { ExportFiles, ReadRecord, RecordSelector, SourceFile } from '../../src/domain/source-file.ts';
import { type OpenOptions, openExport, type StagedExport } from '../../src/source/open-export.ts';

export const signal = new AbortController().signal;

/** A small export, and its rows as they are read. */
export const CSV = 'id,name\n1,Zoë\n2,Bob\n';
export const ROWS = [
  ['1', 'Zoë'],
  ['2', 'Bob'],
];

/** Removed by itself after the test. */
export function tempFolder(files: Readonly<Record<string, string | Buffer>> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'export-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  return folder;
}

/** Closed by itself after the test. */
export async function open(
  inputs: readonly string[],
  options: Partial<OpenOptions> = {},
): Promise<StagedExport> {
  const files = await openExport(inputs, { signal, ...options });
  onTestFinished(() => files[Symbol.asyncDispose]());
  return files;
}

export async function openFolder(
  files: Readonly<Record<string, string | Buffer>>,
  options: Partial<OpenOptions> = {},
): Promise<StagedExport> {
  return open([tempFolder(files)], options);
}

/** One file by its name, named itself. */
export async function openOne(
  name: string,
  content: string | Buffer,
  options: Partial<OpenOptions> = {},
): Promise<SourceFile & { problems: ExportFiles['problems'] }> {
  const files = await open([join(tempFolder({ [name]: content }), name)], options);
  const [file] = files.files;
  if (file === undefined) throw new Error('nothing was opened');
  return { ...file, problems: files.problems };
}

export async function all(file: SourceFile, selector?: RecordSelector): Promise<ReadRecord[]> {
  const records: ReadRecord[] = [];
  for await (const chunk of file.records(selector, signal)) records.push(...chunk);
  return records;
}

/** The error for the user that the work ends with; anything else fails the test. */
export async function failure(work: Promise<unknown>): Promise<AppError> {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof AppError)) throw new Error(`no AppError but ${String(error)}`);
  return error;
}

/** The promise that holds for every record of every format: it is found again by its place, and is on its line. */
export async function placesAreTrue(
  file: SourceFile,
  content: string,
  selector?: RecordSelector,
): Promise<string[]> {
  const wrong: string[] = [];
  for (const [index, record] of (await all(file, selector)).entries()) {
    if (record.error !== undefined) continue;
    if (JSON.stringify(file.at(record.ref, selector)) !== JSON.stringify(record))
      wrong.push(`record ${index}`);
    const lines = [...content.matchAll(/\r\n|\n|\r/g)].map(({ index: at, 0: end }) => at + end.length);
    const [begin, end] = [
      [0, ...lines][record.ref.line - 1] ?? -1,
      lines[record.ref.line - 1] ?? content.length,
    ];
    const at = content.indexOf((await file.raw(record.ref)).toString(), begin);
    if (at < begin || (at >= end && at !== begin)) wrong.push(`line ${record.ref.line} of record ${index}`);
  }
  return wrong;
}
