/** Digests of records in the order of the export: noted in the first pass, compared in every later one. */
import { type AppError, changedSource } from '../domain/errors.ts';
import type { RecordRef } from '../domain/source.ts';
import type { ExportFiles } from '../domain/source-file.ts';

const PAGE = 64 * 1024;

export class SurveyedRecords {
  readonly #files: ExportFiles;
  readonly #pages: Float64Array[] = [];
  #count = 0;

  constructor(files: ExportFiles) {
    this.#files = files;
  }

  get count(): number {
    return this.#count;
  }

  note(digest: number): void {
    const at = this.#count++ % PAGE;
    if (at === 0) this.#pages.push(new Float64Array(PAGE));
    const page = this.#pages.at(-1);
    if (page !== undefined) page[at] = digest;
  }

  isSame(seq: number, digest: number): boolean {
    return seq < this.#count && this.#pages[Math.floor(seq / PAGE)]?.[seq % PAGE] === digest;
  }

  /** At the end of a later pass: what did not come any more, and what was added behind what was read. */
  end(records: number): AppError | undefined {
    return records !== this.#count ? changedSource([]) : undefined;
  }

  /** For a record that is not what was surveyed. */
  difference({ file }: RecordRef): AppError {
    const name = this.#files.files.find(({ id }) => id === file)?.name;
    return changedSource(name === undefined ? [] : [name]);
  }
}
