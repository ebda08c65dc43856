/**
 * What the Core API answers, read tolerantly (public facts): bare or in an envelope, ids as strings or numbers.
 * Undefined means that the answer is not what the call needs, so that it cannot be relied on.
 */
import { BOUNDS } from '../domain/limits.ts';
import { printable } from '../domain/printable.ts';
import { holdsSecret } from '../domain/secret.ts';
import type { CreatedTicket, PutReceipt, Snapshot } from '../domain/ticket-api.ts';
import { type Answer, headerOf } from './http.ts';
import { redact } from './secrets.ts';

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
}

export function json(answer: Answer): unknown {
  return answer.cut === undefined ? parsed(answer.body.toString('utf8')) : undefined;
}

/** Undefined for what is no JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function createdTicket(answer: Answer): CreatedTicket | undefined {
  const ticket = oneTicket(answer);
  // An id next to an error is the request's, or a ticket's that was begun and not made.
  if (ticket === undefined || saysFailed(json(answer)) || saysFailed(ticket)) return undefined;
  return { id: ticket.id, ticket };
}

function saysFailed(value: unknown): boolean {
  const { error, errors, success, ok } = fields(value) ?? {};
  const isError = (reported: unknown) =>
    Boolean(reported) && !(Array.isArray(reported) && reported.length === 0);
  return isError(error) || isError(errors) || success === false || ok === false;
}

/** One ticket that was asked for by its id. */
export function oneTicket(answer: Answer): Snapshot | undefined {
  return one(answer, 'ticket');
}

function one(answer: Answer, key: string): Snapshot | undefined {
  const outer = fields(json(answer));
  const inner = fields(outer?.[key]);
  const found = inner !== undefined && idOf(inner) !== undefined ? inner : outer;
  const id = found && idOf(found);
  return found === undefined || id === undefined ? undefined : { ...found, id };
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

/** `total` of a list, if it has one. */
export function totalOf(answer: Answer): { readonly total?: number } | undefined {
  const value = json(answer);
  if (typeof value !== 'object' || value === null) return undefined;
  const { total } = fields(value) ?? {};
  return typeof total === 'number' && Number.isSafeInteger(total) && total >= 0 ? { total } : {};
}

/** The organization, by itself, in an envelope, or as a part of the caller's own entry. */
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
  if (isPagedOtherwise(value)) return undefined;
  const { cursor, hasNextPage, total: reported } = fields(value) ?? {};
  const total = typeof reported === 'number' ? reported : undefined;
  // A page that promises another one and does not say where cannot be part of a complete list.
  if (hasNextPage === false || cursor === undefined || cursor === null || cursor === '')
    return hasNextPage === true ? undefined : { items, total };
  return typeof cursor === 'string' || typeof cursor === 'number'
    ? { items, total, cursor: String(cursor) }
    : undefined;
}

/** Signs of further pages under other names: such a list is not complete. */
function isPagedOtherwise(value: unknown): boolean {
  const { cursor: _, hasNextPage, hasPreviousPage: __, ...others } = fields(value) ?? {};
  if (hasNextPage !== undefined) return false;
  return Object.entries(others).some(([name, is]) => OTHER_PAGING.test(name) && Boolean(is));
}

const OTHER_PAGING = /cursor|next|more|paging|pagination|page_?info|^meta$/i;

/** A JSON object without a word of an error: the service answers in a form of its own, and would again. */
export function isOtherForm(answer: Answer): boolean {
  const value = fields(json(answer));
  return value !== undefined && !saysFailed(value);
}

/** One message that was asked for by its id. */
export function oneMessage(answer: Answer): Snapshot | undefined {
  const message = one(answer, 'message');
  return message && whole(message);
}

/** Lists may shorten `content`; `fullContent` is the whole (public facts). */
export function whole(message: Snapshot): Snapshot {
  const full = message['fullContent'];
  return typeof full === 'string' && full !== '' ? { ...message, content: full } : message;
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
  const value = fields(json(answer)) ?? {};
  const { signedUrl, downloadUrl } = fields(value['attachment']) ?? value;
  if (typeof signedUrl !== 'string' || typeof downloadUrl !== 'string') return undefined;
  return URL.canParse(signedUrl) && URL.canParse(downloadUrl) ? { signedUrl, downloadUrl } : undefined;
}

