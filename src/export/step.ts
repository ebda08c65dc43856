/** What to ask for, what an answer brings and where its list goes on, what a refusal means. Pure: no clock, no network, no file. */
import { AppError } from '../domain/errors.ts';
import { sha256 } from '../domain/identity.ts';
import { hideSecrets } from '../domain/secret.ts';
import { filled, holds, listAt, type Resource, type Row, valueAt, withAt } from './recipe.ts';

/** A place in a list: what the query says of it, or path and query of a link. */
export interface Place {
  readonly query: Readonly<Record<string, string>>;
  readonly link?: string;
  readonly since?: string;
  /** How often the list has been read from its beginning, and how many rows this time brought that were not known. */
  readonly pass?: number;
  readonly fresh?: number;
}

export interface Request {
  readonly resource: string;
  /** The id of the parent's row; empty for a list of its own. */
  readonly parent: string;
  readonly depth: number;
  /** Path and query, filled from the parent's row. */
  readonly path: string;
  readonly adds: Row;
  readonly place: Place;
}

export interface Answered {
  readonly body: unknown;
  readonly header: (name: string) => string | undefined;
}

/** A new or changed row. */
interface Found {
  readonly id: string;
  readonly digest: string;
  readonly line: string;
  /** The length of the list in it. */
  readonly inside: number;
  /** How many rows the platform says that a resource has for it. */
  readonly said: Readonly<Record<string, number>>;
}

export interface Step {
  readonly rows: readonly Found[];
  /** Rows that no page had before. */
  readonly fresh: number;
  readonly requests: readonly Request[];
  /** Undefined after the last page. */
  readonly next: Place | undefined;
  /** Where the next export begins. */
  readonly mark?: string | undefined;
  /** How many rows the platform says that the list has. */
  readonly total?: unknown;
}

/** A list of which each pass still brings something new is read so often at most; the next export goes on. */
const MOST_PASSES = 5;

/** The request for a list, from where the last export ended, or for what hangs on the row of a parent. */
export function requestFor(resource: Resource, row: Row, parent: string, mark?: string): Request {
  const { name, depth, get, query = {}, adds = {} } = resource;
  const pairs = Object.entries(query).map((pair) =>
    pair.map((text) => encodeURIComponent(String(filled(String(text), row)))).join('='),
  );
  const path = `${filled(get, row, encodeURIComponent)}?${pairs.join('&')}`;
  const added = Object.entries(adds).map(([column, template]) => [column, filled(template, row)]);
  const place = beginning(resource, mark);
  return { resource: name, parent, depth, path, adds: Object.fromEntries(added), place };
}

function beginning({ page, since }: Resource, mark?: string): Place {
  const begin = since === undefined ? {} : { since: mark ?? since.start };
  if (page === undefined || 'next' in page || 'link' in page) return { ...begin, query: {} };
  if ('size' in page) return { ...begin, query: { [page.number ?? page.offset ?? '']: firstOf(page) } };
  return { ...begin, query: page.keep && mark !== undefined ? { [page.cursor]: mark } : (page.first ?? {}) };
}

type Numbered = Extract<NonNullable<Resource['page']>, { size: number }>;
const firstOf = ({ number, first = number === undefined ? 0 : 1 }: Numbered) => String(first);

/** Path and query of a request at its place. `prefix`: what the address has in front of every path; a link has it already. */
export function pathOf({ since }: Resource, { path, place }: Request, prefix: string): string {
  if (place.link !== undefined) return place.link;
  const mark = place.since ?? '';
  const asWritten =
    since?.format === 'iso' ? mark : mark.slice(0, since?.format === 'minute' ? 16 : 19).replace('T', ' ');
  const more = new URLSearchParams(place.query).toString();
  const whole = prefix + path.replaceAll('%7Bsince%7D', encodeURIComponent(asWritten));
  return `${whole}${more === '' || whole.endsWith('?') ? '' : '&'}${more}`.replace(/\?$/, '');
}

