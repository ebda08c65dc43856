/**
 * The file of a kept plan, in tables that docs/plan.md describes. Its digest is SHA-256 over the whole file, with zeros in the
 * digest's place.
 */
import { createHash } from 'node:crypto';
import { closeSync, createReadStream, openSync, readSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import type BetterSqlite3 from 'better-sqlite3';
import type { Database } from '../domain/database.ts';
import { AppError } from '../domain/errors.ts';

export const PLAN_SCHEMA = 2;
/** In the file's header. */
export const APPLICATION_ID = 0x68_64_69_70;
const SQLITE = 'SQLite format 3\0';
const HEADER = 100;
const DIGEST_LENGTH = 64;
const CHUNK = 1024 * 1024;

export interface PlanMeta {
  readonly path: string;
  readonly programVersion: string;
  readonly madeAt: string;
  readonly digest: string;
  readonly sourceName: string;
  readonly runTag: string;
  readonly layout: string;
  readonly openAgents: readonly string[];
  readonly sending: unknown;
}

export function isPlan(head: string): boolean {
  return head.startsWith(SQLITE) && head.slice(0, HEADER).includes('hdip');
}

/** A database is a plan or nothing that can be imported. */
export function isDatabaseFile(path: string): boolean {
  return headOf(path).startsWith(SQLITE);
}

/** Throws AppError `usage` for another program, version or schema. */
export function readPlanMeta(path: string, programVersion: string): PlanMeta {
  if (!isPlan(headOf(path)))
    throw new AppError('usage', `${path} is a database, and no plan of helpdesk-import.`, {
      hint: 'Make a plan with: helpdesk-import run <export> --dry-run --plan <file>',
    });
  const meta = readable(path, () => {
    const db = openPlan(path);
    try {
      const rows = db.prepare<[], { key: string; value: string }>('SELECT key, value FROM meta').all();
      return new Map(rows.map(({ key, value }) => [key, String(value)]));
    } finally {
      db.close();
    }
  });
  const text = (key: string) => meta.get(key) ?? '';
  const madeBy = text('program_version');
  const schema = text('schema_version');
  const other = (made: string, own: string) =>
    new AppError('usage', `The plan ${path} ${made}, and this is ${own}: make it again with this version.`);
  if (madeBy !== programVersion) throw other(`was made by helpdesk-import ${madeBy}`, programVersion);
  if (schema !== String(PLAN_SCHEMA)) throw other(`has schema ${schema}`, `schema ${PLAN_SCHEMA}`);
  return readable(path, () => ({
    path,
    programVersion: madeBy,
    madeAt: text('made_at'),
    digest: text('digest'),
    sourceName: text('source_name'),
    runTag: text('run_tag'),
    layout: text('layout'),
    openAgents: JSON.parse(text('open_agents')) as string[],
    sending: JSON.parse(text('sending')) as unknown,
  }));
}

/** Throws AppError `usage` for a changed byte. */
export async function openKeptPlan({ path, digest }: PlanMeta): Promise<Database> {
  const found = await hashPlan(path, digest);
  if (found.digest !== digest) throw changed(path);
  return readable(path, () => {
    const db = openPlan(path);
    db.pragma('temp_store = FILE');
    db.pragma('cache_size = -4096');
    // Reads stay the same to the end, and temporary tables wait for no disk.
    db.exec('BEGIN');
    return db;
  });
}

/** `mark`: the digest in the file, or zeros. `at`: its place. */
export async function hashPlan(
  path: string,
  mark: string,
): Promise<{ readonly digest: string; readonly at: number }> {
  const hash = createHash('sha256');
  let at = -1;
  let offset = 0;
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of createReadStream(path, { highWaterMark: CHUNK })) {
    const bytes: Buffer = Buffer.concat([rest, chunk as Buffer]);
    const found = at < 0 && mark.length === DIGEST_LENGTH ? bytes.indexOf(mark) : -1;
    if (found >= 0) {
      at = offset + found;
      bytes.fill('0', found, found + DIGEST_LENGTH);
    }
    const end = at < 0 ? Math.max(0, bytes.length - DIGEST_LENGTH) : bytes.length;
    hash.update(bytes.subarray(0, end));
    offset += end;
    rest = bytes.subarray(end);
  }
  return { digest: hash.update(rest).digest('hex'), at };
}

function openPlan(path: string): Database {
  const Connection = createRequire(import.meta.url)('better-sqlite3') as typeof BetterSqlite3;
  return new Connection(path, { readonly: true, fileMustExist: true });
}

function readable<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    throw changed(path, cause);
  }
}

function changed(path: string, cause?: unknown): AppError {
  return new AppError('usage', `The plan ${path} was changed or damaged since it was made.`, {
    hint: 'Nothing was sent. Copy the approved file again, or make a new plan.',
    cause,
  });
}

function headOf(path: string): string {
  let file: number | undefined;
  try {
    if (!statSync(path).isFile()) return '';
    file = openSync(path, 'r');
    const bytes = Buffer.alloc(HEADER);
    return bytes.toString('latin1', 0, readSync(file, bytes, 0, HEADER, 0));
  } catch {
    // Reading it as an export says why.
    return '';
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
