/**
 * The ledger of the sandbox: every request, its fault, and its real effect. Tests and rehearsals ask it what happened. The oldest rows are
 * dropped (schema.ts); `duplicates` reads the tickets, so it sees all of them.
 */
import { Table } from './database.ts';
import { publicId } from './kept-values.ts';

/** The effect of a request: `created` a ticket, `replaced` messages or events, `stored` anything else, `read`, or nothing. */
export type RequestEffect = 'none' | 'read' | 'created' | 'replaced' | 'stored';

export interface LoggedRequest {
  /** Order of logging, from 1. */
  seq: number;
  /** Arrival, milliseconds since the epoch. */
  at: number;
  method: string;
  path: string;
  kind: string;
  /** The service's decision; undefined if a fault came first. */
  handled?: number | undefined;
  /** The client's answer; undefined if it got no status. */
  status?: number | undefined;
  /** The fault as typed, e.g. `reset-after:10@create`; `rate-limit` for a real one. */
  fault?: string | undefined;
  effect: RequestEffect;
  ticketId?: string | undefined;
  subject?: string | undefined;
  /** The pause that a 429 or 503 asked for, milliseconds. */
  retryAfterMs?: number | undefined;
}

export type RequestToLog = Omit<LoggedRequest, 'seq'>;

type LogFilter = Partial<Pick<LoggedRequest, 'kind' | 'effect' | 'fault' | 'ticketId'>>;

export interface DuplicateTicket {
  subject: string;
  createdAt: string;
  email: string | null;
  ticketIds: string[];
}

export class RequestLog extends Table {
  add(request: RequestToLog): void {
    this.sql.insert('request_log', request);
  }

  /** In order of logging. */
  requests(filter: LogFilter = {}): LoggedRequest[] {
    const asked = Object.entries(filter);
    return this.sql
      .all<LoggedRequest>('SELECT * FROM request_log ORDER BY seq')
      .map((row) => Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)))
      .filter((row) => asked.every(([name, value]) => row[name] === value)) as unknown as LoggedRequest[];
  }

  /** Every created ticket, with the time of its request. */
  creates(): { at: number; subject: string; ticketId: string }[] {
    return this.sql.all(
      "SELECT at, subject, ticketId FROM request_log WHERE effect = 'created' ORDER BY seq",
    );
  }

  counts(): (Pick<RequestToLog, 'kind' | 'effect'> & {
    fault: string | null;
    status: number | null;
    n: number;
  })[] {
    return this.sql.all(
      'SELECT kind, effect, fault, status, count(*) AS n FROM request_log GROUP BY 1, 2, 3, 4',
    );
  }

  /** Tickets with the same subject, creation time and contact: created twice. */
  duplicates(): DuplicateTicket[] {
    const rows = this.sql.all<{ subject: string; created_at: string; email: string | null; seqs: string }>(`
      SELECT subject, min(body ->> 'createdAt') AS created_at, contacts.email, group_concat(tickets.seq) AS seqs
      FROM tickets LEFT JOIN contacts ON contacts.seq = tickets.contact_seq
      GROUP BY subject, created_ms, contacts.email HAVING count(*) > 1
      ORDER BY min(tickets.seq)`);
    return rows.map((row) => ({
      subject: row.subject,
      createdAt: row.created_at,
      email: row.email,
      ticketIds: row.seqs.split(',').map((seq) => publicId('ticket', Number(seq))),
    }));
  }
}
