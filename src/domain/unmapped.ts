/** Values of the source that no rule uses: where they go (`unmapped`), and how much of an export is found in the target afterwards. */
import { reportedString } from './snapshot.ts';

/** Into a note at the top of the ticket, into tags, or nowhere. */
export const UNMAPPED = ['note', 'tags', 'drop'] as const;
export type UnmappedFate = (typeof UNMAPPED)[number];

export interface UnmappedRules {
  readonly otherwise: UnmappedFate;
  /** By column, as `ignore` names them (`comments.via`, `metrics.*`); the first that fits decides. */
  readonly columns: readonly (readonly [pattern: string, fate: UnmappedFate])[];
}

/** Cells, or values of JSON, and their bytes in UTF-8. */
export interface Amount {
  cells: number;
  bytes: number;
}

export interface HomelessValue extends Amount {
  readonly table: string;
  /** Which row or item of the table, as a person would call it; empty for the ticket's own row. */
  readonly row: string;
  /** As the source calls it. */
  readonly column: string;
  readonly text: string;
  readonly fate: Exclude<UnmappedFate, 'drop'>;
}

/** The values of one ticket, with its rows in every table. */
export interface SourceValues {
  readonly read: Amount;
  /** Those that rules use. */
  readonly used: Amount;
  readonly homeless: readonly HomelessValue[];
  /** Those that nothing but a setting keeps out of a note. */
  readonly dropped: Amount;
}

/** Of all values that were read: those that the target has when the ticket is there, and would have with `unmapped: note`. */
export interface ValueShare {
  readonly read: Amount;
  /** Through rules alone. */
  readonly byRules: Amount;
  readonly found: Amount;
  readonly withNote: Amount;
}

export function addTo(sum: Amount, { cells, bytes }: Readonly<Amount>): void {
  sum.cells += cells;
  sum.bytes += bytes;
}

/** `97.3 %`, never rounded up to 100. */
export function percentOf(part: number, whole: number): string {
  if (whole === 0) return '100 %';
  return `${(Math.floor((part / whole) * 1000) / 10).toFixed(part === whole ? 0 : 1)} %`;
}

// The internal note in which an import keeps them, and how it is told from what people wrote.

/** How its text begins; services may clean its markup. */
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
