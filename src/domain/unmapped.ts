/** Values of the source that no rule uses, and the internal note that keeps them (`unmapped: note`). */
import { reportedString } from './snapshot.ts';

/** Into a note at the end of the ticket, or nowhere. */
export const UNMAPPED = ['note', 'drop'] as const;
export type UnmappedPolicy = (typeof UNMAPPED)[number];

/** A value that a person would read. */
export interface UnmappedValue {
  readonly table: string;
  /** Which row or item of the table, as a person would call it; empty for the ticket's own row. */
  readonly row: string;
  /** As the source calls it; a custom field by its own name. */
  readonly column: string;
  readonly text: string;
}

/** How the text of the note begins; services may clean its markup. */
export const NOTE_BEGINS = 'Kept by helpdesk-import';

/** Whether a message, as the target tells it or as it is sent, is that note: out of the way of comparisons, and never the words of a person. */
export function isImportNote(message: Readonly<Record<string, unknown>>): boolean {
  return isNote(message, NOTE_BEGINS);
}

/** Whether it is no customer's and begins so. */
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
