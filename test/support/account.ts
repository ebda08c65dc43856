/** An account of any size for any recipe, in this process and on a clock of its own: it answers each list in the way of paging that the recipe expects. */
import { AppError } from '../../src/domain/errors.ts';
import type { Got, Platform } from '../../src/export/platform.ts';
import { type Recipe, type Resource, type Row, valueAt, withAt } from '../../src/export/recipe.ts';

const BEGIN = Date.UTC(2020, 0, 1);
/** People, groups and the like. */
const OTHERS = 250;

export interface Account {
  readonly platform: Platform;
  /** Ticket numbers that are in no list: archived, and gone. */
  readonly archived: number;
  readonly gone: number;
  readonly spent: { requests: number; seconds: number };
}

export function account(recipe: Recipe, count: number): Account {
  const isNumbered = recipe.resources.some(({ page }) => page !== undefined && 'numbers' in page);
  const isGone = (number: number) => isNumbered && number % 97 === 0 && number < count;
  const isArchived = (number: number) => isNumbered && number % 50 === 0 && !isGone(number) && number < count;
  const numbers = Array.from({ length: count }, (_, at) => at + 1);
  const listed = numbers.filter((number) => !isGone(number) && !isArchived(number));
  const spent = { requests: 0, seconds: 0 };
  const free = new Map<unknown, number>();

  /** The clock of the account moves to the next moment that every limit allows. */
  const spend = ({ name, limit }: Resource) => {
    spent.requests += 1;
    const limits = [
      [recipe.name, recipe.limit] as const,
      ...(limit === undefined ? [] : [[name, limit] as const]),
    ];
    const at = Math.max(...limits.map(([key]) => free.get(key) ?? 0));
    for (const [key, { requests, seconds }] of limits) free.set(key, at + seconds / requests);
    spent.seconds = Math.max(spent.seconds, at);
  };

  const sizeOf = (resource: Resource): readonly number[] => {
    if (leadsToTickets(resource)) return listed;
    if (resource.noun !== undefined && resource.of === undefined) return listed;
    return resource.names || resource.of !== undefined
      ? []
      : numbers.slice(0, resource.children.length > 0 ? 2 : OTHERS);
  };

  return {
    spent,
    archived: numbers.filter(isArchived).length,
    gone: numbers.filter(isGone).length,
    platform: {
      address: 'https://account.example',
      prefix: '',
      speed: () => recipe.limit.requests / recipe.limit.seconds,
      sent: () => spent.requests,
      close: async () => {},
      get: async (resource, path, body): Promise<Got> => {
        spend(resource);
        const { page, ids, of } = resource;
        const post: unknown = body === undefined ? {} : JSON.parse(body);
        if (page !== undefined && 'numbers' in page) {
          const asked = decodeURIComponent(
            /(?:=|\/)(\d[\d,%C]*)/.exec(path.replace('/v2/', '/').replace('/v1/', '/'))?.[1] ?? '',
          );
          const found = asked.split(',').map(Number).filter(isArchived);
          const rows = found.map((one) => rowOf(resource, one));
          return rows.length === 0 ? lost() : answer(resource, rows);
        }
        if (ids !== undefined) {
          const inputs = (valueAt(post, 'inputs') as Row[] | undefined) ?? [];
          const rows = inputs.map(({ id }) => ({ id }));
          return answer(resource, rows);
        }
        if (of !== undefined && page === undefined)
          return answer(resource, [rowOf(resource, Number(/\/(\d+)(?:\?|$)/.exec(path)?.[1] ?? 0))]);
        const parts = leadsToTickets(resource) || resource.optional ? [] : partsOf(path);
        if (of !== undefined) return answer(resource, parts, {}, 2, 1);
        return listAt(resource, path, post, sizeOf(resource));
      },
    },
  };
}

function leadsToTickets({ noun, children }: Resource): boolean {
  return noun === 'ticket' || children.some(leadsToTickets);
}

function lost(): Got {
  return { status: 404, error: new AppError('configuration', 'It is not here.') };
}

/** Two messages of a ticket. */
function partsOf(path: string): Row[] {
  const id = Number(/\d{2,}|\d(?=\/[a-z])/.exec(path.replace(/\/v\d+\b|\/api\/2/g, ''))?.[0] ?? 0);
  return [1, 2].map((nth) => ({ id: 10 * id + nth }));
}

