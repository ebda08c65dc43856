/**
 * Reads answers of the Core API tolerantly: bare or in an envelope, IDs as strings or numbers. Undefined: the answer lacks what
 * the call needs.
 */
import { BOUNDS } from '../domain/limits.ts';
import { printable } from '../domain/printable.ts';
import { holdsSecret } from '../domain/secret.ts';
import type { CreatedTicket, PutReceipt, Snapshot } from '../domain/ticket-api.ts';
import { type Answer, headerOf } from './http.ts';
import { redact } from './secrets.ts';

type Fields = Readonly<Record<string, unknown>>;

export interface Page {
  readonly items: readonly Snapshot[];
  readonly cursor?: string | undefined;
  readonly total?: number | undefined;
}

export function json(answer: Answer): unknown {
  return answer.cut === undefined ? parsed(answer.body.toString('utf8')) : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A page comes from a proxy's login, or from another server. */
export function noPage(answer: Answer): boolean {
  const start = answer.body.subarray(0, 200).toString('latin1');
  if (/^[\s\xef\xbb\xbf]*(?:$|[{[])/.test(start)) return true;
  const isHtml = headerOf(answer, 'content-type')?.toLowerCase().includes('html') === true;
  return !isHtml && !/^[\s\xef\xbb\xbf]*<(?:!doctype|html|head|body|\?xml)/i.test(start);
}

/** The service answers in a form of its own, and would again. */
export function isOtherForm(answer: Answer): boolean {
  const value = fields(json(answer));
  return value !== undefined && !saysFailed(value);
}

export function createdTicket(answer: Answer): CreatedTicket | undefined {
  const ticket = oneTicket(answer);
  // An ID next to an error may be the request's, or a ticket's that was begun and not made.
  if (ticket === undefined || saysFailed(json(answer)) || saysFailed(ticket)) return undefined;
  return { id: ticket.id, ticket };
}

export function oneTicket(answer: Answer): Snapshot | undefined {
  return one(answer, 'ticket');
}

export function oneMessage(answer: Answer): Snapshot | undefined {
  const message = one(answer, 'message');
  return message && whole(message);
}

/** Lists may shorten `content`; `fullContent` is the whole (public facts). */
export function whole(message: Snapshot): Snapshot {
  const full = message['fullContent'];
  return typeof full === 'string' && full !== '' ? { ...message, content: full } : message;
}

function one(answer: Answer, key: string): Snapshot | undefined {
  const outer = fields(json(answer));
  const inner = fields(outer?.[key]);
  const found = inner !== undefined && idOf(inner) !== undefined ? inner : outer;
  const id = found && idOf(found);
  return found === undefined || id === undefined ? undefined : { ...found, id };
}

/** An answer may say nothing of the changed ticket. */
export function changedTicket(answer: Answer): { reported?: Snapshot | undefined } | undefined {
  if (!noPage(answer) || answer.status === 207) return undefined;
  const value = json(answer);
  if (value === undefined) return answer.body.toString('latin1').trim() === '' ? {} : undefined;
  if (saysFailed(value) || saysFailed(fields(value)?.['ticket'])) return undefined;
  return { reported: oneTicket(answer) };
}

/** From `/organization` (`isBare`), or from the caller's entry (`/me`). */
export function organizationIn(answer: Answer, isBare: boolean): { readonly id?: string } | undefined {
  const value = fields(json(answer));
  if (value === undefined) return undefined;
  const caller = fields(value['user']) ?? fields(value['me']) ?? value;
  const places = [value, caller].flatMap(({ organization, organizationId }) => [
    fields(organization) ?? {},
    { id: organizationId },
  ]);
  for (const place of isBare ? [...places, value] : places) {
    const id = idOf(place) ?? nameIn(place['name']);
    if (id !== undefined) return { id };
  }
  return {};
}

export function nameOfCaller(answer: Answer): string | undefined {
  const value = fields(json(answer)) ?? {};
  for (const place of [value['organization'], value['user'], value['me'], value].map(fields)) {
    const name = nameIn(place?.['name']) ?? nameIn(place?.['email']);
    if (name !== undefined && !holdsSecret(name)) return name.slice(0, 100);
  }
  return undefined;
}

function nameIn(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

export function announcedFile(answer: Answer): { signedUrl: string; downloadUrl: string } | undefined {
  const value = fields(json(answer)) ?? {};
  const { signedUrl, downloadUrl } = fields(value['attachment']) ?? value;
  if (typeof signedUrl !== 'string' || typeof downloadUrl !== 'string') return undefined;
  const isWeb = (address: string) => /^https?:$/.test(URL.parse(address)?.protocol ?? '');
  return isWeb(signedUrl) && isWeb(downloadUrl) ? { signedUrl, downloadUrl } : undefined;
}

export function totalOf(answer: Answer): { readonly total?: number } | undefined {
  const value = json(answer);
  if (typeof value !== 'object' || value === null) return undefined;
  const { total } = fields(value) ?? {};
  return typeof total === 'number' && Number.isSafeInteger(total) && total >= 0 ? { total } : {};
}

/** Signs of further pages: such a list is incomplete. */
const OTHER_PAGING = /cursor|next|more|paging|pagination|page_?info|^meta$/i;

/** Under `key`, or a bare array. With `needId` an element without an ID makes the page unreadable; else it gets an empty one. */
export function pageOf(answer: Answer, key: string, needId: boolean): Page | undefined {
  const value = json(answer);
  const { cursor, hasNextPage, hasPreviousPage: _, ...others } = fields(value) ?? {};
  const list = Array.isArray(value) ? value : others[key];
  if (!Array.isArray(list)) return undefined;
  const items: Snapshot[] = [];
  for (const element of list) {
    const item = fields(element);
    const id = item && (idOf(item) ?? (needId ? undefined : ''));
    if (item === undefined || id === undefined) return undefined;
    items.push({ ...item, id });
  }
  const isPagedOtherwise = Object.entries(others).some(
    ([name, is]) => OTHER_PAGING.test(name) && Boolean(is),
  );
  if (hasNextPage === undefined && isPagedOtherwise) return undefined;
  const total = typeof others['total'] === 'number' ? others['total'] : undefined;
  const isText = (typeof cursor === 'string' && cursor !== '') || typeof cursor === 'number';
  if (isText && hasNextPage !== false) return { items, total, cursor: String(cursor) };
  // A page that promises another one without saying where is part of no complete list.
  const isLast = hasNextPage === false || cursor === undefined || cursor === null || cursor === '';
  return isLast && hasNextPage !== true ? { items, total } : undefined;
}

/** True once a PUT of a list (4.2, 4.3) is done; a silent answer needs a read. Undefined: not all was done. */
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
  // Accepted is not done: a read shows it.
  if (answer.status === 202) return SILENT;
  if (list === undefined) {
    const counted = outer['count'] ?? outer['total'];
    if (typeof counted === 'number' && counted !== sent) return undefined;
    return { confirmed: 'count' in outer || outer['success'] === true || outer['ok'] === true };
  }
  if (list.length < sent || list.some(saysNotDone)) return undefined;
  // The helpdesk may have appended: a read shows it.
  if (list.length > sent || list.some((element) => fields(element) === undefined)) return SILENT;
  return { confirmed: true, echo: list.map((element) => ({ ...element, id: idOf(element) ?? '' })) };
}

const SILENT: PutReceipt = { confirmed: false };
const FAILED: ReadonlySet<unknown> = new Set(['error', 'failed', 'failure', 'partial']);

function saysNotDone(value: unknown): boolean {
  return saysFailed(value) || FAILED.has(fields(value)?.['status']);
}

function saysFailed(value: unknown): boolean {
  const { error, errors, success, ok } = fields(value) ?? {};
  const isError = (said: unknown) => Boolean(said) && !(Array.isArray(said) && said.length === 0);
  return isError(error) || isError(errors) || success === false || ok === false;
}

function fields(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
}

/** An ID goes into the checkpoint, addresses and screens, so megabytes and the token itself are refused. */
function idOf({ id }: Fields): string | undefined {
  if (typeof id === 'number') return Number.isSafeInteger(id) ? String(id) : undefined;
  return typeof id === 'string' && id !== '' && id.length <= BOUNDS.id.most && !holdsSecret(id)
    ? id
    : undefined;
}

const LONGEST_BODY = 64 * 1024;

export interface ErrorBody {
  readonly error?: string | undefined;
  readonly detail?: string | undefined;
}

/** Understands `{error, message, details}`, also with an object in `error`, and plain text. Never throws. */
export function errorBody(answer: Answer, secrets: readonly string[]): ErrorBody {
  const text = answer.body.subarray(0, LONGEST_BODY).toString('utf8').trim();
  const value = parsed(text);
  if (value === undefined) return { detail: text.startsWith('<') ? undefined : oneLine(text, secrets) };
  const object = fields(value);
  if (object === undefined) return { detail: oneLine(phrase(value) ?? '', secrets) };
  const { error, message, details, error_description, errors } = object;
  const nested = fields(error);
  const code = phrase(nested === undefined ? error : (nested['code'] ?? nested['type']));
  const parts = [
    code,
    phrase(message) ?? phrase(error_description) ?? phrase(nested?.['message']),
    phrase(details ?? errors ?? nested?.['details']),
  ];
  const detail = [...new Set(parts.filter((part) => part !== undefined && part !== ''))].join(': ');
  return { error: code, detail: oneLine(detail, secrets) };
}

/** A refusal in the service's own form cannot come from a proxy (public facts). */
export function refusesInOwnForm(answer: Answer): boolean {
  if (answer.body.length > LONGEST_BODY) return false;
  const { error, errors, message } = fields(json(answer)) ?? {};
  return [error, errors, message].some((said) => said !== undefined && said !== null && said !== '');
}

function phrase(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function oneLine(text: string, secrets: readonly string[]): string | undefined {
  const { most } = BOUNDS.said;
  const line = printable(redact(text, secrets)).replace(/ {2,}/g, ' ').trim();
  return (line.length > most ? `${line.slice(0, most - 1).toWellFormed()}…` : line) || undefined;
}
