/** Unmapped values, and the internal note that keeps them (`unmapped: note`). */
import { reportedString } from './snapshot.ts';

export const UNMAPPED = ['note', 'drop'] as const;
export type UnmappedPolicy = (typeof UNMAPPED)[number];

export interface UnmappedValue {
  readonly table: string;
  readonly row: string;
  readonly column: string;
  readonly text: string;
}

/** Services may clean its markup. */
export const NOTE_BEGINS = 'Kept by helpdesk-import';

/** Never compared, and never a person's words. */
export function isImportNote(message: Readonly<Record<string, unknown>>): boolean {
  return isNote(message, NOTE_BEGINS);
}

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
