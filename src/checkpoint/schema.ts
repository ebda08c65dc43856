/** The tables of a checkpoint. Any change of them is another `SCHEMA_VERSION`: a checkpoint of another one is refused. */

/** "HIMP", the mark of a checkpoint, in its header. */
export const CLOSED_ID = 0x48494d50;
/** "HIMW": open for writing, or left so by a process that died. What was recorded last is in its log, `-wal`. */
export const IN_USE_ID = 0x48494d57;
/** Where SQLite keeps that number in the file. */
export const ID_OFFSET = 68;

export const SCHEMA_VERSION = 1;

export const TABLES = [
  'meta',
  'ticket',
  'intent',
  'run',
  'batch',
  'file',
  'content',
  'link',
  'undo',
  'exported',
];

/**
 * `intent` holds the only texts of the export, and only while the outcome of a create is unknown: apart from the tickets, so that
 * they can be overwritten.
 */
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
    reopened INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    CHECK (ticket_id IS NOT NULL OR state NOT IN ('created', 'messaged', 'done'))
  ) WITHOUT ROWID, STRICT;
  CREATE INDEX ticket_by_ticket_id ON ticket (ticket_id) WHERE ticket_id IS NOT NULL;
  CREATE TABLE intent (external_id TEXT PRIMARY KEY, intent TEXT NOT NULL) WITHOUT ROWID, STRICT;
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
  CREATE TABLE file (
    key TEXT PRIMARY KEY,
    label TEXT NOT NULL,
    hash TEXT,
    name TEXT,
    reason TEXT,
    detail TEXT,
    at INTEGER NOT NULL
  ) WITHOUT ROWID, STRICT;
  CREATE TABLE content (
    hash TEXT NOT NULL,
    store TEXT NOT NULL,
    size INTEGER NOT NULL,
    type TEXT NOT NULL,
    address TEXT NOT NULL,
    begun INTEGER NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (hash, store)
  ) WITHOUT ROWID, STRICT;
  CREATE TABLE link (external_id TEXT PRIMARY KEY, state TEXT NOT NULL, digest TEXT NOT NULL) WITHOUT ROWID, STRICT;
  CREATE TABLE undo (ticket_id TEXT PRIMARY KEY, external_id TEXT NOT NULL, run TEXT NOT NULL, before TEXT)
    WITHOUT ROWID, STRICT;
  CREATE TABLE exported (external_id TEXT PRIMARY KEY, at INTEGER NOT NULL) WITHOUT ROWID, STRICT;
`;
