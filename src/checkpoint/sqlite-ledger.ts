/**
 * The ledger (domain/ledger.ts) over the checkpoint's database.
 *
 * Records that changed and are not yet on disk stand in memory, and so do those of tickets that are under way, which are
 * about to change again; both are bounded by the tickets in flight. Everything else is read from the database.
 */

import type { Clock } from '../domain/clock.ts';
import type { AppError } from '../domain/errors.ts';
import type { CreateIntent, Ledger, TicketProblem, TicketRecord } from '../domain/ledger.ts';
import { inOwnWords } from '../domain/own-words.ts';
import type { Fingerprints } from '../domain/ticket.ts';
import type { TicketState } from '../domain/ticket-state.ts';
import type { Database } from '../sqlite/database.ts';
import { GroupCommit, rejected } from './group-commit.ts';
import { currentEpoch, type Epoch, writeSending } from './meta.ts';
import { isSqliteError, writeFailure } from './sqlite-failure.ts';
import { changedRecord, type TicketChange } from './ticket-change.ts';
import { recordWriter, TicketTable } from './ticket-table.ts';
import { openWalFlush, type Survives, type WalFlush } from './wal-flush.ts';

/** The ledger without the batches, which belong to a run. */
type TicketLedger = Omit<Ledger, 'batchSettled'>;

/** States that a ticket under way passes through: its record stays in memory. */
const UNDER_WAY: ReadonlySet<TicketState> = new Set(['creating', 'created', 'messaged']);

/** While requests are sent their time is noted at least so often, milliseconds. */
export const NOTED_EVERY_MS = 500;

/** No other process has opened and taken over a checkpoint in less. */
const ASKED_EVERY_MS = 100;

/** What the opening of the file found. */
export interface OpenedFile {
  readonly epoch: Epoch;
  readonly diedBefore: number;
}

/** A record in memory. */
interface LiveRecord {
  record: TicketRecord;
  isChanged: boolean;
  /** The digests that the row on disk has, where this process wrote it. */
  stored: Fingerprints | undefined;
}

export class SqliteLedger implements TicketLedger {
  readonly #path: string;
  readonly #clock: Clock;
  readonly #db: Database;
  readonly #file: OpenedFile;
  readonly #tickets: TicketTable;
  readonly #log: WalFlush;
  readonly #commit: GroupCommit;
  readonly #live = new Map<string, LiveRecord>();
  /** Those of them that are to be written. */
  #changed: LiveRecord[] = [];
  readonly #counts: Record<TicketState, number>;
  #alongside: (() => void)[] = [];
  #askedAt = Number.NEGATIVE_INFINITY;
  #notedAt = Number.NEGATIVE_INFINITY;
  #textsOf: (externalId: string) => Iterable<string> = () => [];

