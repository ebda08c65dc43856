/** What the checkpoint says about itself: whose it is, who uses it, and what it was last used with. */
import { statSync } from 'node:fs';
import { AppError } from '../domain/errors.ts';
import type { TargetFacts } from '../domain/ticket-api.ts';
import type { Database } from '../sqlite/database.ts';

export interface CheckpointMeta {
  /** The target whose tickets it lists, as it was given when the checkpoint was made. */
  readonly target: string;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  /** Version of the program that made it. */
  readonly createdBy: string;
  /** What the source was called when it was last used (layout, file names): for explanations, never for identity. */
  readonly sourceKey?: string | undefined;
  /** The name that its tickets carry in their tags (domain/identity.ts), once a run has used one. */
  readonly sourceName?: string | undefined;
  /**
   * How many of its tickets in the target were created without tags of identity, so that counts by tag can be compared; absent
   * until a run has used identity, and again after one without it.
   */
  readonly withoutIdentity?: number | undefined;
  /** Of the export as the last run that came to its end saw it, or as the first one did: tells whether it changed since. */
  readonly content?: string | undefined;
  /** Who the target said it was (a digest), if it did. */
  readonly targetIs?: string | undefined;
  /** What the first tickets showed of the target. */
  readonly facts?: TargetFacts | undefined;
  /** External ids of the tickets that the last run with creates created last, oldest first. */
  readonly lastCreated?: readonly string[] | undefined;
  /** Where tickets were and are, by which links in messages were rewritten last. */
  readonly links?:
    | {
        readonly source?: string | undefined;
        readonly target: string;
        readonly platform: string;
      }
    | undefined;
  /** Kinds of problems that were shown in full, and the content of the export in which they were. */
  readonly shown?: { readonly content: string; readonly groups: readonly string[] } | undefined;
  /** Digests of the settings that shape payloads, by section, when it was last used. */
  readonly settings?: Readonly<Record<string, string>> | undefined;
}

/** The process that has the checkpoint open for writing, or had it when it died. */
export interface Holder {
  readonly pid: number;
  /** Milliseconds since the epoch. */
  readonly since: number;
}

/** Of a checked checkpoint, which has it from the beginning. */
export function readMeta(db: Database): CheckpointMeta {
  return readEntry(db, 'checkpoint') as CheckpointMeta;
}

/** Of a checkpoint that files were fetched with before there was a target: it belongs to the first that comes. */
export const NO_TARGET = 'no target yet';

/** Throws AppError `checkpoint` when the checkpoint lists the tickets of another target. */
export function requireTarget(meta: CheckpointMeta, target: string, path: string): void {
  if (meta.target === target || meta.target === NO_TARGET || target === NO_TARGET) return;
  throw new AppError(
    'checkpoint',
    `The checkpoint ${path} belongs to the target ${meta.target}, not to ${target}.`,
    {
      hint: 'Give this import its own checkpoint with --checkpoint, or restore the base URL.',
    },
  );
}

/** The sections of the settings that are not as they were; a section that is new or gone has changed too. */
export function changedSections(
  before: Readonly<Record<string, string>> | undefined,
  now: Readonly<Record<string, string>>,
): string[] {
  if (before === undefined) return [];
  const sections = new Set([...Object.keys(before), ...Object.keys(now)]);
  return [...sections].filter((section) => before[section] !== now[section]).sort();
}

/** What `meta` holds, as JSON. */
interface Entries {
  readonly checkpoint: CheckpointMeta;
  /** Who has it open for writing, or had it when it died. */
  readonly holder: Holder;
  /** How many tickets it listed when it was closed. */
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

// Every write and every request first checks that no other process has taken over this checkpoint: every opening for writing counts
// the epoch up. Locks keep two writers apart; but a process that was stopped and wakes up days later, when a person has removed
// its lock and another process has gone on, finds out only so. And the file must be the one that was opened: one that was
// deleted can be written to, and is gone with the process.

/** Within a transaction that writes, or before a request. Throws AppError `checkpoint` where the checkpoint is not this process's own any more. */
export type RequireOwn = () => void;

/** Begins a new epoch, within a transaction that writes. */
export function nextEpoch(db: Database, path: string): RequireOwn {
  const own = (readEntry(db, 'epoch') ?? 0) + 1;
  writeEntry(db, 'epoch', own);
  const read = db.prepare("SELECT value FROM meta WHERE key = 'epoch'").pluck();
  const file = fileOf(db.name);
  return () => {
    if (fileOf(db.name) !== file)
      throw new AppError(
        'checkpoint',
        `The checkpoint ${path} was deleted, moved or replaced while it was in use.`,
        {
          hint: 'This run sends and records nothing more. Put the file back; or rebuild it from the target with "helpdesk-import checkpoint rebuild".',
        },
      );
    if (read.get() === String(own)) return;
    throw new AppError('checkpoint', `Another process has taken over the checkpoint ${path}.`, {
      hint: 'This one sends and records nothing more. When the other has ended, run the same command again: it continues where that one stopped.',
    });
  };
}

function fileOf(path: string): string | undefined {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stats === undefined ? undefined : `${stats.dev} ${stats.ino}`;
}
