/**
 * What becomes of each ticket of the plan in this run, a row each in a temporary table (a kept plan is only read), and the
 * questions that are asked of it.
 */
import { hasMessages, type TicketRecord } from '../domain/ledger.ts';
import type { Rate } from '../domain/limits.ts';
import type { MappingRow, Survey } from '../domain/survey.ts';
import type { CheckResult, MappedValue } from '../domain/ticket.ts';
import { emptyCounts, type Outcome, type OutcomeCounts } from '../domain/ticket-state.ts';
import type { Database, Statement } from '../sqlite/database.ts';
import { estimateSeconds, MOST_CHECKS, requestsOf } from './planned.ts';
import type { Step } from './step.ts';

/** Most mapped values to count; more mean a column of free text. */
const MAPPING_ROWS = 1000;
/** Most reasons for skipping to show. */
const SKIP_REASONS = 100;
const KINDS: readonly MappedValue['kind'][] = ['status', 'priority', 'actor', 'contentType'];

/**
 * `state`: of the checkpoint when the run began. `does`: the action, or `record` where only the checkpoint changes. `leftOut`: the
 * filter that leaves it out. `status`, `thread`, `longest`, `traits`: of a valid ticket.
 */
const COLUMNS = [
  ...['seq', 'id', 'state', 'outcome', 'does', 'leftOut'],
  ...['messages', 'internal', 'events', 'attachments', 'bytes', 'created'],
  ...['status', 'channel', 'note', 'thread', 'longest', 'traits'],
  ...['messagesThere', 'eventsThere', 'creates', 'threads', 'histories', 'updates', 'reads'],
];

const SCHEMA = `
  CREATE TEMP TABLE step (seq INTEGER PRIMARY KEY, ${COLUMNS.slice(1).join(', ')});
  CREATE TEMP TABLE turn (nr INTEGER PRIMARY KEY, seq INTEGER)`;

/** Open tickets first, rejected ones last. */
const OPEN_FIRST = `CASE WHEN status IS NULL THEN 2 WHEN status IN ('open', 'pending') THEN 0 ELSE 1 END, created DESC, seq`;
const IS_SENT = `does <> 'record'`;

/** A condition on `step`. */
export function idsIn(externalIds: Iterable<string>): string {
  return `id IN (SELECT value FROM json_each('${JSON.stringify([...externalIds]).replaceAll("'", "''")}'))`;
}

interface SteppedTicket {
  readonly seq: number;
  readonly externalId: string;
  readonly result: CheckResult;
  readonly record?: TicketRecord | undefined;
  readonly step: Step;
  readonly skippedBecause?: string | undefined;
}

export class Steps {
  readonly #db: Database;
  readonly #insert: Statement;
  readonly #settle: Statement;
  readonly #mapping = new Map<string, MappingRow & { count: number }>();
  #mappingLeftOut = 0;

  constructor(db: Database) {
    this.#db = db;
    db.exec(SCHEMA);
    this.#insert = db.prepare(`INSERT INTO step VALUES (${COLUMNS.map((name) => `@${name}`).join(', ')})`);
    this.#settle = db.prepare('UPDATE step SET outcome = ? WHERE seq = ?');
  }

