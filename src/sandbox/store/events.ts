/** The history of tickets: status changes and other events, replaced as a whole (public facts). */
import type { EventPayload } from '../../domain/payload.ts';
import type { SqliteDatabase, Statement } from './database.ts';
import { publicId } from './ids.ts';
import { keptTimeOr } from './kept-time.ts';
import type { EventRow } from './thread.ts';

export interface EventToKeep {
  contactSeq: number | null;
  payload: Omit<EventPayload, 'occurredAt' | 'contactId'> & { occurredAt?: string };
}

export class Events {
  readonly #delete: Statement;
  readonly #insert: Statement;
  readonly #ofTicket: Statement;

  constructor(database: SqliteDatabase) {
    this.#delete = database.prepare('DELETE FROM events WHERE ticket_seq = ?');
    this.#insert = database.prepare(`
      INSERT INTO events (ticket_seq, position, type, old_value, new_value, actor_type, agent_id, contact_seq,
        occurred_at, occurred_ms)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);
    this.#ofTicket = database.prepare(`
      SELECT events.*, contacts.email AS contact_email, contacts.name AS contact_name
      FROM events LEFT JOIN contacts ON contacts.seq = events.contact_seq
      WHERE ticket_seq = ? ORDER BY position`);
  }

  ofTicket(ticketSeq: number): EventRow[] {
    return this.#ofTicket.all(ticketSeq) as EventRow[];
  }

  /** Puts `events` in the place of all that the ticket has, and answers their ids. To be called inside a write. */
  replace(ticketSeq: number, events: readonly EventToKeep[], now: number): string[] {
    this.#delete.run(ticketSeq);
    return this.append(ticketSeq, events, now);
  }

  count(ticketSeq: number): number {
    return this.ofTicket(ticketSeq).length;
  }

  /** Behind those that are there. To be called inside a write. */
  append(ticketSeq: number, events: readonly EventToKeep[], now: number): string[] {
    const first = this.count(ticketSeq);
    return events.map(({ contactSeq, payload }, index) => {
      const position = first + index;
      const occurred = keptTimeOr(payload.occurredAt, now);
      const { lastInsertRowid } = this.#insert.run(
        ticketSeq,
        position,
        payload.type,
        storedValue(payload.oldValue),
        storedValue(payload.newValue),
        payload.actorType,
        payload.agentId ?? null,
        contactSeq,
        occurred.iso,
        occurred.ms,
      );
      return publicId('event', Number(lastInsertRowid));
    });
  }
}

function storedValue(value: Record<string, unknown> | undefined): string | null {
  return value === undefined || value === null ? null : JSON.stringify(value);
}