/** What the recipe reads of a row, so that it asks for all that hangs on it. */
function rowOf({ id, since, inside, declares, children }: Resource, number: number): Row {
  const time = new Date(BEGIN + 1000 * number).toISOString().replace('.000Z', 'Z');
  const written = { unix: Date.parse(time) / 1000, plain: time.slice(0, 19).replace('T', ' ') };
  let row: Row = { id: number, status: 'open', [id]: number };
  const put = (at: string, value: unknown) => {
    row = withAt(row, at, value);
  };
  if (since !== undefined)
    put(since.column, since.format in written ? written[since.format as 'unix'] : time);
  if (inside !== undefined) put(inside.at, [{ id: 1 }, { id: 2 }]);
  if (inside !== undefined && declares !== undefined) put(declares, 2);
  for (const child of children) {
    if (child.declares !== undefined && child.when === undefined) put(child.declares, 2);
    const [list = '', inner] = child.ids?.at.split('[].') ?? [];
    if (inner !== undefined) put(list, [{ [inner]: `${child.name}-${number}` }]);
  }
  return row;
}

function listAt(resource: Resource, path: string, post: unknown, ids: readonly number[]): Got {
  const { page, since } = resource;
  const url = new URL(path, 'https://account.example');
  const at = (name: string) => url.searchParams.get(name) ?? valueAt(post, name);
  const [asked] = /\d{4}-\d\d-\d\d[T +]\d\d:\d\d(?::\d\d)?/.exec(decodeURIComponent(path)) ?? [];
  const begin = asked && Date.parse(`${asked.replace(/[ +]/, 'T')}Z`);
  const rows = since === undefined || !begin ? ids : ids.filter((number) => BEGIN + 1000 * number >= begin);
  const own = ['limit', 'per_page', 'page[size]', 'maxResults', 'pagination.per_page'].map(at).find(Boolean);
  const size = page !== undefined && 'size' in page ? page.size : Number(own ?? 100);
  const number = page !== undefined && 'size' in page ? (page.number ?? page.offset ?? '') : '';
  const isPages = page !== undefined && 'size' in page && page.number !== undefined;
  const from = isPages
    ? (Number(at(number)) - 1) * size
    : Number((page !== undefined && 'cursor' in page ? at(page.cursor) : at(number || '__at')) ?? 0);
  const some = rows.slice(from, from + size).map((one) => rowOf(resource, one));
  const end = from + some.length;
  url.searchParams.set('__at', String(end));
  const place = { next: String(end), link: url.pathname + url.search, isOver: end >= rows.length };
  return answer(resource, some, place, rows.length, isPages ? Math.ceil(rows.length / size) : rows.length);
}

interface End {
  readonly next?: string;
  readonly link?: string;
  readonly isOver?: boolean;
}

function answer(
  { page, rows, total }: Resource,
  found: readonly Row[],
  { next, link, isOver = true }: End = {},
  count = found.length,
  last = count,
): Got {
  let body: unknown = rows === undefined ? (page === undefined || 'numbers' in page ? found[0] : found) : {};
  const isOne = page === undefined || 'numbers' in page;
  const [list = '', inner] = rows?.split('[].') ?? [];
  if (inner !== undefined) body = withAt(body, list, [{ [inner]: found }]);
  else if (rows !== undefined) body = withAt(body, rows, isOne && rows === 'ticket' ? found[0] : found);
  const headers = new Map<string, string>();
  const tell = (at: string | undefined, value: unknown) => {
    if (at?.startsWith('header:')) headers.set(at.slice(7), String(value));
    else if (at !== undefined && rows !== undefined) body = withAt(body, at, value);
  };
  tell(total, count);
  if (page !== undefined && 'size' in page)
    tell(page.last, page.last === 'isLast' ? isOver : page.number === undefined ? count : last);
  if (page !== undefined && 'cursor' in page) {
    if (!isOver || page.keep) tell(page.from, next);
    tell(page.more, !isOver);
    tell(page.end, isOver);
  }
  if (page !== undefined && 'next' in page && !isOver) tell(page.next, link);
  if (page !== undefined && 'link' in page && !isOver) headers.set('link', `<${link}>; rel="next"`);
  return { body, header: (name) => headers.get(name) };
}
