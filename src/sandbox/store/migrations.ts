/**
 * The tables of the sandbox, as steps. A step is never edited once it is released: later changes are further steps.
 * The file's `user_version` is the number of steps that were applied.
 *
 * Times are kept twice where both matter: as the text that was sent (so that it is answered unchanged) and in
 * milliseconds since the epoch (so that it sorts). The API's search covers what the public facts name, the subject and the
 * contact's name and e-mail; the pages' search covers the threads too. The functions `searchable_…` are those of search.ts.
 */
export const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

  CREATE TABLE contacts (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    email TEXT NOT NULL,
    name TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
  );
  -- Not unique: the racy find-then-create that can be rehearsed makes true duplicates.
  CREATE INDEX contacts_email ON contacts (email, seq);
  CREATE VIRTUAL TABLE contacts_fts USING fts5(
    words, content='', contentless_delete=1, tokenize="unicode61 remove_diacritics 2"
  );

  CREATE TABLE agents (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    email TEXT NOT NULL UNIQUE,
    name TEXT
  );

  CREATE TABLE tickets (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    subject TEXT NOT NULL,
    contact_seq INTEGER,
    status TEXT NOT NULL,
    priority TEXT NOT NULL,
    tags TEXT,
    customer_id TEXT,
    app_id TEXT,
    assigned_to_id TEXT,
    created_at TEXT NOT NULL,
    created_ms INTEGER NOT NULL,
    resolved_at TEXT,
    closed_at TEXT,
    read_only INTEGER NOT NULL,
    managed_by TEXT,
    received_ms INTEGER NOT NULL,
    updated_ms INTEGER NOT NULL,
    message_count INTEGER NOT NULL DEFAULT 0,
    event_count INTEGER NOT NULL DEFAULT 0
  );
  CREATE INDEX tickets_created ON tickets (created_ms, seq);
  CREATE INDEX tickets_status ON tickets (status, created_ms, seq);
  CREATE INDEX tickets_contact ON tickets (contact_seq, created_ms, seq);
  CREATE INDEX tickets_assignee ON tickets (assigned_to_id, created_ms, seq) WHERE assigned_to_id IS NOT NULL;
  CREATE VIRTUAL TABLE tickets_fts USING fts5(
    subject, content='', tokenize="unicode61 remove_diacritics 2"
  );

  CREATE TABLE ticket_tags (
    tag TEXT NOT NULL,
    ticket_seq INTEGER NOT NULL,
    PRIMARY KEY (tag, ticket_seq)
  ) WITHOUT ROWID;

  CREATE TABLE messages (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    ticket_seq INTEGER NOT NULL,
    position INTEGER NOT NULL,
    actor_type TEXT NOT NULL,
    content TEXT NOT NULL,
    content_type TEXT NOT NULL,
    occurred_at TEXT NOT NULL,
    occurred_ms INTEGER NOT NULL,
    contact_seq INTEGER,
    agent_id TEXT,
    is_internal INTEGER NOT NULL,
    attachments TEXT
  );
  CREATE INDEX messages_ticket ON messages (ticket_seq, position);

  CREATE TABLE events (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    ticket_seq INTEGER NOT NULL,
    position INTEGER NOT NULL,
    type TEXT NOT NULL,
    old_value TEXT,
    new_value TEXT,
    actor_type TEXT NOT NULL,
    agent_id TEXT,
    contact_seq INTEGER,
    occurred_at TEXT NOT NULL,
    occurred_ms INTEGER NOT NULL
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

  CREATE TABLE tokens (
    digest TEXT PRIMARY KEY,
    kind TEXT NOT NULL,
    client_id TEXT NOT NULL,
    scopes TEXT NOT NULL,
    expires_ms INTEGER
  ) WITHOUT ROWID;

  CREATE TABLE request_log (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    at INTEGER NOT NULL,
    method TEXT NOT NULL,
    path TEXT NOT NULL,
    kind TEXT NOT NULL,
    handled INTEGER,
    status INTEGER,
    fault TEXT,
    effect TEXT NOT NULL,
    ticket_seq INTEGER,
    subject TEXT,
    retry_after_ms INTEGER
  );
  `, // Search finds parts of words in scripts without spaces, and marks; lists show how a thread begins.
  `
  DROP TABLE tickets_fts;
  CREATE VIRTUAL TABLE tickets_fts USING fts5(
    words, marks, content='', columnsize=0, prefix='1 2', tokenize="unicode61 remove_diacritics 2"
  );
  INSERT INTO tickets_fts (rowid, words, marks)
    SELECT seq, searchable_words(subject), searchable_marks(subject) FROM tickets;

  DROP TABLE contacts_fts;
  CREATE VIRTUAL TABLE contacts_fts USING fts5(
    words, marks, content='', contentless_delete=1, prefix='1 2', tokenize="unicode61 remove_diacritics 2"
  );
  INSERT INTO contacts_fts (rowid, words, marks)
    SELECT seq, searchable_words(coalesce(name, '') || ' ' || email),
      searchable_marks(coalesce(name, '') || ' ' || email) FROM contacts;

  ALTER TABLE tickets ADD COLUMN excerpt TEXT;

  -- With the status, so that counting the tickets of thousands of contacts reads the index alone.
  DROP INDEX tickets_contact;
  CREATE INDEX tickets_contact ON tickets (contact_seq, created_ms, seq, status);
  `,
  // The app API: what is sold to whom, and usage events. The index holds all that counting over windows needs.
  `
  CREATE TABLE app_metrics (key TEXT PRIMARY KEY, body TEXT NOT NULL);
  CREATE TABLE app_plans (id TEXT PRIMARY KEY, body TEXT NOT NULL);
  CREATE TABLE app_customers (
    id TEXT PRIMARY KEY,
    domain TEXT UNIQUE,
    token TEXT UNIQUE,
    body TEXT NOT NULL
  );
  CREATE TABLE usage_events (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    event_id TEXT NOT NULL UNIQUE,
    customer_id TEXT NOT NULL,
    event_name TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    properties TEXT,
    received_ms INTEGER NOT NULL
  );
  CREATE INDEX usage_events_window ON usage_events (customer_id, event_name, at_ms);
  CREATE INDEX usage_events_time ON usage_events (at_ms, seq);
  `,
  // What an export calls the agents of its messages: for the pages alone. The API knows an agent's id and no more.
  `
  CREATE TABLE agent_names (id TEXT PRIMARY KEY, name TEXT NOT NULL) WITHOUT ROWID;
  `,
  // The ids of mails, by which they find their thread.
  `
  ALTER TABLE messages ADD COLUMN mail_ids TEXT;
  `,
  // What a deployed service tells of a ticket and sorts by; tags of contacts.
  `
  ALTER TABLE tickets ADD COLUMN channel_id TEXT NOT NULL DEFAULT 'chn_api';
  ALTER TABLE tickets ADD COLUMN contact_ids TEXT;
  ALTER TABLE tickets ADD COLUMN last_message TEXT;
  ALTER TABLE tickets ADD COLUMN last_message_ms INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE tickets ADD COLUMN first_response_ms INTEGER;
  UPDATE tickets SET last_message_ms =
    coalesce((SELECT max(occurred_ms) FROM messages WHERE ticket_seq = tickets.seq), created_ms);
  CREATE INDEX tickets_updated ON tickets (updated_ms, seq);
  CREATE INDEX tickets_last_message ON tickets (last_message_ms, seq);
  ALTER TABLE messages ADD COLUMN created_ms INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE events ADD COLUMN created_ms INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE contacts ADD COLUMN tags TEXT;
  `,
  // What is said in the messages of a ticket, by whom, and the names of their files: for the search of the pages.
  `
  CREATE VIRTUAL TABLE threads_fts USING fts5(
    words, content='', contentless_delete=1, tokenize="unicode61 remove_diacritics 2"
  );
  INSERT INTO threads_fts (rowid, words)
    SELECT ticket_seq, group_concat(searchable_message(content, content_type, agent_id, attachments), ' ')
    FROM messages GROUP BY ticket_seq;
  `,
  // What imports note of what did not arrive, and the tickets of a trial for a person to accept.
  `
  CREATE TABLE left_out (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    external_id TEXT UNIQUE,
    outcome TEXT NOT NULL,
    subject TEXT,
    reason TEXT NOT NULL,
    place TEXT NOT NULL,
    ticket_id TEXT,
    rows TEXT NOT NULL
  );
  CREATE INDEX left_out_outcome ON left_out (outcome, seq);
  CREATE TABLE trial_tickets (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    ticket_id TEXT NOT NULL UNIQUE,
    body TEXT NOT NULL,
    accepted_ms INTEGER
  );
  `,
];
