/** Which column identifies a ticket, and whether one row is a ticket or one of several rows of it. */
import { pathParts, wordsOf } from '../column-words.ts';
import { ID_WORDS, NEUTRAL_WORDS, PEOPLE_WORDS, PERSON_WORDS, TICKET_WORDS } from '../concept-words.ts';
import type { ScopeColumn } from './concepts.ts';

export interface TicketKey {
  readonly column: ScopeColumn;
  /** `root`: one row a ticket. `group`: all rows with the same key are one ticket. */
  readonly role: 'root' | 'group';
  readonly points: number;
}

const UNIQUE = 0.98;
/** Rows of a group on average, at least; below, ids repeat by accident. */
const LEAST_GROUP = 1.2;
/** Names that point to another ticket or thing. */
const ELSEWHERE: ReadonlySet<string> = new Set(
  'parent merged followup related previous linked original problem child target other brand form channel product order session tweet doc sku zip postal phone serial external'.split(
    ' ',
  ),
);

/** Undefined when no column is named and filled like an id. `rows`: how many were looked at. */
export function ticketKey(
  columns: readonly ScopeColumn[],
  rows: number,
  tableWords: readonly string[],
  hasBody: boolean,
): TicketKey | undefined {
  const named = columns
    .map((column) => ({ column, points: idName(column.path, tableWords) }))
    .filter(({ column, points }) => points > 0 && canIdentify(column, rows));
  const unique = best(named.filter(({ column }) => isUnique(column, rows)));
  const repeated = best(
    named.filter(({ column, points }) => points >= 0.5 && !isUnique(column, rows) && isGrouped(column)),
  );
  // every message has an id of its own too: the conversation's is the ticket
  const isMessageTable =
    repeated !== undefined &&
    repeated.points > 0.95 &&
    hasBody &&
    (unique === undefined || unique.points <= repeated.points - 0.05);
  if (unique !== undefined && !isMessageTable) return { ...unique, role: 'root' };
  return repeated === undefined ? undefined : { ...repeated, role: 'group' };
}

/** How surely the name says that the column identifies the row's own ticket: 0 to 1. */
export function idName(path: string, tableWords: readonly string[]): number {
  const parts = pathParts(path);
  const words = wordsOf(parts.at(-1) ?? path);
  const ids = words.filter((word) => ID_WORDS.has(word));
  const rest = words.filter((word) => !ID_WORDS.has(word) && word !== 'unique' && word !== 'display');
  const ofTicket = rest.filter((word) => TICKET_WORDS.has(word) || tableWords.includes(word));
  const others = rest.filter((word) => !ofTicket.includes(word) && !NEUTRAL_WORDS.has(word));
  if (ids.length === 0) return ofTicket.length > 0 && others.length === 0 ? 0.3 : 0;
  const depth = 0.85 ** (parts.length - 1);
  if (rest.some((word) => ELSEWHERE.has(word))) return words.includes('session') ? 0.35 * depth : 0;
  if (others.some((word) => PEOPLE_WORDS.has(word) || isPerson(word))) return 0;
  if (others.length > 0) return 0.2 * depth;
  if (ofTicket.length > 0) return depth;
  return depth * (ids.includes('id') || ids.includes('uuid') ? 0.9 : 0.8);
}

function isPerson(word: string): boolean {
  return Object.values(PERSON_WORDS).some((meaning) => Object.hasOwn(meaning, word));
}

function canIdentify({ profile }: ScopeColumn, rows: number): boolean {
  return (
    ['integer', 'text', 'mixed', 'number'].includes(profile.type) &&
    profile.averageLength <= 80 &&
    profile.filled >= UNIQUE * rows
  );
}

function isUnique({ profile }: ScopeColumn, rows: number): boolean {
  return profile.distinct >= UNIQUE * Math.min(profile.filled, rows);
}

function isGrouped({ profile }: ScopeColumn): boolean {
  return profile.filled >= LEAST_GROUP * profile.distinct;
}

function best(
  found: readonly { column: ScopeColumn; points: number }[],
): { column: ScopeColumn; points: number } | undefined {
  return [...found].sort((a, b) => b.points - a.points)[0];
}
