/** Requests to make, and the rows of an answer. Pure: no clock, no network, no file. */

import { sha256 } from '../domain/identity.ts';
import { holdsSecret } from '../domain/secret.ts';
import { textOf } from '../domain/text/foreign.ts';
import { stop } from '../domain/text/stops.ts';
import { type Answered, beginning, nextPlace, ownOf, type Place, watched } from './paging.ts';
import { filled, holds, listAt, type Resource, type Row, valueAt, withAt } from './recipe.ts';

export interface Request {
  readonly resource: string;
  /** The id of the parent's row; empty for a list of its own. */
  readonly parent: string;
  readonly depth: number;
  /** Path and query, filled from the parent's row. */
  readonly path: string;
  readonly adds: Row;
  readonly place: Place;
  /** Why it cannot be sent. */
  readonly why?: string;
}

/** A new or changed row. */
interface FetchedRow extends Record<'id' | 'digest' | 'line', string> {
  /** The length of the list in it. */
  readonly inside: number;
  /** How many rows the platform says that a resource has for it. */
  readonly said: Readonly<Record<string, number>>;
}

export interface Step {
  readonly rows: readonly FetchedRow[];
  /** Rows to look at. */
  readonly flaws: readonly Record<'id' | 'why', string>[];
  /** Rows that no page had before. */
  readonly fresh: number;
  readonly requests: readonly Request[];
  /** Undefined after the last page. */
  readonly next: Place | undefined;
  /** The beginning of the next export. */
  readonly mark?: string | undefined;
  /** How many rows the platform says that the list has. */
  readonly total?: string | undefined;
}

/** The request for a list, from where the last export ended, or for what hangs on the row of a parent. */
export function requestFor(resource: Resource, row: Row, parent: string, mark?: string): Request {
  const { name, depth, get, query = {}, adds = {} } = resource;
  const pairs = Object.entries(query).map((pair) =>
    pair.map((text) => encodeURIComponent(String(filled(String(text), row)))).join('='),
  );
  // dots alone would be another address
  const isOdd = (value: string) => /^\.{0,2}$/.test(value);
  const at = String(filled(get, row, (value) => (isOdd(value) ? '{}' : encodeURIComponent(value))));
  const path = `${at}?${pairs.join('&')}`;
  const added = Object.entries(adds)
    .map(([column, template]) => [column, filled(template, row)])
    .filter(([, value]) => !/^\{[^{}]*\}$/.test(textOf(value) ?? ''));
  const place = beginning(resource, mark);
  const request = { resource: name, parent, depth, path, adds: Object.fromEntries(added), place };
  const isAskable = !/[{}]/.test(at.replace(/\{(numbers|ids)\}/, '')) && !holdsSecret(path);
  return isAskable ? request : { ...request, path: '', why: 'its ID cannot be asked for' };
}

/** Path and query of a request at its place. `prefix`: what the address has in front of every path; a link has it already. */
export function pathOf(
  { since, post }: Resource,
  { path, place, adds }: Request,
  prefix: string,
  namesOf: (resource: string) => string | undefined,
): string {
  if (place.link !== undefined) return place.link;
  const more = post === undefined ? new URLSearchParams(place.query).toString() : '';
  const [numbers, ids] = [place.numbers?.join(), Object.keys(adds).join()];
  const values: Row = { since: writtenSince(since?.format, place.since), numbers, ids };
  const filledIn = path.replace(/\{(\w+)\}|%7B(\w+)%7D/g, (all, inPath, inQuery) => {
    const value = textOf(values[inPath ?? inQuery]) ?? namesOf(inPath ?? inQuery);
    return value === undefined ? all : encodeURIComponent(value);
  });
  const whole = prefix + filledIn;
  return `${whole}${more === '' || whole.endsWith('?') ? '' : '&'}${more}`.replace(/\?$/, '');
}

/** The body of a POST. */
export function bodyOf({ post, since }: Resource, { place, adds }: Request): string | undefined {
  if (post === undefined) return undefined;
  const placed = Object.entries(place.query).reduce<Row>((row, [at, value]) => withAt(row, at, value), post);
  const mark = writtenSince(since?.format, place.since);
  const ids = Object.keys(adds).map((id) => ({ id }));
  return JSON.stringify(placed).replace(/"\{(since|ids)\}"/g, (_, name) =>
    JSON.stringify(name === 'ids' ? ids : since?.format === 'unix' ? Number(mark) : mark),
  );
}

function writtenSince(format: string | undefined, mark = ''): string {
  if (format === 'unix') return String(Date.parse(mark) / 1000);
  if (format === 'millis') return mark.replace('Z', '.000Z');
  return format === 'iso' ? mark : mark.slice(0, format === 'minute' ? 16 : 19).replace('T', ' ');
}

