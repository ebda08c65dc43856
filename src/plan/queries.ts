/** The step of each ticket in this run: a row in a temporary table, and the questions about it. */

import type { Database, Statement } from '../domain/database.ts';
import type { Account } from '../domain/decisions.ts';
import { hasMessages, messagesSent, type TicketRecord } from '../domain/ledger.ts';
import type { CheckResult, MappedValue } from '../domain/ticket.ts';
import { emptyCounts, type Outcome, type OutcomeCounts } from '../domain/ticket-state.ts';
import { requestsOf } from './planned.ts';
import type { Step } from './step.ts';
import type { Told } from './told.ts';

const MAPPING_ROWS = 1000;
const KINDS: readonly MappedValue['kind'][] = ['status', 'priority', 'actor', 'contentType'];

/**
 * `state`: when the run began. `does`: what the action does, or `record` for the checkpoint only. `leftOut`: by which filter.
 * `action`: as JSON. `becomes`: the state to record. `isFixed`: fields changed that no call updates. `status`, `thread`, `longest`, `traits`: of a valid ticket.
 */
const COLUMNS = [
  ...['seq', 'id', 'state', 'outcome', 'does', 'leftOut'],
  ...['messages', 'internal', 'events', 'attachments', 'bytes', 'created'],
  ...['madeCreated', 'madeTimes', 'status', 'isStated', 'channel', 'note', 'thread', 'longest', 'traits'],
  ...['messagesThere', 'eventsThere', 'creates', 'threads', 'histories', 'updates', 'reads'],
  ...['action', 'becomes', 'isFixed'],
];

const SCHEMA = `
  CREATE TEMP TABLE step (seq INTEGER PRIMARY KEY, ${COLUMNS.slice(1).join(', ')});
  CREATE TEMP TABLE turn (nr INTEGER PRIMARY KEY, seq INTEGER);
  CREATE TEMP TABLE person (agent, name, how, id, messages, events, assigned);
  CREATE TEMP TABLE entry (kind, what, place, file, action, rows);
  CREATE TEMP TABLE told (what PRIMARY KEY, value);
  CREATE TEMP TABLE ticket_file (ticket, key, host, bytes, ends, PRIMARY KEY (key, ticket)) WITHOUT ROWID`;

const OPEN_FIRST = `CASE WHEN status IS NULL THEN 2 WHEN status IN ('open', 'pending') THEN 0 ELSE 1 END, created DESC, seq`;
const IS_SENT = `does <> 'record'`;

export function idsIn(externalIds: Iterable<string>): string {
  return `id IN (SELECT value FROM json_each('${JSON.stringify([...externalIds]).replaceAll("'", "''")}'))`;
}

export interface TicketFile {
  readonly key: string;
  readonly host: string;
  readonly bytes?: number | undefined;
  /** When its signed address expires, milliseconds since 1970. */
  readonly ends?: number | undefined;
}

interface SteppedTicket {
  readonly seq: number;
  readonly externalId: string;
  readonly result: CheckResult;
  readonly record?: TicketRecord | undefined;
  readonly step: Step;
  readonly leftOut?: string | undefined;
}

export class Steps {
  readonly #db: Database;
  readonly #insert: Statement;
  readonly #settle: Statement;
  readonly #file: Statement;
  readonly #mapping = new Map<string, MappedValue & { count: number }>();
  #mappingLeftOut = 0;

  constructor(db: Database) {
    this.#db = db;
    db.exec(SCHEMA);
    this.#insert = db.prepare(`INSERT OR REPLACE INTO step VALUES (${COLUMNS.map(() => '?').join(', ')})`);
    this.#file = db.prepare('INSERT OR IGNORE INTO ticket_file VALUES (?, ?, ?, ?, ?)');
    this.#settle = db.prepare('UPDATE step SET outcome = ? WHERE seq = ?');
  }