/**
 * Whether a PUT of a list (4.2, 4.3) is done. The published form is the whole list, bare or under its name; a service may say
 * nothing of it, and then a read tells. Undefined: it says that not all was done, or is nothing that a service of this kind says.
 */
export function putReceipt(
  answer: Answer,
  sent: number,
  part: 'messages' | 'events',
): PutReceipt | undefined {
  if (answer.status === 207) return undefined;
  const value = json(answer);
  if (value === undefined) return answer.body.toString('latin1').trim() === '' ? SILENT : undefined;
  const outer = fields(value) ?? {};
  const inner = fields(outer['ticket']) ?? fields(outer['data']) ?? outer;
  const isObject = value === null || value === true || typeof value === 'object';
  if (!isObject || [outer, inner, ...Object.values(outer).flat()].some(saysNotDone)) return undefined;
  const list = [value, outer[part], outer['data'], inner[part]].find((each) => Array.isArray(each));
  if (list === undefined) {
    const counted = outer['count'] ?? outer['total'];
    if (typeof counted === 'number' && counted !== sent) return undefined;
    return { confirmed: 'count' in outer || outer['success'] === true || outer['ok'] === true };
  }
  if (list.length < sent || list.some(saysNotDone)) return undefined;
  // A longer list may have been appended to: a read shows it.
  if (list.length > sent || list.some((element) => fields(element) === undefined)) return SILENT;
  return { confirmed: true, echo: list.map((element) => ({ ...element, id: idOf(element) ?? '' })) };
}

const SILENT: PutReceipt = { confirmed: false };
const FAILED: ReadonlySet<unknown> = new Set(['error', 'failed', 'failure', 'partial']);

function saysNotDone(value: unknown): boolean {
  return saysFailed(value) || FAILED.has(fields(value)?.['status']);
}

// What the service said in the body of a refusal.

const LONGEST = BOUNDS.said.most;
/** More than this of a body is not looked at. */
const LONGEST_BODY = 64 * 1024;

export interface ErrorBody {
  /** The machine-readable code, e.g. `token_expired`. */
  readonly error?: string | undefined;
  /** Everything worth telling, at most 300 characters. */
  readonly detail?: string | undefined;
}

/** Understands `{error, message, details}`, also with an object in `error`, and plain text. Never throws. */
export function errorBody(answer: Answer, secrets: readonly string[]): ErrorBody {
  const text = answer.body.subarray(0, LONGEST_BODY).toString('utf8').trim();
  const value = parsed(text);
  // A page for people says nothing that a terminal could show.
  if (value === undefined) return text.startsWith('<') ? {} : shown(text, secrets);
  const object = fields(value);
  if (object === undefined) return shown(phrase(value) ?? '', secrets);
  const { error, message, details, error_description, errors } = object;
  const nested = fields(error);
  const code = phrase(nested === undefined ? error : (nested['code'] ?? nested['type']));
  const parts = [
    code,
    phrase(message) ?? phrase(error_description) ?? phrase(nested?.['message']),
    phrase(details ?? errors ?? nested?.['details']),
  ];
  const detail = [...new Set(parts.filter((part) => part !== undefined && part !== ''))].join(': ');
  return { error: code, ...shown(detail, secrets) };
}

/** Whether a refusal has the form of the service (public facts), so that it cannot come from something in between. */
export function refusesInOwnForm(answer: Answer): boolean {
  if (answer.cut !== undefined || answer.body.length > LONGEST_BODY) return false;
  const { error, errors, message } = fields(json(answer)) ?? {};
  return [error, errors, message].some((said) => said !== undefined && said !== null && said !== '');
}

function phrase(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function shown(text: string, secrets: readonly string[]): { detail?: string } {
  const line = printable(redact(text, secrets)).replace(/ {2,}/g, ' ').trim();
  if (line === '') return {};
  return { detail: line.length > LONGEST ? `${line.slice(0, LONGEST - 1).toWellFormed()}…` : line };
}
