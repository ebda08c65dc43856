/**
 * The rejects that stand in a folder from before: rows, each by a digest of what it says, whoever wrote it there. A row goes
 * only when that very row was imported; all others stay, whatever was run in between and whoever corrected them.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { AppError } from '../domain/errors.ts';
import { hashOf } from '../domain/hash.ts';
import type { JoinPlan } from '../domain/join-plan.ts';
import type { RecordRef, Row } from '../domain/source.ts';
import type { ExportFiles } from '../domain/source-file.ts';
import { outermost, reasonText } from '../rejects/reject-files.ts';
import { MARKER } from '../rejects/reject-folder.ts';
import { rejectNames } from '../rejects/reject-names.ts';
import type { RejectsWriter } from '../rejects/rejects-writer.ts';
import { planInputs } from '../source/join/join-tables.ts';
import { openExport, type StagedExport } from '../source/open-export.ts';
import { Stage } from '../source/stage.ts';
import type { ImportJob } from './import-job.ts';
import { detect } from './source.ts';

/** Of a row as it was read, so that it is the same in whatever file it stands, with a reason or without. */
export function digestOfRow({ table, cells, object }: Omit<Row, 'ref'>): number {
  return hashOf(`${table}\n${cells === undefined ? JSON.stringify(object) : cells.join('\u001f')}`);
}

/** Of a record that cannot be read. */
export function digestOfBytes(raw: Buffer): number {
  return hashOf(raw.toString('utf8'));
}

type WrittenAs = 'ticket' | 'duplicate';

/** What the marker says of a row that was written as one of a rejected ticket, or as a second one with the same id. */
export function writtenLine(checkpoint: string, digest: number, as: WrittenAs): string {
  return hashOf(`${resolve(checkpoint)} ${digest} ${as}`).toString(36);
}

interface StandingRow {
  readonly table: string | undefined;
  readonly ref: RecordRef;
  readonly digest: number;
}

export interface StandingOptions {
  /** For which the rows were written. */
  readonly checkpoint: string;
  readonly delimiter?: string | undefined;
  /** How the files that stand there are read. */
  planFor(folder: string, files: ExportFiles): Promise<JoinPlan>;
  readonly signal: AbortSignal;
}

export class StandingRejects implements AsyncDisposable {
  readonly folder: string;
  readonly #files: StagedExport;
  readonly #plan: JoinPlan;
  #rows: StandingRow[] = [];
  #byPlace: Map<string, StandingRow> | undefined;
  readonly #digests = new Set<number>();
  /** By the ticket that they name. */
  readonly #tickets = new Map<string, StandingRow[]>();
  /** Which rows were written by an import (`writtenLine`): those that are not among them, a person wrote. */
  readonly #written: Set<string>;
  readonly #checkpoint: string;
  /** What is decided of rows: gone where there is no reason any more. */
  readonly #reasons = new Map<number, string | undefined>();
  /** Of single rows (`placeOf`). */
  readonly #decided = new Map<string, string | undefined>();

  private constructor(folder: string, files: StagedExport, plan: JoinPlan, checkpoint: string) {
    this.folder = folder;
    this.#checkpoint = checkpoint;
    this.#written = new Set(readFileSync(join(folder, MARKER), 'utf8').split('\n').slice(1).filter(Boolean));
    this.#files = files;
    this.#plan = plan;
  }

