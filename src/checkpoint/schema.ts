/** The tables of a checkpoint. Any change of them is another `SCHEMA_VERSION`: a checkpoint of another one is refused. */

/** "HIMP", the mark of a checkpoint, in its header. */
export const CLOSED_ID = 0x48494d50;
/** "HIMW": open for writing, or left so by a process that died. What was recorded last is in its log, `-wal`. */
export const IN_USE_ID = 0x48494d57;
/** Where SQLite keeps that number in the file. */
export const ID_OFFSET = 68;

export const SCHEMA_VERSION = 1;

export const TABLES = ['meta', 'ticket', 'run', 'batch', 'note'];

export const SCHEMA = `
  CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID, STRICT;
  CREATE TABLE ticket (
    external_id TEXT PRIMARY KEY,
    state TEXT NOT NULL,
    reached TEXT NOT NULL,
    ticket_id TEXT,
    fingerprints BLOB,
    origin BLOB,
    thread BLOB,
    problem TEXT,
    sent TEXT,
    reopened INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    CHECK (ticket_id IS NOT NULL OR state NOT IN ('created', 'messaged', 'done'))
  ) WITHOUT ROWID, STRICT;
  CREATE INDEX ticket_by_ticket_id ON ticket (ticket_id) WHERE ticket_id IS NOT NULL;
  CREATE TABLE run (
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
    run INTEGER NOT NULL,
    number INTEGER NOT NULL,
    tickets INTEGER NOT NULL,
    settled_at INTEGER NOT NULL,
    PRIMARY KEY (run, number)
  ) WITHOUT ROWID, STRICT;
  CREATE TABLE note (kind TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (kind, key))
    WITHOUT ROWID, STRICT;
`;
