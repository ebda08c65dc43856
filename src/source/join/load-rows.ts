/** The pass before the first ticket: every file that takes part in a join is read once, and the places of its rows noted. */

import type { JsonObject, RecordRef } from '../../domain/source.ts';
import { type ReadRecord, selectObject } from '../../domain/source-file.ts';
import { mustLoad, type PlanInput, passName } from './plan-inputs.ts';
import { type Claim, listName, type RowIndex, type RowPlace } from './row-index.ts';
import { keysInBroken, type RowValues, versionKey } from './row-keys.ts';
import { guarded } from './temp-database.ts';

/** Of a row that cannot be read, for a person to find it. */
const EXCERPT = 80;

export interface JoinOptions {
  readonly signal: AbortSignal;
  /** Bytes and records read so far; of a plan without a join, while its tickets are first handed out. */
  readonly onProgress?: (bytes: number, totalBytes: number, records: number) => void;
}

/** Resolves with whether there was anything to load. */
export async function loadRows(
  inputs: readonly PlanInput[],
  index: RowIndex,
  { signal, onProgress }: JoinOptions,
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
    const selector = path === undefined ? undefined : { path };
    for await (const chunk of first.file.records(selector, signal)) {
      const broken = guarded(() => noteChunk(chunk, pass, index));
      for (const each of broken) await noteKeys(each, index);
      records += chunk.length;
      const last = chunk.at(-1)?.ref;
      onProgress?.(before + (last === undefined ? 0 : last.offset + last.length), total, records);
    }
    before += first.file.bytes;
    onProgress?.(before, total, records);
  }
  guarded(() => index.seal([...new Set(inputs.flatMap(({ links }) => links.map(({ child }) => child)))]));
  return passes.size > 0;
}

/** A row that cannot be read, of a table whose rows belong to tickets. */
interface BrokenRow {
  readonly ref: RecordRef;
  readonly input: PlanInput;
  readonly message: string;
}

/** Returns the rows that cannot be read. */
function noteChunk(chunk: readonly ReadRecord[], pass: readonly PlanInput[], index: RowIndex): BrokenRow[] {
  const claims = new Map<number, Claim[]>();
  const broken: BrokenRow[] = [];
  for (const record of chunk) {
    for (const input of pass) {
      const row = record.object === undefined ? record : selectRow(record.object, input);
      if (row === undefined) continue;
      const message = typeof row === 'string' ? row : input.ownsErrors ? record.error : undefined;
      if (message !== undefined) {
        broken.push({ ref: record.ref, input, message });
        // In its place among the groups.
        if (input.table.role === 'group') index.addGroup(null, input.index, record.ref, message);
      } else if (typeof row !== 'string' && record.error === undefined)
        noteRow(record.ref, row, input, index, claims);
    }
  }
  for (const [input, some] of claims) index.claim(some, input);
  return broken;
}

function selectRow(record: JsonObject, { selector }: PlanInput): RowValues | string | undefined {
  const object = selectObject(record, selector);
  return typeof object === 'object' ? { object } : object;
}

/** A broken row of a root table is told while its tickets are handed out, in its place. */
async function noteKeys({ ref, input, message }: BrokenRow, index: RowIndex): Promise<void> {
  const { role, key } = input.table;
  if (role === 'root') return;
  const text = role === 'lookup' ? '' : (await input.file.raw(ref)).toString('utf8');
  const keys = role === 'lookup' ? [] : keysInBroken(text, key, input.file);
  const beginning = role === 'group' ? null : text.slice(0, EXCERPT);
  guarded(() => {
    for (const found of keys.length === 0 ? [null] : keys)
      index.addBroken(input.table, found, ref, message, beginning);
  });
}

function noteRow(
  ref: RecordRef,
  row: RowValues,
  input: PlanInput,
  index: RowIndex,
  claims: Map<number, Claim[]>,
): void {
  const { role, name } = input.table;
  const place: RowPlace = [input.index, ref.offset, ref.length, ref.line];
  const version = input.version === undefined ? undefined : versionKey(input.version(row));
  for (const [columns, read] of input.lookups) {
    const key = read(row);
    if (key !== '') index.add(listName(name, columns), key, place, version);
  }
  for (const { child, key, get } of input.links) index.addLink(child, key(row), get(row));
  if (input.key === undefined) return;
  const key = input.key(row);
  if (role === 'child') {
    index.add(name, key, place, version);
    return;
  }
  if (role === 'group') {
    const isFirst = index.addGroup(key === '' ? null : key, input.index, ref, null);
    if (key !== '') index.add(name, key, place, version);
    // Only the first row of a group stands for its ticket.
    if (!isFirst) return;
  }
  if (key === '') return;
  if (version !== undefined && role === 'root') index.claimVersion(key, ref, version, input.index);
  else {
    const known = claims.get(input.index);
    if (known === undefined) claims.set(input.index, [{ id: key, ref }]);
    else known.push({ id: key, ref });
  }
  for (const [columns, read] of input.alternates) {
    const alternate = read(row);
    if (alternate !== '') index.addParent(columns, alternate);
  }
}
