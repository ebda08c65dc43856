/**
 * The checkpoint, open for writing: the ledger of an import, its runs, and the assurance that nobody else writes.
 *
 * It holds what resume needs and no more: per ticket its state, its id in the target and digests; a subject and an
 * address only while the outcome of a create is unknown; no message and no secret ever.
 */

import type { Clock } from '../domain/clock.ts';
import { AppError } from '../domain/errors.ts';
import type { CreateIntent, Ledger, TicketProblem, TicketRecord } from '../domain/ledger.ts';
import { inOwnWords } from '../domain/own-words.ts';
import type { Fingerprints } from '../domain/ticket.ts';
import type { Database } from '../sqlite/database.ts';
import { resolveCheckpointPath } from './file-kind.ts';
import {
  type CheckpointMeta,
  NO_TARGET,
  nextEpoch,
  type RequireOwn,
  readEntry,
  readMeta,
  requireTarget,
  writeEntry,
} from './meta.ts';
import {
  closeWritten,
  makeCheckpoint,
  openForReading,
  openForWriting,
  type Survives,
} from './open-database.ts';
import { StoredCheckpoint } from './read-checkpoint.ts';
import { finishRun, insertRun, recordBatch } from './runs.ts';
import { isSqliteError, writeFailure } from './sqlite-failure.ts';
import { requirePossible, TicketWriter } from './tickets.ts';
import { TurnCommit } from './turn-commit.ts';
import { acquireWriterLock, GRACE_MS, type WriterLock } from './writer-lock.ts';

export interface CheckpointOptions {
  /** The target, spelled the same in every run: its base URL with the path of the API. */
  readonly target: string;
  readonly clock: Clock;
  readonly programVersion: string;
  /** Default: `machine`. */
  readonly survives?: Survives | undefined;
}

/** What the checkpoint is used with now; kept for the next run to compare with. */
export type UsedWith = Partial<Omit<CheckpointMeta, 'target' | 'createdAt' | 'createdBy'>>;

/** While requests are sent their time is noted at least so often, milliseconds. */
const NOTED_EVERY_MS = 500;
/** No other process has opened and taken over a checkpoint in less. */
const ASKED_EVERY_MS = 100;
/** A problem's sentence is cut to this many characters, so that no answer of a target swells the checkpoint. */
const MAX_PROBLEM_LENGTH = 300;

/**
 * Opens the checkpoint for writing and makes it where there is none. Throws AppError `checkpoint` when another process
 * writes to it, when it belongs to another target, is damaged, of another version or no checkpoint at all; and
 * `disk-write` when it cannot be written.
 */
export function openCheckpoint(path: string, options: CheckpointOptions): Checkpoint {
  const real = resolveCheckpointPath(path);
  const { target, clock, programVersion: createdBy, survives = 'machine' } = options;
  const lock = acquireWriterLock(real, GRACE_MS);
  if (lock === undefined) throw inUse(path, real);
  let db: Database | undefined;
  try {
    makeCheckpoint(real, { target, createdAt: clock.now(), createdBy }, survives);
    db = openForWriting(real, survives, (found) => requireTarget(readMeta(found), target, path));
    return new Checkpoint(db, path, lock, options);
  } catch (error) {
    if (db !== undefined) closeWritten(db);
    lock.release();
    throw isSqliteError(error) ? writeFailure(path, error) : error;
  }
}

export class Checkpoint extends StoredCheckpoint implements Ledger {
  readonly #lock: WriterLock;
  readonly #clock: Clock;
  readonly #version: string;
  readonly #diedBefore: number;
  readonly #requireOwn: RequireOwn;
  readonly #commit: TurnCommit;
  readonly #writer: TicketWriter;
  /** Tickets that are about to change again. */
  readonly #underWay = new Map<string, TicketRecord>();
  #run: number | undefined;
  #closing: Promise<void> | undefined;
  #askedAt = Number.NEGATIVE_INFINITY;
  #notedAt = Number.NEGATIVE_INFINITY;
  #textsOf: (externalId: string) => Iterable<string> = () => [];

  /** Of a file that this process alone has open for writing. */
  constructor(db: Database, path: string, lock: WriterLock, options: CheckpointOptions) {
    const { target, clock, programVersion, survives = 'machine' } = options;
    const diedBefore = lastSend(db, clock.now());
    const requireOwn = takeOver(db, path, target, clock.now());
    const commit = new TurnCommit(db, {
      flushes: survives === 'machine',
      requireOwn,
      failureOf: (error) => writeFailure(path, error),
    });
    super(db, path, (work, until) => commit.write(work, until));
    this.#lock = lock;
    this.#clock = clock;
    this.#version = programVersion;
    this.#diedBefore = diedBefore;
    this.#requireOwn = requireOwn;
    this.#commit = commit;
    this.#writer = new TicketWriter(db);
  }

  /** Why nothing is recorded any more, once a write has failed. */
  get failure(): AppError | undefined {
    return this.#commit.failure;
  }

  /** This process has the lock since then, so nobody else has sent anything since. */
  diedBefore(): number {
    return this.#diedBefore;
  }

