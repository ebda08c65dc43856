/**
 * What the survey saw of every record, so that nothing else is sent, and what was sent: a digest of each, in the order of the export, 8 bytes
 * a record. Of a ticket that may be sent it is taken of its payloads, which come of all its rows and of those that were
 * looked up for it; of a rejected one of its rows; of one that the user leaves out of its id.
 */
import { AppError, changedSource } from '../domain/errors.ts';
import { hashOf } from '../domain/hash.ts';
import type { RecordRef } from '../domain/source.ts';
import type { ExportFiles } from '../domain/source-file.ts';
import type { Examined } from './examine.ts';

const PAGE = 64 * 1024;

/** Digests of records in the order of the export: noted in the first pass, compared in every later one. */
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

export class SurveyedContent {
  /** Whether a module of the user takes part, which may give another result each time. */
  readonly #transformed: boolean;
  readonly #records: SurveyedRecords;
  readonly #sent: Uint8Array[] = [];
  #whole = 0;

  constructor(files: ExportFiles, transformed: boolean) {
    this.#records = new SurveyedRecords(files);
    this.#transformed = transformed;
  }

  /** In the first pass, for every record in its order. */
  note(examined: Examined): void {
    const digest = digestOf(examined);
    this.#records.note(digest);
    this.#whole = hashOf(`${this.#whole} ${digest}`);
  }

  get count(): number {
    return this.#records.count;
  }

  /** Of all that was surveyed, to tell later whether the export changed. */
  get digest(): string {
    return `${this.#records.count}-${this.#whole.toString(16)}`;
  }

  /** In a later pass. Throws AppError `source` for a record that is not what was surveyed. */
  require(examined: Examined): void {
    if (!this.#records.isSame(examined.item.seq, digestOf(examined))) throw this.#difference(examined);
  }

  /** In the second pass: something of this ticket is sent. */
  sends(seq: number): void {
    const at = Math.floor(seq / PAGE);
    const page = this.#sent[at] ?? new Uint8Array(PAGE);
    page[seq % PAGE] = 1;
    this.#sent[at] = page;
  }

  isSent(seq: number): boolean {
    return this.#sent[Math.floor(seq / PAGE)]?.[seq % PAGE] === 1;
  }

  end(records: number): AppError | undefined {
    return this.#records.end(records);
  }

  #difference({ item }: Examined): AppError {
    if (this.#transformed)
      return new AppError(
        'source',
        `The transform gave another result for ticket ${item.externalId ?? `in line ${refOf(item).line}`} than when the export was checked.`,
        {
          hint: 'A transform must give the same result for the same ticket each time: take clocks, random numbers and counters out of it, and run again.',
        },
      );
    return this.#records.difference(refOf(item));
  }
}

const refOf = (item: Examined['item']) => (item.kind === 'ticket' ? item.row.ref : item.ref);

function digestOf(examined: Examined): number {
  if (examined.skippedBecause !== undefined) return hashOf(`skipped ${examined.item.externalId ?? ''}`);
  if (examined.kind === 'unreadable') {
    const { code, externalId = '', ref } = examined.item;
    return hashOf(`${code} ${ref.row} ${externalId}`);
  }
  const { item, result } = examined;
  const sendable = result.checked ?? result.withheld;
  if (sendable === undefined) return hashOf(JSON.stringify([item.row, [...item.children]]));
  const { ticket, messages, events } = sendable.exported ?? sendable.fingerprints;
  return hashOf(`${ticket}${messages}${events}${item.externalId}`);
}
