/**
 * Uploaded files (public facts: `POST /attachments`, then PUT of the bytes to a signed URL). Who knows the secret in
 * the URL may write until it expires and read for ever, as with a real service's signed URLs.
 */
import type { SqliteDatabase, Statement } from './database.ts';

export interface AttachmentRow {
  seq: number;
  secret: string;
  filename: string;
  content_type: string;
  expires_ms: number;
  bytes: Buffer | null;
}

export class Attachments {
  readonly #insert: Statement;
  readonly #get: Statement;
  readonly #fill: Statement;

  constructor(database: SqliteDatabase) {
    this.#insert = database.prepare(
      'INSERT INTO attachments (secret, filename, content_type, expires_ms) VALUES (?, ?, ?, ?)',
    );
    this.#get = database.prepare('SELECT * FROM attachments WHERE seq = ?');
    this.#fill = database.prepare('UPDATE attachments SET bytes = ? WHERE seq = ?');
  }

  /** To be called inside a write. */
  announce(secret: string, filename: string, contentType: string, expiresMs: number): number {
    return Number(this.#insert.run(secret, filename, contentType, expiresMs).lastInsertRowid);
  }

  get(seq: number): AttachmentRow | undefined {
    return this.#get.get(seq) as AttachmentRow | undefined;
  }

  /** To be called inside a write. */
  fill(seq: number, bytes: Uint8Array): void {
    this.#fill.run(bytes, seq);
  }
}
