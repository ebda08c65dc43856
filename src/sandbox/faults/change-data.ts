/**
 * Other data behind the same address: a workspace that was emptied, one that was restored from a backup, and another one,
 * as when the token of yesterday was that of a trial account. Ids are given again as a restored database gives them.
 */
import { randomBytes } from 'node:crypto';
import { searchableMarks, searchableWords } from '../store/search.ts';
import type { SandboxStore } from '../store/store.ts';
import type { DataChange } from './faults.ts';

const ORGANIZATION = 'organization';

export interface Organization {
  id: string;
  name: string;
}

export function organizationOf({ settings }: Pick<SandboxStore, 'settings'>): Organization {
  const id = settings.getOrMake(ORGANIZATION, () => `org_${randomBytes(9).toString('base64url')}`);
  return { id, name: `Sandbox ${id.slice(-4)}` };
}

/** At once, with everything that hangs on the tickets. `tickets`: so many stay where it is restored. */
export function changeData(store: SandboxStore, become: DataChange, tickets: number, now: number): void {
  const { database, group } = store;
  store.tickets.touched.seqs = undefined;
  group.write(() => {
    if (become === 'other-workspace') {
      replaceTickets(store, now);
      store.settings.set(ORGANIZATION, `org_${randomBytes(9).toString('base64url')}`);
      return;
    }
    const kept = become === 'emptied' ? 0 : Math.floor(tickets);
    const last = database.prepare('SELECT seq FROM tickets ORDER BY seq LIMIT 1 OFFSET ?').pluck().get(kept);
    if (last === undefined) return;
    for (const [table, column] of TABLES)
      database.prepare(`DELETE FROM ${table} WHERE ${column} >= ?`).run(last);
    database.prepare("UPDATE sqlite_sequence SET seq = ? WHERE name = 'tickets'").run(Number(last) - 1);
    indexAnew(store);
  });
}

/** What hangs on a ticket, by the column that says on which. */
const TABLES = [
  ['messages', 'ticket_seq'],
  ['events', 'ticket_seq'],
  ['ticket_tags', 'ticket_seq'],
  ['tickets', 'seq'],
] as const;

/** As many tickets of somebody else, under the same ids, each with a message of its own. */
function replaceTickets(store: SandboxStore, now: number): void {
  const { database, contacts, messages } = store;
  const seqs = database.prepare('SELECT seq FROM tickets ORDER BY seq').pluck().all() as number[];
  for (const table of ['messages', 'events', 'ticket_tags']) database.prepare(`DELETE FROM ${table}`).run();
  const stranger = contacts.matchOrCreate(
    { email: 'somebody@other-workspace.example', name: 'Somebody Else' },
    now,
  );
  const rename = database.prepare(
    "UPDATE tickets SET subject = ?, contact_seq = ?, tags = NULL, status = 'open', created_at = ?, created_ms = ?, message_count = 1, event_count = 0 WHERE seq = ?",
  );
  for (const seq of seqs) {
    const at = now - seq * 60_000;
    const iso = new Date(at).toISOString();
    rename.run(`Ticket ${seq} of another workspace`, stranger.seq, iso, at, seq);
    const content = `Message of another workspace in its ticket ${seq}`;
    messages.replace(
      seq,
      [{ contactSeq: stranger.seq, payload: { actorType: 'customer', content, occurredAt: iso } }],
      now,
    );
  }
  indexAnew(store);
}

function indexAnew({ database }: SandboxStore): void {
  database.exec("INSERT INTO tickets_fts (tickets_fts) VALUES ('delete-all')");
  const index = database.prepare('INSERT INTO tickets_fts (rowid, words, marks) VALUES (?, ?, ?)');
  const rows = database.prepare('SELECT seq, subject FROM tickets').all() as {
    seq: number;
    subject: string;
  }[];
  for (const { seq, subject } of rows) index.run(seq, searchableWords(subject), searchableMarks(subject));
}
