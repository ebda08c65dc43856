/**
 * Every request, its fault and its real effect, for tests and rehearsals. Drops the oldest rows; `duplicates` reads the
 * tickets, so it sees all.
 */
import { Table } from './database.ts';
import { publicId } from './kept-values.ts';

export type RequestEffect = 'none' | 'read' | 'created' | 'replaced' | 'stored';

export interface LoggedRequest {
  seq: number;
  at: number;
  method: string;
  path: string;
  kind: string;
  /** Undefined if a fault came first. */
  handled?: number | undefined;
  /** Undefined if it got no status. */
  status?: number | undefined;
  /** As typed, e.g. `reset-after:10@create`; `rate-limit` for a real one. */
  fault?: string | undefined;
  effect: RequestEffect;
  ticketId?: string | undefined;
  subject?: string | undefined;
  /** Milliseconds. */
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
    this.sql.write(() => this.sql.insert('request_log', request));
  }

  requests(filter: LogFilter = {}): LoggedRequest[] {
    const asked = Object.entries(filter);
    return this.sql
      .all<LoggedRequest>('SELECT * FROM request_log ORDER BY seq')
      .map((row) => Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)))
      .filter((row) => asked.every(([name, value]) => row[name] === value)) as unknown as LoggedRequest[];
  }

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
