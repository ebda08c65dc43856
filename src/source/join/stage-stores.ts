/** What the temporary database holds of one export: all that is needed for a join, and where there is none the ids alone. */
import type BetterSqlite3 from 'better-sqlite3';
import type { Database as Connection } from 'better-sqlite3';
import type { RecordRef } from '../../domain/source.ts';
import type { StageTable } from '../../domain/stage-plan.ts';
import { KeyedRows } from './keyed-rows.ts';
import { isTicketTable, type PlanInput, specName } from './plan-inputs.ts';
import type { TempDatabase } from './temp-database.ts';
import { TicketIds } from './ticket-ids.ts';

/** A group of rows that is a ticket, or a row of a group table that is none. */
export interface GroupItem {
  readonly id: number;
  /** Null for a row that cannot be read or names no ticket. */
  readonly key: string | null;
  readonly input: number;
  readonly offset: number;
  readonly length: number;
  readonly line: number;
  /** Why a row cannot be read. */
  readonly message: string | null;
}

export class StageStores {
  readonly ids: TicketIds;
  /** Rows of child and group tables by the ticket that they name. */
  readonly rows = new Map<string, KeyedRows>();
  /** By table and columns (`lookupName`). */
  readonly lookups = new Map<string, KeyedRows>();
  /** By columns: values of the roots which children match instead of the external id. */
  readonly alternates: Map<string, BetterSqlite3.Statement<unknown[]>> = new Map();
  readonly #temporary: TempDatabase;
  readonly #left: LeftRows | undefined;
  #hasBroken = false;

  constructor(temporary: TempDatabase, inputs: readonly PlanInput[]) {
    this.#temporary = temporary;
    const isJoined = inputs.some((input) => mustLoad(input, inputs));
    this.ids = new TicketIds(() => temporary.connection, isJoined);
    if (!isJoined) return;
    const database = temporary.connection;
    const tables = [...new Set(inputs.map(({ table }) => table))];
    tables.forEach((table, index) => {
      const versioned = table.latest !== undefined;
      if (table.role === 'child' || table.role === 'group') {
        this.rows.set(table.name, new KeyedRows(database, `rows_${index}`, versioned));
      }
      (table.lookups ?? []).forEach((columns, spec) => {
        const rows = new KeyedRows(database, `lookup_${index}_${spec}`, versioned);
        this.lookups.set(lookupName(table.name, specName(columns)), rows);
      });
    });
    const alternates = new Set(inputs.flatMap((input) => [...input.alternates.keys()]));
    [...alternates].forEach((name, index) => {
      database.exec(`CREATE TABLE alternate_${index} (key TEXT PRIMARY KEY) WITHOUT ROWID`);
      this.alternates.set(name, database.prepare(`INSERT OR IGNORE INTO alternate_${index} VALUES (?)`));
    });
    this.#left = prepareLeftRows(database);
  }

  get database(): Connection {
    return this.#temporary.connection;
  }

  /** Whether rows are noted before the first ticket is handed out, and some may be left over. */
  get isJoined(): boolean {
    return this.#left !== undefined;
  }

  /** `text`: how the row begins. */
  bad(table: string, ref: RecordRef, message: string, text: string): void {
    this.#left?.addBad.run(table, ref.file, ref.offset, ref.length, ref.line, message, text);
  }

  /** A row that cannot be read names this ticket. */
  addBroken(table: string, key: string, ref: RecordRef, message: string): void {
    this.#left?.addBroken.run(table, key, ref.file, ref.offset, ref.length, ref.line, message);
    this.#hasBroken = true;
  }

  /** Whether any row that cannot be read names a ticket: hardly ever. */
  get hasBroken(): boolean {
    return this.#hasBroken;
  }

  /** Rows of this table that cannot be read and name this ticket. */
  brokenOf(table: string, key: string): readonly BrokenPlace[] {
    return this.#left?.broken.all(table, key) ?? [];
  }

  /** A row of a group table; `key` is null where it names no ticket. Whether it is the first one of its group. */
  addGroup(
    table: string,
    key: string | null,
    input: number,
    ref: RecordRef,
    message: string | null,
  ): boolean {
    const { offset, length, line } = ref;
    const added = this.#left?.addGroup.run(table, key, input, offset, length, line, message);
    return (added?.changes ?? 0) > 0;
  }

  /** The table in which a key of this child must be found. */
  parentsOf({ parentKey }: StageTable): string {
    if (parentKey === undefined) return 'ids';
    return `alternate_${[...this.alternates.keys()].indexOf(specName(parentKey))}`;
  }

  seal(): void {
    for (const rows of this.rows.values()) rows.seal();
    for (const rows of this.lookups.values()) rows.seal();
  }
}

/** A row that cannot be read, and why. */
export interface BrokenPlace extends RecordRef {
  readonly message: string;
}

interface LeftRows {
  readonly addBroken: BetterSqlite3.Statement<unknown[]>;
  readonly broken: BetterSqlite3.Statement<[string, string], BrokenPlace>;
  readonly addBad: BetterSqlite3.Statement<unknown[]>;
  readonly addGroup: BetterSqlite3.Statement<unknown[]>;
}

/** Tables of rows that belong to no ticket, and of groups. */
function prepareLeftRows(database: Connection): LeftRows {
  database.exec(
    `CREATE TABLE bad (name TEXT, file INTEGER, offset INTEGER, length INTEGER, line INTEGER, message TEXT, text TEXT);
     CREATE TABLE broken (name TEXT, key TEXT, file INTEGER, offset INTEGER, length INTEGER, line INTEGER, message TEXT,
       PRIMARY KEY (name, key, file, offset)) WITHOUT ROWID;
     CREATE TABLE groups (id INTEGER PRIMARY KEY, name TEXT, key TEXT, input INTEGER, offset INTEGER,
       length INTEGER, line INTEGER, message TEXT, UNIQUE (key, name))`,
  );
  return {
    addBroken: database.prepare('INSERT OR IGNORE INTO broken VALUES (?, ?, ?, ?, ?, ?, ?)'),
    broken: database.prepare<[string, string], BrokenPlace>(
      'SELECT file, offset, length, line, message FROM broken WHERE name = ? AND key = ? ORDER BY file, offset',
    ),
    addBad: database.prepare('INSERT INTO bad VALUES (?, ?, ?, ?, ?, ?, ?)'),
    addGroup: database.prepare('INSERT OR IGNORE INTO groups VALUES (NULL, ?, ?, ?, ?, ?, ?, ?)'),
  };
}

export function lookupName(table: string, spec: string): string {
  return `${table} ${spec}`;
}

/** Whether staging has to read an input before the first ticket can be handed out. */
export function mustLoad(input: PlanInput, inputs: readonly PlanInput[]): boolean {
  if (!isTicketTable(input.table) || input.table.role === 'group') return true;
  if (input.lookups.size > 0 || input.version !== undefined) return true;
  return inputs.some(({ table }) => table.role === 'child');
}
