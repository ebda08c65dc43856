/**
 * What the Core API answers, read tolerantly (public facts): bare or in an envelope, ids as strings or numbers.
 * Undefined means that the answer is not what the call needs, so that it cannot be relied on.
 */
import { BOUNDS } from '../../domain/limits.ts';
import { holdsSecret } from '../../domain/secret.ts';
import type { CreatedTicket, Snapshot } from '../../domain/ticket-api.ts';
import { type Answer, headerOf } from '../http/exchange.ts';

/**
 * What a call answers whose body is not specified and may be anything, but not a page for a person: that comes from a
 * proxy that wants a login, or from another server, and the service never saw the request.
 */
export function noPage(answer: Answer): boolean {
  const first = answer.body[0];
  if (first === undefined || first === OPENING_BRACE || first === OPENING_BRACKET) return true;
  if (headerOf(answer, 'content-type')?.toLowerCase().includes('html') === true) return false;
  return !PAGE.test(answer.body.subarray(0, 200).toString('latin1'));
}

const OPENING_BRACE = 0x7b;
const OPENING_BRACKET = 0x5b;
const PAGE = /^[\s\xef\xbb\xbf]*<(?:!doctype|html|head|body|\?xml)/i;

type Fields = Readonly<Record<string, unknown>>;

export interface Page {
  readonly items: readonly Snapshot[];
  /** Where the next page begins; absent on the last one. */
  readonly cursor?: string | undefined;
  /** How many there are on all pages, where it says so. */
  readonly total?: number | undefined;
  /** It says that there is no further page, or how many there are. */
  readonly isEndKnown: boolean;
}

export function json(answer: Answer): unknown {
  if (answer.cut !== undefined) return undefined;
  try {
    return JSON.parse(answer.body.toString('utf8'));
  } catch {
    return undefined;
  }
}

export function createdTicket(answer: Answer): CreatedTicket | undefined {
  const value = json(answer);
  const ticket = enveloped(value, 'ticket');
  const id = ticket && idOf(ticket);
  // An id beside an error is the request's, or a ticket's that was begun and not made.
  if (ticket === undefined || id === undefined || saysFailed(value) || saysFailed(ticket)) return undefined;
  return { id, ticket };
}

function saysFailed(value: unknown): boolean {
  const { error, errors, success, ok } = fields(value) ?? {};
  const isError = (reported: unknown) =>
    Boolean(reported) && !(Array.isArray(reported) && reported.length === 0);
  return isError(error) || isError(errors) || success === false || ok === false;
}

/** One ticket that was asked for by its id. */
export function oneTicket(answer: Answer): Snapshot | undefined {
  const ticket = enveloped(json(answer), 'ticket');
  const id = ticket && idOf(ticket);
  return ticket === undefined || id === undefined ? undefined : { ...ticket, id };
}

/** A ticket whose fields were changed: an answer may say nothing of it. */
export function changedTicket(answer: Answer): { reported?: Snapshot } | undefined {
  if (!noPage(answer) || answer.status === 207) return undefined;
  const value = json(answer);
  if (value === undefined) return answer.body.toString('latin1').trim() === '' ? {} : undefined;
  if (saysFailed(value) || saysFailed(fields(value)?.['ticket'])) return undefined;
  const reported = oneTicket(answer);
  return reported === undefined ? {} : { reported };
}

/** How many elements a list has in all its pages, where it tells. */
export function totalOf(answer: Answer): { readonly total?: number } | undefined {
  const value = json(answer);
  if (typeof value !== 'object' || value === null) return undefined;
  const { total } = fields(value) ?? {};
  return typeof total === 'number' && Number.isSafeInteger(total) && total >= 0 ? { total } : {};
}

/** The organization, told by itself, in an envelope, or as a part of the caller's own entry. */
export function organizationIn(answer: Answer): { readonly id: string } | undefined {
  const value = fields(json(answer));
  if (value === undefined) return undefined;
  const inner = fields(value['organization']) ?? value;
  const id = idOf(inner) ?? nameIn(inner['name']);
  return id === undefined ? undefined : { id };
}

/** Of whom a token is does not say which organization it is: only what names that does. */
export function organizationOfCaller(answer: Answer): { readonly id?: string } | undefined {
  const value = fields(json(answer));
  if (value === undefined) return undefined;
  const caller = fields(value['user']) ?? fields(value['me']) ?? value;
  for (const place of [value, caller]) {
    const inner = fields(place['organization']);
    const id = (inner && (idOf(inner) ?? nameIn(inner['name']))) ?? idOf({ id: place['organizationId'] });
    if (id !== undefined) return { id };
  }
  return {};
}