/** `digestOf`: of a row of this list that was fetched. Throws AppError `configuration` for an answer that is not as the recipe says. */
export function stepOf(
  resource: Resource,
  request: Request,
  answered: Answered,
  history: boolean,
  digestOf: (id: string) => string | undefined,
): Step {
  const { name, inside, declares, children } = resource;
  const read = rowsOf(resource, answered.body);
  const rows = new Map<string, FetchedRow>();
  const requests: Request[] = [];
  const flaws: Record<'id' | 'why', string>[] = [];
  let fresh = 0;
  const named = new Map<Resource, Map<string, Row[]>>();
  const all = read.flatMap((one) => addsOf(resource, request, one).map((adds) => ({ one, adds })));
  for (const { one, adds } of all) {
    const row = shaped(resource, { ...adds, ...one });
    if (row === undefined) continue;
    const line = lineOf(row);
    if (line === undefined) {
      flaws.push({ id: textOf(valueAt(one, resource.id)) ?? '', why: 'it nests too deeply to be written' });
      continue;
    }
    const digest = sha256(line).slice(0, 32);
    const part = resource.ids === undefined ? '' : ` ${JSON.stringify(adds)}`;
    const id = `${textOf(valueAt(one, resource.id)) ?? digest}${part}`;
    if (holdsSecret(line)) flaws.push({ id, why: 'its text has the token in it' });
    const before = rows.get(id)?.digest ?? digestOf(id);
    if (before === digest) continue;
    if (before === undefined) fresh += 1;
    const wanted = children.filter((child) => isWanted(child, row, history));
    // a child that is asked for has the whole list
    const counted = inside !== undefined && !wanted.some(({ noun }) => noun === inside.noun);
    const telling = wanted.filter((child) => child.inside === undefined);
    const said = [...(counted ? [{ name, declares }] : []), ...telling].flatMap((of) => {
      const count = of.declares === undefined ? Number.NaN : Number(textOf(valueAt(row, of.declares)));
      return Number.isSafeInteger(count) ? [[of.name, count]] : [];
    });
    const length = counted ? (listAt(row, inside.at)?.length ?? 0) : 0;
    rows.delete(id);
    rows.set(id, { id, digest, line, inside: length, said: Object.fromEntries(said) });
    for (const child of wanted)
      if (child.ids === undefined) requests.push(requestFor(child, row, id));
      else for (const text of [valueAt(row, child.ids.at)].flat()) note(named, child, row, textOf(text));
  }
  for (const [child, ids] of named) requests.push(...requestsByIds(child, [...ids]));
  const ids = read.map((one) => textOf(valueAt(one, resource.id)) ?? lineOf(one) ?? '');
  const { place, parent } = request;
  const next = watched(resource, ids, place, nextPlace(resource, place, answered, read, fresh));
  const own = parent === '' ? ownOf(resource, place, answered, read) : {};
  return { rows: [...rows.values()], flaws, fresh, requests, next, ...own };
}

/** Columns of the parents that named it; a row that several named comes once for each. */
function addsOf({ ids, id }: Resource, { adds }: Request, row: Row): Row[] {
  if (ids === undefined) return [adds];
  const [only, ...others] = Object.values(adds);
  const own = others.length === 0 ? only : adds[textOf(valueAt(row, id)) ?? ''];
  return (own ?? []) as Row[];
}

/** Some write several ids as one text. */
function note(named: Map<Resource, Map<string, Row[]>>, child: Resource, row: Row, text = ''): void {
  const ids = named.get(child) ?? new Map<string, Row[]>();
  named.set(child, ids);
  for (const id of text.split(';').filter((one) => one !== ''))
    ids.set(id, [...(ids.get(id) ?? []), requestFor(child, row, '').adds]);
}

function requestsByIds(child: Resource, ids: readonly [string, Row[]][]): Request[] {
  const { most = 1 } = child.ids ?? {};
  return Array.from({ length: Math.ceil(ids.length / most) }, (_, at) => {
    const adds = Object.fromEntries(ids.slice(at * most, (at + 1) * most));
    const [first = '', ...more] = Object.keys(adds);
    const digest = sha256(JSON.stringify(adds)).slice(0, 8);
    const parent = `${first}${more.length === 0 ? '' : ` +${more.length}`} ${digest}`;
    return { ...requestFor(child, {}, parent), adds };
  });
}

function lineOf(row: Row): string | undefined {
  try {
    return JSON.stringify(row);
  } catch {
    return undefined;
  }
}

function rowsOf({ name, of, rows }: Resource, body: unknown): Row[] {
  const found = rows === undefined || body === null ? body : valueAt(body, rows);
  const isRow = (one: unknown): one is Row => typeof one === 'object' && one !== null;
  if (!isRow(found) && of === undefined && body !== null)
    throw stop('no-rows-in-answer', { rows: rows ?? 'rows', name });
  return [found].flat().filter(isRow);
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