/** `digestOf`: of a row of this list that was fetched. Throws AppError `configuration` for an answer that is not as the recipe says. */
export function stepOf(
  resource: Resource,
  request: Request,
  answered: Answered,
  history: boolean,
  digestOf: (id: string) => string | undefined,
): Step {
  const { name, inside, declares, each, children } = resource;
  const read = rowsOf(resource, answered.body);
  const rows = new Map<string, Found>();
  const requests: Request[] = [];
  let fresh = 0;
  for (const one of read) {
    const row = shaped(resource, { ...request.adds, ...one });
    if (row === undefined) continue;
    const line = hideSecrets(JSON.stringify(row));
    const digest = sha256(line).slice(0, 32);
    const part = each === undefined ? '' : ` ${JSON.stringify(listAt(one, each))}`;
    const id = `${valueAt(one, resource.id) ?? digest}${part}`;
    const before = rows.get(id)?.digest ?? digestOf(id);
    if (before === digest) continue;
    if (before === undefined) fresh += 1;
    const wanted = children.filter((child) => isWanted(child, row, history));
    // a child that is asked for has the whole list
    const counted = inside !== undefined && !wanted.some(({ noun }) => noun === inside.noun);
    const telling = wanted.filter((child) => child.inside === undefined);
    const said = [...(counted ? [{ name, declares }] : []), ...telling].flatMap((of) => {
      const count = of.declares === undefined ? Number.NaN : Number(valueAt(row, of.declares));
      return Number.isSafeInteger(count) ? [[of.name, count]] : [];
    });
    const length = counted ? (listAt(row, inside.at)?.length ?? 0) : 0;
    rows.delete(id);
    rows.set(id, { id, digest, line, inside: length, said: Object.fromEntries(said) });
    requests.push(...wanted.map((child) => requestFor(child, row, id)));
  }
  const next = nextPlace(resource, request.place, answered, read, fresh);
  const own = request.parent === '' ? ownOf(resource, request.place, answered.body, read) : {};
  return { rows: [...rows.values()], fresh, requests, next, ...own };
}

function rowsOf({ name, of, rows, each }: Resource, body: unknown): Row[] {
  const found = rows === undefined || body === null ? body : valueAt(body, rows);
  const isRow = (one: unknown): one is Row => typeof one === 'object' && one !== null;
  if (!isRow(found) && of === undefined && body !== null)
    throw new AppError('configuration', `The answer has no ${rows ?? 'rows'}, where ${name} should be.`, {
      hint: 'Correct the recipe, or the address.',
    });
  const read = [found].flat().filter(isRow);
  if (each === undefined) return read;
  return read.flatMap((row) => (listAt(row, each) ?? []).map((one) => withAt(row, each, [one])));
}

function shaped({ keep, pick, where }: Resource, row: Row): Row | undefined {
  if (where !== undefined && !holds(where, row)) return undefined;
  let made = row;
  if (keep !== undefined) {
    const kept = listAt(row, keep.column)?.filter((one) => holds(keep.where, one)) ?? [];
    if (kept.length === 0) return undefined;
    made = { ...row, [keep.column]: kept };
  }
  if (pick === undefined) return made;
  return Object.fromEntries(Object.entries(made).filter(([column]) => pick.includes(column)));
}

function isWanted({ history, when }: Resource, row: Row, withHistory: boolean): boolean {
  if (history === true && withHistory) return true;
  return when === undefined ? history !== true : holds(when, row);
}