/** What a person calls the organization or the owner of a token. */
export function nameOfCaller(answer: Answer): string | undefined {
  const value = fields(json(answer)) ?? {};
  const places = ['organization', 'user', 'me'].map((key) => fields(value[key]));
  for (const place of [...places, value]) {
    const name = nameIn(place?.['name']) ?? nameIn(place?.['email']);
    if (name !== undefined && !holdsSecret(name)) return name.slice(0, 100);
  }
  return undefined;
}

function nameIn(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

/**
 * One page of a list under `key`, or a bare array. With `needId` an element without an id makes the whole page
 * unreadable; else it gets an empty one.
 */
export function pageOf(answer: Answer, key: string, needId: boolean): Page | undefined {
  const value = json(answer);
  const list = Array.isArray(value) ? value : fields(value)?.[key];
  if (!Array.isArray(list)) return undefined;
  const items: Snapshot[] = [];
  for (const element of list) {
    const item = fields(element);
    const id = item && (idOf(item) ?? (needId ? undefined : ''));
    if (item === undefined || id === undefined) return undefined;
    items.push({ ...item, id });
  }
  const { cursor, hasMore, total } = pagingOf(Array.isArray(value) ? {} : (fields(value) ?? {}));
  if (hasMore === false || cursor === undefined || cursor === null || cursor === '') {
    // A page that promises another one and does not say where cannot be part of a complete list.
    const isEndKnown = hasMore === false || total !== undefined;
    return hasMore === true ? undefined : { items, total, isEndKnown };
  }
  return typeof cursor === 'string' || typeof cursor === 'number'
    ? { items, total, isEndKnown: true, cursor: String(cursor) }
    : undefined;
}

/** A JSON object that has no list where the public facts have one, and no word of an error: the service reads out in its own way. */
export function isOtherForm(answer: Answer): boolean {
  const value = fields(json(answer));
  return value !== undefined && !saysFailed(value) && !LISTS.some((key) => Array.isArray(value[key]));
}

const LISTS = ['tickets', 'messages', 'events', 'agents', 'contacts'];

/** As the public facts have it, or as other services write the same. */
function pagingOf(value: Fields): { cursor: unknown; hasMore?: boolean; total?: number } {
  const nested = ['pagination', 'pageInfo', 'paging', 'meta'].flatMap(
    (key) => fields(value[key]) ?? [],
  ) as Fields[];
  const reported = (...keys: string[]) =>
    [value, ...nested].flatMap((place) => keys.map((key) => place[key])).find((each) => each !== undefined);
  const more = reported('hasNextPage', 'hasMore', 'has_more');
  const total = reported('total', 'totalCount');
  return {
    cursor: reported('cursor', 'nextCursor', 'next_cursor', 'endCursor'),
    ...(typeof more === 'boolean' ? { hasMore: more } : {}),
    ...(typeof total === 'number' ? { total } : {}),
  };
}

/** One message that was asked for by its id. */
export function oneMessage(answer: Answer): Snapshot | undefined {
  const message = enveloped(json(answer), 'message');
  const id = message && idOf(message);
  return message === undefined || id === undefined ? undefined : whole({ ...message, id });
}

/** Lists may shorten `content`; `fullContent` is the whole (public facts). */
export function whole(message: Snapshot): Snapshot {
  const full = message['fullContent'];
  return typeof full === 'string' && full !== '' ? { ...message, content: full } : message;
}

function enveloped(value: unknown, key: string): Fields | undefined {
  const outer = fields(value);
  const inner = fields(outer?.[key]);
  return inner !== undefined && idOf(inner) !== undefined ? inner : outer;
}

function fields(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
}

/** An id goes into the checkpoint, into addresses and onto screens: a text of megabytes, or the token itself, is none. */
function idOf(value: Fields): string | undefined {
  const { id } = value;
  if (typeof id === 'string')
    return id === '' || id.length > BOUNDS.id.most || holdsSecret(id) ? undefined : id;
  return typeof id === 'number' && Number.isSafeInteger(id) ? String(id) : undefined;
}

/** Where a file may be put, and where it is then; both must be addresses. */
export function announcedFile(answer: Answer): { signedUrl: string; downloadUrl: string } | undefined {
  const value = json(answer);
  const { signedUrl, downloadUrl } = enveloped(value, 'attachment') ?? fields(value) ?? {};
  if (typeof signedUrl !== 'string' || typeof downloadUrl !== 'string') return undefined;
  return URL.canParse(signedUrl) && URL.canParse(downloadUrl) ? { signedUrl, downloadUrl } : undefined;
}
