/**
 * What a ticket is recognised by from outside where it shows no tag of its own: subject, creation time and contact. A service
 * may cut, escape and merge these, so two questions are asked of them that are not each other's opposite: are all three the
 * same, and is at least one of them shared, however it was altered? The one is needed to take a ticket for ours, the other
 * must be denied before ours is taken for absent. What the target does not tell is neither the same nor different.
 */
import type { CreateIntent } from '../domain/ledger.ts';
import type { Snapshot } from '../domain/ticket-api.ts';

export type Mark = 'same' | 'alike' | 'unreported' | 'different';

export interface Marks {
  readonly subject: Mark;
  readonly time: Mark;
  readonly contact: Mark;
}

export function marksOf(snapshot: Snapshot, intent: CreateIntent): Marks {
  return {
    subject: subjectMark(snapshot['subject'], intent.subject),
    time: timeMark(snapshot['createdAt'], intent.createdAt),
    contact: contactMark(snapshot, intent),
  };
}

export function isSame({ subject, time, contact }: Marks): boolean {
  return subject === 'same' && time === 'same' && contact === 'same';
}

export function isShared(mark: Mark): boolean {
  return mark === 'same' || mark === 'alike';
}

/** Two tickets of the export of which either could be taken for the other. */
export function looksLike(one: CreateIntent, other: CreateIntent): boolean {
  return (
    plain(one.subject) === plain(other.subject) &&
    Date.parse(one.createdAt) === Date.parse(other.createdAt) &&
    one.email?.toLowerCase() === other.email?.toLowerCase() &&
    one.contactId === other.contactId
  );
}

/** White space and Unicode's two ways to write one letter are nobody's difference; the rest may be the service's doing. */
function subjectMark(reported: unknown, wanted: string): Mark {
  if (typeof reported !== 'string') return 'unreported';
  if (plain(reported) === plain(wanted)) return 'same';
  const there = bare(reported);
  const here = bare(wanted);
  if (there === '' || here === '') return there === here ? 'alike' : 'unreported';
  return there.startsWith(here) || here.startsWith(there) ? 'alike' : 'different';
}

function plain(text: string): string {
  return text.normalize('NFC').replace(/\s+/gu, ' ').trim();
}

/** Letters and digits alone, in small letters, with entities read: what remains of a subject that was escaped, cut or cleaned. */
function bare(text: string): string {
  return decoded(decoded(text))
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '');
}

const ENTITIES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    amp: '&',
    lt: '<',
    gt: '>',
    quot: '"',
    apos: "'",
    nbsp: ' ',
  }),
);

function decoded(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,8}));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return ENTITIES.get(String(name).toLowerCase()) ?? whole;
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}

const SECOND = 1_000;
const UNITS = [SECOND, 60 * SECOND, 86_400 * SECOND];

/** The same instant, however it is written; alike where it is that instant rounded to a second, a minute or a day. */
function timeMark(reported: unknown, wanted: string): Mark {
  const there =
    typeof reported === 'string' || typeof reported === 'number' ? new Date(reported).getTime() : Number.NaN;
  const here = Date.parse(wanted);
  if (Number.isNaN(there) || Number.isNaN(here)) return 'unreported';
  if (there === here) return 'same';
  const isRounded = UNITS.some(
    (unit) =>
      there % unit === 0 &&
      (there === Math.floor(here / unit) * unit || there === Math.round(here / unit) * unit),
  );
  // Some tell seconds since the epoch.
  return isRounded || there === Math.floor(here / SECOND) ? 'alike' : 'different';
}

function contactMark(snapshot: Snapshot, intent: CreateIntent): Mark {
  const reported = snapshot['contact'];
  const contact =
    typeof reported === 'object' && reported !== null ? (reported as Record<string, unknown>) : undefined;
  const email = contact?.['email'] ?? snapshot['contactEmail'];
  const id = contact?.['id'] ?? snapshot['contactId'];
  if (intent.email === undefined && intent.contactId === undefined)
    return isNothing(email) && isNothing(id) ? 'same' : 'different';
  if (intent.email !== undefined && typeof email === 'string')
    return email.trim().toLowerCase() === intent.email.trim().toLowerCase() ? 'same' : 'different';
  if (intent.contactId !== undefined && !isNothing(id))
    return String(id) === intent.contactId ? 'same' : 'different';
  return 'unreported';
}

function isNothing(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}
