/** The next page of a list, the begin of the next export, the meaning of a refusal. Pure. */

import { AppError } from '../domain/errors.ts';
import { sha256 } from '../domain/identity.ts';
import { holdsSecret } from '../domain/secret.ts';
import { textOf } from '../domain/text/foreign.ts';
import { stop } from '../domain/text/stops.ts';
import { type Resource, type Row, valueAt } from './recipe.ts';

/** A place in a list: what the query says of it, or path and query of a link. */
export interface Place {
  readonly query: Readonly<Record<string, string>>;
  readonly link?: string;
  readonly since?: string;
  /** How often the list has been read from its beginning, and how many new rows this time brought. */
  readonly pass?: number;
  readonly fresh?: number;
  readonly watch?: Watch | undefined;
  /** That are asked for. */
  readonly numbers?: readonly number[];
}

export interface Answered {
  readonly body: unknown;
  readonly header: (name: string) => string | undefined;
}

/**
 * Brent's search for a cycle: a page to compare with, replaced after twice as many pages each time; how often it came `again`, and how
 * many pages in a row were `empty`.
 */
type Watch = Readonly<Record<'left' | 'life' | 'again' | 'empty', number>> & { readonly page: string };

/** Passes over a list that still brings something new; the next export continues. */
const MOST_PASSES = 5;

export function beginning({ page, since }: Resource, mark?: string): Place {
  const begin = since === undefined ? {} : { since: mark ?? since.start };
  if (page !== undefined && 'size' in page) {
    const { number, offset = '', first = number === undefined ? 0 : 1 } = page;
    return { ...begin, query: { [number ?? offset]: String(first) } };
  }
  if (page === undefined || !('cursor' in page)) return { ...begin, query: {} };
  return { ...begin, query: page.keep && mark !== undefined ? { [page.cursor]: mark } : (page.first ?? {}) };
}

export function nextPlace(
  resource: Resource,
  place: Place,
  { body, header }: Answered,
  rows: readonly Row[],
  fresh: number,
): Place | undefined {
  const { page, since } = resource;
  if (page === undefined || 'numbers' in page) return undefined;
  const sum = (place.fresh ?? 0) + fresh;
  const { pass = 1 } = place;
  /** Rows that went to another page meanwhile were on none, so the list is read until nothing is new. */
  const readAgain = () => {
    const first = beginning(resource, place.since);
    const isWhole = place.link === undefined && JSON.stringify(place.query) === JSON.stringify(first.query);
    if (isWhole || since?.sorted === true || sum === 0 || pass >= MOST_PASSES) return undefined;
    return { ...first, fresh: 0, pass: pass + 1 };
  };
  if ('cursor' in page) {
    const cursor = textOf(valueAt(body, page.from)) ?? '';
    const isOver =
      (page.more !== undefined && valueAt(body, page.more) !== true) ||
      (page.end !== undefined && valueAt(body, page.end) === true);
    if (isOver || cursor === '' || cursor === place.query[page.cursor])
      return page.again ? readAgain() : undefined;
    return { ...place, query: { [page.cursor]: cursor }, fresh: sum };
  }
  if (!('size' in page)) {
    const written = 'next' in page ? valueAt(body, page.next) : LINK.exec(header('link') ?? '')?.[1];
    // path and query alone: the token stays at the address of the account
    const url = typeof written === 'string' ? URL.parse(written, 'https://account.invalid') : null;
    // headers sign it in, so a token in it is not needed
    for (const [name, value] of [...(url?.searchParams ?? [])])
      if (holdsSecret(value)) url?.searchParams.delete(name);
    const link = url && url.pathname + url.search;
    if (link === null || link === place.link) return 'next' in page && page.again ? readAgain() : undefined;
    return { ...place, link, fresh: sum };
  }
  const name = page.number ?? page.offset ?? '';
  const at = Number(place.query[name]);
  const step = page.number !== undefined ? 1 : page.hidden ? page.size : rows.length;
  const last = Number(told(page.last, body, header) ?? Number.NaN);
  const isLast = page.last !== undefined && valueAt(body, page.last) === true;
  const isShort = page.last === undefined && !page.hidden && rows.length < page.size;
  const isOver = Number.isNaN(last)
    ? rows.length === 0 || isShort || isLast
    : (rows.length === 0 && !page.hidden) || (page.number === undefined ? at + step : at) >= last;
  if (!isOver) {
    // a sorted list is asked for anew from the last row's time, so that no page number grows
    const begin = since?.sorted === true ? markOf(since, rows.at(-1)) : undefined;
    if (begin !== undefined && begin > (place.since ?? '')) return beginning(resource, begin);
    return { ...place, query: { [name]: String(at + step) }, fresh: sum };
  }
  return readAgain();
}