  /**
   * Right before a request goes out. The checkpoint then says when this process sent something last, to half a second.
   * Throws AppError `checkpoint` where another process has taken over: one that was stopped for a while asks first.
   */
  aboutToSend(): void {
    if (this.#commit.failure?.code === 'checkpoint') throw this.#commit.failure;
    const now = this.#clock.monotonic();
    if (now - this.#askedAt < ASKED_EVERY_MS) return;
    this.#requireOwn();
    this.#askedAt = now;
    if (now - this.#notedAt < NOTED_EVERY_MS) return;
    this.#notedAt = now;
    void this.#commit.write(() => writeEntry(this.db, 'sending', this.#clock.now()));
  }

  /** Where the texts of a ticket under way are to be had: what the target says of it is recorded without them. */
  leaveOut(textsOf: (externalId: string) => Iterable<string>): void {
    this.#textsOf = textsOf;
  }

  override get(externalId: string): TicketRecord | undefined {
    return this.#underWay.get(externalId) ?? super.get(externalId);
  }

  /** Records a ticket as it is from now on; rejects with AppError `internal` where it cannot be. */
  put(record: TicketRecord): Promise<void> {
    return this.#step(record.externalId, () => record);
  }

  // The steps of a ticket (domain/ledger.ts): what its record is afterwards. The intent is kept exactly as long as the outcome of
  // the create is unknown.

  intend(
    externalId: string,
    intent: CreateIntent,
    fingerprints: Fingerprints,
    origin?: string,
  ): Promise<void> {
    return this.#step(externalId, (before) => ({
      externalId,
      state: 'creating',
      reached: 'nothing',
      fingerprints,
      intent,
      origin: origin ?? before.origin,
    }));
  }

  created(externalId: string, ticketId: string, fields?: string): Promise<void> {
    const next = (before: TicketRecord): TicketRecord => {
      const fingerprints = withFields(before.fingerprints, fields);
      return { ...over(before), state: 'created', reached: 'created', ticketId, fingerprints };
    };
    return this.#step(externalId, next, 'written');
  }