function nextPlace(
  { page, since }: Resource,
  place: Place,
  { body, header }: Answered,
  rows: readonly Row[],
  fresh: number,
): Place | undefined {
  if (page === undefined) return undefined;
  if ('cursor' in page) {
    const cursor = String(valueAt(body, page.from) ?? '');
    const isOver =
      (page.more !== undefined && valueAt(body, page.more) !== true) ||
      (page.end !== undefined && valueAt(body, page.end) === true);
    if (isOver || cursor === '' || cursor === place.query[page.cursor]) return undefined;
    return { ...place, query: { [page.cursor]: cursor } };
  }
  if (!('size' in page)) {
    const written = 'next' in page ? valueAt(body, page.next) : LINK.exec(header('link') ?? '')?.[1];
    // path and query alone: the token stays at the address of the account
    const url = typeof written === 'string' ? URL.parse(written, 'https://account.invalid') : null;
    const link = url && url.pathname + url.search;
    return link === null || link === place.link ? undefined : { ...place, link };
  }
  const name = page.number ?? page.offset ?? '';
  const first = { [name]: firstOf(page) };
  const at = Number(place.query[name]);
  const last = page.last === undefined ? rows.length < page.size : valueAt(body, page.last);
  const sum = (place.fresh ?? 0) + fresh;
  if (rows.length > 0 && !(typeof last === 'number' ? at >= last : last === true)) {
    // a sorted list is asked for anew from the last row's time, so that no page number grows
    const begin = since?.sorted === true ? markOf(since, rows.at(-1)) : undefined;
    if (begin !== undefined && begin > (place.since ?? '')) return { since: begin, query: first };
    const step = page.number === undefined ? rows.length : 1;
    return { ...place, query: { [name]: String(at + step) }, fresh: sum };
  }
  // A row that goes away, or to another page, moves the others: some were on no page.
  const { pass = 1 } = place;
  if (place.query[name] === first[name] || since?.sorted === true || sum === 0 || pass >= MOST_PASSES)
    return undefined;
  return { ...place, query: first, fresh: 0, pass: pass + 1 };
}

const LINK = /<([^>]*)>\s*;[^,]*\brel="?next"?/i;

/** Of a list of its own: where the next export begins, and how many rows it has. */
function ownOf({ page, since, total }: Resource, place: Place, body: unknown, rows: readonly Row[]) {
  const isKept = page !== undefined && 'cursor' in page && page.keep === true;
  const mark = isKept
    ? String(valueAt(body, page.from) ?? place.query[page.cursor] ?? '') || undefined
    : since?.sorted === true
      ? markOf(since, rows.at(-1))
      : undefined;
  return { mark, total: total === undefined ? undefined : valueAt(body, total) };
}

/** The time of a row less the overlap, written so that it can be compared as a text. */
function markOf(
  { column, overlap }: NonNullable<Resource['since']>,
  row: Row | undefined,
): string | undefined {
  const written = String(valueAt(row, column) ?? '').replace(/^(\d{4}-\d\d-\d\d) ([\d:]+)$/, '$1T$2Z');
  const ms = Date.parse(written);
  return Number.isNaN(ms) ? undefined : markAt(ms - overlap * 1000);
}

/** Whole seconds, as most platforms compare. */
export function markAt(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');
}

/** So many refusals, before any row was given out, are about the token. */
const MOST_REFUSED = 20;

/** `without`: the account lacks the resource, which is optional. `stop`: every other request would meet the same. */
export type Refusal = Place | 'miss' | 'skip' | 'without' | 'stop';

/** `refused`: how often the resource was refused so far, and never given out. A place: where the list is read anew. */
export function refusalOf(
  resource: Resource,
  { place, parent }: Request,
  status: number,
  refused: number,
): Refusal {
  const { page, optional } = resource;
  const isInside =
    place.link !== undefined || (page !== undefined && 'cursor' in page && page.cursor in place.query);
  // its cursor is too old
  if (isInside && [400, 404, 410, 422].includes(status) && place.pass === undefined)
    return { ...beginning(resource), pass: 1 };
  const isRight = status === 402 || status === 403;
  if (parent === '') return optional === true && (isRight || status === 404) ? 'without' : 'stop';
  if (status === 0 || status === 401 || (status >= 300 && status < 400)) return 'stop';
  if (isRight && refused >= MOST_REFUSED) return optional === true ? 'without' : 'stop';
  return optional === true && status === 404 ? 'skip' : 'miss';
}
