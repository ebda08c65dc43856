/** Written under another name until complete, so half a file is never a plan. */
import { randomBytes } from 'node:crypto';
import { open, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Database } from '../domain/database.ts';
import { AppError } from '../domain/errors.ts';
import { isRunning } from '../domain/files.ts';
import type { Problem } from '../domain/problem.ts';
import type { UnmatchedRow, UnreadableRow } from '../domain/source.ts';
import { APPLICATION_ID, hashPlan, PLAN_SCHEMA, type PlanMeta } from './plan-file.ts';

interface PlanToKeep extends Omit<PlanMeta, 'digest'> {
  readonly database: Database;
  /** Values of the table `ticket`. */
  readonly tickets: Iterable<readonly unknown[]>;
  readonly files: readonly { readonly id: number; readonly name: string; readonly format: string }[];
  readonly agents: readonly (readonly [id: string, name: string])[];
  /** Problems of files, columns and the whole mapping. */
  readonly problems: readonly Problem[];
  readonly unmatched: Iterable<UnmatchedRow>;
  readonly unreadable: Iterable<UnreadableRow>;
}

/** As docs/plan.md describes; `rest` is the program's own. */
const SCHEMA = `
  CREATE TABLE kept.meta (key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
  CREATE TABLE kept.file (id INTEGER PRIMARY KEY, name TEXT, format TEXT, reading TEXT);
  CREATE TABLE kept.row (id INTEGER PRIMARY KEY, file INTEGER, path TEXT, line INTEGER, "column" INTEGER, text TEXT, raw, reason TEXT, error TEXT);
  CREATE TABLE kept.ticket (seq INTEGER PRIMARY KEY, external_id TEXT, row INTEGER, file INTEGER, line INTEGER, verdict TEXT, why TEXT,
    status TEXT, created_at TEXT, requester TEXT, ticket TEXT, messages TEXT, events TEXT, rest TEXT);
  CREATE TABLE kept.ticket_row (ticket INTEGER, source_table TEXT, row INTEGER, file INTEGER, line INTEGER);
  CREATE TABLE kept.problem (ticket INTEGER, severity TEXT, code TEXT, file TEXT, line INTEGER, "column" TEXT, field TEXT, message TEXT, count INTEGER);
  CREATE TABLE kept.contact (email TEXT PRIMARY KEY, name TEXT) WITHOUT ROWID;
  CREATE TABLE kept.agent (id TEXT PRIMARY KEY, name TEXT) WITHOUT ROWID;
  CREATE TABLE kept.attachment (ticket INTEGER, message INTEGER, name TEXT, url TEXT, content_type TEXT, bytes INTEGER);
  CREATE TABLE kept.unmatched (source_table TEXT, parent TEXT, row INTEGER, file INTEGER, line INTEGER, near TEXT);
  CREATE TABLE kept.unreadable (source_table TEXT, row INTEGER, file INTEGER, line INTEGER, message TEXT, text TEXT, is_of_ticket INTEGER);
  CREATE VIEW kept.message AS SELECT seq AS ticket, m.key AS nr, m.value ->> 'occurredAt' AS sent_at, m.value ->> 'actorType' AS actor,
    coalesce(m.value ->> '$.contact.email', m.value ->> 'agentId') AS author, coalesce(m.value ->> 'isInternal', 0) AS is_internal,
    m.value ->> 'content' AS content FROM ticket, json_each(ticket.messages) AS m;
  CREATE VIEW kept.event AS SELECT seq AS ticket, e.key AS nr, e.value ->> 'occurredAt' AS at, e.value ->> 'type' AS type,
    e.value ->> 'oldValue' AS old_value, e.value ->> 'newValue' AS new_value FROM ticket, json_each(ticket.events) AS e`;

const COPIES = `
  INSERT INTO kept.ticket_row SELECT seq, t.key, r.value ->> 0, r.value ->> 1, r.value ->> 2
    FROM kept.ticket, json_each(rest, '$.rows') AS t, json_each(t.value) AS r ORDER BY seq, t.id, r.key;
  CREATE INDEX kept.ticket_row_ticket ON ticket_row (ticket);
  INSERT INTO kept.problem SELECT seq, p.value ->> 'severity', p.value ->> 'code', p.value ->> 'file', p.value ->> 'line',
    p.value ->> 'column', p.value ->> 'field', p.value ->> 'message', p.value ->> 'count'
    FROM kept.ticket, json_each(rest, '$.result.problems') AS p WHERE verdict <> 'unreadable';
  INSERT INTO kept.problem SELECT seq, 'error', rest ->> 'code', file.name, line, NULL, NULL, rest ->> 'message', 1
    FROM kept.ticket LEFT JOIN kept.file AS file ON file.id = ticket.file WHERE verdict = 'unreadable';
  INSERT INTO kept.contact SELECT email, name FROM (
    SELECT email, name, row_number() OVER (PARTITION BY email ORDER BY name IS NULL, at DESC, seq DESC) AS place FROM (
      SELECT n.value ->> 'email' AS email, n.value ->> 'name' AS name, n.value ->> 'at' AS at, seq
        FROM kept.ticket, json_each(rest, '$.result.names') AS n
      UNION ALL SELECT c.value, NULL, NULL, seq FROM kept.ticket, json_each(rest, '$.result.contacts') AS c))
    WHERE place = 1 AND email IS NOT NULL;
  INSERT INTO kept.attachment SELECT seq, m.key, a.value ->> 'name', a.value ->> 'url', a.value ->> 'contentType', a.value ->> 'sizeBytes'
    FROM kept.ticket, json_each(messages) AS m, json_each(m.value, '$.attachments') AS a`;

