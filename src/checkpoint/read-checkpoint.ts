/** Reads a checkpoint. Every statement ends before its method returns: no cursor stays open over other code. */
import { existsSync } from 'node:fs';
import type { Database, Statement } from '../domain/database.ts';
import type { AgentRecord } from '../domain/decisions.ts';
import { AppError } from '../domain/errors.ts';
import { MISSING, type TicketRecord, type UndoRecord } from '../domain/ledger.ts';
import { TICKET_STATES, type TicketState } from '../domain/ticket-state.ts';
import { rejected, type Write } from '../domain/turn-commit.ts';
import { acquireWriterLock, lockPathOf, resolveCheckpointPath, type WriterLock } from './file.ts';
import type { Mark, Signing } from './marks.ts';
import { type CheckpointMeta, type Holder, readEntry, readMeta, requireTarget } from './meta.ts';
import { openForReading } from './open-database.ts';
import { FileTable, idOfKey, keyOfId, Notes, recordOfRow, TICKET_COLUMNS, type TicketRow } from './rows.ts';

export interface RunInfo {
  readonly id: number;
  /** `run` or `trial`; a dry run writes nothing here. */
  readonly mode: string;
  readonly version: string;
  readonly pid: number;
  readonly startedAt: number;
  /** Absent during the run, and after a kill. */
  readonly endedAt?: number | undefined;
  readonly exitCode?: number | undefined;
  /** Counts only. */
  readonly summary?: Readonly<Record<string, unknown>> | undefined;
}

const READ = `SELECT ${TICKET_COLUMNS} FROM ticket`;
const READ_RUNS = `SELECT id, started_at AS startedAt, ended_at AS endedAt, mode, version, pid, exit_code AS exitCode, summary
  FROM run ORDER BY id DESC LIMIT ?`;
const PAGE = 500;
const IN_TARGET = `ticket_id IS NOT NULL AND NOT (state = 'incomplete' AND ifnull(problem ->> 'code', '') = '${MISSING}')`;

export class StoredCheckpoint {
  readonly db: Database;
  readonly path: string;
  meta: CheckpointMeta;
  readonly files: FileTable;
  readonly exportTimes: Notes<number>;
  readonly record: Notes<unknown>;
  readonly people: Notes<AgentRecord>;
  readonly undos: Notes<UndoRecord>;
  readonly marks: Notes<Mark>;
  readonly signings: Notes<Signing>;
  readonly #get: Statement<[string], TicketRow>;
  readonly #owner: Statement<[string], string>;

  constructor(db: Database, path: string, write: Write) {
    this.db = db;
    this.path = path;
    this.meta = readMeta(db);
    this.files = new FileTable(db, write);
    this.exportTimes = new Notes(db, 'exported', write);
    this.record = new Notes(db, 'facts', write);
    this.people = new Notes(db, 'person', write);
    this.undos = new Notes(db, 'undo', write);
    this.marks = new Notes(db, 'mark', write);
    this.signings = new Notes(db, 'signing', write);
    this.#get = db.prepare<[string], TicketRow>(`${READ} WHERE external_id = ?`).raw();
    this.#owner = db
      .prepare<[string], string>('SELECT external_id FROM ticket WHERE ticket_id = ? LIMIT 1')
      .pluck();
  }

  get(externalId: string): TicketRecord | undefined {
    const row = this.#get.get(keyOfId(externalId));
    return row && recordOfRow(row);
  }

  ownerOf(ticketId: string): string | undefined {
    const key = this.#owner.get(ticketId);
    return key === undefined ? undefined : idOfKey(key);
  }

  size(): number {
    return this.#count('TRUE');
  }

  /** The newest tickets and some others, without deleted ones. */
  inTarget(newest: number): { count: number; newest: TicketRecord[]; others: TicketRecord[] } {
    const count = this.#count(IN_TARGET);
    const some = (order: string) => this.#records(`WHERE ${IN_TARGET} ORDER BY ${order}`);
    const latest = some(`updated_at DESC LIMIT ${newest}`);
    const known = new Set(latest.map(({ externalId }) => externalId));
    const others = [
      ...some('external_id LIMIT 1'),
      ...some(`external_id LIMIT 1 OFFSET ${Math.floor(count / 2)}`),
    ];
    return { count, newest: latest, others: others.filter(({ externalId }) => !known.has(externalId)) };
  }

  counts(): Record<TicketState, number> {
    const rows = this.db
      .prepare<[], [TicketState, number]>('SELECT state, count(*) FROM ticket GROUP BY state')
      .raw()
      .all();
    const none = TICKET_STATES.map((state) => [state, 0]);
    return Object.fromEntries([...none, ...rows]) as Record<TicketState, number>;
  }

  page(states: readonly TicketState[], limit: number, after?: string): TicketRecord[] {
    const these = `WHERE state IN (${states.map((state) => `'${state}'`).join(', ')})`;
    const behind = after === undefined ? [] : [keyOfId(after)];
    return this.#records(
      `${these} ${after === undefined ? '' : 'AND external_id > ?'} ORDER BY external_id LIMIT ${limit}`,
      ...behind,
    );
  }

  *inStates(states: readonly TicketState[]): IterableIterator<TicketRecord> {
    let page = this.page(states, PAGE);
    while (page.length > 0) {
      yield* page;
      page = page.length < PAGE ? [] : this.page(states, PAGE, page.at(-1)?.externalId);
    }
  }

  runs(limit: number): RunInfo[] {
    const rows = this.db.prepare<[number], Record<keyof RunInfo, unknown>>(READ_RUNS).all(limit);
    return rows.map((row) => {
      const set = Object.entries(row).filter(([, value]) => value !== null);
      const run = Object.fromEntries(set) as unknown as RunInfo;
      return row.summary === null ? run : { ...run, summary: JSON.parse(String(row.summary)) };
    });
  }

  #records(condition: string, ...values: string[]): TicketRecord[] {
    return this.db
      .prepare<string[], TicketRow>(`${READ} ${condition}`)
      .raw()
      .all(...values)
      .map(recordOfRow);
  }

  #count(which: string): number {
    return this.db.prepare<[], number>(`SELECT count(*) FROM ticket WHERE ${which}`).pluck().get() as number;
  }
}

export class CheckpointReader extends StoredCheckpoint {
  constructor(db: Database, path: string) {
    super(db, path, () => rejected(new AppError('internal', 'A checkpoint is read only.')));
  }

  /** The process that writes now. The lock decides, as a note may be of a dead process. */
  writer(): Partial<Holder> | undefined {
    if (!existsSync(lockPathOf(this.db.name))) return undefined;
    let lock: WriterLock | undefined;
    try {
      lock = acquireWriterLock(this.db.name);
    } catch (error) {
      if (error instanceof AppError) return readEntry(this.db, 'holder');
      throw error;
    }
    if (lock === undefined) return readEntry(this.db, 'holder') ?? {};
    lock.release();
    return undefined;
  }

  close(): void {
    this.db.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }
}

export function readCheckpoint(path: string, target?: string): CheckpointReader {
  const db = openForReading(resolveCheckpointPath(path));
  try {
    if (target !== undefined) requireTarget(readMeta(db), target, path);
    return new CheckpointReader(db, path);
  } catch (error) {
    db.close();
    throw error;
  }
}
