/** Staged rows → whole source tickets: each with its own row and the rows of the child tables that name it. */
import { AppError } from '../../domain/errors.ts';
import type { JoinedExport, JoinPlan, JoinTable } from '../../domain/join-plan.ts';
import type {
  RecordRef,
  Row,
  SourceItem,
  UnmatchedRow,
  UnreadableRecord,
  UnreadableRow,
} from '../../domain/source.ts';
import { type ReadRecord, rowOf } from '../../domain/source-file.ts';
import type { StagedExport } from '../open-export.ts';
import { type GroupItem, JoinTables, type PlanInput, planInputs } from './join-tables.ts';
import { joinKey, specName } from './row-keys.ts';

/** Of a row that cannot be read, for a person to find it. */
const EXCERPT = 80;
const CACHED = 10_000;
const PAGE = 4;
const NO_CHILDREN: ReadonlyMap<string, readonly Row[]> = new Map();

/** The files must stay open as long as the joined export is used. Throws AppError `source` for a column that is missing. */
export async function joinExport(
  files: StagedExport,
  plan: JoinPlan,
  { signal }: { readonly signal: AbortSignal },
): Promise<JoinedExport> {
  const inputs = planInputs(plan, files.files);
  const tables = new JoinTables(files.stage.database);
  await tables.load(inputs, signal);
  return new StagedJoin(files, plan, inputs, tables);
}

class StagedJoin implements JoinedExport {
  readonly #files: StagedExport;
  readonly #plan: JoinPlan;
  readonly #inputs: readonly PlanInput[];
  readonly #tables: JoinTables;
  readonly #children: readonly JoinTable[];
  #found = new Map<string, Row | undefined>();

  constructor(files: StagedExport, plan: JoinPlan, inputs: readonly PlanInput[], tables: JoinTables) {
    this.#files = files;
    this.#plan = plan;
    this.#inputs = inputs;
    this.#tables = tables;
    this.#children = plan.tables.filter(({ role }) => role === 'child');
  }

