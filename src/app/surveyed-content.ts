/**
 * What the survey saw of every record, so that nothing else is sent, and what was sent: a digest of each, in the order of the export, 8 bytes
 * a record. Of a ticket that may be sent it is taken of its payloads, which come of all its rows and of those that were
 * looked up for it; of a rejected one of its rows; of one that the user leaves out of its id.
 */
import { changedSource } from '../domain/changed-source.ts';
import { AppError } from '../domain/errors.ts';
import type { ExportFiles } from '../domain/source-file.ts';
import { hashOf } from '../domain/text-hash.ts';
import type { Examined } from './examine.ts';

const PAGE = 64 * 1024;

export class SurveyedContent {
  readonly #files: ExportFiles;
  /** Whether a module of the user takes part, which may give another result each time. */
  readonly #transformed: boolean;
  readonly #pages: Float64Array[] = [];
  readonly #sent: Uint8Array[] = [];
  #count = 0;
  #whole = 0;

  constructor(files: ExportFiles, transformed: boolean) {
    this.#files = files;
    this.#transformed = transformed;
  }

  /** In the first pass, for every record in its order. */
  note(examined: Examined): void {
    const at = this.#count++ % PAGE;
    if (at === 0) this.#pages.push(new Float64Array(PAGE));
    const page = this.#pages.at(-1);
    const digest = digestOf(examined);
    if (page !== undefined) page[at] = digest;
    this.#whole = hashOf(`${this.#whole} ${digest}`);
  }

  /** Of all that was surveyed, to tell later whether the export changed. */
  get digest(): string {
    return `${this.#count}-${this.#whole.toString(16)}`;
  }

  /** In a later pass. Throws AppError `source` for a record that is not what was surveyed. */
  require(examined: Examined): void {
    const { seq } = examined.item;
    const known = seq < this.#count ? this.#pages[Math.floor(seq / PAGE)]?.[seq % PAGE] : undefined;
    if (known !== digestOf(examined)) throw this.#difference(examined);
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

  /** At the end of a later pass: what did not come any more, and what was added behind what was read. */
  end(records: number): AppError | undefined {
    const changed = this.#files.changed();
    return changed.length > 0 || records !== this.#count ? changedSource(changed) : undefined;
  }

  #difference({ item }: Examined): AppError {
    const changed = this.#files.changed();
    if (changed.length === 0 && this.#transformed)
      return new AppError(
        'source',
        `The transform gave another result for ticket ${item.externalId ?? `in line ${refOf(item).line}`} than when the export was checked.`,
        {
          hint: 'A transform must give the same result for the same ticket each time: take clocks, random numbers and counters out of it, and run again.',
        },
      );
    const ref = refOf(item);
    const name = this.#files.files.find(({ id }) => id === ref.file)?.name;
    return changedSource(changed.length > 0 || name === undefined ? changed : [name]);
  }
}

const refOf = (item: Examined['item']) => (item.kind === 'ticket' ? item.row.ref : item.ref);

function digestOf(examined: Examined): number {
  if (examined.skippedBecause !== undefined) return hashOf(`skipped ${examined.item.externalId ?? ''}`);
  if (examined.kind === 'unreadable') {
    const { code, externalId = '', ref } = examined.item;
    return hashOf(`${code} ${ref.file} ${ref.offset} ${ref.length} ${externalId}`);
  }
  const { item, result } = examined;
  if (result.checked === undefined) return hashOf(JSON.stringify([item.row, [...item.children]]));
  const { ticket, messages, events } = result.checked.fingerprints;
  return hashOf(`${ticket}${messages}${events}${item.externalId}`);
}
