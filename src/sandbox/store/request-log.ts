/**
 * The sandbox's recorder: every request, the fault that was played on it, and what it really did. Tests and rehearsals
 * ask it what happened, whatever the client believes. Bounded: the oldest rows go; `duplicates` asks the tickets
 * themselves and knows all of them.
 */
import type { SqliteDatabase, Statement } from './database.ts';
import { publicId } from './kept-values.ts';

/** What a request did: `created` a ticket, `replaced` messages or events, `stored` anything else, `read`, or nothing. */
export type RequestEffect = 'none' | 'read' | 'created' | 'replaced' | 'stored';

export interface LoggedRequest {
  /** Order of logging, from 1. */
  seq: number;
  /** Arrival, milliseconds since the epoch. */
  at: number;
  method: string;
  path: string;
  kind: string;
  /** What the service decided; undefined where a fault kept the request from it. */
  handled?: number;
  /** What the client was told; undefined where it got no status. */
  status?: number;
  /** The fault as it was written, e.g. `reset-after:10@create`; `rate-limit` for a true one. */
  fault?: string;
  effect: RequestEffect;
  ticketId?: string;
  subject?: string;
  /** What a 429 or 503 asked the client to wait, milliseconds. */
  retryAfterMs?: number;
}

export type RequestToLog = Omit<LoggedRequest, 'seq' | 'ticketId'> & { ticketSeq?: number };

export interface LogFilter {
  kind?: string;
  effect?: RequestEffect;
  fault?: string;
  ticketId?: string;
}

export interface DuplicateTicket {
  subject: string;
  createdAt: string;
  email: string | null;
  ticketIds: string[];
}

/** Rows go in lots, not one by one. */
const PRUNE_EVERY = 1_000;

interface LogRow {
  seq: number;
  at: number;
  method: string;
  path: string;
  kind: string;
  handled: number | null;
  status: number | null;
  fault: string | null;
  effect: RequestEffect;
  ticket_seq: number | null;
  subject: string | null;
  retry_after_ms: number | null;
}

export class RequestLog {
  readonly #limit: number;
  readonly #insert: Statement;
  readonly #prune: Statement;
  readonly #all: Statement;
  readonly #counts: Statement;
  readonly #duplicates: Statement;

  constructor(database: SqliteDatabase, limit: number) {
    this.#limit = limit;
    this.#insert = database.prepare(`
      INSERT INTO request_log (at, method, path, kind, handled, status, fault, effect, ticket_seq, subject,
        retry_after_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);
    this.#prune = database.prepare('DELETE FROM request_log WHERE seq <= ?');
    this.#all = database.prepare('SELECT * FROM request_log ORDER BY seq');
    this.#counts = database.prepare(
      'SELECT kind, effect, fault, status, count(*) AS n FROM request_log GROUP BY 1, 2, 3, 4',
    );
    this.#duplicates = database.prepare(`
      SELECT tickets.subject, tickets.created_at, contacts.email, group_concat(tickets.seq) AS seqs
      FROM tickets LEFT JOIN contacts ON contacts.seq = tickets.contact_seq
      GROUP BY tickets.subject, tickets.created_ms, contacts.email HAVING count(*) > 1
      ORDER BY min(tickets.seq)`);
  }

  /** To be called inside a write, in the same turn as the effect, so that both are committed together. */
  add(request: RequestToLog): void {
    const { lastInsertRowid } = this.#insert.run(
      request.at,
      request.method,
      request.path,
      request.kind,
      request.handled ?? null,
      request.status ?? null,
      request.fault ?? null,
      request.effect,
      request.ticketSeq ?? null,
      request.subject ?? null,
      request.retryAfterMs ?? null,
    );
    const seq = Number(lastInsertRowid);
    if (seq % PRUNE_EVERY === 0 && seq > this.#limit) this.#prune.run(seq - this.#limit);
  }

  /** In order of logging. */
  requests(filter: LogFilter = {}): LoggedRequest[] {
    const rows = this.#all.all() as LogRow[];
    return rows
      .map(loggedRequest)
      .filter(
        (request) =>
          (filter.kind === undefined || request.kind === filter.kind) &&
          (filter.effect === undefined || request.effect === filter.effect) &&
          (filter.fault === undefined || request.fault === filter.fault) &&
          (filter.ticketId === undefined || request.ticketId === filter.ticketId),
      );
  }

  /** Every ticket that was created, with the time of its request. */
  creates(): { at: number; subject: string; ticketId: string }[] {
    return this.requests({ effect: 'created' }).map(({ at, subject, ticketId }) => ({
      at,
      subject: subject ?? '',
      ticketId: ticketId ?? '',
    }));
  }

  counts(): {
    kind: string;
    effect: RequestEffect;
    fault: string | null;
    status: number | null;
    n: number;
  }[] {
    return this.#counts.all() as ReturnType<RequestLog['counts']>;
  }

  /** Tickets that agree in subject, time of creation and contact: what a create sent twice leaves behind. */
  duplicates(): DuplicateTicket[] {
    const rows = this.#duplicates.all() as {
      subject: string;
      created_at: string;
      email: string | null;
      seqs: string;
    }[];
    return rows.map((row) => ({
      subject: row.subject,
      createdAt: row.created_at,
      email: row.email,
      ticketIds: row.seqs.split(',').map((seq) => publicId('ticket', Number(seq))),
    }));
  }

  /**
   * Core API requests that arrived while a 429 asked everybody to wait. `graceMs` forgives those that were on their
   * way when the 429 was answered.
   */
  sentWhileHeld(graceMs: number): LoggedRequest[] {
    let heldFrom = 0;
    let heldUntil = 0;
    const early: LoggedRequest[] = [];
    for (const request of this.requests().sort((one, other) => one.at - other.at)) {
      if (request.at > heldFrom + graceMs && request.at < heldUntil) early.push(request);
      if (request.status !== 429 || request.retryAfterMs === undefined) continue;
      if (request.at + request.retryAfterMs > heldUntil) {
        heldFrom = request.at;
        heldUntil = request.at + request.retryAfterMs;
      }
    }
    return early;
  }
}

function loggedRequest(row: LogRow): LoggedRequest {
  return {
    seq: row.seq,
    at: row.at,
    method: row.method,
    path: row.path,
    kind: row.kind,
    ...(row.handled === null ? {} : { handled: row.handled }),
    ...(row.status === null ? {} : { status: row.status }),
    ...(row.fault === null ? {} : { fault: row.fault }),
    effect: row.effect,
    ...(row.ticket_seq === null ? {} : { ticketId: publicId('ticket', row.ticket_seq) }),
    ...(row.subject === null ? {} : { subject: row.subject }),
    ...(row.retry_after_ms === null ? {} : { retryAfterMs: row.retry_after_ms }),
  };
}