  static async open(
    folder: string,
    { checkpoint, delimiter, planFor, signal }: StandingOptions,
  ): Promise<StandingRejects> {
    // Rejects are UTF-8, and say so themselves where a spreadsheet made something else of them.
    const files = await openExport([folder], { delimiter, signal }).catch(asNothing);
    try {
      const standing = new StandingRejects(folder, files, await planFor(folder, files), checkpoint);
      await standing.#read(signal);
      return standing;
    } catch (error) {
      await files[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Whether this row stands here. */
  has(digest: number): boolean {
    return this.#digests.has(digest);
  }

  /** Whether rows of this ticket stand here that a person changed or put there. */
  hasCorrected(externalId: string): boolean {
    return this.#rowsOf(externalId).some(({ digest }) => !this.#isWritten(digest));
  }

  /**
   * The ticket was imported, or is rejected, with other rows, `count` of them: those that stand here are an older version of
   * it, unless somebody changed them or something of them was left out.
   */
  superseded(externalId: string, count: number): void {
    const rows = this.#rowsOf(externalId);
    if (rows.length > count || !rows.every(({ digest }) => this.#isWritten(digest))) return;
    for (const { digest } of rows) this.imported(digest);
  }

  /** The row was imported. */
  imported(digest: number): void {
    if (this.has(digest)) this.#reasons.set(digest, undefined);
  }

  /** Why the row stands here now. One that was imported somewhere else stays imported. */
  because(digest: number, reason: string): void {
    if (this.has(digest) && !this.#reasons.has(digest)) this.#reasons.set(digest, reason);
  }

  /** Every row that can be read, by where it stands; `isWritten`: as an import wrote it. */
  row(ref: RecordRef): { readonly digest: number; readonly isWritten: boolean } | undefined {
    this.#byPlace ??= new Map(this.#rows.map((row) => [placeOf(row.ref), row]));
    const found = this.#byPlace.get(placeOf(ref));
    return found && { digest: found.digest, isWritten: this.#isWritten(found.digest) };
  }

  /** Why this one row stands here now; undefined: it was imported. */
  decide(ref: RecordRef, reason: string | undefined): void {
    this.#decided.set(placeOf(ref), reason);
  }

  /** For the marker. */
  note(digest: number, as: WrittenAs): void {
    this.#written.add(writtenLine(this.#checkpoint, digest, as));
  }

  /** Whether the marker says so of a row (`writtenLine`). */
  isNoted(digest: number, as: WrittenAs): boolean {
    return this.#written.has(writtenLine(this.#checkpoint, digest, as));
  }

  get isEmpty(): boolean {
    return this.#rows.length === 0;
  }

  /** Writes what stays. Resolves with whether that is anything else than what stands. */
  async carryOver(writer: RejectsWriter): Promise<boolean> {
    const files = this.#files;
    const names = new Map(files.files.map(({ id, name }) => [id, relative(this.folder, resolve(name))]));
    writer.from(files, this.#plan, names);
    let isChanged = false;
    for (const { table, ref, digest } of this.#rows) {
      const place = placeOf(ref);
      const decided = this.#decided.has(place) || this.#reasons.has(digest);
      const reason = this.#decided.has(place) ? this.#decided.get(place) : this.#reasons.get(digest);
      if (decided && reason === undefined) {
        isChanged = true;
        continue;
      }
      if (table === undefined) {
        await writer.unreadable(ref, '', files);
        continue;
      }
      const file = files.files.find(({ id }) => id === ref.file);
      const old = (await file?.reason(ref)) ?? '';
      if (reason !== undefined && reasonText(reason) !== old) isChanged = true;
      await writer.ticket([{ table, ref }], reason ?? old, files);
    }
    await writer.note([...this.#written]);
    for (const name of this.#otherFiles()) await writer.keepFile(name, readFileSync(join(this.folder, name)));
    return isChanged;
  }

  /** Without those of other tickets with the same id. */
  #rowsOf(externalId: string): StandingRow[] {
    const rows = this.#tickets.get(externalId) ?? [];
    return rows.filter(({ digest }) => !this.isNoted(digest, 'duplicate'));
  }

  #isWritten(digest: number): boolean {
    return this.isNoted(digest, 'ticket');
  }

  [Symbol.asyncDispose](): Promise<void> {
    return Promise.resolve(this.#files[Symbol.asyncDispose]());
  }

  /** What a person put there, and files of which nothing can be read. */
  #otherFiles(): string[] {
    const inputs = planInputs(this.#plan, this.#files.files);
    const read = new Set(inputs.map(({ file }) => relative(this.folder, resolve(file.name))));
    return readdirSync(this.folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name !== MARKER)
      .map((entry) => relative(this.folder, join(entry.parentPath, entry.name)))
      .filter((name) => !read.has(name));
  }

  async #read(signal: AbortSignal): Promise<void> {
    const inputs = planInputs(this.#plan, this.#files.files);
    for (const input of inputs) {
      const { file, table, selector } = input;
      if (table.role === 'lookup' && !input.ownsErrors) continue;
      for await (const records of file.records(selector, signal)) {
        for (const record of records) {
          const { ref } = record;
          if (record.error === undefined) {
            if (table.role === 'lookup') continue;
            const row = { table: table.name, ref, digest: digestOfRow({ ...record, table: table.name }) };
            this.#add(row);
            const key = input.key?.(record) ?? '';
            if (key !== '') this.#ticketRows(key).push(row);
          } else if (input.ownsErrors) {
            this.#add({ table: undefined, ref, digest: digestOfBytes(await file.raw(ref)) });
          }
        }
      }
    }
    const read = new Set(inputs.map(({ file }) => file));
    for (const file of this.#files.files) {
      if (read.has(file)) continue;
      for await (const records of file.records(undefined, signal))
        for (const { ref } of records) this.#digests.add(digestOfBytes(await file.raw(ref)));
    }
    this.#rows = outermost(this.#rows);
  }

  #ticketRows(externalId: string): StandingRow[] {
    const rows = this.#tickets.get(externalId) ?? [];
    this.#tickets.set(externalId, rows);
    return rows;
  }

  #add(row: StandingRow): void {
    this.#rows.push(row);
    this.#digests.add(row.digest);
  }
}

const placeOf = ({ file, row }: RecordRef) => `${file} ${row}`;

/** By the names and columns that the rejects of this export have; where others stand there too, as an export by itself. */
export async function planFor(
  folder: string,
  { files }: ExportFiles,
  { source, settings }: Pick<ImportJob, 'source' | 'settings'>,
): Promise<JoinPlan> {
  const names = rejectNames(source.files.files);
  const same = new Map<number, number>();
  for (const mine of source.files.files) {
    const found = files.find(
      ({ name, format, outline }) =>
        [names.get(mine.id), relative(folder, resolve(mine.name))].includes(
          relative(folder, resolve(name)),
        ) &&
        format === mine.format &&
        JSON.stringify(outline.header) === JSON.stringify(mine.outline.header),
    );
    if (found !== undefined) same.set(mine.id, found.id);
  }
  const byName: JoinPlan = {
    tables: source.detection.plan.tables.map((table) => ({
      ...table,
      inputs: table.inputs.flatMap((input) => {
        const file = same.get(input.file);
        return file === undefined ? [] : [{ ...input, file }];
      }),
    })),
  };
  if (new Set(same.values()).size === files.length) return byName;
  try {
    return (await detect({ files }, settings)).plan;
  } catch (error) {
    if (error instanceof AppError) return byName;
    throw error;
  }
}

/** A folder that holds nothing to read, and may hold files of a person all the same. */
function asNothing(error: unknown): StagedExport {
  if (!(error instanceof AppError) || error.code !== 'source') throw error;
  return { files: [], problems: [], stage: new Stage(), [Symbol.asyncDispose]: () => Promise.resolve() };
}
