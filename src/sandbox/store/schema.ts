/** A folder with other tables is refused: a rehearsal can be deleted. */
export const SCHEMA_VERSION = 110;

export const SCHEMA = `
  CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

  -- E-mails are not unique: a service that matches contacts badly makes true duplicates.
  CREATE TABLE contacts (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    email TEXT NOT NULL,
    name TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
  );
  CREATE INDEX contacts_email ON contacts (email, seq);

  CREATE TABLE agents (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    email TEXT NOT NULL UNIQUE,
    name TEXT
  );
  -- Names of agents in the export, for the pages.
  CREATE TABLE agent_names (id TEXT PRIMARY KEY, name TEXT NOT NULL) WITHOUT ROWID;

  -- body: the fields as JSON, times in UTC.
  CREATE TABLE tickets (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    body TEXT NOT NULL,
    contact_seq INTEGER,
    created_ms INTEGER NOT NULL,
    received_ms INTEGER NOT NULL,
    updated_ms INTEGER NOT NULL,
    message_count INTEGER NOT NULL DEFAULT 0,
    event_count INTEGER NOT NULL DEFAULT 0,
    excerpt TEXT,
    last_message TEXT,
    last_message_ms INTEGER NOT NULL,
    first_response_ms INTEGER,
    subject TEXT AS (body ->> 'subject'),
    status TEXT AS (body ->> 'status'),
    assigned_to_id TEXT AS (body ->> 'assignedToId')
  );
  CREATE INDEX tickets_created ON tickets (created_ms, seq);
  CREATE INDEX tickets_status ON tickets (status);

  -- offered: found by the search; tags of an import are not.
  CREATE TABLE ticket_tags (
    tag TEXT NOT NULL,
    ticket_seq INTEGER NOT NULL,
    offered INTEGER NOT NULL,
    PRIMARY KEY (tag, ticket_seq)
  ) WITHOUT ROWID;
  CREATE INDEX ticket_tags_offered ON ticket_tags (ticket_seq, tag) WHERE offered = 1;

  CREATE TABLE messages (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    ticket_seq INTEGER NOT NULL,
    position INTEGER NOT NULL,
    body TEXT NOT NULL,
    content TEXT NOT NULL,
    contact_seq INTEGER,
    created_ms INTEGER NOT NULL,
    agent_id TEXT AS (body ->> 'agentId'),
    content_type TEXT AS (body ->> 'contentType'),
    attachments TEXT AS (body -> 'attachments')
  );
  CREATE INDEX messages_ticket ON messages (ticket_seq, position);
  CREATE INDEX messages_agent ON messages (agent_id, ticket_seq) WHERE agent_id IS NOT NULL;

  CREATE TABLE events (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    ticket_seq INTEGER NOT NULL,
    position INTEGER NOT NULL,
    body TEXT NOT NULL,
    contact_seq INTEGER,
    created_ms INTEGER NOT NULL,
    agent_id TEXT AS (body ->> 'agentId')
  );
  CREATE INDEX events_ticket ON events (ticket_seq, position);

  CREATE TABLE attachments (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    secret TEXT NOT NULL,
    filename TEXT NOT NULL,
    content_type TEXT NOT NULL,
    expires_ms INTEGER NOT NULL,
    bytes BLOB
  );

  -- Tickets and records that an import left out.
  CREATE TABLE left_out (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    external_id TEXT UNIQUE,
    outcome TEXT NOT NULL,
    subject TEXT,
    reason TEXT NOT NULL,
    advice TEXT NOT NULL,
    place TEXT NOT NULL,
    ticket_id TEXT,
    rows TEXT NOT NULL
  );
  CREATE INDEX left_out_outcome ON left_out (outcome, seq);
`;