/** Throws AppError `disk-write`, and leaves nothing then. */
export async function keepPlan(plan: PlanToKeep): Promise<string> {
  const [folder, name] = [dirname(plan.path), `.${basename(plan.path)}.`];
  const draft = join(folder, `${name}${process.pid}.${randomBytes(6).toString('hex')}.tmp`);
  try {
    await removeLeft(folder, name);
    await (await open(draft, 'wx', 0o600)).close();
    const place = randomBytes(32).toString('hex');
    copy(plan, draft, place);
    const digest = await seal(draft, place);
    await rename(draft, plan.path);
    return digest;
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined);
    const { code } = error as NodeJS.ErrnoException;
    if (error instanceof AppError || code === undefined) throw error;
    const isFull = code === 'SQLITE_FULL' || code === 'ENOSPC';
    throw new AppError(
      'disk-write',
      `The plan cannot be written to ${plan.path}: ${isFull ? 'the disk is full' : code}.`,
      {
        hint: isFull
          ? 'It takes about three times as much room as the export. Free up space, or name a file on another disk.'
          : 'Name a file in another folder.',
        cause: error,
      },
    );
  }
}

async function removeLeft(folder: string, name: string): Promise<void> {
  for (const file of await readdir(folder)) {
    const [pid = '', , end] = file.startsWith(name) ? file.slice(name.length).split('.') : [];
    if (end?.startsWith('tmp') && /^\d+$/.test(pid) && !isRunning(Number(pid))) await rm(join(folder, file));
  }
}

function copy(plan: PlanToKeep, draft: string, place: string): void {
  const { database } = plan;
  database.exec('COMMIT');
  try {
    database.prepare('ATTACH ? AS kept').run(draft);
    database.exec(`PRAGMA kept.journal_mode = OFF; PRAGMA kept.synchronous = OFF;
      PRAGMA kept.application_id = ${APPLICATION_ID}; BEGIN; ${SCHEMA}`);
    addFiles(plan);
    database.exec('INSERT INTO kept.row SELECT * FROM main.row');
    addTickets(plan);
    database.exec(COPIES);
    addRest(plan);
    addMeta(plan, place);
    database.exec('COMMIT');
    database.exec('DETACH kept');
  } finally {
    if (!database.inTransaction) database.exec('BEGIN');
  }
}

function addFiles({ database, files }: PlanToKeep): void {
  const add = database.prepare('INSERT INTO kept.file VALUES (?, ?, ?, ?)');
  for (const { id, name, format, ...reading } of files) add.run(id, name, format, JSON.stringify(reading));
}

function addTickets({ database, tickets }: PlanToKeep): void {
  const add = database.prepare(`INSERT INTO kept.ticket VALUES (${Array(14).fill('?').join(', ')})`);
  for (const ticket of tickets) add.run(...ticket);
}

function addRest({ database, agents, problems, unmatched, unreadable }: PlanToKeep): void {
  const problem = database.prepare('INSERT INTO kept.problem VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?)');
  for (const each of problems) {
    const { severity, code, file = null, line = null, column = null, field = null, message, count } = each;
    problem.run(severity, code, file, line, column, field, message, count);
  }
  const agent = database.prepare('INSERT OR REPLACE INTO kept.agent VALUES (?, ?)');
  for (const [id, name] of agents) agent.run(id, name);
  const alone = database.prepare('INSERT INTO kept.unmatched VALUES (?, ?, ?, ?, ?, ?)');
  for (const { table, parent, ref, near } of unmatched)
    alone.run(table, parent, ref.row, ref.file, ref.line, near ?? null);
  const broken = database.prepare('INSERT INTO kept.unreadable VALUES (?, ?, ?, ?, ?, ?, ?)');
  for (const { table, ref, message, text, isOfTicket } of unreadable)
    broken.run(table, ref.row, ref.file, ref.line, message, text, isOfTicket ? 1 : 0);
}

function addMeta(plan: PlanToKeep, place: string): void {
  const { database, programVersion, madeAt, sourceName, runTag, layout, openAgents, sending } = plan;
  const counts = database.prepare<[], { verdict: string; count: number }>(
    'SELECT verdict, count(*) AS count FROM kept.ticket GROUP BY verdict',
  );
  const values = {
    program_version: programVersion,
    schema_version: String(PLAN_SCHEMA),
    made_at: madeAt,
    digest: place,
    source_name: sourceName,
    run_tag: runTag,
    layout,
    open_agents: JSON.stringify(openAgents),
    ...Object.fromEntries(counts.all().map(({ verdict, count }) => [`tickets_${verdict}`, String(count)])),
    sending: JSON.stringify(sending),
  };
  const add = database.prepare('INSERT INTO kept.meta VALUES (?, ?)');
  for (const [key, value] of Object.entries(values)) add.run(key, value);
}

async function seal(draft: string, place: string): Promise<string> {
  const { digest, at } = await hashPlan(draft, place);
  const file = await open(draft, 'r+');
  try {
    await file.write(digest, at);
    await file.sync();
  } finally {
    await file.close();
  }
  return digest;
}
