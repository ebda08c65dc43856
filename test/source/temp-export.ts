/** Exports in a temporary folder, opened and read to the end: what the tests of reading, staging and rejects share. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { AppError } from '../../src/domain/errors.ts';
import type { ExportFiles, ReadRecord, RecordSelector, SourceFile } from '../../src/domain/source-file.ts';
import { type OpenOptions, openExport } from '../../src/source/open-export.ts';

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
): Promise<ExportFiles> {
  const files = await openExport(inputs, { signal, ...options });
  onTestFinished(() => files[Symbol.asyncDispose]());
  return files;
}

export async function openFolder(
  files: Readonly<Record<string, string | Buffer>>,
  options: Partial<OpenOptions> = {},
): Promise<ExportFiles> {
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

/** The promise that holds for every record of every format: it is found again by its place, and stands on its line. */
export async function placesAreTrue(
  file: SourceFile,
  content: string,
  selector?: RecordSelector,
): Promise<string[]> {
  const wrong: string[] = [];
  const bytes = Buffer.from(content);
  const records = await all(file, selector);
  const again = await file.fetch(
    records.map(({ ref }) => ref),
    selector,
  );
  for (const [index, record] of records.entries()) {
    if (record.error !== undefined) continue;
    const { offset, length, line } = record.ref;
    if (JSON.stringify(again[index]) !== JSON.stringify(record)) wrong.push(`fetch of record ${index}`);
    const [sync] = file.fetchSync([record.ref], selector);
    if (JSON.stringify(sync) !== JSON.stringify(record)) wrong.push(`fetchSync of record ${index}`);
    if (!(await file.raw(record.ref)).equals(bytes.subarray(offset, offset + length)))
      wrong.push(`raw of record ${index}`);
    const before = bytes.toString('utf8', 0, offset).split(/\r\n|\n|\r/).length;
    if (before !== line) wrong.push(`line of record ${index}: ${line}, not ${before}`);
  }
  return wrong;
}
