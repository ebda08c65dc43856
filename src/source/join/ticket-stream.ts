/**
 * Whole tickets in the order of their rows: the files of root tables are read from front to back, and the children of a
 * window of tickets are fetched together. A window is bounded by rows and bytes, so memory does not follow the export;
 * only a single ticket that is larger makes a window of its own.
 */

import { changedSource } from '../../domain/errors.ts';
import type { JoinTable, MergedRecords } from '../../domain/join-plan.ts';
import type { Row, SourceItem, SourceTicket, UnreadableRecord } from '../../domain/source.ts';
import type { ReadRecord } from '../../domain/source-file.ts';
import { areOneTicket, Merging, valuesOf } from './merge-records.ts';
import { inputAt, mustLoad, type PlanInput } from './plan-inputs.ts';
import type { Claim, GroupItem, Holder, RowIndex, RowPlace, Turn } from './row-index.ts';
import { type RowValues, specName } from './row-keys.ts';
import { RowWindow, rowOf } from './row-reader.ts';
import { guarded } from './temp-database.ts';

/** Small, so that rows are dead before the garbage collector meets them twice. */
const WINDOW_ROWS = 250;
const WINDOW_BYTES = 256 * 1024;
const NO_CHILDREN: ReadonlyMap<string, readonly Row[]> = new Map();

/** What the passes over the tickets have in common. */
export interface Passes {
  /** How often the tickets have been handed out to the last one. */
  complete: number;
  merged: MergedRecords | undefined;
}

export class TicketStream {
  readonly #inputs: readonly PlanInput[];
  readonly #index: RowIndex;
  readonly #passes: Passes;
  readonly #merging: Merging;
  readonly #children: readonly JoinTable[];
  /** Tickets and unreadable records so far. */
  #seq = 0;

  constructor(inputs: readonly PlanInput[], index: RowIndex, passes: Passes) {
    this.#inputs = inputs;
    this.#passes = passes;
    this.#index = index;
    this.#merging = new Merging(inputs);
    this.#children = [...new Set(inputs.map(({ table }) => table))].filter(({ role }) => role === 'child');
  }

