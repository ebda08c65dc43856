/**
 * Two tags carry the identity of a ticket, so that one exact query (`GET /tickets?tags=`) finds it again:
 *
 *   zendesk-1041   its own: source name and ID
 *   from-zendesk   shared by all tickets of the source, to count and list them
 *
 * Services fold the case of tags and cut them at commas and spaces. An ID that this would change is replaced by a hash, so two IDs
 * of a source never share a tag.
 */

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