  /** Replaces an earlier step of the ticket. `traits`: bits (trial.ts). */
  add({ seq, externalId, result, record, step, leftOut }: SteppedTicket, traits?: number): void {
    const { checked, messages, internal, events, attachments, attachmentBytes: bytes, made } = result;
    const { outcome, action, changed } = step;
    const areThere = record !== undefined && hasMessages(record);
    const requests = action && checked ? requestsOf(action, checked) : undefined;
    const { status, channelId } = checked?.ticket ?? {};
    const does = action?.do ?? (step.record === undefined ? undefined : 'record');
    const longest = checked?.messages.reduce((most, { content }) => Math.max(most, content.length), 0);
    const isKept = areThere && action === undefined && changed.includes('messages');
    const messagesThere = isKept
      ? messagesSent(record.thread)
      : areThere && !changed.includes('messages')
        ? messages
        : 0;
    const eventsThere = record?.state === 'done' && !changed.includes('events') ? events : 0;
    this.#insert.run(
      ...[seq, externalId, record?.state, outcome, does, leftOut],
      ...[messages, internal, events, attachments, bytes, result.createdAt],
      ...[
        made?.created,
        made?.times ?? 0,
        checked && (status ?? 'open'),
        status === undefined ? 0 : 1,
        channelId,
      ],
      ...[checked?.note === undefined ? 0 : 1, checked?.messages.length, longest, traits],
      ...[messagesThere, eventsThere, requests?.creates, requests?.messages],
      ...[requests?.events, requests?.updates, requests?.reads],
      ...[action && JSON.stringify(action), step.record],
      step.held === undefined && changed.includes('ticket') ? 1 : 0,
    );
  }

  addMapped({ result: { checked, mapped }, step: { outcome } }: SteppedTicket): void {
    // The helpdesk's version of a now invalid ticket has other values.
    if (outcome === 'skipped' || (outcome === 'done' && checked === undefined)) return;
    for (const { kind, from, to, count } of mapped) {
      const key = `${kind}\n${to}\n${from}`;
      const row = this.#mapping.get(key);
      if (row !== undefined) row.count += count;
      else if (this.#mapping.size >= MAPPING_ROWS) this.#mappingLeftOut += count;
      else this.#mapping.set(key, { kind, from, to, count });
    }
  }

  addUnreadable(seq: number, externalId: string | undefined, leftOut: string | undefined): void {
    const outcome = leftOut === undefined ? 'rejected' : 'skipped';
    const others = COLUMNS.slice(6).map(() => null);
    this.#insert.run(seq, externalId, null, outcome, null, leftOut, ...others);
  }

  addFiles(ticket: number, files: Iterable<TicketFile>): void {
    for (const { key, host, bytes, ends } of files)
      this.#file.run(ticket, key, host, bytes ?? null, ends ?? null);
  }

  record({ agents, entries }: Account): void {
    this.#db.exec('DELETE FROM person; DELETE FROM entry');
    const person = this.#db.prepare('INSERT INTO person VALUES (?, ?, ?, ?, ?, ?, ?)');
    for (const { agent, name, how, id, messages, events, assigned } of agents)
      person.run(agent, name, how, id, messages, events, assigned);
    const entry = this.#db.prepare('INSERT INTO entry VALUES (?, ?, ?, ?, ?, ?)');
    for (const { kind, what, at, file, action, count } of entries)
      entry.run(kind, what, at, file, action, count);
  }

  /** Undefined values change nothing. */
  tell(told: Partial<Told>): void {
    const save = this.#db.prepare('INSERT OR REPLACE INTO told VALUES (?, ?)');
    for (const [what, value] of Object.entries(told))
      if (value !== undefined) save.run(what, JSON.stringify(value));
  }

  told(): Told {
    const rows = this.all<{ what: string; value: string }>('SELECT * FROM told');
    return Object.fromEntries(rows.map(({ what, value }) => [what, JSON.parse(value)])) as unknown as Told;
  }

  settle(seq: number, outcome: Outcome): void {
    this.#settle.run(outcome, seq);
  }

  /** Imported earlier, and deleted in the helpdesk since. */
  missing(externalIds: readonly string[]): void {
    const gone = `outcome = 'failed', messagesThere = 0, eventsThere = 0`;
    this.#db.exec(`UPDATE step SET ${gone} WHERE leftOut IS NULL AND ${idsIn(externalIds)}`);
  }

  counts(): OutcomeCounts {
    const counts = emptyCounts();
    for (const { outcome, n } of this.all<{ outcome: Outcome; n: number }>(
      'SELECT outcome, count(*) AS n FROM step GROUP BY outcome',
    )) {
      counts[outcome] = n;
      counts.read += n;
    }
    return counts;
  }

  totals() {
    return this.#one<
      Record<'toSend' | 'ofDone' | 'open' | 'openFirst' | 'messages' | 'events', number>
    >(`SELECT count(*) FILTER (WHERE ${IS_SENT}) AS toSend,
        count(*) FILTER (WHERE ${IS_SENT} AND outcome = 'done') AS ofDone,
        count(*) FILTER (WHERE ${IS_SENT} AND status IN ('open', 'pending')) AS openFirst,
        count(*) FILTER (WHERE messages NOT NULL AND leftOut IS NULL
          AND (state IS NULL OR state IN ('pending', 'created'))) AS open,
        total(messagesThere) AS messages, total(eventsThere) AS events FROM step`);
  }

  creates(): IterableIterator<string> {
    return this.#db
      .prepare<[], string>(`SELECT id FROM step WHERE does = 'create' ORDER BY seq`)
      .pluck()
      .iterate();
  }

  /** One of each combination of traits, the first `count`, and those with most of something. */
  candidates(count: number) {
    const own = `FROM step WHERE leftOut IS NULL AND traits NOT NULL`;
    const most = (what: string, condition = 'TRUE') =>
      this.all<{ seq: number; measure: number }>(
        `SELECT seq, ${what} AS measure ${own} AND ${condition} ORDER BY measure DESC, seq LIMIT 1`,
      )[0];
    return {
      tickets: this.all<{ seq: number; traits: number }>(
        `SELECT min(seq) AS seq, traits ${own} GROUP BY traits
        UNION SELECT * FROM (SELECT seq, traits ${own} ORDER BY seq LIMIT ${count}) ORDER BY seq`,
      ),
      most,
    };
  }

  /** In the order of sending; of a trial only the picks. */
  queue(picks?: ReadonlySet<string>): void {
    const which = picks === undefined ? 'does NOT NULL' : `(does = 'record' OR ${idsIn(picks)})`;
    this.#db.exec(`DELETE FROM turn;
      INSERT INTO turn SELECT row_number() OVER (ORDER BY ${OPEN_FIRST}), seq
      FROM step WHERE leftOut IS NULL AND ${which}`);
  }

  selected(): number {
    return this.#one<{ n: number }>('SELECT count(*) AS n FROM step WHERE leftOut IS NULL').n;
  }

  get mapping(): { readonly rows: readonly MappedValue[]; readonly leftOut: number } {
    const rows = [...this.#mapping.values()].sort(
      (a, b) => KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind) || b.count - a.count,
    );
    return { rows, leftOut: this.#mappingLeftOut };
  }

  all<Row>(sql: string): Row[] {
    return this.#db.prepare<[], Row>(sql).all();
  }

  #one<Row>(sql: string): Row {
    return this.all<Row>(sql)[0] as Row;
  }
}