  async *items(signal: AbortSignal, onChunk?: (input: PlanInput, chunk: readonly ReadRecord[]) => void) {
    for (const input of this.#inputs)
      if (input.table.role === 'root') yield* this.#rootItems(input, signal, onChunk);
    const group = this.#inputs.find(({ table }) => table.role === 'group');
    if (group !== undefined) yield* this.#groupItems(group.table, signal);
    this.#passes.complete++;
    this.#passes.merged ??= this.#merging.merged;
  }

  async *#rootItems(
    input: PlanInput,
    signal: AbortSignal,
    onChunk: ((input: PlanInput, chunk: readonly ReadRecord[]) => void) | undefined,
  ): AsyncGenerator<SourceItem[]> {
    for await (const chunk of input.file.records(input.selector, signal)) {
      const window = new RowWindow(this.#inputs);
      const keys = chunk.map((record) => (record.error === undefined ? (input.key?.(record) ?? '') : ''));
      const contested = guarded(() => this.#claim(chunk, keys, input));
      let position = 0;
      while (position < chunk.length) {
        const items: SourceItem[] = [];
        guarded(() => {
          for (
            ;
            position < chunk.length && window.rows < WINDOW_ROWS && window.bytes < WINDOW_BYTES;
            position++
          ) {
            const record = chunk[position];
            if (record === undefined) continue;
            const item = this.#rootItem(record, keys[position] ?? '', contested, input, window);
            if (item !== undefined) items.push(item);
          }
        });
        if (window.rows > 0) await window.read();
        signal.throwIfAborted();
        if (items.length > 0) yield contested ? items.map((item) => this.#merging.whole(item)) : items;
      }
      onChunk?.(input, chunk);
    }
  }

  /** Tickets that were noted, in their turn, each in its place of before; read again from wherever they stand. */
  async *inTurn(signal: AbortSignal): AsyncGenerator<readonly SourceItem[]> {
    const group = this.#inputs.find(({ table }) => table.role === 'group')?.table;
    for (const turns of this.#index.turns()) {
      let position = 0;
      while (position < turns.length) {
        const window = new RowWindow(this.#inputs);
        const pending: { readonly turn: Turn; readonly rows: Row[] }[] = [];
        guarded(() => {
          for (
            ;
            position < turns.length && window.rows < WINDOW_ROWS && window.bytes < WINDOW_BYTES;
            position++
          ) {
            const turn = turns[position];
            if (turn !== undefined) pending.push({ turn, rows: window.want(this.#placesOf(turn, group)) });
          }
        });
        await window.read();
        signal.throwIfAborted();
        const items = guarded(() => pending.map(({ turn, rows }) => this.#turned(turn, rows, group, window)));
        await window.read();
        yield items.map((item) => this.#merging.whole(item));
      }
    }
  }

  #placesOf({ input, offset, length, line, key }: Turn, group: JoinTable | undefined): RowPlace[] {
    if (key !== null) return group === undefined ? [] : this.#index.of(group.name, key);
    return [[input ?? 0, offset ?? 0, length ?? 0, line ?? 0]];
  }

  #turned(turn: Turn, rows: readonly Row[], group: JoinTable | undefined, window: RowWindow): SourceItem {
    this.#seq = turn.seq;
    const found = turn.key === null ? undefined : this.#index.groupOf(turn.key);
    if (found !== undefined && group !== undefined) return this.#groupItem(found, rows, group, window);
    const input = inputAt(this.#inputs, turn.input ?? 0);
    const [row] = rows;
    if (row === undefined) throw changedSource([input.file.name]);
    return this.#ticketOf(row, input.key?.(row) ?? '', this.#index.isContested, input, window);
  }

  /** Whether some row of the chunk may not hold its id. */
  #claim(chunk: readonly ReadRecord[], keys: readonly string[], input: PlanInput): boolean {
    // The ids were claimed before the first ticket, or when the tickets were handed out for the first time.
    if (this.#passes.complete > 0 || mustLoad(input, this.#inputs)) return this.#index.isContested;
    const claims: Claim[] = [];
    chunk.forEach(({ ref }, index) => {
      const id = keys[index] ?? '';
      if (id !== '') claims.push({ id, ref });
    });
    return !this.#index.claim(claims, input.index);
  }

  /** Undefined for a superseded version, and for a broken record that another table tells of. */
  #rootItem(
    record: ReadRecord,
    externalId: string,
    contested: boolean,
    input: PlanInput,
    window: RowWindow,
  ): SourceItem | undefined {
    const { ref } = record;
    const table = input.table.name;
    if (record.error !== undefined) {
      return input.ownsErrors || input.selector?.unwrap !== undefined
        ? this.#unreadable(table, ref, 'unreadable', record.error)
        : undefined;
    }
    if (externalId === '') return this.#missingId(table, ref, input.table);
    const holder = contested ? this.#index.otherHolder(externalId, ref) : undefined;
    if (holder !== undefined) {
      if (input.version !== undefined || this.#isPart(externalId, record, input, holder)) return undefined;
      return this.#duplicate(table, ref, externalId, holder);
    }
    return this.#ticketOf(record, externalId, contested, input, window);
  }

  #ticketOf(
    record: Omit<Row, 'table'>,
    externalId: string,
    contested: boolean,
    input: PlanInput,
    window: RowWindow,
  ): SourceTicket {
    const own = rowOf(input.table.name, record);
    const also = contested ? window.want(this.#index.repeatsOf(externalId)) : [];
    const row = also.length === 0 ? own : { ...own, also };
    const children = this.#childrenOf(externalId, record, input, window);
    const from = { input: input.index, ref: record.ref };
    const ticket = { kind: 'ticket', seq: this.#seq++, externalId, row, children, from } as const;
    return this.#withBroken(ticket, record, input);
  }

  /** Whether a record of a ticket that stands in another file too says nothing that contradicts the other one. */
  #isPart(externalId: string, record: ReadRecord, input: PlanInput, holder: Holder): boolean {
    if (holder.input === input.index) return false;
    const other = inputAt(this.#inputs, holder.input);
    const [row] = other.file.fetchSync([holder], other.selector);
    if (row === undefined || row.error !== undefined) return false;
    return areOneTicket(externalId, valuesOf(row, other.file), valuesOf(record, input.file));
  }

  /** With its rows that cannot be read. */
  #withBroken(ticket: SourceTicket, row: RowValues, input: PlanInput): SourceTicket {
    const { externalId } = ticket;
    if (!this.#index.hasBroken) return ticket;
    const own = input.table.role === 'group' ? this.#index.brokenOf(input.table.name, externalId) : [];
    const found = this.#children.flatMap((table) =>
      this.#index.brokenOf(table.name, childKey(table, externalId, row, input)),
    );
    const broken = [...own, ...found].map(({ message, ...ref }) => ({ ref, message }));
    return broken.length === 0 ? ticket : { ...ticket, broken };
  }

  #childrenOf(
    externalId: string,
    row: RowValues,
    input: PlanInput,
    window: RowWindow,
  ): ReadonlyMap<string, readonly Row[]> {
    if (this.#children.length === 0) return NO_CHILDREN;
    let children: Map<string, readonly Row[]> | undefined;
    for (const table of this.#children) {
      const key = childKey(table, externalId, row, input);
      if (key === '') continue;
      const places = this.#index.of(table.name, key);
      if (places.length === 0) continue;
      children ??= new Map();
      children.set(table.name, window.want(places));
    }
    return children ?? NO_CHILDREN;
  }

  async *#groupItems(table: JoinTable, signal: AbortSignal): AsyncGenerator<SourceItem[]> {
    for (const groups of this.#index.groups()) {
      const window = new RowWindow(this.#inputs);
      let position = 0;
      while (position < groups.length) {
        const pending: { group: GroupItem; rows: Row[] }[] = [];
        for (
          ;
          position < groups.length && window.rows < WINDOW_ROWS && window.bytes < WINDOW_BYTES;
          position++
        ) {
          const group = groups[position];
          if (group === undefined) continue;
          const places = group.key === null ? [] : this.#index.of(table.name, group.key);
          pending.push({ group, rows: window.want(places) });
        }
        await window.read();
        signal.throwIfAborted();
        // Children may match another column than the id, which is known only when the rows are read.
        const items = guarded(() =>
          pending.map(({ group, rows }) => this.#groupItem(group, rows, table, window)),
        );
        await window.read();
        yield items;
      }
    }
  }

  #groupItem(group: GroupItem, rows: readonly Row[], table: JoinTable, window: RowWindow): SourceItem {
    const { input, offset, length, line, key, message } = group;
    const owner = inputAt(this.#inputs, input);
    const ref = { file: owner.file.id, offset, length, line };
    if (message !== null) return this.#unreadable(table.name, ref, 'unreadable', message);
    const [row] = rows;
    if (key === null || row === undefined) return this.#missingId(table.name, ref, table);
    const holder = this.#index.isContested ? this.#index.otherHolder(key, ref) : undefined;
    if (holder !== undefined) return this.#duplicate(table.name, ref, key, holder);
    const children = new Map(this.#childrenOf(key, row, owner, window));
    children.set(table.name, rows);
    const ticket = { kind: 'ticket', seq: this.#seq++, externalId: key, row, children } as const;
    return this.#withBroken(ticket, row, owner);
  }

  #unreadable(
    table: string,
    ref: UnreadableRecord['ref'],
    code: UnreadableRecord['code'],
    message: string,
    externalId?: string,
  ): UnreadableRecord {
    const record = { kind: 'unreadable', seq: this.#seq++, ref, table, code, message } as const;
    return externalId === undefined ? record : { ...record, externalId };
  }

  #missingId(table: string, ref: UnreadableRecord['ref'], { key }: JoinTable): UnreadableRecord {
    const columns = key.map((column) => JSON.stringify(column)).join(' and ');
    return this.#unreadable(
      table,
      ref,
      'missing-id',
      `The record has no value in ${columns}, so it has no external id.`,
    );
  }

  #duplicate(
    table: string,
    ref: UnreadableRecord['ref'],
    externalId: string,
    holder: Holder,
  ): UnreadableRecord {
    const file = this.#inputs.find((input) => input.file.id === holder.file)?.file.name ?? '';
    const where = holder.file === ref.file ? `line ${holder.line}` : `${file}, line ${holder.line}`;
    const message = `The external id ${JSON.stringify(externalId)} stands before, in ${where}; the first one is imported.`;
    return this.#unreadable(table, ref, 'duplicate-id', message, externalId);
  }
}

/** What rows of this table name the ticket by. */
function childKey({ parentKey }: JoinTable, externalId: string, row: RowValues, input: PlanInput): string {
  return parentKey === undefined ? externalId : (input.alternates.get(specName(parentKey))?.(row) ?? '');
}
