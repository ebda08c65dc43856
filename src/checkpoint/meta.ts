/** Whose checkpoint it is, who uses it, and what it was last used with. */
import { statSync } from 'node:fs';
import type { Database } from '../domain/database.ts';
import { AppError } from '../domain/errors.ts';
import { stop } from '../domain/text/stops.ts';
import type { KnownFacts } from '../domain/ticket-api.ts';

export interface CheckpointMeta {
  /** As given when the checkpoint was made. */
  readonly target: string;
  readonly createdAt: number;
  readonly createdBy: string;
  /** For explanations, never for identity. */
  readonly sourceKey?: string | undefined;
  /** In the tags of its tickets, once a run has used one. */
  readonly sourceName?: string | undefined;
  /** The mapping of an export of no known layout, which later exports take too. */
  readonly proposal?: unknown;
  /** A digest of the export, to tell whether it changed. */
  readonly content?: string | undefined;
  readonly targetIs?: string | undefined;
  readonly facts?: KnownFacts | undefined;
  readonly lastCreated?: readonly string[] | undefined;
  readonly shown?: { readonly content: string; readonly groups: readonly string[] } | undefined;
  readonly settings?: Readonly<Record<string, string>> | undefined;
}

export interface Holder {
  readonly pid: number;
  readonly since: number;
}

export function readMeta(db: Database): CheckpointMeta {
  return readEntry(db, 'checkpoint') as CheckpointMeta;
}

/** Files were fetched before a helpdesk was named: it belongs to the first one. */
export const NO_TARGET = 'no target yet';

export function requireTarget(meta: CheckpointMeta, target: string, path: string): void {
  if (meta.target === target || meta.target === NO_TARGET || target === NO_TARGET) return;
  const message = `The checkpoint ${path} belongs to the helpdesk ${meta.target}, not to ${target}.`;
  const hint = 'Give this import its own checkpoint with --checkpoint, or restore the base URL.';
  throw new AppError('checkpoint', message, { hint });
}

/** A section that is new or gone has changed too. */
export function changedSections(
  before: Readonly<Record<string, string>> | undefined,
  now: Readonly<Record<string, string>>,
): string[] {
  if (before === undefined) return [];
  const sections = new Set([...Object.keys(before), ...Object.keys(now)]);
  return [...sections].filter((section) => before[section] !== now[section]).sort();
}

interface Entries {
  readonly checkpoint: CheckpointMeta;
  readonly holder: Holder;
  readonly listed: number;
  readonly epoch: number;
}

export function readEntry<K extends keyof Entries>(db: Database, key: K): Entries[K] | undefined {
  const text = db.prepare('SELECT value FROM meta WHERE key = ?').pluck().get(key);
  return typeof text === 'string' ? (JSON.parse(text) as Entries[K]) : undefined;
}

export function writeEntry<K extends keyof Entries>(db: Database, key: K, value: Entries[K]): void {
  db.prepare('INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)').run(key, JSON.stringify(value));
}

/**
 * A process that wakes up after a person removed its lock learns that only by the epoch, and a deleted file can still be
 * written to. Throws AppError `checkpoint`.
 */
export type RequireOwn = () => void;

const TAKEN_AWAY = 'was deleted, moved or replaced while it was in use';

export function nextEpoch(db: Database, path: string): RequireOwn {
  const own = (readEntry(db, 'epoch') ?? 0) + 1;
  writeEntry(db, 'epoch', own);
  const read = db.prepare("SELECT value FROM meta WHERE key = 'epoch'").pluck();
  const file = fileOf(db.name);
  return () => {
    if (fileOf(db.name) !== file) throw stop('checkpoint-taken-away', { path, what: TAKEN_AWAY });
    if (read.get() === String(own)) return;
    throw stop('checkpoint-taken-over', { path });
  };
}

function fileOf(path: string): string | undefined {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stats === undefined ? undefined : `${stats.dev} ${stats.ino}`;
}
