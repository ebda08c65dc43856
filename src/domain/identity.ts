/**
 * The identity of a ticket, carried into the target by two tags, so that a ticket is found again by one exact query
 * (`GET /tickets?tags=`) whatever the target did to its other fields:
 *
 *   zendesk-1041   its own: the name of the source and its id there
 *   from-zendesk   the one that all tickets of this source share, to count and to list them by
 *
 * Readable where the id allows it. Services fold the case of tags and cut them at commas and spaces, so an id in which that
 * would matter stands as a hash. Two ids of a source never get one tag, also where the target folds case.
 */
import { sha256 } from './hash.ts';

/** A name that may stand in tags: lowercase letters, digits, `-`, `_` and `.`, at most 40 characters. */
export const SOURCE_NAME = /^[a-z0-9](?:[a-z0-9._-]{0,38}[a-z0-9])?$/;

const PLAIN_ID = /^[a-z0-9][a-z0-9._-]{0,63}$/;
/** A key in capitals, as `SUP-12`: readable too. What reads as one in small letters is hashed, as case may be folded. */
const KEY = /^[A-Z][A-Z0-9_]{0,30}-[0-9]{1,20}$/;
const SMALL_KEY = /^[a-z][a-z0-9_]{0,30}-[0-9]{1,20}$/;
/** 80 bits: no two of a billion ids share one. */
const HASH_LENGTH = 20;

/** The tag that only this ticket has. A hash stands behind two hyphens, which no plain id begins with. */
export function identityTag(source: string, externalId: string): string {
  const fits = (PLAIN_ID.test(externalId) && !SMALL_KEY.test(externalId)) || KEY.test(externalId);
  return fits ? `${source}-${externalId}` : `${source}--${sha256(externalId).slice(0, HASH_LENGTH)}`;
}

/** The tag that all tickets of a source share. */
export function sourceTag(source: string): string {
  return `from-${source}`;
}

/** The tag that all tickets of a run share: when it began, in UTC, to the second. */
export function runTagAt(now: number): string {
  return `run-${new Date(now).toISOString().slice(0, 19).replace(/[-:]/g, '').replace('T', '-')}`;
}

export function isRunTag(tag: string): boolean {
  return /^run-\d{8}-\d{6}$/i.test(tag.trim());
}

/** What a ticket carries that an undo emptied: it is nobody's any more, and its id may be imported again. */
export const UNDONE_TAG = 'import-undone';

/**
 * The id as a tag that people can look for, where the identity has a hash of it; undefined where it stands there already, or does
 * not fit in a tag. With a colon, which no tag of identity has.
 */
export function readableTag(source: string, externalId: string): string | undefined {
  const isHashed = !identityTag(source, externalId).endsWith(externalId);
  return isHashed && /^[\w.:/@-]{1,60}$/.test(externalId) ? `${source}:${externalId}` : undefined;
}

/** Whether a list of tags, as the target tells it, holds this one. Services fold case and trim. */
export function hasTag(tags: unknown, tag: string): boolean {
  const wanted = tag.toLowerCase();
  return tagNames(tags).some((name) => name.toLowerCase() === wanted);
}

/**
 * Whether a ticket that shows these tags may be the one with this tag. `mayLackTag`: it may have been created before tickets carried
 * their identity; then it is any ticket that no import has marked. A ticket whose tags are not reported proves nothing.
 */
export function mayBe(tags: unknown, tag: string, mayLackTag: boolean): boolean {
  if (hasTag(tags, tag)) return true;
  return mayLackTag && (!isMarked(tags) || mayBeCut(tags, tag));
}

/** Services cut long tags: one that begins like this one and is shorter may be this one. */
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

/** A tag is told as its name, or as an object with one. None where no list of tags is told. */
export function tagNames(tags: unknown): string[] {
  return (Array.isArray(tags) ? (tags as unknown[]) : []).flatMap((reported) => {
    const name =
      typeof reported === 'object' && reported !== null ? (reported as { name?: unknown }).name : reported;
    return typeof name === 'string' ? name.trim() : [];
  });
}

/**
 * The external id that the tags of a ticket tell. `known` (tag in small letters → id) is asked first; a hash is told by nothing
 * else.
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
    // In small letters a key looks like no plain id: those that read so are hashed.
    .map((id) => (SMALL_KEY.test(id) ? id.toUpperCase() : id))
    .filter((id) => identityTag(source, id) === `${source}-${id}`);
  return ids.length === 1 ? ids[0] : undefined;
}
