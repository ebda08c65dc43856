/**
 * Two tags carry the identity of a ticket, so that one exact query (`GET /tickets?tags=`) finds it again:
 *
 *   zendesk-1041   its own: source name and ID
 *   from-zendesk   shared by all tickets of the source, to count and list them
 *
 * Services fold the case of tags and cut them at commas and spaces. An ID that this would change is replaced by a hash, so two IDs
 * of a source never share a tag.
 */
import { sha256 } from './hash.ts';

/** A name that fits in tags: lowercase letters, digits, `-`, `_` and `.`, at most 40 characters. */
export const SOURCE_NAME = /^[a-z0-9](?:[a-z0-9._-]{0,38}[a-z0-9])?$/;

const PLAIN_ID = /^[a-z0-9][a-z0-9._-]{0,63}$/;
/** A key in capitals, such as `SUP-12`. One in small letters is hashed, as case may be folded. */
const KEY = /^[A-Z][A-Z0-9_]{0,30}-[0-9]{1,20}$/;
const SMALL_KEY = /^[a-z][a-z0-9_]{0,30}-[0-9]{1,20}$/;
/** 80 bits: no two of a billion ids share one. */
const HASH_LENGTH = 20;

/** The tag that only this ticket has. Two hyphens mark a hash: no plain ID begins with one. */
export function identityTag(source: string, externalId: string): string {
  const fits = (PLAIN_ID.test(externalId) && !SMALL_KEY.test(externalId)) || KEY.test(externalId);
  return fits ? `${source}-${externalId}` : `${source}--${sha256(externalId).slice(0, HASH_LENGTH)}`;
}

/** The tag that all tickets of a source share. */
export function sourceTag(source: string): string {
  return `from-${source}`;
}

/** The tag that all tickets of a run share: its start in UTC, to the second. */
export function runTagAt(now: number): string {
  return `run-${new Date(now).toISOString().slice(0, 19).replace(/[-:]/g, '').replace('T', '-')}`;
}

export function isRunTag(tag: string): boolean {
  return /^run-\d{8}-\d{6}$/i.test(tag.trim());
}

/** The tag of a ticket that an undo emptied. Its ID may be imported again. */
export const UNDONE_TAG = 'import-undone';

/**
 * A readable tag for an ID whose identity is a hash; undefined if the identity shows the ID, or the ID does not fit in a tag. The colon
 * separates it from tags of identity.
 */
export function readableTag(source: string, externalId: string): string | undefined {
  const isHashed = !identityTag(source, externalId).endsWith(externalId);
  return isHashed && /^[\w.:/@-]{1,60}$/.test(externalId) ? `${source}:${externalId}` : undefined;
}

/** Whether the target's list of tags holds this one. Services fold case and trim. */
export function hasTag(tags: unknown, tag: string): boolean {
  const wanted = tag.toLowerCase();
  return tagNames(tags).some((name) => name.toLowerCase() === wanted);
}

/**
 * Whether a ticket with these tags may be the one with this tag. `mayLackTag`: the target may have dropped the tag, so any ticket that
 * no import has marked may be it.
 */
export function mayBe(tags: unknown, tag: string, mayLackTag: boolean): boolean {
  if (hasTag(tags, tag)) return true;
  return mayLackTag && (!isMarked(tags) || mayBeCut(tags, tag));
}

/** Services cut long tags, so a shorter one with the same beginning may be this one. */
export function mayBeCut(tags: unknown, tag: string): boolean {
  const wanted = tag.toLowerCase();
  return tagNames(tags).some((name) => name.includes('-') && wanted.startsWith(name.toLowerCase()));
}

/** Only an import marks a ticket with `from-x` and `x-…`, and only an undo takes these away. */
export function isMarked(tags: unknown): boolean {
  const names = tagNames(tags).map((name) => name.toLowerCase());
  return names.some(
    (tag) =>
      tag === UNDONE_TAG ||
      (tag.startsWith('from-') && names.some((own) => own.startsWith(`${tag.slice(5)}-`))),
  );
}

/** Services report a tag as its name or as an object with a name. */
export function tagNames(tags: unknown): string[] {
  return (Array.isArray(tags) ? (tags as unknown[]) : []).flatMap((reported) => {
    const name =
      typeof reported === 'object' && reported !== null ? (reported as { name?: unknown }).name : reported;
    return typeof name === 'string' ? name.trim() : [];
  });
}

/**
 * The external ID in the tags of a ticket. `known` (lowercase tag → ID) comes first: only it can read a hash.
 */
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
    // A plain ID never looks like a lowercase key: such IDs are hashed.
    .map((id) => (SMALL_KEY.test(id) ? id.toUpperCase() : id))
    .filter((id) => identityTag(source, id) === `${source}-${id}`);
  return ids.length === 1 ? ids[0] : undefined;
}
