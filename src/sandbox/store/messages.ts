/** The messages of tickets. A PUT replaces them all; an element that names an existing message keeps that message. */
import type { MessagePayload } from '../../domain/payload.ts';
import type { SqliteDatabase, Statement } from './database.ts';
import { publicId } from './ids.ts';
import { keptTimeOr } from './kept-time.ts';
import type { MessageRow } from './thread.ts';

/** A message to keep: `seq` where it is one that the ticket already has. */
export interface MessageToKeep {
  seq?: number;
  contactSeq: number | null;
  payload: Omit<MessagePayload, 'occurredAt'> & { occurredAt?: string };
}

export class Messages {
  readonly #delete: Statement;
  readonly #insert: Statement;
  readonly #ofTicket: Statement;
  readonly #one: Statement;
  readonly #times: Statement;

  constructor(database: SqliteDatabase) {
    this.#delete = database.prepare('DELETE FROM messages WHERE ticket_seq = ?');
    this.#insert = database.prepare(`
      INSERT INTO messages (seq, ticket_seq, position, actor_type, content, content_type, occurred_at, occurred_ms,
        contact_seq, agent_id, is_internal, attachments, mail_ids)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);
    this.#ofTicket = database.prepare(`
      SELECT messages.*, contacts.email AS contact_email, contacts.name AS contact_name
      FROM messages LEFT JOIN contacts ON contacts.seq = messages.contact_seq
      WHERE ticket_seq = ? ORDER BY position`);
    this.#one = database.prepare('SELECT seq, content FROM messages WHERE seq = ? AND ticket_seq = ?');
    this.#times = database.prepare('SELECT seq, occurred_at FROM messages WHERE ticket_seq = ?');
  }

  /** In conversation order, as they were sent. */
  ofTicket(ticketSeq: number): MessageRow[] {
    return this.#ofTicket.all(ticketSeq) as MessageRow[];
  }

  /** What a message of this ticket says, to the letter. */
  one(ticketSeq: number, seq: number): Pick<MessageRow, 'seq' | 'content'> | undefined {
    return this.#one.get(seq, ticketSeq) as Pick<MessageRow, 'seq' | 'content'> | undefined;
  }

  /** The messages a ticket has now, with their times: what an element may keep. */
  timesOf(ticketSeq: number): Map<number, string> {
    const rows = this.#times.all(ticketSeq) as { seq: number; occurred_at: string }[];
    return new Map(rows.map((row) => [row.seq, row.occurred_at]));
  }

  /**
   * Puts `messages` in the place of all that the ticket has, and answers their ids. A kept message without a time
   * keeps the one it had; any other takes the time of the request (2.2). To be called inside a write.
   */
  replace(ticketSeq: number, messages: readonly MessageToKeep[], now: number): string[] {
    const times = this.timesOf(ticketSeq);
    if (times.size > 0) this.#delete.run(ticketSeq);
    return messages.map(({ seq, contactSeq, payload }, position) => {
      const before = seq === undefined ? undefined : times.get(seq);
      const occurred = keptTimeOr(payload.occurredAt ?? before, now);
      const attachments = payload.attachments ?? [];
      const { lastInsertRowid } = this.#insert.run(
        seq ?? null,
        ticketSeq,
        position,
        payload.actorType,
        payload.content,
        payload.contentType ?? 'text',
        occurred.iso,
        occurred.ms,
        contactSeq,
        payload.agentId ?? null,
        payload.isInternal === true ? 1 : 0,
        attachments.length === 0 ? null : JSON.stringify(attachments),
        mailIdsOf(payload),
      );
      return publicId('message', Number(lastInsertRowid));
    });
  }
}

function mailIdsOf({ messageId, inReplyToId, referencesIds }: MessageToKeep['payload']): string | null {
  if (messageId === undefined && inReplyToId === undefined && referencesIds === undefined) return null;
  return JSON.stringify({ messageId, inReplyToId, referencesIds });
}
