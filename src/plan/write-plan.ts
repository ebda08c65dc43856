/** Written under another name until complete, so half a file is never a plan. */
import { randomBytes } from 'node:crypto';
import { open, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Database } from '../domain/database.ts';
import { diskCode, diskFailure, isDiskFull } from '../domain/errors.ts';
import { isRunning } from '../domain/files.ts';
import type { Problem } from '../domain/problem.ts';
import type { UnmatchedRow, UnreadableRow } from '../domain/source.ts';
import type { PlanMeta } from './approved.ts';
import { PLAN_SCHEMA, planTables } from './plan-file.ts';

interface PlanToWrite extends PlanMeta {
  readonly path: string;
  /** With the tables `row`, `ticket` and `step` of the run. */
  readonly database: Database;
  readonly madeAt: string;
  readonly layout: string;
  readonly files: readonly { readonly id: number; readonly name: string; readonly format: string }[];
  readonly agents: readonly (readonly [id: string, name: string])[];
  /** Problems of files, columns and the whole mapping. */
  readonly problems: readonly Problem[];
  readonly unmatched: Iterable<UnmatchedRow>;
  readonly unreadable: Iterable<UnreadableRow>;
}

const COPIES = `
  INSERT INTO kept.row SELECT id, file, line, text FROM main.row;
  INSERT INTO kept.ticket SELECT seq, external_id, row, file, line, iif(leftOut IS NULL, verdict, 'skipped'), coalesce(leftOut, why),
    t.status, created_at, requester, t.ticket, t.messages, t.events, t.note, agents, names FROM main.ticket AS t LEFT JOIN step USING (seq);
  INSERT INTO kept.ticket_row SELECT seq, t.key, r.value ->> 0, r.value ->> 1, r.value ->> 2
    FROM main.ticket, json_each(rest, '$.rows') AS t, json_each(t.value) AS r ORDER BY seq, t.id, r.key;
  INSERT INTO kept.problem SELECT seq, p.value ->> 'severity', p.value ->> 'code', p.value ->> 'file', p.value ->> 'line',
    p.value ->> 'column', p.value ->> 'field', p.value ->> 'message', p.value ->> 'count'
    FROM main.ticket, json_each(rest, '$.result.problems') AS p WHERE verdict <> 'unreadable';
  INSERT INTO kept.problem SELECT seq, 'error', rest ->> 'code', file.name, line, NULL, NULL, rest ->> 'message', 1
    FROM main.ticket AS t LEFT JOIN kept.file AS file ON file.id = t.file WHERE verdict = 'unreadable';
  INSERT INTO kept.contact SELECT email, name FROM (
    SELECT email, name, row_number() OVER (PARTITION BY email ORDER BY name IS NULL, at DESC, seq DESC) AS place FROM (
      SELECT n.value ->> 'email' AS email, n.value ->> 'name' AS name, n.value ->> 'at' AS at, seq
        FROM main.ticket, json_each(names) AS n
      UNION ALL SELECT c.value, NULL, NULL, seq FROM main.ticket, json_each(rest, '$.result.contacts') AS c))
    WHERE place = 1 AND email IS NOT NULL;
  INSERT INTO kept.attachment SELECT seq, m.key, a.value ->> 'name', a.value ->> 'url', a.value ->> 'contentType', a.value ->> 'sizeBytes'
    FROM main.ticket, json_each(messages) AS m, json_each(m.value, '$.attachments') AS a`;

export async function writePlan(plan: PlanToWrite): Promise<void> {
  const [folder, name] = [dirname(plan.path), `.${basename(plan.path)}.`];
  const draft = join(folder, `${name}${process.pid}.${randomBytes(6).toString('hex')}.tmp`);
  try {
    await removeLeft(folder, name);
    await (await open(draft, 'wx', 0o600)).close();
    copy(plan, draft);
    const file = await open(draft, 'r+');
    await file.sync().finally(() => file.close());
    await rename(draft, plan.path);
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined);
    const hint = isDiskFull(diskCode(error))
      ? 'It takes about three times as much room as the export. Free up space, or name a file on another disk.'
      : 'Name a file in another folder.';
    throw diskFailure(error, `The plan cannot be written to ${plan.path}`, hint);
  }
}

async function removeLeft(folder: string, name: string): Promise<void> {
  for (const file of await readdir(folder)) {
    const [pid = '', , end] = file.startsWith(name) ? file.slice(name.length).split('.') : [];
    if (end?.startsWith('tmp') && /^\d+$/.test(pid) && !isRunning(Number(pid))) await rm(join(folder, file));
  }
}

function copy(plan: PlanToWrite, draft: string): void {
  const { database, files } = plan;
  database.exec('COMMIT');
  try {
    database.prepare('ATTACH ? AS kept').run(draft);
    database.exec(
      `PRAGMA kept.journal_mode = OFF; PRAGMA kept.synchronous = OFF; BEGIN; ${planTables('kept')}`,
    );
    const add = database.prepare('INSERT INTO kept.file VALUES (?, ?, ?)');
    for (const { id, name, format } of files) add.run(id, name, format);
    database.exec(COPIES);
    addRest(plan);
    addMeta(plan);
    database.exec('COMMIT');
    database.exec('DETACH kept');
  } finally {
    if (!database.inTransaction) database.exec('BEGIN');
  }
}

function addRest({ database, agents, problems, unmatched, unreadable }: PlanToWrite): void {
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
  const broken = database.prepare('INSERT INTO kept.unreadable VALUES (?, ?, ?, ?, ?, ?)');
  for (const { table, ref, message, text } of unreadable)
    broken.run(table, ref.row, ref.file, ref.line, message, text);
}

function addMeta({ database, settings, ...plan }: PlanToWrite): void {
  const counts = database.prepare<[], { verdict: string; count: number }>(
    'SELECT verdict, count(*) AS count FROM kept.ticket GROUP BY verdict',
  );
  const values = {
    program_version: plan.programVersion,
    schema_version: String(PLAN_SCHEMA),
    made_at: plan.madeAt,
    source_name: plan.sourceName,
    layout: plan.layout,
    helpdesk: plan.helpdesk ?? '',
    ...Object.fromEntries(counts.all().map(({ verdict, count }) => [`tickets_${verdict}`, String(count)])),
  };
  const add = database.prepare('INSERT INTO kept.meta VALUES (?, ?)');
  for (const [key, value] of Object.entries(values)) add.run(key, value);
  const setting = database.prepare('INSERT INTO kept.setting VALUES (?, ?)');
  for (const [name, value] of Object.entries(settings)) setting.run(name, value);
}