  adopted(externalId: string, ticketId: string): Promise<void> {
    return this.#step(externalId, (before) => ({
      ...over(before),
      state: 'created',
      reached: 'created',
      ticketId,
    }));
  }

  messagesSent(externalId: string, sent?: Fingerprints, thread?: string): Promise<void> {
    return this.#step(externalId, (before) => ({
      ...withSent(before, 'messages', sent, thread),
      state: 'messaged',
      reached: 'messaged',
    }));
  }

  eventsSent(externalId: string, sent?: Fingerprints, thread?: string): Promise<void> {
    return this.#step(externalId, (before) => {
      const { reopened: _, ...record } = withSent(before, 'events', sent, thread);
      return { ...record, state: 'done', reached: 'done' };
    });
  }

  refused(externalId: string, problem: TicketProblem): Promise<void> {
    return this.#step(externalId, (before) => ({ ...over(before), state: 'failed', problem }));
  }

  notCreated(externalId: string): Promise<void> {
    return this.#step(externalId, (before) => ({ ...over(before), state: 'pending' }));
  }

  doubt(externalId: string, problem: TicketProblem): Promise<void> {
    return this.#step(externalId, (before) => ({ ...before, state: 'inDoubt', problem }));
  }

  rejected(externalId: string, problem: TicketProblem, origin?: string): Promise<void> {
    return this.#step(externalId, (before) => ({
      ...over(before),
      state: 'rejected',
      problem,
      origin: origin ?? before.origin,
    }));
  }

  reopened(externalId: string, fingerprints: Fingerprints): Promise<void> {
    return this.#step(externalId, (before) => ({
      ...over(before),
      state: 'created',
      reached: 'created',
      reopened: true,
      // What was sent is recorded when it arrived; until then a changed export must still be seen as changed.
      fingerprints: before.fingerprints ?? fingerprints,
    }));
  }

  fieldsSent(externalId: string, fields: string, ticket?: string): Promise<void> {
    return this.#step(externalId, (before) => ({
      ...before,
      fingerprints: withFields(before.fingerprints, fields, ticket),
    }));
  }

  resumed(externalId: string): Promise<void> {
    return this.#step(externalId, (before) => ({ ...over(before), state: 'created' }));
  }

  left(externalId: string): Promise<void> {
    return this.#step(externalId, (before) => ({ ...over(before), state: 'skipped' }));
  }

  released(externalId: string): Promise<void> {
    return this.#step(externalId, ({ ticketId, fingerprints, origin }) => {
      const message = `It was ticket ${ticketId} of the target until that was taken back.`;
      const problem = { code: 'released', message };
      return { externalId, state: 'inDoubt', reached: 'nothing', fingerprints, origin, problem };
    });
  }

  undone(externalId: string): Promise<void> {
    return this.put({ externalId, state: 'pending', reached: 'nothing' });
  }

  #step(
    externalId: string,
    next: (before: TicketRecord) => TicketRecord,
    until?: 'durable' | 'written',
  ): Promise<void> {
    return this.#commit.write(() => {
      const before = this.get(externalId) ?? { externalId, state: 'pending', reached: 'nothing' };
      const record = this.#recordable(next(before), before);
      requirePossible(before, record);
      this.#writer.put(record, before, Math.floor(this.#clock.now() / 1000));
      if (record.state === 'creating' || record.state === 'created') this.#underWay.set(externalId, record);
      else this.#underWay.delete(externalId);
    }, until);
  }

  /** Without words of the export, and cut. */
  #recordable(record: TicketRecord, { intent }: TicketRecord): TicketRecord {
    if (record.problem === undefined) return record;
    const texts = [intent?.subject, intent?.email].filter((text) => text !== undefined);
    const problem = inOwnWords(record.problem, [...texts, ...this.#textsOf(record.externalId)]);
    const { message } = problem;
    if (message.length <= MAX_PROBLEM_LENGTH) return { ...record, problem };
    const cut = `${message.slice(0, MAX_PROBLEM_LENGTH - 1).toWellFormed()}…`;
    return { ...record, problem: { ...problem, message: cut } };
  }

  usedWith(now: UsedWith): Promise<void> {
    const meta = { ...this.meta, ...now };
    this.meta = meta;
    return this.#commit.write(() => writeEntry(this.db, 'checkpoint', meta));
  }

  /** Records that a run begins, with counts of what it found; its batches are counted under it. */
  async startRun(mode: string, summary?: Readonly<Record<string, unknown>>): Promise<number> {
    const run = { mode, version: this.#version, pid: process.pid, summary };
    let id = 0;
    await this.#commit.write(() => {
      id = insertRun(this.db, run, this.#clock.now());
    });
    this.#run = id;
    return id;
  }

  /** Records how the run that was started last ended. `summary` holds counts, never data of tickets. */
  async endRun(end: { exitCode: number; summary?: Readonly<Record<string, unknown>> }): Promise<void> {
    const run = this.#run;
    if (run === undefined) throw new AppError('internal', 'A run was ended that was never started.');
    await this.#commit.write(() => finishRun(this.db, run, end, this.#clock.now()));
  }

  batchSettled(batch: number, tickets: number): Promise<void> {
    const run = this.#run;
    if (run === undefined) return Promise.resolve();
    const settledAt = this.#clock.now();
    return this.#commit.write(() => recordBatch(this.db, { run, number: batch, tickets, settledAt }));
  }

  flush(): Promise<void> {
    return this.#commit.flush();
  }

  /** Never throws for a ledger that has already failed: its failure was reported to those who asked it to write. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await this.#commit.close();
    try {
      closeWritten(this.db, () => {
        this.#requireOwn();
        this.#writer.overwriteSettledIntents();
        writeEntry(this.db, 'listed', this.size());
        writeEntry(this.db, 'sending', this.#clock.now());
      });
    } catch (error) {
      if (this.#commit.failure === undefined) throw writeFailure(this.path, error);
    } finally {
      this.#lock.release();
    }
  }
}

/** Without the intent and the problem of what is over. */
function over({ intent: _intent, problem: _problem, ...record }: TicketRecord): TicketRecord {
  return record;
}

function withSent(
  before: TicketRecord,
  part: 'messages' | 'events',
  sent: Fingerprints | undefined,
  thread = before.thread,
): TicketRecord {
  const record = over(before);
  if (sent === undefined) return { ...record, thread };
  return { ...record, thread, fingerprints: { ...(record.fingerprints ?? sent), [part]: sent[part] } };
}

function withFields(
  fingerprints: Fingerprints | undefined,
  fields: string | undefined,
  ticket = fingerprints?.ticket,
): Fingerprints | undefined {
  if (fingerprints === undefined || ticket === undefined || fields === undefined) return fingerprints;
  return { ...fingerprints, fields, ticket };
}

/** The latest moment at which an earlier process can have sent anything. */
function lastSend(db: Database, now: number): number {
  const noted = readEntry(db, 'sending');
  // What was sent right after the note is not in it.
  return noted === undefined ? now : Math.min(now, noted + 2 * NOTED_EVERY_MS);
}

function takeOver(db: Database, path: string, target: string, now: number): RequireOwn {
  const take = db.transaction(() => {
    const meta = readMeta(db);
    if (meta.target === NO_TARGET) writeEntry(db, 'checkpoint', { ...meta, target });
    writeEntry(db, 'holder', { pid: process.pid, since: now });
    return nextEpoch(db, path);
  });
  return take.immediate();
}

function inUse(path: string, real: string): AppError {
  let who = 'another process';
  try {
    const db = openForReading(real);
    const holder = readEntry(db, 'holder');
    db.close();
    if (holder !== undefined) who = `process ${holder.pid} since ${new Date(holder.since).toISOString()}`;
  } catch {
    // The note is a courtesy: the lock alone decides.
  }
  return new AppError('checkpoint', `The checkpoint ${path} is in use by ${who}.`, {
    hint: 'Wait until that run has ended, or give this import another checkpoint with --checkpoint.',
  });
}