/** A number in the answer, or in a header of it. */
function told(where: string | undefined, body: unknown, header: Answered['header']): string | undefined {
  const [, name] = /^header:(.+)$/.exec(where ?? '') ?? [];
  return name === undefined ? textOf(where && valueAt(body, where)) : header(name);
}

const LINK = /<([^<>]*)>\s*;[^,<]*\brel="?next"?/i;

/** A list's mark, at which the next export begins, and its number of rows. */
export function ownOf(
  { page, since, total }: Resource,
  place: Place,
  answered: Answered,
  rows: readonly Row[],
) {
  const { body, header } = answered;
  const isKept = page !== undefined && 'cursor' in page && page.keep === true;
  const mark = isKept
    ? (textOf(valueAt(body, page.from)) ?? place.query[page.cursor])
    : since?.sorted === true
      ? markOf(since, rows.at(-1))
      : undefined;
  return { mark, total: told(total, body, header) };
}

/** The time of a row less the overlap, written so that it can be compared as a text. */
function markOf({ column, overlap }: NonNullable<Resource['since']>, row: unknown): string | undefined {
  const written = (textOf(valueAt(row, column)) ?? '').replace(/^(\d{4}-\d\d-\d\d) ([\d:]+)$/, '$1T$2Z');
  const ms = Date.parse(written);
  return Number.isNaN(ms) ? undefined : markAt(ms - overlap * 1000);
}

/** Whole seconds, as most platforms compare. */
export function markAt(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');
}

/** Rows come twice in lists that change while they are read; whole pages do not. */
const MOST_AGAIN = 3;
const MOST_EMPTY = 20;

/** The next place, which remembers a page; throws AppError `unreachable` for a list that would never end. `ids`: of the rows of this page. */
export function watched(
  { title, name }: Resource,
  ids: readonly string[],
  { watch, pass }: Place,
  next: Place | undefined,
): Place | undefined {
  if (next === undefined || next.pass !== pass) return next && { ...next, watch: undefined };
  const list = `its list of ${name.replaceAll('_', ' ')}`;
  if (holdsSecret(JSON.stringify(next.query)) || holdsSecret(next.link ?? ''))
    throw new AppError('configuration', `${title} puts the token into the address of ${list}.`);
  const page = sha256(ids.join('\n')).slice(0, 16);
  const { left = 1, life = 1, ...kept } = watch ?? { page: '', again: 0, empty: 0 };
  const again = kept.again + (page === kept.page && ids.length > 0 ? 1 : 0);
  const empty = ids.length === 0 ? kept.empty + 1 : 0;
  if (again >= MOST_AGAIN || empty >= MOST_EMPTY) throw stop('endless-list', { title, list });
  if (left > 1) return { ...next, watch: { page: kept.page, left: left - 1, life, again, empty } };
  return { ...next, watch: { page, left: 2 * life, life: 2 * life, again: 0, empty } };
}

/** This many refusals, before any row was given out, are about the token. */
const MOST_REFUSED = 20;

/** `without`: the account lacks the resource, which is optional. `stop`: every other request would meet the same. */
type Refusal = Place | 'miss' | 'skip' | 'without' | 'stop';

/** `refused`: how often the resource was refused so far, and never given out. A place: where the list is read anew. */
export function refusalOf(
  resource: Resource,
  { place, parent }: { readonly place: Place; readonly parent: string },
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
  if (place.numbers && [301, 404, 410].includes(status)) return 'skip';
  if (parent === '') return optional === true && (isRight || status === 404) ? 'without' : 'stop';
  if (status === 0 || status === 401 || (status >= 300 && status < 400)) return 'stop';
  if (isRight && refused >= MOST_REFUSED) return optional === true ? 'without' : 'stop';
  return optional === true && status === 404 ? 'skip' : 'miss';
}
