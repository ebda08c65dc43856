/**
 * The full-text index of tickets. It is brought up to date before a search and after many changes, as each commit with a change
 * of the index costs several times as much as one without.
 */
import type { Sql } from './database.ts';
import { messageText } from './excerpt.ts';
import { parsedTags } from './kept-values.ts';
import { indexed } from './search.ts';

/** So many changed tickets are indexed at once, so that a search after a large import does not wait for all of them. */
const BATCH = 500;

type Texts = Record<'content' | 'content_type' | 'agent_id' | 'attachments', string>;

export class TextIndex {
  readonly #sql: Sql;
  #changed = 0;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** Call inside the write that changes the ticket. */
  changed(seq: number): void {
    this.#changed += this.#sql.run('INSERT OR IGNORE INTO unindexed VALUES (?)', seq).changes;
    if (this.#changed >= BATCH) this.bringUpToDate();
  }

  bringUpToDate(): void {
    const seqs = this.#sql.column<number>('SELECT ticket_seq FROM unindexed');
    this.#changed = 0;
    if (seqs.length === 0) return;
    this.#sql.write(() => {
      for (const seq of seqs) this.#index(seq);
      this.#sql.run('DELETE FROM unindexed');
    });
  }

  /** Subject, messages, file names, agents and tags. */
  #index(seq: number): void {
    const ticket = this.#sql.get<{ subject: string; tags: string | null }>(
      'SELECT subject, tags FROM tickets WHERE seq = ?',
      seq,
    );
    const messages = this.#sql.all<Texts>(
      'SELECT content, content_type, agent_id, attachments FROM messages WHERE ticket_seq = ? ORDER BY position',
      seq,
    );
    const thread = messages.map((row) =>
      [messageText(row.content, row.content_type), row.agent_id ?? '', row.attachments ?? ''].join('\n'),
    );
    this.#sql.run(
      'INSERT OR REPLACE INTO tickets_fts (rowid, subject, thread) VALUES (?, ?, ?)',
      seq,
      indexed(ticket?.subject ?? ''),
      indexed([...parsedTags(ticket?.tags ?? null), ...thread].join('\n')),
    );
  }
}