  constructor(
    db: Database,
    path: string,
    clock: Clock,
    survives: Survives,
    file: OpenedFile = { epoch: currentEpoch(db, path), diedBefore: clock.now() },
  ) {
    this.#path = path;
    this.#clock = clock;
    this.#db = db;
    this.#file = file;
    this.#tickets = new TicketTable(db);
    this.#counts = this.#tickets.counts();
    const records = recordWriter(db);
    const write = db.transaction(() => {
      file.epoch.require();
      const second = Math.floor(clock.now() / 1000);
      for (const { record, stored } of this.#changed) records.put(record, stored, second);
      records.flush();
      for (const also of this.#alongside) also();
    });
    this.#log = openWalFlush(db, survives);
    this.#commit = new GroupCommit({
      write: () => {
        if (this.#changed.length === 0 && this.#alongside.length === 0) return;
        write.immediate();
        this.#forgetWritten();
      },
      flush: () => this.#log.flush(),
      failureOf: (error) => writeFailure(path, error),
    });
  }

  /** This process has the lock since then, so nobody else has sent anything since. */
  diedBefore(): number {
    return this.#file.diedBefore;
  }

  /**
   * Right before a request goes out. The checkpoint then tells when this process sent something last, to half a second.
   * Throws AppError `checkpoint` where another process has taken over: one that was stopped for a while asks first.
   */
  aboutToSend(): void {
    if (this.failure?.code === 'checkpoint') throw this.failure;
    const now = this.#clock.monotonic();
    if (now - this.#askedAt < ASKED_EVERY_MS) return;
    this.#file.epoch.require();
    this.#askedAt = now;
    if (now - this.#notedAt < NOTED_EVERY_MS) return;
    this.#notedAt = now;
    const at = this.#clock.now();
    void this.alongside(() => writeSending(this.#db, at));
  }

  /** Where the texts of a ticket under way are to be had: what the target says of it is recorded without them. */
  leaveOut(textsOf: (externalId: string) => Iterable<string>): void {
    this.#textsOf = textsOf;
  }

  /** Why nothing is recorded any more, once a write has failed. */
  get failure(): AppError | undefined {
    return this.#commit.failure;
  }

  get(externalId: string): TicketRecord | undefined {
    const live = this.#live.get(externalId);
    if (live !== undefined) return live.record;
    return this.#tickets.get(externalId);
  }

  has(externalId: string): boolean {
    return this.#live.has(externalId) || this.#tickets.has(externalId);
  }

  intend(
    externalId: string,
    intent: CreateIntent,
    fingerprints: Fingerprints,
    origin?: string | undefined,
  ): Promise<void> {
    return this.#change(externalId, { event: 'intend', intent, fingerprints, origin });
  }

  created(externalId: string, ticketId: string, fields?: string | undefined): Promise<void> {
    return this.#change(externalId, { event: 'created', ticketId, fields }, 'written');
  }

  messagesSent(
    externalId: string,
    sent?: Fingerprints | undefined,
    thread?: string | undefined,
  ): Promise<void> {
    return this.#change(externalId, { event: 'messagesSent', sent, thread });
  }

  eventsSent(
    externalId: string,
    sent?: Fingerprints | undefined,
    thread?: string | undefined,
  ): Promise<void> {
    return this.#change(externalId, { event: 'eventsSent', sent, thread });
  }

  refused(externalId: string, problem: TicketProblem): Promise<void> {
    return this.#change(externalId, { event: 'refused', problem });
  }

  notCreated(externalId: string): Promise<void> {
    return this.#change(externalId, { event: 'notCreated' });
  }

  doubt(externalId: string, problem: TicketProblem): Promise<void> {
    return this.#change(externalId, { event: 'doubt', problem });
  }

  adopted(externalId: string, ticketId: string): Promise<void> {
    return this.#change(externalId, { event: 'adopted', ticketId });
  }

  rejected(externalId: string, problem: TicketProblem, origin?: string | undefined): Promise<void> {
    return this.#change(externalId, { event: 'rejected', problem, origin });
  }

  reopened(externalId: string, fingerprints: Fingerprints): Promise<void> {
    return this.#change(externalId, { event: 'reopened', fingerprints });
  }

  fieldsSent(externalId: string, fields: string, ticket?: string | undefined): Promise<void> {
    return this.#change(externalId, { event: 'fieldsSent', fields, ticket });
  }

  resumed(externalId: string): Promise<void> {
    return this.#change(externalId, { event: 'resumed' });
  }

  left(externalId: string): Promise<void> {
    return this.#change(externalId, { event: 'left' });
  }

  released(externalId: string): Promise<void> {
    return this.#change(externalId, { event: 'released' });
  }

  undone(externalId: string): Promise<void> {
    return this.#change(externalId, { event: 'undone' });
  }

  ownerOf(ticketId: string): string | undefined {
    for (const { record } of this.#live.values()) {
      if (record.ticketId === ticketId) return record.externalId;
    }
    try {
      return this.#tickets.ownerOf(ticketId)?.externalId;
    } catch (error) {
      throw isSqliteError(error) ? writeFailure(this.#path, error) : error;
    }
  }

  *inStates(states: readonly TicketState[]): IterableIterator<TicketRecord> {
    if (this.#commit.failure === undefined) this.#commit.writeNow();
    yield* this.#tickets.inStates(states);
  }

  /** As it is on the disk. */
  inTarget(newest: number): ReturnType<TicketTable['inTarget']> {
    return this.#tickets.inTarget(newest);
  }

  counts(): Record<TicketState, number> {
    return { ...this.#counts };
  }

  /** Writes something of another table in the commit of this turn. */
  alongside(write: () => void, until: 'durable' | 'written' = 'durable'): Promise<void> {
    const done = until === 'durable' ? this.#commit.request() : this.#commit.requestWritten();
    if (this.#commit.failure === undefined) this.#alongside.push(write);
    return done;
  }

  flush(): Promise<void> {
    return this.#commit.settled();
  }

  /** Before the database is closed. What is not durable by then is made so by the close. */
  release(): void {
    this.#log.close();
  }

  #change(externalId: string, change: TicketChange, until: 'durable' | 'written' = 'durable'): Promise<void> {
    if (this.#commit.failure !== undefined) return rejected(this.#commit.failure);
    try {
      let live = this.#live.get(externalId);
      const before = live === undefined ? this.get(externalId) : live.record;
      const record = changedRecord(externalId, before, this.#recordable(externalId, before, change));
      if (before !== undefined) this.#counts[before.state] -= 1;
      this.#counts[record.state] += 1;
      if (live === undefined) {
        live = { record, isChanged: false, stored: undefined };
        this.#live.set(externalId, live);
      }
      live.record = record;
      if (!live.isChanged) this.#changed.push(live);
      live.isChanged = true;
    } catch (error) {
      return rejected(isSqliteError(error) ? writeFailure(this.#path, error) : error);
    }
    return until === 'durable' ? this.#commit.request() : this.#commit.requestWritten();
  }

  #recordable(externalId: string, before: TicketRecord | undefined, change: TicketChange): TicketChange {
    if (!('problem' in change)) return change;
    const { subject, email } = before?.intent ?? {};
    const texts = [subject, email].filter((text) => text !== undefined);
    return { ...change, problem: inOwnWords(change.problem, [...texts, ...this.#textsOf(externalId)]) };
  }

  #forgetWritten(): void {
    for (const live of this.#changed) {
      live.isChanged = false;
      live.stored = live.record.fingerprints;
      if (!UNDER_WAY.has(live.record.state)) this.#live.delete(live.record.externalId);
    }
    this.#changed = [];
    this.#alongside = [];
  }
}
