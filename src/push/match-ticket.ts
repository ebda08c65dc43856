/**
 * Is this ticket of the target the one that a create of unknown outcome may have made? Compared by subject, creation time
 * and contact. What the target does not tell is not taken for equal and not for different: `untold` neither adopts a
 * ticket nor proves that it does not exist.
 */
import type { CreateIntent } from '../domain/ledger.ts';
import type { Snapshot } from '../domain/ticket-api.ts';

export type Match = 'same' | 'untold' | 'different';

export function matchTicket(snapshot: Snapshot, intent: CreateIntent): Match {
  const parts = [
    matchSubject(snapshot['subject'], intent.subject),
    matchTime(snapshot['createdAt'], intent.createdAt),
    matchContact(snapshot, intent),
  ];
  if (parts.includes('different')) return 'different';
  return parts.includes('untold') ? 'untold' : 'same';
}

/** Services trim and normalize texts; such a difference must not make a ticket look absent and be created twice. */
function matchSubject(told: unknown, wanted: string): Match {
  if (typeof told !== 'string') return 'untold';
  return plain(told) === plain(wanted) ? 'same' : 'different';
}

function plain(text: string): string {
  return text.normalize('NFC').replace(/\s+/gu, ' ').trim();
}

/** The same instant, however it is written. A time kept to the second only may be another ticket's as well. */
function matchTime(told: unknown, wanted: string): Match {
  const there = typeof told === 'string' || typeof told === 'number' ? new Date(told).getTime() : Number.NaN;
  const here = Date.parse(wanted);
  if (Number.isNaN(there) || Number.isNaN(here)) return 'untold';
  if (there === here) return 'same';
  return there === Math.floor(here / 1000) * 1000 ? 'untold' : 'different';
}

function matchContact(snapshot: Snapshot, intent: CreateIntent): Match {
  const told = snapshot['contact'];
  const contact = typeof told === 'object' && told !== null ? (told as Record<string, unknown>) : undefined;
  const email = contact?.['email'] ?? snapshot['contactEmail'];
  const id = contact?.['id'] ?? snapshot['contactId'];
  if (intent.email === undefined && intent.contactId === undefined) {
    return isNothing(email) && isNothing(id) ? 'same' : 'different';
  }
  if (intent.email !== undefined && typeof email === 'string') {
    return email.trim().toLowerCase() === intent.email.trim().toLowerCase() ? 'same' : 'different';
  }
  if (intent.contactId !== undefined && !isNothing(id)) {
    return String(id) === intent.contactId ? 'same' : 'different';
  }
  return 'untold';
}

function isNothing(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}
