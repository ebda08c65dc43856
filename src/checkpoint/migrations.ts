/**
 * The schema of the checkpoint, as the list of steps that lead to it. `user_version` counts the steps that a file has
 * been through. A step and its mark commit together, so a crash leaves a file before or after a step, never within.
 * Steps that were ever released are not edited; a new one is appended.
 */

import { AppError } from '../domain/errors.ts';
import type { Database } from '../sqlite/database.ts';

/** "HIMP": tells a checkpoint from every other SQLite file. */
export const APPLICATION_ID = 0x48494d50;

export const MIGRATIONS: readonly string[] = [
  // 1: the tickets. Without a rowid the key is stored once, and there is one tree to write instead of two.
  `CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID, STRICT;
   CREATE TABLE ticket (
     external_id TEXT PRIMARY KEY,
     state INTEGER NOT NULL,
     reached INTEGER NOT NULL,
     ticket_id TEXT,
     fingerprints BLOB,
     problem TEXT,
     intent TEXT,
     updated_at INTEGER NOT NULL
   ) WITHOUT ROWID, STRICT;`,
  // 2: what the runs did, for status and report.
  `CREATE TABLE run (
     id INTEGER PRIMARY KEY,
     started_at INTEGER NOT NULL,
     ended_at INTEGER,
     mode TEXT NOT NULL,
     version TEXT NOT NULL,
     pid INTEGER NOT NULL,
     exit_code INTEGER,
     summary TEXT
   ) STRICT;
   CREATE TABLE batch (
     run INTEGER NOT NULL REFERENCES run (id),
     number INTEGER NOT NULL,
     tickets INTEGER NOT NULL,
     settled_at INTEGER NOT NULL,
     PRIMARY KEY (run, number)
   ) WITHOUT ROWID, STRICT;`,
  // 4: what a ticket was in its source and what was sent of its thread; open intents apart, so that their texts go (ticket-row.ts).
  // The old table is dropped whole, as that overwrites its pages.
  `CREATE TABLE intent (external_id TEXT PRIMARY KEY, intent TEXT NOT NULL) WITHOUT ROWID, STRICT;
   INSERT INTO intent SELECT external_id, intent FROM ticket WHERE intent IS NOT NULL AND state IN (1, 7);
   CREATE TABLE ticket_4 (
     external_id TEXT PRIMARY KEY,
     state INTEGER NOT NULL,
     reached INTEGER NOT NULL,
     ticket_id TEXT,
     fingerprints BLOB,
     problem TEXT,
     origin BLOB,
     thread BLOB,
     updated_at INTEGER NOT NULL
   ) WITHOUT ROWID, STRICT;
   INSERT INTO ticket_4 (external_id, state, reached, ticket_id, fingerprints, problem, updated_at)
     SELECT external_id, state, reached, ticket_id, fingerprints, problem, updated_at FROM ticket
     ORDER BY external_id;
   DROP TABLE ticket;
   ALTER TABLE ticket_4 RENAME TO ticket;`,
  // 5: files of the export that are kept (file-ledger.ts): what an address led to, and where each content is in a store.
  `CREATE TABLE file (
     key BLOB PRIMARY KEY,
     label TEXT NOT NULL,
     hash BLOB,
     name TEXT,
     reason TEXT,
     detail TEXT,
     at INTEGER NOT NULL
   ) WITHOUT ROWID, STRICT;
   CREATE TABLE content (
     hash BLOB NOT NULL,
     store TEXT NOT NULL,
     size INTEGER NOT NULL,
     type TEXT NOT NULL,
     address TEXT NOT NULL,
     begun INTEGER NOT NULL,
     at INTEGER NOT NULL,
     PRIMARY KEY (hash, store)
   ) WITHOUT ROWID, STRICT;`,
  // 6: tickets in whose messages links to old tickets were rewritten (link-ledger.ts).
  'CREATE TABLE link (external_id TEXT PRIMARY KEY, state TEXT NOT NULL, digest TEXT NOT NULL) WITHOUT ROWID, STRICT;',
  // 7: tickets of the target that an undo emptied; with what they showed before while one is under way (undo-ledger.ts).
  'CREATE TABLE undo (ticket_id TEXT PRIMARY KEY, external_id TEXT NOT NULL, run TEXT NOT NULL, before TEXT) WITHOUT ROWID, STRICT;',
  // 8: when tickets were last changed in their source, as the imported export said (export-times.ts).
  'CREATE TABLE exported (external_id TEXT PRIMARY KEY, at INTEGER NOT NULL) WITHOUT ROWID, STRICT;',
  // 8: which ticket of the source an id of the target belongs to.
  'CREATE INDEX IF NOT EXISTS ticket_by_ticket_id ON ticket (ticket_id) WHERE ticket_id IS NOT NULL;',
];

/** How many steps the file has been through. Throws AppError `checkpoint` when it knows steps that this program does not. */
export function schemaVersion(db: Database, path: string, migrations = MIGRATIONS): number {
  const version = db.pragma('user_version', { simple: true }) as number;
  if (version > migrations.length) {
    throw new AppError(
      'checkpoint',
      `The checkpoint ${path} was written by a newer version of helpdesk-import.`,
      {
        hint: 'Use that version, or a newer one, to go on with it.',
      },
    );
  }
  return version;
}

/** Takes the file through the steps that it lacks: all of them, or none. */
export function migrate(db: Database, path: string, migrations = MIGRATIONS): void {
  const version = schemaVersion(db, path, migrations);
  if (version === migrations.length) return;
  db.transaction(() => {
    db.exec(migrations.slice(version).join('\n'));
    db.pragma(`application_id = ${APPLICATION_ID}`);
    db.pragma(`user_version = ${migrations.length}`);
  }).immediate();
}