  /** `traits`: bits of a valid ticket (trial.ts). */
  add({ seq, externalId, result, record, step, skippedBecause }: SteppedTicket, traits?: number): void {
    const { checked, messages, internal, events, attachments, attachmentBytes: bytes, mapped } = result;
    const { outcome, action, changed } = step;
    const areThere = record !== undefined && hasMessages(record);
    const requests = action && checked ? requestsOf(action, checked) : undefined;
    this.#insert.run({
      ...{ seq, id: externalId, state: record?.state, outcome, leftOut: skippedBecause },
      does: action?.do ?? (step.record === undefined ? undefined : 'record'),
      ...{ messages, internal, events, attachments, bytes, created: result.createdAt },
      status: checked && (checked.ticket.status ?? 'open'),
      channel: checked?.ticket.channelId,
      note: checked?.note === undefined ? 0 : 1,
      thread: checked?.messages.length,
      longest: checked?.messages.reduce((most, { content }) => Math.max(most, content.length), 0),
      traits,
      messagesThere: areThere && !changed.includes('messages') ? messages : 0,
      eventsThere: record?.state === 'done' && !changed.includes('events') ? events : 0,
      creates: requests?.creates,
      threads: requests?.messages,
      histories: requests?.events,
      updates: requests?.updates,
      reads: requests?.reads,
    });
    // The helpdesk's version of a now invalid ticket has other values.
    if (outcome === 'skipped' || (outcome === 'done' && checked === undefined)) return;
    for (const { kind, from, to } of mapped) {
      const key = `${kind}\n${to}\n${from}`;
      const row = this.#mapping.get(key);
      if (row !== undefined) row.count++;
      else if (this.#mapping.size >= MAPPING_ROWS) this.#mappingLeftOut++;
      else this.#mapping.set(key, { kind, from, to, count: 1 });
    }
  }

  /** A record that cannot be a ticket. */
  addUnreadable(seq: number, externalId: string | undefined, skippedBecause: string | undefined): void {
    const outcome = skippedBecause === undefined ? 'rejected' : 'skipped';
    this.#insert.run({ ...NOTHING, seq, id: externalId, outcome, leftOut: skippedBecause });
  }

  settle(seq: number, outcome: Outcome): void {
    this.#settle.run(outcome, seq);
  }

  counts(): OutcomeCounts {
    const counts = emptyCounts();
    for (const { outcome, n } of this.#all<{ outcome: Outcome; n: number }>(
      'SELECT outcome, count(*) AS n FROM step GROUP BY outcome',
    )) {
      counts[outcome] = n;
      counts.read += n;
    }
    return counts;
  }

  /** Tickets with something to send, of those `done` ones, and open ones; what the target has of the export before. */
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

  survey(
    given: Pick<Survey, 'contacts' | 'orphans' | 'trial'>,
    batchSize: number,
    budgets: readonly Rate[],
  ): Survey {
    const { messages, internal, events, attachments, bytes, ...sums } = this.#one<Sums>(SUMS);
    const { creates, threads, histories, updates, reads, toSend, notes, first, last } = sums;
    const requests = { creates, messages: threads, events: histories, updates, reads };
    const total = creates + threads + histories + updates + reads;
    const valid = `FROM step WHERE outcome <> 'skipped' AND thread NOT NULL`;
    const [longestThread] = this.#all<NonNullable<Survey['longestThread']>>(
      `SELECT id AS externalId, thread AS messages ${valid} AND thread > 0 ORDER BY thread DESC, seq LIMIT 1`,
    );
    const utc = (at: number | null) => (at === null ? undefined : new Date(at).toISOString());
    return {
      ...given,
      tickets: this.counts(),
      skippedBecause: this.#skipped(),
      messages: { read: messages, internal },
      events: { read: events },
      attachments: { read: attachments, bytes },
      notes,
      mapping: [...this.#mapping.values()].sort(
        (a, b) => KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind) || b.count - a.count,
      ),
      mappingLeftOut: this.#mappingLeftOut,
      channels: this.#all<{ channelId: string | null; tickets: number }>(
        `SELECT channel AS channelId, count(*) AS tickets ${valid} GROUP BY channel ORDER BY tickets DESC`,
      ).map(({ channelId, tickets }) => (channelId === null ? { tickets } : { channelId, tickets })),
      months: this.#all<{ month: string; count: number; byStatus: string }>(
        `SELECT month, sum(n) AS count, json_group_object(status, n) AS byStatus FROM (
          SELECT strftime('%Y-%m', created / 1000, 'unixepoch') AS month, status, count(*) AS n ${valid} GROUP BY 1, 2)
        GROUP BY month ORDER BY month`,
      ).map((row) => ({ ...row, byStatus: JSON.parse(row.byStatus) as Record<string, number> })),
      requests: { ...requests, total, checks: total === 0 ? 0 : MOST_CHECKS },
      estimatedSeconds: estimateSeconds(total, budgets),
      firstCreatedAt: utc(first),
      lastCreatedAt: utc(last),
      longestThread,
      batches: { count: Math.ceil(toSend / batchSize), size: batchSize },
    };
  }

  #skipped(): Survey['skippedBecause'] {
    const skipped = `FROM step WHERE outcome = 'skipped' AND leftOut NOT NULL`;
    const shown = this.#all<{ reason: string; count: number }>(
      `SELECT leftOut AS reason, count(*) AS count ${skipped} GROUP BY leftOut ORDER BY count DESC, min(seq) LIMIT ${SKIP_REASONS}`,
    );
    const { n } = this.#one<{ n: number }>(`SELECT count(*) AS n ${skipped}`);
    const left = n - shown.reduce((sum, { count }) => sum + count, 0);
    return left === 0 ? shown : [...shown, { reason: 'other reasons', count: left }];
  }

  /** The first tickets to be created, as the target would have them if it had them. */
  firstCreates(count: number) {
    return this.#all<{ externalId: string; subject: string; createdAt: string }>(
      `SELECT external_id AS externalId, ticket ->> 'subject' AS subject, created_at AS createdAt
      FROM step JOIN ticket USING (seq) WHERE does = 'create' ORDER BY seq LIMIT ${count}`,
    );
  }

  /** The external ids of all of them. */
  creates(): IterableIterator<string> {
    return this.#db
      .prepare<[], string>(`SELECT id FROM step WHERE does = 'create' ORDER BY seq`)
      .pluck()
      .iterate();
  }

  /** The first contacts of tickets to be created. */
  contacts(count: number): string[] {
    return this.#db
      .prepare<[], string>(
        `SELECT DISTINCT c.value FROM step JOIN ticket USING (seq), json_each(rest, '$.result.contacts') AS c
        WHERE does = 'create' LIMIT ${count}`,
      )
      .pluck()
      .all();
  }

  /** Tickets that a trial may pick, one of each combination of traits and the first `count` of all; and those that have most of something. */
  candidates(count: number) {
    const own = `FROM step WHERE leftOut IS NULL AND traits NOT NULL`;
    const most = (what: string, condition = 'TRUE') =>
      this.#all<{ seq: number; measure: number }>(
        `SELECT seq, ${what} AS measure ${own} AND ${condition} ORDER BY measure DESC, seq LIMIT 1`,
      )[0];
    return {
      tickets: this.#all<{ seq: number; traits: number }>(
        `SELECT min(seq) AS seq, traits ${own} GROUP BY traits
        UNION SELECT * FROM (SELECT seq, traits ${own} ORDER BY seq LIMIT ${count}) ORDER BY seq`,
      ),
      most,
    };
  }

  /** Puts the tickets that are still to be sent or recorded into their order; of a trial only the picks are sent. */
  queue(order: 'file' | 'open-first', picks?: ReadonlySet<string>): void {
    const which = picks === undefined ? 'does NOT NULL' : `(does = 'record' OR ${idsIn(picks)})`;
    this.#db.exec(`DELETE FROM turn;
      INSERT INTO turn SELECT row_number() OVER (ORDER BY ${order === 'file' ? 'seq' : OPEN_FIRST}), seq
      FROM step WHERE leftOut IS NULL AND ${which}`);
  }

  #all<Row>(sql: string): Row[] {
    return this.#db.prepare<[], Row>(sql).all();
  }

  #one<Row>(sql: string): Row {
    return this.#all<Row>(sql)[0] as Row;
  }
}

const NOTHING = Object.fromEntries(COLUMNS.map((name) => [name, undefined]));

interface Sums
  extends Record<'messages' | 'internal' | 'events' | 'attachments' | 'bytes' | 'notes' | 'toSend', number>,
    Record<'creates' | 'threads' | 'histories' | 'updates' | 'reads', number> {
  readonly first: number | null;
  readonly last: number | null;
}

const SUMS = `
  SELECT ${['messages', 'internal', 'events', 'attachments', 'bytes'].map((name) => `total(${name}) AS ${name}`).join(', ')},
    ${['creates', 'threads', 'histories', 'updates', 'reads'].map((name) => `total(${name}) AS ${name}`).join(', ')},
    total(note) FILTER (WHERE outcome <> 'skipped') AS notes, count(*) FILTER (WHERE ${IS_SENT}) AS toSend,
    min(created) FILTER (WHERE outcome <> 'skipped') AS first, max(created) FILTER (WHERE outcome <> 'skipped') AS last
  FROM step`;
