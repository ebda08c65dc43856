/** Unmapped values, and the internal note that keeps them (`unmapped: note`). */
import { reportedString } from './snapshot.ts';

/** Into a note at the end of the ticket, or nowhere. */
export const UNMAPPED = ['note', 'drop'] as const;
export type UnmappedPolicy = (typeof UNMAPPED)[number];

/** A value that a person would read. */
export interface UnmappedValue {
  readonly table: string;
  /** The row or item of the table, in a person's words; empty for the ticket's own row. */
  readonly row: string;
  /** Its name in the source; a custom field by its own name. */
  readonly column: string;
  readonly text: string;
}

/** The first words of the note; services may clean its markup. */
export const NOTE_BEGINS = 'Kept by helpdesk-import';

/** Whether a message is that note, which is never compared and never a person's words. */
export function isImportNote(message: Readonly<Record<string, unknown>>): boolean {
  return isNote(message, NOTE_BEGINS);
}

/** Whether a message begins so and is not a customer's. */
export function isNote(message: Readonly<Record<string, unknown>>, begins: string): boolean {
  const text = reportedString(message, 'content');
  if (typeof text !== 'string' || message['actorType'] === 'customer') return false;
  return text
    .slice(0, 400)
    .replace(/<[^<>]*>/g, '')
    .trimStart()
    .startsWith(begins);
}

export function withoutImportNotes<T extends Readonly<Record<string, unknown>>>(
  thread: readonly T[],
): readonly T[] {
  return thread.some(isImportNote) ? thread.filter((message) => !isImportNote(message)) : thread;
}
