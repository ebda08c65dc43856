/** The pass before the first ticket: every file that takes part in a join is read once, and the places of its rows noted. */
import { selectObject } from '../domain/select-record.ts';
import type { ReadRecord } from '../domain/source-file.ts';
import type { RowValues } from './key-reader.ts';
import { versionValue } from './key-reader.ts';
import { type PlanInput, passName } from './plan-inputs.ts';
import { lookupName, mustLoad, type StageStores } from './stage-stores.ts';
import { guarded } from './temp-database.ts';

export interface StageOptions {
  readonly signal: AbortSignal;
  /** Bytes and records read so far; of a plan without a join, while its tickets are first handed out. */
  readonly onProgress?: (bytes: number, totalBytes: number, records: number) => void;
}

/** Resolves with whether there was anything to load. */
export async function loadRows(
  inputs: readonly PlanInput[],
  stores: StageStores,
  { signal, onProgress }: StageOptions,
): Promise<boolean> {
  const passes = new Map<string, PlanInput[]>();
  for (const input of inputs) {
    if (!mustLoad(input, inputs)) continue;
    const name = passName(input.file.id, input.selector);
    passes.set(name, [...(passes.get(name) ?? []), input]);
  }
  const total = [...passes.values()].reduce((sum, [first]) => sum + (first?.file.bytes ?? 0), 0);
  let before = 0;
  let records = 0;
  for (const pass of passes.values()) {
    const [first] = pass;
    if (first === undefined) continue;
    const path = first.selector?.path;
    for await (const chunk of first.file.records(path === undefined ? undefined : { path }, signal)) {
      guarded(() => {
        for (const record of chunk) noteRecord(record, pass, stores);
      });
      records += chunk.length;
      const last = chunk.at(-1)?.ref;
      onProgress?.(before + (last === undefined ? 0 : last.offset + last.length), total, records);
    }
    before += first.file.bytes;
    onProgress?.(before, total, records);
  }
  stores.seal();
  return passes.size > 0;
}

function noteRecord(record: ReadRecord, pass: readonly PlanInput[], stores: StageStores): void {
  for (const input of pass) {
    const row = record.object === undefined ? undefined : selectObject(record.object, input.selector);
    if (record.error !== undefined || typeof row === 'string') {
      const message = record.error ?? String(row);
      if (record.error === undefined || input.ownsErrors) noteBroken(record, input, message, stores);
    } else if (record.cells !== undefined) {
      noteRow(record, record, input, stores);
    } else if (row !== undefined) {
      noteRow(record, { object: row }, input, stores);
    }
  }
}

/** A broken row of a root table is told while its tickets are handed out, in its place. */
function noteBroken({ ref }: ReadRecord, input: PlanInput, message: string, stores: StageStores): void {
  const { name, role } = input.table;
  if (role === 'group') {
    stores.addGroup.run(name, null, input.index, ref.offset, ref.length, ref.line, message);
  } else if (role !== 'root') {
    stores.bad(name, ref, message);
  }
}

function noteRow({ ref }: ReadRecord, row: RowValues, input: PlanInput, stores: StageStores): void {
  const { table } = input;
  const place = { input: input.index, offset: ref.offset, length: ref.length, line: ref.line };
  const version = input.version === undefined ? undefined : versionValue(input.version(row));
  for (const [spec, read] of input.lookups) {
    const key = read(row);
    if (key !== '') stores.lookups.get(lookupName(table.name, spec))?.add(key, place, version);
  }
  if (input.key === undefined) return;
  const key = input.key(row);
  if (table.role === 'child') {
    stores.rows.get(table.name)?.add(key, place, version);
    return;
  }
  if (table.role === 'group') {
    stores.addGroup.run(
      table.name,
      key === '' ? null : key,
      input.index,
      ref.offset,
      ref.length,
      ref.line,
      null,
    );
    if (key !== '') stores.rows.get(table.name)?.add(key, place, version);
  }
  if (key === '') return;
  if (version !== undefined && table.role === 'root') stores.ids.claimVersion(key, ref, version);
  else stores.ids.claim(key, ref);
  for (const [spec, read] of input.alternates) {
    const alternate = read(row);
    if (alternate !== '') stores.alternates.get(spec)?.run(alternate);
  }
}