  async *tickets(signal: AbortSignal): AsyncGenerator<readonly SourceItem[]> {
    let seq = 0;
    for (const input of this.#inputs) {
      if (input.table.role !== 'root') continue;
      for await (const records of input.file.records(input.selector, signal))
        for (let at = 0; at < records.length; at += PAGE) {
          const items = records.slice(at, at + PAGE).flatMap((record) => {
            const item = this.#rootItem(record, input, seq);
            if (item !== undefined) seq++;
            return item ?? [];
          });
          if (items.length > 0) yield items;
        }
    }
    for (const groups of this.#tables.groups()) {
      signal.throwIfAborted();
      yield groups.map((group) => this.#groupItem(group, seq++));
    }
  }

  lookup(table: string, columns: readonly string[], values: readonly string[]): Row | undefined {
    const key = joinKey(values.map((value) => value.trim()));
    if (key === '') return undefined;
    const name = `${table} ${specName(columns)} ${key}`;
    if (this.#found.has(name)) return this.#found.get(name);
    if (this.#found.size >= CACHED) this.#found = new Map();
    const input = this.#inputs.find(
      (each) => each.table.name === table && each.lookups.has(specName(columns)),
    );
    if (input === undefined)
      throw new AppError('internal', `The plan has no lookup in ${table} by ${columns.join(', ')}.`);
    const id = this.#tables.lookup(table, columns, key);
    const row = id === undefined ? undefined : this.#row(table, id);
    this.#found.set(name, row);
    return row;
  }

  *unmatchedRows(): Generator<UnmatchedRow> {
    for (const { table, key, row } of this.#tables.unmatched(this.#plan.tables))
      yield { table, parent: key, ref: this.#ref(row) };
  }

  *unreadableRows(): Generator<UnreadableRow> {
    for (const { row, input, error } of this.#tables.unreadable()) {
      const { table } = this.#input(input);
      const { file, line, text, raw } = this.#files.stage.get(row);
      const excerpt = (typeof raw === 'string' ? raw : text).slice(0, EXCERPT);
      yield {
        table: table.name,
        ref: { file, row, line },
        message: error,
        text: excerpt,
        isOfTicket: table.role === 'child',
      };
    }
  }

  rowCounts(): ReadonlyMap<string, number> {
    return this.#tables.counts;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // The database is that of the files.
  }

  /** Undefined for an older version of a ticket, and for a broken record that another table reports. */
  #rootItem(record: ReadRecord, input: PlanInput, seq: number): SourceItem | undefined {
    const { ref } = record;
    const table = input.table.name;
    if (record.error !== undefined)
      return input.ownsErrors || input.selector?.unwrap !== undefined
        ? { kind: 'unreadable', seq, ref, table, code: 'unreadable', message: record.error }
        : undefined;
    const externalId = input.key?.(record) ?? '';
    if (externalId === '') return missingId(input.table, ref, seq);
    const holder = this.#tables.holder(externalId);
    if (holder !== undefined && holder.row !== ref.row) {
      if (input.version !== undefined || this.#isSame(holder.row, ref.row)) return undefined;
      return this.#duplicate(table, ref, externalId, holder.row, seq);
    }
    const row = rowOf(table, record);
    return (
      row && { kind: 'ticket', seq, externalId, row, children: this.#childrenOf(externalId, record, input) }
    );
  }

  #groupItem({ key, row, input, error }: GroupItem, seq: number): SourceItem {
    const owner = this.#input(input);
    const { table } = owner;
    const ref = this.#ref(row);
    if (error !== null)
      return { kind: 'unreadable', seq, ref, table: table.name, code: 'unreadable', message: error };
    if (key === null) return missingId(table, ref, seq);
    const holder = this.#tables.holder(key);
    if (holder !== undefined && holder.row !== row)
      return this.#duplicate(table.name, ref, key, holder.row, seq);
    const rows = this.#tables.rowsOf(table.name, key).map((id) => this.#row(table.name, id));
    const [first] = rows;
    if (first === undefined) return missingId(table, ref, seq);
    const children = new Map(this.#childrenOf(key, first, owner));
    children.set(table.name, rows);
    return { kind: 'ticket', seq, externalId: key, row: first, children };
  }

  #childrenOf(
    externalId: string,
    row: Omit<Row, 'table' | 'ref'>,
    input: PlanInput,
  ): ReadonlyMap<string, readonly Row[]> {
    if (this.#children.length === 0) return NO_CHILDREN;
    const children = new Map<string, readonly Row[]>();
    for (const { name, parentKey } of this.#children) {
      const key =
        parentKey === undefined ? externalId : (input.alternates.get(specName(parentKey))?.(row) ?? '');
      const rows = this.#tables.rowsOf(name, key);
      if (rows.length > 0)
        children.set(
          name,
          rows.map((id) => this.#row(name, id)),
        );
    }
    return children;
  }

  /** The same record once more, as in pages that overlap. */
  #isSame(one: number, other: number): boolean {
    const { stage } = this.#files;
    const [first, second] = [stage.get(one), stage.get(other)];
    return first.file !== second.file && first.text === second.text;
  }

  #duplicate(
    table: string,
    ref: RecordRef,
    externalId: string,
    holder: number,
    seq: number,
  ): UnreadableRecord {
    const first = this.#ref(holder);
    const file = this.#files.files.find(({ id }) => id === first.file)?.name ?? '';
    const where = first.file === ref.file ? `line ${first.line}` : `${file}, line ${first.line}`;
    const message = `Duplicate ID ${JSON.stringify(externalId)}: already used in ${where}. Only the first record is imported.`;
    return { kind: 'unreadable', seq, ref, table, externalId, code: 'duplicate-id', message };
  }

  #row(table: string, id: number): Row {
    const staged = this.#files.stage.get(id);
    for (const input of this.#inputs) {
      if (input.table.name !== table || input.file.id !== staged.file) continue;
      const record = input.file.read(staged, input.selector);
      const row = record && rowOf(table, record);
      if (row !== undefined) return row;
    }
    throw new AppError('internal', `Row ${id} is none of ${table}.`);
  }

  #ref(row: number): RecordRef {
    const { file, line } = this.#files.stage.get(row);
    return { file, row, line };
  }

  #input(index: number): PlanInput {
    const input = this.#inputs[index];
    if (input === undefined) throw new AppError('internal', `The plan has no input ${index}.`);
    return input;
  }
}

function missingId({ name, key }: JoinTable, ref: RecordRef, seq: number): UnreadableRecord {
  const columns = key.map((column) => JSON.stringify(column)).join(' and ');
  const message = `The record has no value in ${columns}, so it has no external id.`;
  return { kind: 'unreadable', seq, ref, table: name, code: 'missing-id', message };
}
