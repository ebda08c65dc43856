/**
 * Two tags carry the identity of a ticket, so that one exact query (`GET /tickets?tags=`) finds it again:
 *
 *   zendesk-1041   its own: source name and ID
 *   from-zendesk   shared by all tickets of the source, to count and list them
 *
 * Services fold the case of tags and cut them at commas and spaces. An ID that this would change is replaced by a hash, so two IDs
 * of a source never share a tag.
 */
import type { TicketPayload } from './payload.ts';

/** Lowercase letters, digits, `-`, `_` and `.`, at most 40 characters. */
export const SOURCE_NAME = /^[a-z0-9](?:[a-z0-9._-]{0,38}[a-z0-9])?$/;

const PLAIN_ID = /^[a-z0-9][a-z0-9._-]{0,63}$/;
/** Such as `SUP-12`. In small letters it is hashed, as case may be folded. */
const KEY = /^[A-Z][A-Z0-9_]{0,30}-[0-9]{1,20}$/;
const SMALL_KEY = /^[a-z][a-z0-9_]{0,30}-[0-9]{1,20}$/;
/** 80 bits. */
const HASH_LENGTH = 20;

/** The tag that only this ticket has. Two hyphens mark a hash: no plain ID begins with one. */
export function identityTag(source: string, externalId: string): string {
  const fits = (PLAIN_ID.test(externalId) && !SMALL_KEY.test(externalId)) || KEY.test(externalId);
  return fits ? `${source}-${externalId}` : `${source}--${sha256(externalId).slice(0, HASH_LENGTH)}`;
}

export function sourceTag(source: string): string {
  return `from-${source}`;
}

export function runTagAt(now: number): string {
  return `run-${new Date(now).toISOString().slice(0, 19).replace(/[-:]/g, '').replace('T', '-')}`;
}

export function isRunTag(tag: string): boolean {
  return /^run-\d{8}-\d{6}$/i.test(tag.trim());
}

/** A ticket that an undo emptied. */
export const UNDONE_TAG = 'import-undone';

/** A readable tag for a hashed ID, if it fits. The colon separates it from identity tags. */
export function readableTag(source: string, externalId: string): string | undefined {
  const isHashed = !identityTag(source, externalId).endsWith(externalId);
  return isHashed && /^[\w.:/@-]{1,60}$/.test(externalId) ? `${source}:${externalId}` : undefined;
}

export function hasTag(tags: unknown, tag: string): boolean {
  const wanted = tag.toLowerCase();
  return tagNames(tags).some((name) => name.toLowerCase() === wanted);
}

/** Only an import adds `from-x` and `x-…`, and only an undo removes them. */
export function isMarked(tags: unknown): boolean {
  const names = tagNames(tags).map((name) => name.toLowerCase());
  return names.some(
    (tag) =>
      tag === UNDONE_TAG ||
      (tag.startsWith('from-') && names.some((own) => own.startsWith(`${tag.slice(5)}-`))),
  );
}

export function tagNames(tags: unknown): string[] {
  return (Array.isArray(tags) ? (tags as unknown[]) : []).flatMap((reported) => {
    const name =
      typeof reported === 'object' && reported !== null ? (reported as { name?: unknown }).name : reported;
    return typeof name === 'string' ? name.trim() : [];
  });
}

/** `known` (lowercase tag → ID) comes first: only it can read a hash. */
export function readIdentityTag(
  source: string,
  tags: unknown,
  known: ReadonlyMap<string, string>,
): string | undefined {
  const names = tagNames(tags).map((name) => name.toLowerCase());
  const ours = names.filter((name) => name.startsWith(`${source}-`));
  for (const name of ours) {
    const id = known.get(name);
    if (id !== undefined) return id;
  }
  const ids = ours
    .map((name) => name.slice(source.length + 1))
    .map((id) => (SMALL_KEY.test(id) ? id.toUpperCase() : id))
    .filter((id) => identityTag(source, id) === `${source}-${id}`);
  return ids.length === 1 ? ids[0] : undefined;
}

export function sha256(text: string): string {
  return process.getBuiltinModule('node:crypto').hash('sha256', text, 'hex');
}

/**
 * A ticket's origin in 8 bytes: its creation time and its requester, which never change in the source. A ticket is its number and
 * its origin. The first two bytes are a digest of the settings, as a corrected time zone or mapping changes what is read.
 */

const SETTINGS = 4;
const PART = 6;

/** `settings`: any text that identifies the settings for times and requesters. */
export function originReader(settings: string): (ticket: TicketPayload) => string {
  const prefix = sha256(settings).slice(0, SETTINGS);
  return ({ createdAt, contact, contactId }) =>
    prefix +
    sha256(`at ${Date.parse(createdAt)}`).slice(0, PART) +
    sha256(`by ${contact?.email ?? contactId ?? ''}`).slice(0, PART);
}

type OriginVerdict = 'same' | 'time' | 'requester' | 'both';

export function compareOrigins(
  then: string,
  now: string,
): { readonly differs: OriginVerdict; readonly sameSettings: boolean } {
  const part = (origin: string, index: number) =>
    origin.slice(SETTINGS + index * PART, SETTINGS + (index + 1) * PART);
  const time = part(then, 0) !== part(now, 0);
  const requester = part(then, 1) !== part(now, 1);
  return {
    differs: time && requester ? 'both' : time ? 'time' : requester ? 'requester' : 'same',
    sameSettings: then.slice(0, SETTINGS) === now.slice(0, SETTINGS),
  };
}

/** Undefined if it cannot be decided: an origin is missing, or was read by other settings. */
export function isAnotherTicket(then: string | undefined, now: string | undefined): boolean | undefined {
  if (then === undefined || now === undefined) return undefined;
  const { differs, sameSettings } = compareOrigins(then, now);
  if (differs === 'same') return false;
  return sameSettings ? differs === 'both' : undefined;
}

/** Its time or requester differs under the same settings: corrected, or another ticket. */
export function isMovedTicket(then: string | undefined, now: string | undefined): boolean {
  if (then === undefined || now === undefined) return false;
  const { differs, sameSettings } = compareOrigins(then, now);
  return differs !== 'same' && sameSettings;
}

export function requesterOf(origin: string): string {
  return origin.slice(-PART);
}
